#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "thud/base/error.hpp"
#include "thud/event/solver.hpp"
#include "thud/scenario/values.hpp"

namespace thud {

namespace doc {
class ResultFormula;
}

/// A named result: the time of a condition or an impact, an observable at some instant or over the run, or an expression
/// of other results.
struct ResultSpec {
  enum class Kind : std::uint8_t {
    time_of,
    value_at,
    value_at_end,
    maximum,
    minimum,
    time_of_impact,
    before_impact,
    after_impact,
    impulse_of_impact,
    joint_impulse,          ///< of `what.body`, one `what.component`, at an impact
    largest_joint_impulse,  ///< its largest size, of all impacts
    count_of_impacts,
    constant,       ///< a number that does not depend on the run: Scenario::constants
    time_of_event,  ///< end of a series of impacts, a joint that sticks, a contact that opens, ...
    formula,        ///< an expression of other results
    integral,       ///< of `what` over a stretch of the run
    mean,
    rms,
    impulse_of_contact,  ///< along its normal: of its impacts, and of its force between them
    work_of_elements,    ///< on the bodies, impacts included
  };
  /// Where a stretch of the run begins or ends: at a time, or at that of a result; neither: with the run.
  struct Bound {
    std::optional<double> time;
    int result = -1;
  };
  std::string name;
  std::string rule;  ///< as written
  Kind kind = Kind::time_of;
  int condition = -1;  ///< index in Scenario::conditions, for time_of and value_at
  Observable what;     ///< for the others
  std::string unit;
  int number = 0;    ///< of the impact or series, from 1
  int contact = -1;  ///< whose normal impulse it is
  EventKind event = EventKind::settle;
  std::optional<double> value;                          ///< of a constant
  Bound from, to;                                       ///< of integrals and means
  std::vector<SwitchRef> elements{};                    ///< whose work it is
  std::shared_ptr<const doc::ResultFormula> formula{};  ///< of the results `operands`
  std::vector<int> operands{};
};

/// A number that follows from the scenario alone, for [results]; empty where it does not apply.
struct NamedConstant {
  std::string name;
  std::optional<double> value;
  std::string unit;
};

/// How to draw the system: one shape per part of a body.
struct DrawnPart {
  int body = 0;
  Part part;
};

/// A scenario: a system, where it starts, when it stops and what is wanted of it.
struct Scenario {
  std::string name;  ///< "free_link"
  std::string file;  ///< where it was read from
  std::string text;  ///< the file's text
  std::string title, about;
  std::vector<Knob> knobs;
  std::unique_ptr<System> system;
  std::vector<NamedPoint> points;
  std::vector<NamedObservable> observables;
  std::vector<NamedConstant> constants;
  std::vector<std::string> notes;  ///< what a user should know about the input
  std::vector<DrawnPart> parts;
  std::vector<double> q, v;  ///< initial coordinates and velocities
  std::vector<Condition> conditions;
  std::vector<std::string> condition_text;
  std::vector<ResultSpec> results;
  SolverOptions options;
  bool rest_is_asked = false;     ///< "rest" stands among the stops
  bool stops_at_rest = true;      ///< rest was asked for, or nothing else was
  std::vector<std::string> plot;  ///< observables for the quick look
  double sample = 0;              ///< interval of trajectory samples [s]; 0: automatic

  const NamedObservable* find_observable(std::string_view name) const;
};

/// Adds an observable, such as one of your own (make_observable): a column of trajectories, and a name for rules.
/// Throws InputError for a name that is taken or cannot be written in a rule.
void add_observable(Scenario& scenario, NamedObservable observable);
/// Adds a result as [results] would: add_result(s, "peak", "max hip.height"). Throws InputError for what is wrong with it.
void add_result(Scenario& scenario, const std::string& name, const std::string& rule);
/// An observable by its name, or an expression of observables, "thigh.angle - shank.angle", as rules take both. Throws
/// InputError.
[[nodiscard]] NamedObservable find_quantity(const Scenario& scenario, const std::string& text);
/// Adds a stop as [stop] would: add_stop(s, "hip.height falls through 0"). Throws InputError for what is wrong with it.
void add_stop(Scenario& scenario, const std::string& condition);

/// Reads a scenario by library name ("free_link") or by path, with knobs set from strings ("40 deg").
/// Throws InputError for anything that is wrong with the input.
[[nodiscard]] Scenario load_scenario(const std::string& name_or_path, const KnobSettings& set = {});
/// The same from text; `file` is for messages. Nothing is read from the disk: the text can name files only that it carries.
/// Throws Cancelled soon after `cancel` is set.
[[nodiscard]] Scenario parse_scenario(const std::string& text, const std::string& file,
                                      const KnobSettings& set = {},
                                      const std::atomic<bool>* cancel = nullptr);

}  // namespace thud
