#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thud/hybrid/solver.hpp"
#include "thud/scenario/error.hpp"

namespace thud {

/// A knob of a scenario, as its file declares it under [parameters]. Values are SI; `unit` is for showing.
struct Knob {
  std::string name;
  double value = 0, default_value = 0;
  std::string unit;
  std::optional<std::pair<double, double>> range;
  std::string about;
  bool integer = false;
  std::vector<std::string> choices;  ///< a textual knob
  std::string text, default_text;
};

/// A named result: the time of a condition or an impact, or an observable at some instant or over the run.
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
    count_of_impacts,
    time_of_settle,  ///< end of a series of infinitely many impacts
  };
  std::string name;
  std::string rule;  ///< as written
  Kind kind = Kind::time_of;
  int condition = -1;  ///< index in Scenario::conditions, for time_of and value_at
  Observable what;     ///< for the others
  std::string unit;
  int number = 0;    ///< of the impact or series, from 1
  int contact = -1;  ///< whose normal impulse it is
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

using KnobSettings = std::vector<std::pair<std::string, std::string>>;

/// Reads a scenario by library name ("free_link") or by path, with knobs set from strings ("40 deg").
/// Throws InputError for anything that is wrong with the input.
[[nodiscard]] Scenario load_scenario(const std::string& name_or_path, const KnobSettings& set = {});
/// The same from text; `file` is for messages.
[[nodiscard]] Scenario parse_scenario(const std::string& text, const std::string& file,
                                      const KnobSettings& set = {});

/// Folder with `scenarios/` and `reference/`: $THUD_DATA, or beside the program.
[[nodiscard]] std::string data_folder();

struct LibraryEntry {
  std::string name, path, title, about;
};
/// The scenarios that can be run by name.
[[nodiscard]] std::vector<LibraryEntry> list_library();
/// Scenarios to begin a file of one's own with, by kind.
[[nodiscard]] std::vector<LibraryEntry> list_templates();

}  // namespace thud
