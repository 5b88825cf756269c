#pragma once
// The event-driven run, for any method of integration. Compiled once for each of them, see runs.hpp.

#include <fmt/format.h>

#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstring>

#include "dynamics/selector.hpp"
#include "dynamics/sizes.hpp"
#include "event/collider.hpp"
#include "event/event_log.hpp"
#include "event/runs.hpp"
#include "step/differential.hpp"
#include "step/stepper.hpp"
#include "thud/base/law_error.hpp"

namespace thud {

namespace run_detail {

// What a step may err by, in tolerances. Measured: with it the error of a whole run stays well below the tolerance.
inline constexpr double error_slack = 8;

// The error of the continuous extension vanishes like (1 − θ)⁴ at the end of a step; beyond this point it is far below
// that of the step itself, and the step need not be repeated. Steps are chosen to end just after expected crossings.
inline constexpr double near_end = 0.96;
inline constexpr double overshoot = 1.02;

inline constexpr double event_time_tolerance = 2e-14;  // [s], well below the promised 1e-12

struct Guard {
  double value, tolerance;
  GuardId id;
  bool is_violated() const { return value < -tolerance; }
};

// The last three values of a condition.
struct Past {
  double t[3] = {}, x[3] = {};
  int count = 0;

  void add(double time, double value, bool open) {
    t[0] = t[1], t[1] = t[2], t[2] = time;
    x[0] = x[1], x[1] = x[2], x[2] = value;
    count = open ? count + 1 : 0;
  }
};

// A crossing inside the current step.
struct Crossing {
  double theta = 2;    // place in the step, 2: none
  int guard = -1;      // index in the guard list, or
  int condition = -1;  // index of the condition
};

/// One run with one method.
template <class Method>
class Run final : public AnyRun {
  // What steppers have besides: a memory of the right-hand side, a solution of equations that may fail, and allowed
  // errors that it goes by.
  static constexpr bool remembers = requires(Stepper<Method> & s) { s.forget_jacobian(); };
  static constexpr bool may_fail = requires(Stepper<Method> & s) { s.converged(); };
  static constexpr int looks = [] {
    if constexpr (requires { Stepper<Method>::looks; }) return Stepper<Method>::looks;
    return 0;
  }();
  static constexpr bool wants_scale = requires(Stepper<Method> & s) { s.set_scale(nullptr); };

 public:
  Run(const System& system, ModeSelector& selector, Work<double>& work)
      : system_(system),
        selector_(selector),
        collider_(system),
        work_(work),
        n_(system.dof_count()),
        total_(system.state_size()) {
    stepper_.resize(2 * n_, total_);
    if constexpr (requires { stepper_.set_frequencies(system); }) stepper_.set_frequencies(system);
    y_.assign(total_, 0.0);
    sample_.assign(total_, 0.0);
    sample_slope_.assign(total_, 0.0);
    scale_.assign(2 * n_, 1.0);
  }

  Outcome run(const std::vector<double>& q, const std::vector<double>& v,
              const std::vector<Condition>& conditions, const SolverOptions& options,
              StepObserver* observer) override {
    conditions_ = conditions;
    options_ = options;
    observer_ = observer;
    if constexpr (requires { stepper_.set_options(options); }) stepper_.set_options(options);
    try {
      begin_run(q, v);
      while (!done_) advance();
      close();
    } catch (const LawError& e) {
      fail(fmt::format("{} (t = {:.6g} s)", e.what(), t_));
      out_.time = t_;
      out_.state.clear();  // there is none that could be evaluated
    }
    return std::move(out_);
  }

  // StepView
  double begin() const override { return t_; }
  double end() const override { return t_ + taken_; }
  const Mode& mode() const override { return mode_; }
  void state(double t, double* y) override {
    if (!dense_ready_) make_dense();
    stepper_.dense(dense_h_ > 0 ? (t - t_) / dense_h_ : 0, y_.data(), y);
  }

 private:
  void begin_run(const std::vector<double>& q, const std::vector<double>& v) {
    out_ = {};
    done_ = false;
    repeats_ = 0;
    last_log_error_ = 0;
    taken_ = 0;
    t_ = options_.start_time;
    std::fill(y_.begin(), y_.end(), 0.0);
    std::copy(q.begin(), q.end(), y_.begin());
    std::copy(v.begin(), v.end(), y_.begin() + n_);
    condition_sign_.assign(conditions_.size(), 0);
    condition_size_.assign(conditions_.size(), 0.0);
    condition_start_.assign(conditions_.size(), 0.0);
    condition_end_.assign(conditions_.size(), 0.0);
    past_.assign(conditions_.size(), {});
    out_.hits.resize(conditions_.size());
    // A pulse of torque must not fall between two steps of a motion that stands still.
    if (system_.has_torque())
      options_.max_step = std::min(options_.max_step, (options_.time_limit - t_) / 1000);
    system_.reset(mode_);
    out_.events.reserve(8);
    set_scales();
    if (!Method::adaptive && options_.step > 0.1 * (options_.time_limit - t_)) {
      fail(fmt::format("a step of {:.3g} s is too long for a run of {:.3g} s", options_.step,
                       options_.time_limit - t_));
      return;
    }
    out_.energy.initial = energy();
    energy_size_ = system_.tree().kinetic_energy(work_.frames);
    closings_.clear();
    if (!std::isfinite(out_.energy.initial) || !std::isfinite(scales_.moment)) {
      fail("the numbers of the start are too large to compute with");
      return;
    }
    if (const int k = collider_.find_overlap(work_, scales_); k >= 0) {
      fail(fmt::format("{} starts {:.3g} m inside", system_.contacts()[k].name, -work_.contact[k].gap));
      return;
    }
    update_conditions_at_start();
    const std::vector<double> state = state_if_wanted();
    clamp_what_rests();
    const Mode before = mode_;
    const bool struck = strike();
    if (!select()) return;
    out_.stats.evaluations += 4;
    start_anew();
    if (struck) keep_around(state, before);
    if (struck) meet_jumped_conditions();
    if (struck) check_all_found();
    if (done_) return;
    approach_.assign(4 * mode_.piece.size(), 0.0);
    gap_rates_.assign(mode_.contact.size(), 0.0);
    note_approach();
    h_ = first_step();
    if (struck) limit_to_flight();
    if (is_resting()) finish(StopReason::rest);
  }

  // Impacts of the contacts that touch and approach; work_ holds an evaluation of the state.
  bool strike() {
    if (collider_.has_rigid_contacts()) collider_.separate(y_.data(), scales_, work_);
    return collider_.has_rigid_contacts() && collider_.strike(t_, y_.data(), scales_, work_, out_);
  }

  std::vector<double> state_if_wanted() const {
    return static_cast<int>(out_.around.size()) < options_.impacts_wanted ? y_ : std::vector<double>{};
  }
  // The states around the impacts of this instant, once the mode after them is known.
  void keep_around(const std::vector<double>& state, const Mode& mode) {
    while (static_cast<long>(out_.around.size()) < std::min<long>(out_.impact_count, options_.impacts_wanted))
      out_.around.push_back({state, y_, mode, mode_});
  }

  // The consistent mode of the state, after bounces that are at their end have been closed. False when the run ended.
  bool select() {
    for (int round = 0; round < 8; ++round) {
      if (!selector_.select(t_, y_.data(), scales_, look_ahead(), mode_, work_, stepper_.slope(0))) {
        if (round < 3 && selector_.jammed() >= 0 && collider_.stop_wedged(y_.data(), mode_, scales_, work_))
          continue;
        if (selector_.jammed() >= 0)
          stop_at_painleve(selector_.jammed());
        else
          fail(fmt::format("no consistent forces were found at t = {:.12g} s", t_));
        return false;
      }
      if (!collider_.has_rigid_contacts()) return true;
      const auto closings = collider_.close_short_bounces(t_, y_.data(), mode_, scales_, work_);
      if (closings.empty()) return true;
      closings_.insert(closings_.end(), closings.begin(), closings.end());
    }
    return true;
  }

  void stop_at_painleve(int contact) {
    const Contact& c = system_.contacts()[contact];
    out_.message = fmt::format(
        "Painleve configuration of {} at t = {:.9g} s: with a friction of {:g} no force keeps this contact "
        "closed while "
        "it slides; rigid bodies with Coulomb friction have no answer here (less friction, or model = "
        "\"hertz\", has)",
        c.name, t_, c.law.friction);
    finish(StopReason::painleve);
  }

  // The next impact of a contact that has just opened should not be stepped over.
  void limit_to_flight() {
    if constexpr (!Method::adaptive) return;
    std::vector<double> acceleration;
    system_.gap_accelerations(y_.data(), work_, acceleration);
    for (std::size_t k = 0; k < mode_.contact.size(); ++k) {
      const Touching<double>& w = work_.contact[k];
      if (mode_.contact[k].touch != Touch::open || w.gap > scales_.touching()) continue;
      if (!(acceleration[k] < 0 && w.gap_rate > 0)) continue;
      const double flight = -2 * w.gap_rate / acceleration[k];
      if (flight < 10 * scales_.time) h_ = std::min(h_, overshoot * flight);
    }
  }

  // An impact makes velocities jump over values that conditions wait for.
  void meet_jumped_conditions() {
    for (std::size_t c = 0; c < conditions_.size(); ++c) {
      const double x = condition_value(c, t_, y_.data());
      if (crosses(c, x)) meet(static_cast<int>(c));
      if (done_) return;
      if (std::abs(x) > 1e-12 * condition_size_[c]) condition_sign_[c] = x > 0 ? 1 : -1;
      condition_start_[c] = x;
    }
  }

  void evaluate(double t, const double* y, double* slope) {
    ++out_.stats.evaluations;
    work_at_end_ = false;
    system_.evaluate(t, y, mode_, work_, slope);
  }

  struct RightHandSide {
    Run& run;
    void operator()(double t, const double* y, double* slope) const {
      ++run.out_.stats.evaluations;
      run.work_at_end_ = false;
      run.system_.evaluate_lean(t, y, run.mode_, run.work_, slope);
    }
    void full(double t, const double* y, double* slope) const { run.evaluate(t, y, slope); }
    void jacobian(double t, const double* y, double* by_q, double* by_v) const {
      run.differentiate(t, y, by_q, by_v);
    }
    const Mode& mode() const { return run.mode_; }
    const System& system() const { return run.system_; }
  };
  RightHandSide right_hand_side() { return {*this}; }

  void differentiate(double t, const double* y, double* by_q, double* by_v) {
    if (!differential_) differential_ = std::make_unique<Differential>(system_);
    differential_->evaluate(t, y, mode_, by_q, by_v);
    out_.stats.evaluations += 2 * n_;
  }

  // The right-hand side is another function from here on, or the state has jumped.
  void start_anew() {
    if constexpr (remembers) stepper_.forget_jacobian();
    looked_at_end_.clear();
  }

  // ---- sizes -------------------------------------------------------------------------------------------------

  void set_scales() {
    mode_.stuck.clear();
    system_.evaluate(t_, y_.data(), mode_, work_, sample_slope_.data());
    measure_sizes(system_, work_, sizes_);
    // In a compliant contact the error of a step counts in full: its force is not smooth at both ends.
    const double slack = std::isfinite(sizes_.indentation) ? 0.5 : error_slack;
    for (int i = 0; i < 2 * n_; ++i) scale_[i] = 1 / (slack * options_.tolerance * absolute_[i]);
    if constexpr (wants_scale) {
      // The motion is what is asked for: of a bending mode its share in it, not how fast it rings.
      for (int i = 0; i < n_; ++i) {
        const double frequency = system_.tree().dof_frequency(i);
        if (!(frequency > 0)) continue;
        scale_[i] = 1 / (error_slack * options_.tolerance * 0.1 * scales_.length);
        scale_[n_ + i] = std::min(scale_[n_ + i], scale_[i] / frequency);
      }
      // The stages are solved so well that what has come to rest is seen to rest.
      std::vector<double> scale = scale_;
      for (int i = 0; i < 2 * n_; ++i) scale[i] = std::max(scale[i], 1 / (2e-6 * absolute_[i]));
      stepper_.set_scale(scale.data());
    }
  }

  // How far ahead the next mode is decided. Where one distance leads nowhere, others are tried in turn.
  double look_ahead() const {
    static constexpr double factors[] = {1, 0.1, 10, 0.01, 100, 3};
    return 1e-6 * std::min(1.0, 10 * scales_.time) * factors[repeats_ % 6];
  }

  double first_step() const {
    if (!Method::adaptive) return options_.step;
    // Cautious: resistance grows like z^2.1 from the surface, which no order of the method sees.
    return std::min(options_.max_step, std::pow(options_.tolerance, 1.0 / 5) * 0.3 * scales_.time);
  }

  // ---- joints with a rule for sticking ---------------------------------------------------------------------------

  // What stands still at the start is clamped, whatever the bending does.
  void clamp_what_rests() {
    for (int i = 0; i < system_.tree().body_count(); ++i)
      if (system_.joint(i).clamp.is_on() && system_.switch_rate(SwitchRef{SwitchKind::joint, i}, work_) == 0
          && std::abs(system_.clamp_load(i, work_)) < 1) {
        mode_.clamped[i] = 1;
        mode_.joint[i] = slip::stuck;
      }
    system_.list_stuck(mode_);
  }

  // Lets go what the bent beam has torn loose, and clamps what has become slow enough. The rest of its motion is lost to
  // friction; the beam bends on as it did.
  void update_clamps() {
    if (!system_.has_clamps()) return;
    constexpr double small = 1e-9;
    for (int i = 0; i < system_.tree().body_count(); ++i) {
      if (!system_.joint(i).clamp.is_on()) continue;
      const double load = std::abs(system_.clamp_load(i, work_));
      if (mode_.clamped[i]) {
        mode_.clamped[i] = load < 1 - small;
      } else if (system_.clamp_margin(i, work_) <= small && load < 1 - 10 * small) {
        const double kinetic = system_.tree().kinetic_energy(work_.frames);
        y_[n_ + system_.tree().angle_dof(i)] = 0;
        mode_.clamped[i] = 1;
        mode_.joint[i] = slip::stuck;
        system_.list_stuck(mode_);
        evaluate(t_, y_.data(), sample_slope_.data());
        y_[system_.channel_slot(Channel::joint_friction)] +=
            system_.tree().kinetic_energy(work_.frames) - kinetic;
      }
    }
    system_.list_stuck(mode_);
  }

  // A rate that passes through zero must be seen while it is below the threshold.
  double step_near_clamps() const {
    double longest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < system_.tree().body_count(); ++i) {
      const double threshold = system_.joint(i).clamp.rate;
      if (!system_.joint(i).clamp.is_on() || mode_.joint[i] == slip::stuck) continue;
      const int dof = system_.tree().angle_dof(i);
      const double rate = std::abs(y_[n_ + dof]), pull = std::abs(stepper_.slope_at_start()[n_ + dof]);
      if (pull > 0) longest = std::min(longest, std::max(rate - 0.5 * threshold, 0.4 * threshold) / pull);
    }
    return longest;
  }

  // ---- one step ----------------------------------------------------------------------------------------------

  void advance() {
    if (options_.cancel && options_.cancel->load(std::memory_order_relaxed))
      return finish(StopReason::cancelled);
    if (out_.stats.steps + out_.stats.rejected > options_.max_steps)
      return void(fail(fmt::format("gave up after {} steps", options_.max_steps)));
    const double left = options_.time_limit - t_;
    double h = Method::adaptive ? std::min(h_, options_.max_step) : options_.step;
    if (Method::adaptive && !(mode_.piece.empty() && mode_.contact.empty())) h = std::min(h, quarter_turn());
    if (Method::adaptive && system_.has_clamps()) h = std::min(h, step_near_clamps());
    if (Method::adaptive && system_.channel_slot(Channel::contact_damping) >= 0)
      h = std::min(h, step_in_damped_contacts(system_, mode_, scales_, work_));
    if (Method::order == 8) h = step_to_expected(h);
    if constexpr (requires { stepper_.suitable(h, y_.data()); }) h = stepper_.suitable(h, y_.data());
    if (!closings_.empty()) {
      const double wait = closings_.front().end - t_;
      if (!(wait > event_time_tolerance)) return end_closing();
      h = std::min(h, wait);
    }
    const bool last = h >= left;
    if (last) h = left;
    if (!(h > 0)) return finish(StopReason::time_limit);
    if (!try_step(h)) return;

    Crossing crossing;
    if (has_violation_ || has_probe_violation_ || condition_crosses(h))
      crossing = locate(h);
    else if (turns_above_surface())
      crossing = locate_dip(h);
    if constexpr (looks > 0) crossing = earlier_graze(crossing, h);
    if (!mode_.contact.empty()) crossing = earlier_touch(crossing, h);
    if (crossing.theta <= 1) {
      if (!go_to(crossing, h)) return;
    } else {
      taken_ = h;
      accept();
      if (last) return finish(StopReason::time_limit);
      if (creeps()) try_to_settle();
    }
  }

  // Infinitely many bounces have ended by now.
  void end_closing() {
    push_event(EventKind::settle, closings_.front().contact, SwitchKind::contact_normal);
    closings_.erase(closings_.begin());
    check_all_found();
    if (!done_ && closings_.empty() && is_resting()) finish(StopReason::rest);
  }

  // Steps by h into next(); false when the step was rejected (a smaller one is set).
  bool try_step(double h) {
    has_probe_violation_ = false;
    dense_ready_ = false;
    if constexpr (looks > 0) looked_.clear();
    auto f = right_hand_side();
    stepper_.step(
        f, [this] { probe_guards(); }, t_, y_.data(), h);
    if constexpr (Method::adaptive) {
      if constexpr (Method::order == 5) stepper_.finish(f, t_, h);
      const double error = stepper_.error(scale_.data(), h);
      if (!(error <= 1)) {
        ++out_.stats.rejected;
        h_ = h
           * (std::isfinite(error) ? std::max(0.2, 0.9 * std::pow(error, -1.0 / Method::error_order)) : 0.2);
        if (h_ < 1e-15 * std::max(scales_.time, std::abs(t_)))
          fail(fmt::format("the step size fell to {:.3g} s at t = {:.9g} s", h_, t_));
        return false;
      }
      // Proportional-integral control: the estimate of an order-8 pair jumps, and chasing it costs rejected steps.
      const double log_error = std::log(std::max(error, 1e-12));
      const double growth =
          0.9 * std::exp(0.04 * std::max(last_log_error_, -9.0) - log_error / Method::error_order);
      last_log_error_ = log_error;
      h_ = h * std::clamp(growth, 0.3, 6.0);
    }
    if constexpr (may_fail && !Method::adaptive)
      if (!stepper_.converged()) {
        fail(fmt::format(
            "the equations of the step at t = {:.9g} s have no solution near; a shorter step may help", t_));
        return false;
      }
    if (Method::order != 5) stepper_.finish(f, t_, h);
    if constexpr (!Method::adaptive)
      if (!is_sane(stepper_.next())) {
        fail(fmt::format(
            "the motion grew without bound by t = {:.6g} s: a step of {:.3g} s is too long for it", t_ + h,
            h));
        return false;
      }
    if constexpr (requires { stepper_.fits(); })
      if (!stepper_.fits()) {
        ++out_.stats.rejected;
        h_ = std::min(h, first_step());
        return false;
      }
    work_at_end_ = true;
    has_violation_ = any_violation();
    return true;
  }

  // Methods with a fixed step may blow up. What is a million million times larger than anything at the start has.
  bool is_sane(const double* y) const {
    for (int i = 0; i < 2 * n_; ++i)
      if (!(std::abs(y[i]) <= 1e12 * absolute_[i] + 1e12)) return false;
    return true;
  }

  // At inner stages of a step: remembers which guards were seen violated.
  void probe_guards() {
    std::size_t index = 0;
    if constexpr (looks > 0) looked_.emplace_back();
    system_.guards(mode_, work_, scales_, [&](double value, double tolerance, GuardId) {
      if constexpr (looks > 0) looked_.back().push_back(value);
      if (!(value >= -tolerance)) {
        if (!has_probe_violation_) probe_hit_.assign(256, 0);
        has_probe_violation_ = true;
        if (index >= probe_hit_.size()) probe_hit_.resize(index + 256, 0);
        probe_hit_[index] = 1;
      }
      ++index;
    });
  }

  bool any_violation() {
    bool violated = false;
    system_.guards(mode_, work_, scales_, [&](double value, double tolerance, GuardId) {
      violated = violated || value < -tolerance || !(value == value);
    });
    return violated;
  }

  void list_guards(std::vector<Guard>& out) {
    out.clear();
    system_.guards(mode_, work_, scales_, [&](double value, double tolerance, GuardId id) {
      out.push_back({value, tolerance, id});
    });
  }

  void accept() {
    ++out_.stats.steps;
    if (observer_) observer_->on_step(*this);
    if (!work_at_end_) system_.evaluate(t_ + taken_, stepper_.next(), mode_, work_, sample_slope_.data());
    note_conditions();
    note_approach();
    std::copy(stepper_.next(), stepper_.next() + total_, y_.begin());
    std::memcpy(stepper_.slope(0), stepper_.slope(Stepper<Method>::last), sizeof(double) * total_);
    t_ += taken_;
    if (collider_.has_rigid_contacts() && collider_.keep_closed(y_.data(), mode_, scales_, work_))
      evaluate(t_, y_.data(), stepper_.slope(0));
    repeats_ = taken_ > 1e-9 * scales_.time ? 0 : repeats_;
    const double kinetic = system_.tree().kinetic_energy(work_.frames);
    energy_size_ = std::max(energy_size_, kinetic);
    if (system_.tree().has_beams()) note_beams();
  }

  void note_beams() {
    const Tree& tree = system_.tree();
    BeamUse& use = out_.beams;
    for (int i = 0; i < tree.body_count(); ++i) {
      const ElasticBeam* beam = tree.body(i).beam.get();
      if (!beam) continue;
      double start = 0, end = 0;
      for (int k = 0; k < beam->size(); ++k) {
        const double eta = work_.frames.eta[tree.elastic_begin(i) + k];
        start += beam->start_shapes()[k] * eta;
        end += beam->end_shapes()[k] * eta;
      }
      const double bent = std::max(std::abs(start), std::abs(end)) / beam->length();
      const double spin = std::abs(work_.frames.rate[i]) / beam->frequency(0);
      if (bent > use.deflection) use.deflection = bent, use.bent = i;
      if (spin > use.spin) use.spin = spin, use.spun = i;
    }
  }

  void make_dense() {
    auto f = right_hand_side();
    dense_h_ = taken_ > 0 ? taken_ : trial_h_;
    stepper_.make_dense(f, t_, y_.data(), dense_h_);
    dense_ready_ = true;
  }

  // ---- conditions --------------------------------------------------------------------------------------------

  double condition_value(std::size_t c, double t, const double* y) const {
    return observe_finite(system_, conditions_[c].what, t, y, work_) - conditions_[c].target;
  }

  void update_conditions_at_start() {
    for (std::size_t c = 0; c < conditions_.size(); ++c) {
      const double x = condition_value(c, t_, y_.data());
      condition_size_[c] = std::max(std::abs(x), std::abs(conditions_[c].target));
      condition_sign_[c] = x > 0 ? 1 : x < 0 ? -1 : 0;
      condition_start_[c] = x;
    }
  }

  bool is_open(std::size_t c) const { return !out_.hits[c].found; }

  bool crosses(std::size_t c, double x) const {
    if (!is_open(c)) return false;
    const int from = condition_sign_[c], wanted = conditions_[c].direction;
    if (from < 0 && x > 0) return wanted >= 0;
    if (from > 0 && x < 0) return wanted <= 0;
    return false;
  }

  // At the end of a trial step (work_ is there).
  bool condition_crosses(double h) {
    for (std::size_t c = 0; c < conditions_.size(); ++c)
      if (crosses(c, condition_value(c, t_ + h, stepper_.next()))) return true;
    return false;
  }

  // No body turns so far in one step that its ends could pass through the sand unseen (see turns_above_surface).
  double quarter_turn() const {
    double fastest = 1e-300;
    for (int i = 0; i < n_; ++i)
      if (system_.tree().is_angle(i)) fastest = std::max(fastest, std::abs(y_[n_ + i]));
    return 1.5 / fastest;
  }

  // Shortens a step to end just after an expected crossing, but not twice in a row: the guess was wrong then.
  double step_to_expected(double h) {
    const double expected = expected_crossing(h);
    const bool shorten = expected < h && expected > 0.2 * h && !shortened_;
    shortened_ = shorten;
    return shorten ? expected : h;
  }

  // Time to just after the next condition, extrapolated from the last three steps; `far` when none is near.
  double expected_crossing(double far) const {
    double first = far;
    for (const Past& p : past_) {
      if (p.count < 3) continue;
      // Newton's form of the parabola through (t_k, x_k), solved by two corrections of its secant.
      const double a = t_ - p.t[1], b = p.t[1] - p.t[0];
      const double s1 = (p.x[2] - p.x[1]) / a, s0 = (p.x[1] - p.x[0]) / b;
      const double curvature = (s1 - s0) / (a + b), slope = s1 + curvature * a;
      double dt = -p.x[2] / slope;
      for (int i = 0; i < 3; ++i) dt = -p.x[2] / (slope + curvature * dt);
      if (dt > 0 && dt * overshoot < first) first = dt * overshoot;
    }
    return first;
  }

  // After an accepted step without a crossing: remembers the signs.
  void note_conditions() {
    for (std::size_t c = 0; c < conditions_.size(); ++c) {
      const double x = condition_value(c, t_ + taken_, stepper_.next());
      condition_size_[c] = std::max(condition_size_[c], std::abs(x));
      condition_start_[c] = x;
      past_[c].add(t_ + taken_, x, is_open(c));
      if (std::abs(x) > 1e-12 * condition_size_[c] && !crosses(c, x)) condition_sign_[c] = x > 0 ? 1 : -1;
    }
  }

  // ---- events ------------------------------------------------------------------------------------------------

  double sample(double theta, double h) {
    stepper_.dense(theta, y_.data(), sample_.data());
    evaluate(t_ + theta * h, sample_.data(), sample_slope_.data());
    return t_ + theta * h;
  }

  // The first crossing of the step, from its continuous extension.
  Crossing locate(double h) {
    trial_h_ = h;
    taken_ = 0;
    list_guards(guards_end_);
    for (std::size_t c = 0; c < conditions_.size(); ++c)
      condition_end_[c] = condition_value(c, t_ + h, stepper_.next());
    make_dense();
    double end = 1;
    if (has_hidden_crossing() || (looks > 0 && has_probe_violation_)) end = first_violated_sample(h);
    if (end > 1) return {};  // a false alarm of the inner stages

    if (!has_violation_ && end == 1) return order(end, h);
    return between(end, h);
  }

  // The first crossing before `end`, where the end values were taken.
  Crossing between(double end, double h) {
    evaluate(t_, y_.data(), sample_slope_.data());
    list_guards(guards_start_);
    for (std::size_t c = 0; c < conditions_.size(); ++c)
      condition_start_[c] = condition_value(c, t_, y_.data());
    return order(end, h);
  }

  Crossing order(double end, double h) {
    root_accuracy_ = 1e-8 * scales_.time;
    Crossing first = first_crossing(end, h);
    if (crowded_) {  // several nearly at once: tell their order
      root_accuracy_ = 1e-13 * scales_.time;
      first = first_crossing(end, h);
    }
    return first;
  }

  // Of crossings at the same instant a switch goes first, since it decides how the motion goes on, then a condition,
  // then the side of the drag.
  Crossing first_crossing(double end, double h) {
    Crossing first;
    int first_rank = 9;
    crowded_ = false;
    const auto offer = [&](Crossing c, int rank) {
      const double apart = (c.theta - first.theta) * h;
      const double same = root_accuracy_ < 1e-10 * scales_.time ? 1e-11 * scales_.time : 4 * root_accuracy_;
      if (first.theta <= 1 && std::abs(apart) < same) {
        crowded_ = true;
        if (rank < first_rank) first = c, first_rank = rank;
      } else if (apart < 0) {
        first = c;
        first_rank = rank;
      }
    };
    for (std::size_t k = 0; k < guards_end_.size(); ++k)
      if (guards_end_[k].is_violated())
        offer({guard_root(static_cast<int>(k), end, h), static_cast<int>(k), -1},
              is_flow(guards_end_[k].id.kind) ? 2 : 0);
    for (std::size_t c = 0; c < conditions_.size(); ++c)
      if (crosses(c, condition_end_[c])) offer({condition_root(c, end, h), -1, static_cast<int>(c)}, 1);
    return first;
  }

  // A part that approached the surface at the start of the step and recedes from it at the end may have dipped into
  // the sand in between: free flight makes steps long enough for that. Remembers where.
  bool turns_above_surface() {
    dip_ = {-1, 0};
    for (int k = 0; k < static_cast<int>(mode_.piece.size()); ++k) {
      const Piece& p = system_.pieces()[k];
      if (is_immersed(p.part, mode_.piece[k].immersion.regime)) continue;
      for (int l = 0; l < p.part.point_level_count(); ++l) {
        const double before = approach_[4 * k + l], after = approach(k, l);
        if (before > 0 && after < 0) dip_ = {k, l};
      }
    }
    return dip_.first >= 0;
  }

  // Speed of a level towards the inside of its bed.
  double approach(int k, int l) const {
    const Piece& p = system_.pieces()[k];
    return dot(system_.beds()[p.bed].plane.normal, work_.frames.velocity(p.body, level_point(p.part, l)));
  }

  void note_approach() {
    for (int k = 0; k < static_cast<int>(mode_.piece.size()); ++k)
      if (!is_immersed(system_.pieces()[k].part, mode_.piece[k].immersion.regime))
        for (int l = 0; l < system_.pieces()[k].part.point_level_count(); ++l)
          approach_[4 * k + l] = approach(k, l);
    for (std::size_t k = 0; k < mode_.contact.size(); ++k) gap_rates_[k] = work_.contact[k].gap_rate;
  }

  // The deepest point of the turn, from the continuous extension; and, if it is in the sand, the way there.
  Crossing locate_dip(double h) {
    trial_h_ = h;
    taken_ = 0;
    make_dense();
    const auto height = [&](double theta) {
      sample(theta, h);
      return -work_.piece[dip_.first].levels.value[dip_.second];
    };
    const double theta = boost::math::tools::brent_find_minima(height, 0.0, 1.0, 26).first;
    sample(theta, h);
    if (!any_violation()) return {};
    list_guards(guards_end_);
    for (std::size_t c = 0; c < conditions_.size(); ++c)
      condition_end_[c] = condition_value(c, t_ + theta * h, sample_.data());
    return between(theta, h);
  }

  // Guards that go through zero and back between two looks: where a parabola through three of them comes near zero, the
  // lowest point is sought.
  Crossing earlier_graze(Crossing first, double h) {
    if (looked_.size() != looks - 1) return first;
    std::vector<double> end;  // work_ is there only when nothing was found yet
    if (work_at_end_)
      system_.guards(mode_, work_, scales_, [&](double v, double, GuardId) { end.push_back(v); });
    looked_.insert(looked_.begin(), std::move(looked_at_end_));
    looked_.push_back(end);
    looked_at_end_ = std::move(end);
    const std::size_t count = looked_[1].size();
    for (std::size_t k = 0; k < count; ++k)
      for (int j = 1; j < looks; ++j) {
        if (looked_[j - 1].size() != count || looked_[j + 1].size() != count) continue;
        const double a = looked_[j - 1][k], b = looked_[j][k], c = looked_[j + 1][k];
        const double bend = a - 2 * b + c, tilt = 0.5 * (c - a), begin = (j - 1.0) / looks;
        if (begin > first.theta || !(a > 0 && b > 0 && c > 0) || b > a || b > c || !(bend > 0)) continue;
        if (b - 0.5 * tilt * tilt / bend > 0.5 * bend) continue;
        trial_h_ = h;
        taken_ = 0;
        if (!dense_ready_) make_dense();
        const auto value = [&](double theta) { return guard_at(static_cast<int>(k), theta, h); };
        const double theta = boost::math::tools::brent_find_minima(value, begin, (j + 1.0) / looks, 20).first;
        if (!(value(theta) < 0) || !any_violation()) continue;
        list_guards(guards_end_);
        for (std::size_t i = 0; i < conditions_.size(); ++i)
          condition_end_[i] = condition_value(i, t_ + theta * h, sample_.data());
        const Crossing found = between(theta, h);
        if (found.theta < first.theta) first = found;
      }
    return first;
  }

  // Contacts that come together and part again within the step, before anything else that was found in it.
  Crossing earlier_touch(Crossing first, double h) {
    for (int pass = 0; pass < 8; ++pass) {
      const Crossing found = find_touch(std::min(first.theta, 1.0), h);
      if (!(found.theta < first.theta)) break;
      first = found;
    }
    return first;
  }

  Crossing find_touch(double end, double h) {
    if (end < 1) sample(end, h);
    Crossing first;
    bool inside = false;
    std::vector<int> turning;
    for (int k = 0; k < static_cast<int>(mode_.contact.size()); ++k) {
      if (mode_.contact[k].touch != Touch::open) continue;
      const Touching<double>& w = work_.contact[k];
      inside = inside || (end < 1 && w.gap < -1e-10 * scales_.length);
      if (gap_rates_[k] < 0 && w.gap_rate > 0) turning.push_back(k);
    }
    const auto look_from = [&](double theta) {
      list_guards(guards_end_);
      for (std::size_t c = 0; c < conditions_.size(); ++c)
        condition_end_[c] = condition_value(c, t_ + theta * h, sample_.data());
      const Crossing found = between(theta, h);
      if (found.theta < first.theta) first = found;
    };
    if (inside) look_from(end);
    if (turning.empty()) return first;
    trial_h_ = h;
    taken_ = 0;
    if (!dense_ready_) make_dense();
    for (int k : turning) {
      const auto gap = [&](double theta) {
        sample(theta, h);
        return work_.contact[k].gap;
      };
      const double theta = boost::math::tools::brent_find_minima(gap, 0.0, end, 26).first;
      if (gap(theta) < -scales_.small_gap()) look_from(theta);
    }
    return first;
  }

  // A guard was violated inside the step but not at its end: an even number of crossings, or a false alarm.
  bool has_hidden_crossing() const {
    if (!has_probe_violation_) return false;
    for (std::size_t k = 0; k < guards_end_.size() && k < probe_hit_.size(); ++k)
      if (probe_hit_[k] && !guards_end_[k].is_violated()) return true;
    return false;
  }

  // Looks for the first sample with a violated guard; 2 when there is none. Leaves the end values at that sample.
  double first_violated_sample(double h) {
    constexpr int samples = 16;
    for (int i = 1; i < samples; ++i) {
      const double theta = static_cast<double>(i) / samples;
      sample(theta, h);
      if (!any_violation()) continue;
      list_guards(guards_end_);
      for (std::size_t c = 0; c < conditions_.size(); ++c)
        condition_end_[c] = condition_value(c, t_ + theta * h, sample_.data());
      return theta;
    }
    bool any_condition = false;
    for (std::size_t c = 0; c < conditions_.size(); ++c)
      any_condition = any_condition || crosses(c, condition_end_[c]);
    return has_violation_ || any_condition ? 1.0 : 2.0;
  }

  double guard_at(int k, double theta, double h) {
    sample(theta, h);
    int index = 0;
    double value = 0;
    system_.guards(mode_, work_, scales_, [&](double v, double, GuardId) {
      if (index++ == k) value = v;
    });
    return value;
  }

  // Where guard k, negative at `end`, goes through zero. A guard that starts at zero must first have risen.
  double guard_root(int k, double end, double h) {
    double start = 0, value_start = guards_start_[k].value, value_end = guards_end_[k].value;
    if (value_start <= guards_end_[k].tolerance) {
      bool risen = false;
      for (double theta = 1e-4; theta < end; theta *= 4) {
        const double value = guard_at(k, theta, h);
        if (value > guards_end_[k].tolerance) {
          start = theta, value_start = value, risen = true;
        } else if (risen) {
          end = theta, value_end = value;
          break;
        }
      }
      if (!risen) return 0;
    }
    if (value_start <= 0) return start;
    if (value_end >= 0) return end;
    return root([&](double theta) { return guard_at(k, theta, h); }, start, value_start, end, value_end, h);
  }

  double condition_root(std::size_t c, double end, double h) {
    const auto value = [&](double theta) { return condition_value(c, sample(theta, h), sample_.data()); };
    const double value_start = condition_start_[c], value_end = condition_end_[c];
    if (value_start == 0 || (value_start > 0) == (value_end > 0)) return 0;  // passed at the last event
    return root(value, 0.0, value_start, end, value_end, h);
  }

  // To the accuracy that the correction of the repeated step can make good.
  template <class F>
  double root(F&& f, double a, double fa, double b, double fb, double h) const {
    std::uintmax_t iterations = 60;
    const auto close_enough = [&](double x, double z) { return std::abs(z - x) * h < root_accuracy_; };
    const auto bracket = boost::math::tools::toms748_solve(f, a, b, fa, fb, close_enough, iterations);
    return 0.5 * (bracket.first + bracket.second);
  }

  double crossing_value(const Crossing& c, double t, const double* y) {
    if (c.condition >= 0) return condition_value(c.condition, t, y);
    int index = 0;
    double value = 0;
    system_.guards(mode_, work_, scales_, [&](double v, double, GuardId) {
      if (index++ == c.guard) value = v;
    });
    return value;
  }

  // Repeats the step up to the crossing, corrects it, and handles the event. False when the run ended.
  bool go_to(const Crossing& crossing, double h) {
    const double short_h = crossing.theta * h;
    if (short_h > event_time_tolerance) {
      auto f = right_hand_side();
      taken_ = short_h;
      if (Method::order == 8 && crossing.theta > near_end
          && !system_.tracks_distance()) {  // |v| has a corner there
        stepper_.dense(crossing.theta, y_.data(), sample_.data());
        std::copy(sample_.begin(), sample_.end(), stepper_.next());
      } else {
        dense_ready_ = false;
        stepper_.step(
            f, [] {}, t_, y_.data(), short_h);
        if constexpr (may_fail && Method::adaptive)
          if (!stepper_.converged()) {  // try again from here with less
            ++out_.stats.rejected;
            h_ = 0.5 * short_h;
            return false;
          }
      }
      stepper_.finish(f, t_, short_h);
      if constexpr (may_fail && !Method::adaptive) step_again(crossing, h);
      const bool flow = crossing.guard >= 0 && is_flow(guards_end_[crossing.guard].id.kind);
      if (!flow && !(may_fail && !Method::adaptive)) correct(crossing);
      work_at_end_ = true;
      accept();
      if (flow) {  // nothing but the side of the drag changes, and it is zero here
        before_ = mode_;
        flip_side(guards_end_[crossing.guard].id);
        log_changes(before_);
        ++out_.stats.events;
        return true;
      }
    } else {
      // At once: go past it by less than any time that matters.
      const double past = short_h + event_time_tolerance;
      for (int i = 0; i < total_; ++i) y_[i] += past * stepper_.slope(0)[i];
      t_ += past;
      taken_ = 0;
      start_anew();
      evaluate(t_, y_.data(), stepper_.slope(0));
      ++repeats_;
    }
    if (repeats_ > 40 + 8 * static_cast<int>(mode_.piece.size())) {
      fail(fmt::format("the contact state could not be decided at t = {:.12g} s", t_));
      return false;
    }
    if (short_h <= event_time_tolerance && crossing.guard >= 0 && repeats_ > 1
        && flip_side(guards_end_[crossing.guard].id)) {
      evaluate(t_, y_.data(), stepper_.slope(0));
      return true;
    }
    if (crossing.condition >= 0) {
      meet(crossing.condition);
      if (done_) return false;
      return true;
    }
    if (guards_end_[crossing.guard].id.kind == GuardKind::painleve) {
      stop_at_painleve(guards_end_[crossing.guard].id.index);
      return false;
    }
    change_mode();
    return !done_;
  }

  static bool is_flow(GuardKind kind) { return kind == GuardKind::cross || kind == GuardKind::along; }

  // The motion itself shows that the side of a drag corner was guessed wrong where the flow starts: take the other.
  bool flip_side(const GuardId& id) {
    start_anew();
    const auto flipped = [](std::int8_t side) { return static_cast<std::int8_t>(-side); };
    if (id.kind == GuardKind::cross)
      mode_.piece[id.index].cross = flipped(mode_.piece[id.index].cross);
    else if (id.kind == GuardKind::along)
      mode_.piece[id.index].along = flipped(mode_.piece[id.index].along);
    else if (id.kind == GuardKind::end_area)
      mode_.piece[id.index].end_area = !mode_.piece[id.index].end_area;
    else if (id.kind == GuardKind::slip && repeats_ > 12)
      turn_switch({id.which, id.index});
    else
      return false;
    return true;
  }

  // A last resort where the box problem and the motion disagree: the states of the switch in turn.
  void turn_switch(SwitchRef which) {
    std::int8_t& state = system_.switch_state(which, mode_);
    if (repeats_ % 2 == 0)
      state = slip::stuck;
    else
      state = state == slip::forward ? slip::backward : slip::forward;
    system_.list_stuck(mode_);
  }

  // The step ends near the crossing; a Newton step of second order on the state removes the rest. The residual is
  // checked, and the correction repeated if it is not small.
  void correct(const Crossing& crossing) {
    double* y = stepper_.next();
    double* slope = stepper_.slope(Stepper<Method>::last);
    double here = crossing_value(crossing, t_ + taken_, y);
    for (int pass = 0; pass < 4 && here != 0; ++pass) {
      const double probe = 1e-7 * std::max(taken_, 1e-3 * scales_.time);
      for (int i = 0; i < total_; ++i) sample_[i] = y[i] + probe * slope[i];
      evaluate(t_ + taken_ + probe, sample_.data(), sample_slope_.data());
      const double rate = (crossing_value(crossing, t_ + taken_ + probe, sample_.data()) - here) / probe;
      const double dt = rate != 0 ? -here / rate : 0;
      const bool usable = std::isfinite(dt) && std::abs(dt) < 0.1 * taken_;
      if (usable) {
        for (int i = 0; i < total_; ++i)
          y[i] += dt * (slope[i] + 0.5 * dt / probe * (sample_slope_[i] - slope[i]));
        taken_ += dt;
      }
      evaluate(t_ + taken_, y, slope);
      if (!usable) return;
      here = crossing_value(crossing, t_ + taken_, y);
      if (std::abs(here) < event_time_tolerance * std::abs(rate)) return;
    }
  }

  // The same for implicit steps far longer than the fastest vibration, where a state must not be extrapolated: the length
  // of the step is corrected by secants, and the step repeated.
  void step_again(const Crossing& crossing, double longest) {
    auto f = right_hand_side();
    double before_h = 0, before = crossing.guard >= 0 ? guards_start_value(crossing.guard)
                                                      : condition_start_[crossing.condition];
    double here = crossing_value(crossing, t_ + taken_, stepper_.next());
    for (int pass = 0; pass < 12 && here != 0 && before != here; ++pass) {
      const double next = taken_ - here * (taken_ - before_h) / (here - before);
      if (!(next > 0 && next <= longest) || std::abs(next - taken_) < event_time_tolerance) return;
      before_h = taken_;
      before = here;
      taken_ = next;
      stepper_.step(
          f, [] {}, t_, y_.data(), taken_);
      stepper_.finish(f, t_, taken_);
      here = crossing_value(crossing, t_ + taken_, stepper_.next());
    }
  }
  double guards_start_value(int k) const {
    return k < static_cast<int>(guards_start_.size()) ? guards_start_[k].value : 0.0;
  }

  void meet(int c) {
    record_hit(c);
    push_event(EventKind::condition, c);
    if (conditions_[c].stops) {
      out_.condition = c;
      return finish(StopReason::condition);
    }
    check_all_found();
  }

  void record_hit(int c) {
    Hit& hit = out_.hits[c];
    hit.found = true;
    hit.time = t_;
    hit.state = y_;
    hit.mode = mode_;
  }

  void check_all_found() {
    if (!options_.stop_when_all_found || done_) return;
    if (out_.impact_count < options_.impacts_wanted) return;
    for (const EventCount& e : options_.events_wanted)
      if (!time_of_event(out_.events, e)) return;
    for (const Hit& hit : out_.hits)
      if (!hit.found) return;
    finish(StopReason::all_found);
  }

  void change_mode() {
    const Mode before = mode_;
    const bool bottom = mark_bottom();
    update_clamps();
    const double stored = system_.contact_energy(work_);
    const std::vector<double> state = state_if_wanted();
    const bool struck = strike();
    if (!select()) return;
    // What a contact still holds when its force is cut off is lost.
    if (const int slot = system_.channel_slot(Channel::contact_damping); slot >= 0)
      y_[slot] += system_.contact_energy(work_) - stored;
    if (struck) keep_around(state, before);
    ++out_.stats.events;
    out_.stats.evaluations += 4;
    start_anew();
    for (Past& p : past_) p.count = 0;  // the motion goes on differently
    log_changes(before);
    if (!options_.events_wanted.empty()) check_all_found();
    if (done_) return;
    if constexpr (Method::adaptive)
      h_ = entered(before) ? first_step() : std::max(0.5 * h_, std::min(h_, first_step()));
    if constexpr (Method::adaptive)
      h_ = std::min(h_, step_into_contacts(system_, before, mode_, scales_, work_));
    if (struck) {
      note_approach();
      limit_to_flight();
      meet_jumped_conditions();
      check_all_found();
      if (done_) return;
    }
    meet_reached_conditions(std::max(1e-9, 10 * options_.tolerance));
    if (done_) return;
    if (bottom) return finish(StopReason::bottom);
    if (is_resting()) return finish(StopReason::rest);
    if (creeps()) try_to_settle();
  }

  // A part has just touched the sand: resistance starts from zero depth, where it is not smooth.
  bool entered(const Mode& before) const {
    for (std::size_t k = 0; k < mode_.piece.size(); ++k)
      if (mode_.piece[k].immersion.regime & ~before.piece[k].immersion.regime) return true;
    return false;
  }

  // Conditions that the motion reaches and stays at: a velocity that is held from here on.
  void meet_reached_conditions(double reach) {
    for (std::size_t c = 0; c < conditions_.size(); ++c) {
      if (!is_open(c)) continue;
      const double x = condition_value(c, t_, y_.data());
      const int wanted = conditions_[c].direction, from = condition_sign_[c];
      const bool approached = from != 0 && (wanted == 0 || from == -wanted);
      if (approached && std::abs(x) <= reach * condition_size_[c]) meet(static_cast<int>(c));
      if (done_) return;
    }
  }

  bool mark_bottom() {
    bool stop = false;
    for (std::size_t k = 0; k < mode_.piece.size(); ++k) {
      const Bed& bed = system_.beds()[system_.pieces()[k].bed];
      PieceMode& m = mode_.piece[k];
      if (bed.bottom <= 0 || m.at_bottom || !is_immersed(system_.pieces()[k].part, m.immersion.regime))
        continue;
      if (work_.piece[k].immersed.depth < bed.bottom - 1e-12 * scales_.length) continue;
      m.at_bottom = true;
      stop = stop || bed.stop_at_bottom;
      push_event(EventKind::bottom, static_cast<int>(k));
    }
    return stop;
  }

  // ---- rest --------------------------------------------------------------------------------------------------

  bool is_slow(double fraction) const {
    for (int i = 0; i < n_; ++i)
      if (std::abs(y_[n_ + i]) > fraction * absolute_[n_ + i]) return false;
    return true;
  }

  bool is_resting() const {
    if (!options_.stop_at_rest || !closings_.empty() || !is_slow(1e-8)) return false;
    // What is left of the bending makes everything swing with the frequency of the beam.
    for (int i = 0; i < n_; ++i) {
      const double swing = std::max(2e-9 * sizes_.slowest_bending, 3e-8 * system_.tree().dof_frequency(i));
      if (std::abs(work_.acceleration[i]) > absolute_[n_ + i] * std::max(1e-7 / scales_.time, swing))
        return false;
    }
    return !torque_is_to_change();
  }

  // What stands still now may yet be moved by a prescribed torque.
  bool torque_is_to_change() const {
    if (!system_.has_torque()) return false;
    constexpr int samples = 2000;
    for (int i = 0; i < system_.tree().body_count(); ++i) {
      const auto& torque = system_.joint(i).torque;
      if (!torque) continue;
      const double now = torque(t_);
      for (int k = 1; k <= samples; ++k)
        if (std::abs(torque(t_ + (options_.time_limit - t_) * k / samples) - now) > 1e-12 * scales_.moment)
          return true;
    }
    return false;
  }

  // Between events the motion may die out slowly (viscous joints): try whether it would stay if it stood still.
  bool creeps() const { return options_.stop_at_rest && is_slow(1e-7); }

  void try_to_settle() {
    const std::vector<double> y = y_;
    const Mode mode = mode_;
    const double kinetic = system_.tree().kinetic_energy(work_.frames);
    for (int i = 0; i < n_; ++i) y_[n_ + i] = 0;
    if (selector_.select(t_, y_.data(), scales_, look_ahead(), mode_, work_, stepper_.slope(0))
        && is_resting()) {
      log_changes(mode);
      out_.energy.settled += kinetic;
      return finish(StopReason::rest);
    }
    y_ = y;
    mode_ = mode;
    start_anew();
    evaluate(t_, y_.data(), stepper_.slope(0));
  }

  // ---- log ---------------------------------------------------------------------------------------------------

  void push_event(EventKind kind, int index, SwitchKind which = SwitchKind::normal, std::int8_t from = 0,
                  std::int8_t to = 0) {
    out_.events.push_back({t_, kind, which, index, from, to});
  }

  void log_changes(const Mode& before) { thud::log_changes(system_, t_, before, mode_, out_.events); }

  // ---- the end -----------------------------------------------------------------------------------------------

  double energy() const {
    return system_.tree().kinetic_energy(work_.frames)
         + system_.tree().potential_energy(work_.frames, system_.gravity())
         + system_.tree().strain_energy(work_.frames) + system_.contact_energy(work_);
  }

  void finish(StopReason reason) {
    if (reason == StopReason::rest) {  // what stands still has reached every rate of zero
      meet_reached_conditions(1e-5);
      if (done_) return;
      push_event(EventKind::rest, 0);
    }
    out_.reason = reason;
    done_ = true;
  }

  Outcome& fail(std::string message) {
    out_.reason = StopReason::failed;
    out_.message = std::move(message);
    done_ = true;
    return out_;
  }

  void close() {
    out_.time = t_;
    out_.state = y_;
    out_.mode = mode_;
    system_.evaluate(t_, y_.data(), mode_, work_, sample_slope_.data());
    EnergyAccount& account = out_.energy;
    account.final = energy();
    double lost = 0, exchanged = energy_size_;
    for (Channel c : system_.channels()) {
      const double work = y_[system_.channel_slot(c)];
      const bool supply = c == Channel::torque;
      account.lost.push_back(supply ? 0.0 : -work);
      if (supply)
        account.supplied = work;
      else
        lost -= work;
      exchanged = std::max(exchanged, std::abs(work));
    }
    lost += account.settled;
    const double residual = account.initial + account.supplied - account.final - lost;
    exchanged = std::max(exchanged, std::abs(account.final - account.initial));
    account.residual = exchanged > 0 ? residual / exchanged : 0.0;
  }

  const System& system_;
  ModeSelector& selector_;
  Collider collider_;
  Work<double>& work_;
  std::vector<Collider::Closing> closings_;  // series of bounces that are closed already but end later
  std::vector<double> gap_rates_;            // of the contacts at the start of the step
  std::vector<Condition> conditions_;
  SolverOptions options_;
  StepObserver* observer_ = nullptr;
  const int n_, total_;

  Stepper<Method> stepper_;
  std::vector<double> y_, sample_, sample_slope_, scale_;
  std::unique_ptr<Differential> differential_;  // of the implicit method
  std::vector<int> condition_sign_;
  std::vector<double> condition_size_, condition_start_, condition_end_;
  std::vector<char> probe_hit_;
  std::vector<std::vector<double>> looked_;  // guards at the looks inside a step
  std::vector<double> looked_at_end_;        // and at the end of the last; empty when unknown
  std::vector<Past> past_;
  std::vector<double> approach_;  // per piece and level
  std::pair<int, int> dip_{-1, 0};
  std::vector<Guard> guards_start_;
  std::vector<Guard> guards_end_;
  Mode mode_, before_;
  Sizes sizes_;
  const Scales& scales_ = sizes_.scales;
  const std::vector<double>& absolute_ = sizes_.absolute;
  Outcome out_;
  double last_log_error_ = 0, t_ = 0, h_ = 0, taken_ = 0, root_accuracy_ = 0, trial_h_ = 0, dense_h_ = 0,
         energy_size_ = 0;
  int repeats_ = 0;
  bool crowded_ = false, shortened_ = false, done_ = false, has_violation_ = false,
       has_probe_violation_ = false;
  bool dense_ready_ = false, work_at_end_ = false;
};

}  // namespace run_detail

using run_detail::Run;

}  // namespace thud
