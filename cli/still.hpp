#pragma once
// thud run --svg: a figure of one run, or of a few that differ in a knob.

#include <string>
#include <vector>

#include "thud/base/format.hpp"
#include "thud/draw/stills.hpp"
#include "thud/scenario/run.hpp"

namespace thud::cli {

/// One run of a family: its knobs by name and value, as given.
struct Variant {
  KnobSettings set;
};

/// "speed=1,2,3" or "speed=1:3:1" into one setting per run; several options go along with each other, value by value.
/// Throws InputError for anything else, and for knobs that `scenario` does not have or `fixed` sets already.
[[nodiscard]] std::vector<Variant> read_variants(const std::vector<std::string>& given,
                                                 const std::string& file, const Scenario& scenario,
                                                 const KnobSettings& fixed);

/// The scenario of a run of a family. Throws InputError, naming --vary where one of its values is wrong.
[[nodiscard]] Scenario load_variant(const std::string& file, const KnobSettings& fixed,
                                    const Variant& variant);

/// Throws InputError when the file cannot be written, before anything is run.
void check_still_file(const std::string& file);
/// Throws InputError when a figure has no room for so many plots.
void check_still_plots(const std::vector<NamedObservable>& plots, bool are_given);

/// Passes steps on to two observers.
class Both final : public StepObserver {
 public:
  Both(StepObserver* a, StepObserver* b) : a_(a), b_(b) {}
  void on_step(StepView& step) override {
    if (a_) a_->on_step(step);
    if (b_) b_->on_step(step);
  }

 private:
  StepObserver *a_, *b_;
};

/// Results of the runs of a family, a line each.
[[nodiscard]] std::string make_family_table(const std::vector<Scenario>& scenarios,
                                            const std::vector<RunResult>& results,
                                            const std::vector<std::string>& varied, const TextStyle& style);

}  // namespace thud::cli
