#include "dynamics/sizes.hpp"
#include "thud/math/portable.hpp"

#include <algorithm>
#include <cmath>

namespace thud {

double measure_length(const System& system) {
  const Tree& tree = system.tree();
  double length = 0;
  const Scene scene = system.scene();
  system.each([&]<class E>(const E& e, int) {
    if constexpr (requires { e.length(scene); }) length = std::max(length, e.length(scene));
  });
  for (const Body& b : tree.bodies()) {
    length =
        std::max({length, portable::hypot(b.attach.s, b.attach.n), portable::hypot(b.center.s, b.center.n)});
    if (b.beam) length = std::max({length, std::abs(b.beam->start()), std::abs(b.beam->end())});
  }
  return length > 0 ? length : 1;
}

double measure_gravity(const System& system) { return std::max(norm(system.gravity()), 1e-3); }

namespace {

Scales measure_scales(const System& system, const Work<double>& work) {
  const double length = measure_length(system), g = measure_gravity(system);
  const MotionSizes<double> motion = measure_motion(system, work.frames, length);
  Scales s;
  s.length = length;
  s.speed = motion.overall(length, g);
  s.rate = s.speed / length;
  s.force = system.tree().total_mass() * (g + s.speed * s.speed / length);
  s.moment = s.force * length;
  s.time = length / s.speed;
  s.reach = motion.reach;
  return s;
}

}  // namespace

void measure_sizes(const System& system, const Work<double>& work, Sizes& out) {
  const Tree& tree = system.tree();
  const Scales& scales = out.scales = measure_scales(system, work);
  const int n = tree.dof_count();
  // Compliant contacts work within an indentation that is far smaller than the system.
  out.indentation = HUGE_VAL;
  system.each([&]<class E>(const E& e, int) {
    if constexpr (requires { e.indentation(1.0, 1.0); })
      out.indentation = std::min(out.indentation, e.indentation(tree.total_mass(), 0.1 * scales.speed));
  });
  out.slowest_bending = 0;
  out.absolute.resize(2 * n);
  for (int i = 0; i < n; ++i) {
    const double frequency = tree.dof_frequency(i);
    if (frequency > 0 && !(out.slowest_bending > 0 && out.slowest_bending < frequency))
      out.slowest_bending = frequency;
    double& pose = out.absolute[i];
    pose = tree.is_angle(i) ? 0.1 : 0.1 * scales.length;  // energies close better with tight poses
    out.absolute[n + i] = tree.is_angle(i) ? scales.rate : scales.speed;
    // What vibrates fast is as large in strain as in motion.
    if (frequency > 0) pose = std::min(pose, scales.speed / frequency);
    pose = std::min(pose, tree.is_angle(i) ? out.indentation / scales.length : out.indentation);
  }
}

double turning_rate(const System& system, const Mode& mode, const Work<double>& work) {
  double rate = 0;
  const Scene scene = system.scene();
  system.each([&]<class E>(const E& e, int k) {
    if constexpr (requires { e.turning_rate(scene, mode.of<E>()[k], work.of<E>()[k]); })
      rate = std::max(rate, e.turning_rate(scene, mode.of<E>()[k], work.of<E>()[k]));
  });
  return rate;
}

double longest_step(const System& system, const Mode& mode, const StepState& state,
                    const Work<double>& work) {
  double h = HUGE_VAL;
  system.each([&]<class E>(const E& e, int k) {
    if constexpr (requires { e.longest_step(state, mode.of<E>()[k], work.of<E>()[k]); })
      h = std::min(h, e.longest_step(state, mode.of<E>()[k], work.of<E>()[k]));
    else if constexpr (requires { e.longest_step(state, work.frames, mode.of<E>()[k], work.of<E>()[k]); })
      h = std::min(h, e.longest_step(state, work.frames, mode.of<E>()[k], work.of<E>()[k]));
  });
  return h;
}

double longest_first_step(const System& system, const Mode& before, const Mode& mode, const StepState& state,
                          const Work<double>& work) {
  double h = HUGE_VAL;
  system.each([&]<class E>(const E& e, int k) {
    if constexpr (requires {
                    e.longest_first_step(state, before.of<E>()[k], mode.of<E>()[k], work.of<E>()[k]);
                  })
      h = std::min(h, e.longest_first_step(state, before.of<E>()[k], mode.of<E>()[k], work.of<E>()[k]));
  });
  return h;
}

}  // namespace thud
