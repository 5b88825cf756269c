#include "dynamics/sizes.hpp"
#include "thud/math/portable.hpp"

#include <algorithm>
#include <cmath>

namespace thud {

namespace {

Scales measure_scales(const System& system, const Work<double>& work) {
  const Tree& tree = system.tree();
  double length = 0, speed = 0, rate = 0;
  const Scene scene = system.scene();
  system.each([&]<class E>(const E& e, int) {
    if constexpr (requires { e.length(scene); }) length = std::max(length, e.length(scene));
  });
  for (int i = 0; i < tree.body_count(); ++i) {
    const Body& b = tree.body(i);
    length =
        std::max({length, portable::hypot(b.attach.s, b.attach.n), portable::hypot(b.center.s, b.center.n)});
    speed = std::max(speed, norm(tree.center_velocity(work.frames, i)));
    if (b.beam) length = std::max({length, std::abs(b.beam->start()), std::abs(b.beam->end())});
    rate = std::max(rate, std::abs(work.frames.rate[i]));
  }
  if (!(length > 0)) length = 1;
  const double g = std::max(norm(system.gravity()), 1e-3);
  Scales s;
  s.length = length;
  s.speed = std::max({speed, rate * length, std::sqrt(g * length)});
  s.rate = s.speed / length;
  s.force = tree.total_mass() * (g + s.speed * s.speed / length);
  s.moment = s.force * length;
  s.time = length / s.speed;
  s.reach = length;
  for (const Vec& origin : work.frames.origin) s.reach = std::max(s.reach, norm(origin));
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

double longest_step(const System& system, const Mode& mode, const StepState& state,
                    const Work<double>& work) {
  double h = HUGE_VAL;
  system.each([&]<class E>(const E& e, int k) {
    if constexpr (requires { e.longest_step(state, mode.of<E>()[k], work.of<E>()[k]); })
      h = std::min(h, e.longest_step(state, mode.of<E>()[k], work.of<E>()[k]));
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
