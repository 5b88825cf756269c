#include "dynamics/sizes.hpp"

#include <algorithm>
#include <cmath>

namespace thud {

namespace {

Scales measure_scales(const System& system, const Work<double>& work) {
  const Tree& tree = system.tree();
  double length = 0, speed = 0, rate = 0;
  for (const Piece& p : system.pieces())
    length = std::max({length, std::abs(p.part.s0), std::abs(p.part.s1), p.part.width});
  for (int i = 0; i < tree.body_count(); ++i) {
    const Body& b = tree.body(i);
    length = std::max({length, std::hypot(b.attach.s, b.attach.n), std::hypot(b.center.s, b.center.n)});
    speed = std::max(speed, norm(tree.center_velocity(work.frames, i)));
    if (b.beam) length = std::max({length, std::abs(b.beam->start()), std::abs(b.beam->end())});
    rate = std::max(rate, std::abs(work.frames.rate[i]));
  }
  for (const Contact& c : system.contacts())
    for (const Feature* f : {&c.a, &c.b})
      length = std::max({length, std::abs(f->point.s), std::abs(f->point.n), f->radius});
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
  for (const Contact& c : system.contacts())
    if (c.law.compliant)
      out.indentation = std::min(out.indentation, indentation(system, c.law, 0.1 * scales.speed));
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

double indentation(const System& system, const ContactLaw& law, double speed) {
  return std::pow(0.5 * (law.exponent + 1) * system.tree().total_mass() * speed * speed / law.stiffness,
                  1 / (law.exponent + 1));
}

double step_in_damped_contacts(const System& system, const Mode& mode, const Scales& scales,
                               const Work<double>& work) {
  double h = HUGE_VAL;
  for (std::size_t k = 0; k < mode.contact.size(); ++k) {
    const Touching<double>& w = work.contact[k];
    const double speed = std::abs(w.gap_rate);
    if (mode.contact[k].touch != Touch::pressed || speed < 1e-3 * scales.speed) continue;
    const double depth = indentation(system, system.contacts()[k].law, speed);
    h = std::min(h, 0.1 * depth / speed);
    if (w.gap_rate > 0 && -w.gap > 0.002 * depth) h = std::min(h, 0.6 * -w.gap / speed);
  }
  return h;
}

double step_into_contacts(const System& system, const Mode& before, const Mode& mode, const Scales& scales,
                          const Work<double>& work) {
  double h = HUGE_VAL;
  for (std::size_t k = 0; k < mode.contact.size(); ++k) {
    if (mode.contact[k].touch != Touch::pressed || before.contact[k].touch != Touch::open) continue;
    const double speed = std::max(std::abs(work.contact[k].gap_rate), 1e-6 * scales.speed);
    h = std::min(h, 0.002 * indentation(system, system.contacts()[k].law, speed) / speed);
  }
  return h;
}

}  // namespace thud
