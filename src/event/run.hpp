#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "dynamics/selector.hpp"
#include "event/closure.hpp"
#include "event/collider.hpp"
#include "event/control.hpp"
#include "event/locator.hpp"
#include "thud/base/law_error.hpp"

namespace thud {

/// The event-driven run, with any method of integration. Reusable.
///
/// Steps are tried until one ends without a crossing, or are repeated up to the first (Locator). There the state may jump
/// (Collider), and the next mode is selected (ModeSelector); conditions are met, rest is recognised, and every joule is
/// booked.
class Run final : public StepView {
 public:
  Run(const System& system, ModeSelector& selector, Work<double>& work)
      : s_(system, work),
        selector_(selector),
        collider_(system),
        control_(s_),
        closure_(system),
        conditions_(s_),
        locator_(s_, conditions_) {}

  /// From start(), by go_on() until is_done(), to take_outcome().
  void start(AnyStepper& stepper, const std::vector<double>& q, const std::vector<double>& v,
             const std::vector<Condition>& conditions, const SolverOptions& options, StepObserver* observer);
  /// Implicit, for where the motion itself is slow but its direction is not: in sand that resists whatever the speed.
  void set_stiff_stepper(AnyStepper* stepper) { stiff_stepper_ = stepper; }
  bool is_done() const { return done_; }
  void go_on();
  Outcome take_outcome();

  // StepView
  double begin() const override { return s_.t; }
  double end() const override { return s_.t + s_.taken; }
  const Mode& mode() const override { return s_.mode; }
  void state(double t, double* y) override;

 private:
  friend class lanes::Rider;  // steps of many runs at once

  // the run
  // A law of the user's own may have no answer.
  template <class F>
  void guarded(F&& f) {
    try {
      f();
    } catch (const LawError& e) {
      fail_by(e);
    }
  }
  void fail_by(const LawError& error);
  void begin_run(const std::vector<double>& q, const std::vector<double>& v,
                 const std::vector<Condition>& conditions);
  void advance();
  bool propose_step();
  void conclude_step();
  bool is_long_enough(double h);
  void learn_from(double error, double h);
  bool starts_as_before();
  void finish(StopReason reason);
  void fail(std::string message);
  void close();

  // steps
  void set_scales();
  StepState step_state();
  double first_step() const;
  double next_step();
  double quarter_turn() const;
  double step_to_expected(double h);
  bool try_step(double h);
  void reject(double error, double h);
  bool is_sane(const double* y) const;
  void accept();
  void note_beams();
  bool has_ranges_ = false;
  double find_residual(double energy) const;
  void watch_account(double energy);
  void start_anew();
  void watch_stiffness(double h);
  void use_stiff(bool stiff);

  // events
  bool go_to(const Crossing& crossing, double h);
  bool pass_guard(const GuardId& id);
  std::string why_undecided(const Crossing& crossing) const;
  bool step_to(const Crossing& crossing, double h);
  void go_past(double h);
  void correct(const Crossing& crossing);
  void step_again(const Crossing& crossing, double longest);
  bool flip_side(const GuardId& id);
  void turn_switch(SwitchRef which);
  bool carry_switch(const GuardId& id);
  void end_chatter(const GuardId& id, const Mode& before);
  void change_mode();
  void change_mode_once();
  bool select();
  bool strike();
  double look_ahead() const;
  bool entered(const Mode& before) const;
  bool mark_bottom();
  void clamp_what_rests();
  void update_clamps();
  void end_closing();
  void find_edges();
  double longest_piece();
  void stop_at_tiny_steps(double h);
  void set_window();
  void pass_edge();
  void pass_control();
  void watch_transitions();
  void transit(std::size_t k);
  void jolt();
  void keep_closed();
  bool jam(int contact, const std::vector<double>& pulls);
  void push_painleve(int contact, Painleve answer);
  void stop_at_painleve(int contact);
  void push_event(EventKind kind, SwitchRef which) { out_.events.push_back({s_.t, kind, which, 0, 0}); }
  void log_changes(const Mode& before);

  // conditions and rest
  void meet(int c);
  void meet_jumped();
  void meet_reached(double share);
  void check_all_found();
  bool is_resting() const;
  void try_to_settle();

  // states around impacts
  std::vector<double> state_if_wanted() const;
  void keep_around(const std::vector<double>& state, const Mode& mode);

  RunState s_;
  ModeSelector& selector_;
  Collider collider_;
  Control control_;
  Closure closure_;
  Conditions conditions_;
  Locator locator_;
  SolverOptions options_;
  StepObserver* observer_ = nullptr;
  std::vector<double> scale_;   // 1 over the allowed errors
  std::vector<double> edges_;   // of what is prescribed in time
  std::size_t edge_ = 0;        // the next of them
  std::vector<double> pieces_;  // likewise: see Timing
  std::size_t piece_ = 0;
  std::vector<Collider::Closing> closings_;  // series of bounces that are closed already but end later
  Mode before_, start_mode_;
  bool has_start_mode_ = false;  // of the run before
  std::vector<double> guards_here_;
  Outcome out_;
  double last_log_error_ = 0, h_ = 0, energy_size_ = 0;
  int repeats_ = 0;  // events without progress in time
  struct Chatter {   // events of one switch that change nothing
    static constexpr int most = 6;
    static constexpr double interval = 1;  // in times of the system: what comes later is not the same
    SwitchRef which;
    double last = -HUGE_VAL;
    int count = 0;
    bool forced = false;
  };
  Chatter chatter_;
  AnyStepper *stiff_stepper_ = nullptr, *own_stepper_ = nullptr;
  int stiff_steps_ = 0;  // in a row that ask for the other stepper
  int refused_ = 0;      // steps in a row
  int jams_ = 0;         // impacts without collision, likewise
  int tiny_ = 0;         // steps in a row that are next to nothing
  int strictness_ = 0;   // by how many orders of magnitude steps are more accurate than asked for
  int strictest_ = 0;    // that they may become
  double proposed_ = 0;  // length of the step at hand
  bool is_last_ = false;
  bool lawful_ = true;
  bool shortened_ = false, done_ = false;
  bool control_changed_ = false;  // while a mode was selected
  int rounds_ = 0;                // changes of controllers without progress in time
};

}  // namespace thud
