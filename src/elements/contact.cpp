#include "thud/elements/contact.hpp"
#include "thud/math/portable.hpp"

#include <algorithm>
#include <cmath>

namespace thud {

namespace {

// How far from its joint a body has its mass, or what it carries.
template <class P>
double lever_of(const TreeOf<P>& tree, int body) {
  const auto size = [](const BodyPointOf<P>& p) { return portable::hypot(value_of(p.s), value_of(p.n)); };
  double out = size(tree.body(body).center);
  for (const BodyOf<P>& b : tree.bodies())
    if (b.parent == body) out = std::max(out, size(b.attach));
  return out > 0 ? out : 1;
}

}  // namespace

template <class P>
ContactForceOf<P>::ContactForceOf(ContactOf<P> contact, const TreeOf<P>& tree, P gravity)
    : ContactOf<P>(std::move(contact)),
      shape_a(shapes_at(tree, a.body, a.point.s)),
      slope_a(shapes_at(tree, a.body, a.point.s, true)),
      force_scale(value_of(tree.total_mass()) * std::max(value_of(gravity), 1.0)) {
  if (turns) force_scale *= lever_of(tree, a.body);
  if (!this->has_other()) return;
  shape_b = shapes_at(tree, b.body, b.point.s);
  slope_b = shapes_at(tree, b.body, b.point.s, true);
}

template <class P>
double ContactForceOf<P>::length(const SceneOf<P>&) const {
  double out = wall == facing::distance ? value_of(this->limit) : 0;
  for (const FeatureOf<P>* f : {&a, &b})
    out =
        std::max({out, std::abs(value_of(f->point.s)), std::abs(value_of(f->point.n)), value_of(f->radius)});
  return out;
}

template <class P>
void ContactForceOf<P>::settle_touch(const Work<double>& w, const Scales& scales, Mode& m) const {
  if (law.compliant) return;
  const double small = (m.touch == Touch::closed ? tolerance::held_drift : tolerance::touch_speed)
                     * scales.speed * unit(scales);
  const bool touches = w.gap <= scales.touching() * unit(scales) && std::abs(w.gap_rate) <= small;
  if (touches && m.touch == Touch::open) m.slip = slip::idle;
  m.touch = touches ? Touch::closed : Touch::open;
}

template <class P>
bool ContactForceOf<P>::settle_geometry(const Work<double>& here, const Work<double>& there,
                                        const Scales& scales, Mode& m) const {
  if (!law.compliant) return false;
  const double small = tolerance::undecided_length * scales.length * unit(scales);
  const double now = here.gap, later = there.gap;
  // Balls that only touch count as in: an indentation of zero has no force.
  const bool in = std::abs(now) > small ? now < 0 : later - now <= 0.01 * scales.small_gap() * unit(scales);
  const double pull = slackness(here), pull_later = slackness(there);
  const bool slack = (std::abs(pull) > 1e-9 ? pull : pull_later) > 0;
  const Touch touch = !in ? Touch::open : slack ? Touch::slack : Touch::pressed;
  const bool changed = touch != m.touch;
  if (m.touch == Touch::open && in) m.slip = slip::forward;
  m.touch = touch;
  return changed;
}

template <class P>
double ContactForceOf<P>::indentation(double mass, double speed) const {
  if (!law.compliant || law.linear) return HUGE_VAL;  // a linear one is smooth
  return portable::pow(0.5 * (law.exponent + 1) * mass * speed * speed / law.stiffness,
                       1 / (law.exponent + 1));
}

template <class P>
double ContactForceOf<P>::longest_step(const StepState& s, const Mode& m, const Work<double>& w) const {
  const double speed = std::abs(w.gap_rate);
  if (!(law.damping > 0) || law.linear || m.touch != Touch::pressed || speed < 1e-3 * s.scales.speed)
    return HUGE_VAL;
  const double depth = indentation(s.mass, speed);
  double h = 0.1 * depth / speed;
  if (w.gap_rate > 0 && -w.gap > 0.002 * depth) h = std::min(h, 0.6 * -w.gap / speed);
  return h;
}

template <class P>
double ContactForceOf<P>::longest_first_step(const StepState& s, const Mode& before, const Mode& m,
                                             const Work<double>& w) const {
  if (m.touch != Touch::pressed || law.linear || before.touch != Touch::open) return HUGE_VAL;
  const double speed = std::max(std::abs(w.gap_rate), 1e-6 * s.scales.speed);
  return 0.002 * indentation(s.mass, speed) / speed;
}

template struct ContactForceOf<double>;
THUD_WITH_DUALS(template ContactForceOf<Dual<double>>::ContactForceOf(ContactOf<Dual<double>>,
                                                                      const TreeOf<Dual<double>>&,
                                                                      Dual<double>);)

}  // namespace thud
