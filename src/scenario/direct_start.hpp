#pragma once

#include <vector>

#include "scenario/initial.hpp"
#include "thud/math/portable.hpp"

namespace thud::doc {

/// The coordinate that an angle, a travel or its rate is by itself; −1: of none.
[[nodiscard]] int own_dof(const Tree& tree, const Observable& what);

/// The common start without a search: angles, travels and rates given one by one, and at most one x and one z, vx and vz of
/// a free rigid body whose angle is given. `values`: of the entries. False where it is not so.
template <class T>
bool place_directly(const Tree& tree, const std::vector<InitialEntry>& entries, const std::vector<T>& values,
                    std::vector<T>& q, std::vector<T>& v) {
  using thud::Quantity;
  if (tree.has_beams()) return false;
  const int n = tree.dof_count();
  q.assign(n, T(0));
  v.assign(n, T(0));
  std::vector<char> given(static_cast<std::size_t>(2) * n, 0);
  const auto give = [&](int dof, bool motion, T value) {
    (motion ? v : q)[dof] = value;
    return given[motion ? n + dof : dof]++ == 0;
  };
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Observable& o = entries[k].what;
    const bool rate = o.quantity == Quantity::rate || o.quantity == Quantity::travel_rate;
    if (!rate && o.quantity != Quantity::angle && o.quantity != Quantity::travel) continue;
    const int dof = own_dof(tree, o);
    if (dof < 0 || !give(dof, rate, values[k])) return false;
  }
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Observable& o = entries[k].what;
    const bool motion = o.quantity == Quantity::velocity;
    if (!motion && o.quantity != Quantity::position) {
      if (o.quantity == Quantity::depth) return false;
      continue;
    }
    const int b = o.body, angle = tree.angle_dof(b);
    if (!tree.body(b).free || !given[angle]) return false;
    const BodyPoint p = o.center ? tree.body(b).center : o.point;
    if (motion && !given[n + angle] && (p.s != 0 || p.n != 0)) return false;
    using portable::cos, portable::sin;
    const T s = sin(q[angle]), c = cos(q[angle]);
    const Vec2<T> arm = p.s * Vec2<T>{s, c} + p.n * Vec2<T>{c, -s};
    const Vec2<T> own = motion ? v[angle] * turned(arm) : arm;
    const bool x = o.component == Component::x;
    if (!give(tree.translation_dof(b) + (x ? 0 : 1), motion, values[k] - (x ? own.x : own.z))) return false;
  }
  return true;
}

}  // namespace thud::doc
