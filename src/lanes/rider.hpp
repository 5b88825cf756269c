#pragma once

#include <vector>

#include "event/solver_impl.hpp"
#include "lanes/root_search.hpp"
#include "lanes/shapes.hpp"

namespace thud::lanes {

/// One run among many: what it does by itself between the steps that all do together.
class Rider {
 public:
  /// A run that has begun.
  void mount(Solver& solver, int tag);
  int tag() const { return tag_; }
  bool is_done() const { return run_->done_; }
  const System& system() const { return run_->s_.system; }

  /// Whether runs of this kind ride at all.
  bool may_ride() const { return may_ride_; }
  /// The mode has changed since it was fitted; fit() tells what it is in lanes.
  bool is_unfitted() const { return !fitting_; }
  void fit(const Fitting* fitting);
  const Fitting& fitting() const { return *fitting_; }
  bool rides() const { return fitting_ && fitting_->shape; }

  /// A step or event by itself.
  void go_alone();
  /// The length of the next step; false when something else was done instead.
  bool propose();
  /// It has proposed a step, which is to be made in lanes.
  bool is_waiting() const { return waits_; }
  void wait() { waits_ = true; }
  /// Its step did not fit what was recorded: it is fitted anew where it stands, and tries once more.
  bool is_misfit() const { return is_misfit_; }
  void fit_again(const Fitting* fitting);
  double proposed() const { return run_->proposed_; }

  // ---- the state, as lanes take and give it ----
  double time() const { return run_->s_.t; }
  double* state() { return run_->s_.y.data(); }
  double* slope() { return run_->s_.stepper->slope_at_start(); }
  const Mode& mode() const { return run_->s_.mode; }
  const Scales& scales() const { return run_->s_.scales(); }
  const std::vector<Condition>& conditions() const { return run_->conditions_.conditions_; }
  const std::vector<double>& tolerances() const { return tolerances_; }
  const double* error_scale() const { return run_->scale_.data(); }

  /// What a step in lanes has come to: one lane of rows that are `width` apart.
  struct Step {
    double error;                     ///< scaled; ≤ 1 is good
    bool fits;                        ///< comparisons went as they were recorded
    const double* next;               ///< state at the end
    const double* stages;             ///< slopes, stage after stage, total rows each
    const double* rows;               ///< of the program, evaluated at the end
    const std::vector<char>* probed;  ///< per guard: it was seen violated in an inner stage; empty: none was
  };
  void take(const Step& step);

  // ---- a crossing inside a step ----
  /// What may have been crossed in the step that was taken last: guards and conditions, by their numbers.
  struct Suspect {
    int guard = -1, condition = -1;
  };
  static constexpr int most_suspects = RootSearch::most;
  bool is_locating() const { return locates_; }
  const std::vector<Suspect>& suspects() const { return suspects_; }
  const double* trial_end() const { return run_->s_.stepper->next(); }
  const double* trial_stages() const { return run_->s_.stepper->stages(); }
  double suspect_tolerance(const Suspect& s) const { return s.guard >= 0 ? tolerances_[s.guard] : 0.0; }
  /// How well the crossing is to be located before the step is repeated up to it [s].
  double root_accuracy() const { return 1e-8 * run_->s_.scales().time; }
  double time_scale() const { return run_->s_.scales().time; }
  bool tracks_distance() const { return run_->s_.system.tracks_distance(); }
  bool is_flow(const Suspect& s) const;
  /// Of several at one instant the lowest goes first, as in Locator.
  int rank_of(int suspect) const {
    return suspects_[suspect].condition >= 0 ? 1 : is_flow(suspects_[suspect]) ? 2 : 0;
  }
  /// The step was made again up to a crossing of `what`: `taken` long, to the state `next` with its slope and the rows of the
  /// program there.
  void arrive(const Suspect& what, double taken, const double* next, const double* slope, const double* rows);
  /// Something else may have been touched before that.
  bool missed_something(double taken, const double* rows) const;
  /// It could not be told in lanes.
  void locate_alone();

 private:
  bool needs_a_look(const Step& step);
  bool may_have_touched(double h, const double* rows) const;
  void accept(double h, const double* next, const double* slope, const double* rows);
  void keep_trial(const Step& step);
  void conclude_alone();
  void step_alone();
  void after();

  Run* run_ = nullptr;
  int tag_ = 0;
  bool waits_ = false, is_second_try_ = false, is_misfit_ = false;
  bool may_ride_ = false, wants_work_ = false, has_closed_ = false;
  const Fitting* fitting_ = nullptr;
  Mode fitted_;
  std::vector<double> tolerances_;
  bool locates_ = false, is_simple_ = false, is_touched_ = false;
  std::vector<Suspect> suspects_;
  std::vector<char> probed_;
  std::vector<double> distances_;  // of what approaches, at the end of the last step in lanes
};

}  // namespace thud::lanes
