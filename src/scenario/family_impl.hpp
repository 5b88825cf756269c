#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenario/build.hpp"
#include "scenario/initial.hpp"
#include "scenario/runner.hpp"
#include "thud/scenario/family.hpp"
#ifdef THUD_WITH_LANES
#include "lanes/express.hpp"
#include "lanes/guide.hpp"
#ifdef THUD_WITH_OPENCL
#include "lanes/opencl.hpp"
#endif
#include "lanes/team.hpp"
#endif

namespace thud {

namespace family {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

enum class Source : std::uint8_t { result, observable, time, reason, residual };

struct Read {
  Source source;
  std::size_t index;
};

// A value that follows from the varied knobs and what is derived from them.
struct Formula {
  std::size_t place;
  doc::TimeExpression expression;
};

// A number of a bed: where its surface is, its slope, or a coefficient of its law.
struct BedFormula {
  int bed;
  std::string key;
  const Coefficient* coefficient;
  doc::TimeExpression expression;
};

template <class Named>
std::vector<std::string> names(const std::vector<Named>& list) {
  std::vector<std::string> out;
  for (const Named& x : list) out.push_back(x.name);
  return out;
}

}  // namespace family

struct ScenarioFamily::Impl {
  Impl(doc::Document d, KnobSettings settings_, OwnParts own_, Scenario scenario)
      : document(std::move(d)),
        fixed(std::move(settings_)),
        own(std::move(own_)),
        base(std::move(scenario)) {}

  static std::unique_ptr<Impl> make(doc::Document document, const KnobSettings& fixed,
                                    const std::vector<std::string>& varied,
                                    const std::vector<std::string>& outputs, const OwnParts& own = {}) {
    Scenario base = doc::build_scenario(document, fixed, own);
    auto impl = std::make_unique<Impl>(std::move(document), fixed, own, std::move(base));
    impl->find_knobs(varied);
    impl->find_outputs(outputs);
    impl->prepare_quick_way();
    return impl;
  }

  doc::Document document;
  KnobSettings fixed;
  OwnParts own;
  Scenario base, current;
  std::vector<Knob> knobs;
  std::vector<std::size_t> knob_index;  // among those of the scenario
  std::vector<FamilyOutput> outputs;
  std::vector<family::Read> reads;
  bool is_current = false;  // `current` has been built

  // The quick way, where only beds and the initial state change.
  bool quick = false, beds_change = false, tracks_distance = false;
  std::optional<doc::Table> root;
  doc::SymbolTable symbols;
  std::vector<std::string> moving;  // varied knobs, then derived names
  std::vector<double> moving_values;
  std::vector<family::Formula> derived, starts;
  std::vector<family::BedFormula> bed_numbers;
  std::vector<doc::InitialEntry> entries;
  std::optional<doc::InitialSolver> initial;
  std::vector<std::string> body_names;
  std::unique_ptr<Runner> runner;

  KnobSettings settings(std::span<const double> values) const;
  void find_knobs(const std::vector<std::string>& varied);

  doc::TimeExpression compile(const std::string& text, const doc::SymbolTable& names) const {
    return {std::string_view(text).substr(1), names, moving};
  }

  void find_outputs(const std::vector<std::string>& names);
  void prepare_quick_way();
  bool compile_beds();
  bool turn_beds();
  bool turn_quickly(std::span<const double> values);
  void rebuild(std::span<const double> values);
  double read(const family::Read& r, Runner& from);
  std::vector<char> asked() const;
  void set_knobs(std::span<const double> values) {
    if (!(quick && is_current && turn_quickly(values))) rebuild(values);
  }
  bool turn(std::span<const double> values, FamilyRun& report);
  void read_run(Runner& from, FamilyRun& report, double* out);
  FamilyRun run_alone(std::span<const double> values, double* out, const RunRequest& request);
  bool run_many(std::int64_t count, const FillPoint& point, const TakeRun& take, const RunRequest& request);
  bool run_each(std::int64_t next, std::int64_t count, const FillPoint& point, const TakeRun& take,
                const RunRequest& request);
  bool run_together(std::int64_t next, std::int64_t count, const FillPoint& point, const TakeRun& take,
                    const RunRequest& request);
  StepCounts counts;
  double device_seconds = 0;
  std::string device_notice;

#ifdef THUD_WITH_LANES
  bool run_express(const std::vector<std::int64_t>& todo, const FillPoint& point, const TakeRun& take,
                   const RunRequest& request, std::vector<std::int64_t>& left);
  bool run_device(std::int64_t first, std::int64_t count, const FillPoint& point, const TakeRun& take,
                  const RunRequest& request, std::vector<std::int64_t>& left);
  bool is_allowed(std::span<const double> values) const;
  struct Journey;
  Journey& journey_for(const RunRequest& request);
  bool list_reports(Journey& out, lanes::Survey& survey) const;
  bool list_reports_of(std::size_t result, Journey& out, lanes::Survey& survey) const;
  lanes::Recording record_start();
  std::vector<std::vector<double>> scout_points() const;
  double result_of(std::size_t k, const Journey& j, const lanes::Arrival& a) const;
  void read_arrival(const Journey& j, const lanes::Arrival& a, FamilyRun& run, double* out) const;
  std::unique_ptr<Journey> journey;
  struct Slot;
  bool begin_run(Slot& slot, std::span<const double> values, const RunRequest& request);
  static constexpr bool lanes_allowed = true;
  std::unique_ptr<lanes::Team> team;
  std::string team_name;
  std::vector<Slot> slots;
  std::unique_ptr<Impl> spare;  // for runs by themselves, while others are under way
#else
  static constexpr bool lanes_allowed = false;
#endif
};

#ifdef THUD_WITH_LANES
// A place for a run among others.
struct ScenarioFamily::Impl::Slot {
  std::unique_ptr<Impl> own;  // where every run has a system of its own
  std::unique_ptr<Runner> shared;
  std::int64_t index = 0;

  Runner& runner() { return own ? *own->runner : *shared; }
};

// Whole runs in lanes, as they were asked for last.
struct ScenarioFamily::Impl::Journey {
  std::string asked;                        // for
  std::unique_ptr<lanes::Express> express;  // null: they are not for lanes
  std::unique_ptr<lanes::Guide> guide;
#ifdef THUD_WITH_OPENCL
  std::unique_ptr<lanes::DeviceRuns> device;
#endif
  std::vector<std::size_t> report_of_read, report_of_result;
};
#endif

}  // namespace thud
