#pragma once

#include <algorithm>
#include <vector>

#include "dynamics/sizes.hpp"
#include "step/any_stepper.hpp"
#include "thud/event/solver.hpp"

namespace thud {

/// How well instants are located [s]: well below the promised 1e-12.
inline constexpr double event_time_tolerance = 2e-14;

/// Where a run stands: what its parts share.
struct RunState {
  RunState(const System& s, Work<double>& w)
      : system(s),
        work(w),
        n(s.dof_count()),
        total(s.state_size()),
        y(total),
        sampled(total),
        sampled_slope(total),
        f(s, mode, w) {
    s.reset(mode);
  }

  const System& system;
  Work<double>& work;
  const int n, total;
  AnyStepper* stepper = nullptr;

  double t = 0;
  std::vector<double> y;
  Mode mode;
  Sizes sizes;
  double taken = 0;  ///< length of the step that was just made; 0 while it is looked at
  double trial = 0;  ///< length of the step that is looked at
  std::vector<double> sampled, sampled_slope;
  RightHandSide f;
  bool dense_ready = false;
  double dense_h = 0;

  /// Contacts that their own friction would press together, but that the others let slide: until the mode changes.
  std::vector<int> answered;
  bool is_answered(const GuardId& id) const {
    return id.role == GuardRole::painleve
        && std::find(answered.begin(), answered.end(), id.index) != answered.end();
  }

  const Scales& scales() const { return sizes.scales; }
  double span(double theta) const { return t + theta * trial; }

  void make_dense() {
    dense_h = taken > 0 ? taken : trial;
    stepper->make_dense(f, t, y.data(), dense_h);
    dense_ready = true;
  }
  /// Begins to look into a trial step.
  void look_into(double h) {
    trial = h;
    taken = 0;
    if (!dense_ready) make_dense();
  }
  /// Evaluates the state at θ of the trial step into `work`; returns the time.
  double sample(double theta) {
    stepper->dense(theta, y.data(), sampled.data());
    f.full(span(theta), sampled.data(), sampled_slope.data());
    return span(theta);
  }
  /// The same for what the motion alone tells: without accelerations and the forces of held switches.
  double sample_motion(double theta) {
    stepper->dense(theta, y.data(), sampled.data());
    f.motion(span(theta), sampled.data());
    return span(theta);
  }
  /// The value of a guard at θ of the trial step.
  double guard_at(const GuardId& id, double theta) {
    if (needs_forces(id)) {
      sample(theta);
    } else {
      stepper->dense(theta, y.data(), sampled.data());
      f.element(span(theta), sampled.data(), id);
    }
    return system.guard(id, mode, work, scales());
  }
  void evaluate_here(double* slope) { f.full(t, y.data(), slope); }

  double energy() const {
    const Tree& tree = system.tree();
    return tree.kinetic_energy(work.frames) + tree.potential_energy(work.frames, system.gravity())
         + tree.strain_energy(work.frames) + system.stored_energy(work);
  }
};

/// What elements hold still when their force is cut off is lost: compares before and after an event.
class StoredEnergies {
 public:
  StoredEnergies(const System& system, const Work<double>& work) {
    ElementTypes::each([&]<class E>() {
      if constexpr (requires { E::cut_off_loss; }) before_[type_of<E>] = system.stored_energy_of<E>(work);
    });
  }
  void book_loss(const System& system, const Work<double>& work, double* y) const {
    ElementTypes::each([&]<class E>() {
      if constexpr (requires { E::cut_off_loss; })
        if (const int slot = system.channel_slot(channel_of<E>(E::cut_off_loss)); slot >= 0)
          y[slot] += system.stored_energy_of<E>(work) - before_[type_of<E>];
    });
  }

 private:
  std::array<double, ElementTypes::count> before_{};
};

}  // namespace thud
