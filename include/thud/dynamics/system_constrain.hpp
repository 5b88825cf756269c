#pragma once
// Constraints of a system: conditions of loops and prescribed motions that always hold (docs/theory/loops.md). Nothing else
// of the engine knows of them: to switches, contacts and impacts M⁻¹ is the inverse inertia of the constrained system.

#include <algorithm>

#include "thud/dynamics/system.hpp"

namespace thud {

template <class P>
template <class F>
decltype(auto) SystemOf<P>::with_constraint(SwitchRef c, F&& f) const {
  return Elements::at(c.type, [&]<class E>() -> decltype(auto) {
    if constexpr (Constraining<E>) {
      return f(of<E>()[c.index]);
    } else {
      return f(of<LoopOf<P>>()[c.index]);  // never: it has no constraints
    }
  });
}

template <class P>
template <class T>
T SystemOf<P>::constraint_gap(SwitchRef c, double t, const T* q, const Frames<T, P>& frames) const {
  return with_constraint(c, [&]<class E>(const E& e) { return e.gap(c.sub, t, scene(), frames, q); });
}

template <class P>
template <class T>
T SystemOf<P>::constraint_rate(SwitchRef c, double t, const Frames<T, P>& frames) const {
  return with_constraint(c, [&]<class E>(const E& e) { return e.closing(c.sub, t, scene(), frames); });
}

template <class P>
template <class T>
void SystemOf<P>::add_constraint_row(SwitchRef c, const Frames<T, P>& frames, T* row) const {
  with_constraint(c, [&]<class E>(const E& e) { e.add_constraint_row(c.sub, scene(), frames, row); });
}

namespace detail {
/// Of its square: what is left of a row beyond those before it. Below, it follows from them; and of what a force moves when
/// the constraints hold against it: below, it moves nothing.
inline constexpr double independent = 1e-12;
}  // namespace detail

// J v̇ + bias = 0 with the forces Jᵀλ that take it.
template <class P>
template <class T>
void SystemOf<P>::constrain(double t, const T* q, const T* v, Work<T>& work) const {
  const int n = dof_count(), k = static_cast<int>(constraints_.size());
  Constrained<T>& c = work.constrained;
  T* const acceleration = work.acceleration.data();
  bool moves = false;
  const auto moving = [&]() -> const Frames<Dual<T>, P>& {
    if (!moves) move_ahead(q, v, work);
    moves = true;
    return work.moving;
  };
  for (int a = 0; a < k; ++a) {
    T* const row = c.rows.data() + a * n;
    T* const applied = c.applied.data() + a * n;
    std::fill(row, row + n, T(0));
    add_constraint_row(constraints_[a], work.frames, row);
    std::copy(row, row + n, applied);
    tree_.solve(work.factor, applied);
    T rate = with_constraint(constraints_[a], [&]<class E>(const E& e) {
      return e.template constraint_bias<T>(constraints_[a].sub, t, scene(), work.frames, moving);
    });
    for (int i = 0; i < n; ++i) rate += row[i] * acceleration[i];
    c.force[a] = -rate;
    for (int b = 0; b <= a; ++b) {
      T sum{};
      for (int i = 0; i < n; ++i) sum += row[i] * c.applied[b * n + i];
      c.factor[a * k + b] = sum;
    }
  }
  factor_independent(c.factor.data(), c.size.data(), k, detail::independent, c.kept.data(), c.share.data());
  solve_independent(c.factor.data(), c.kept.data(), c.force.data(), k);
  for (int a = 0; a < k; ++a)
    for (int i = 0; i < n; ++i) acceleration[i] += c.applied[a * n + i] * c.force[a];
}

template <class P>
template <class T>
void SystemOf<P>::solve(const Work<T>& work, T* x, T* reaction) const {
  const int n = dof_count(), k = static_cast<int>(constraints_.size());
  if (k == 0) return tree_.solve(work.factor, x);
  const Constrained<T>& c = work.constrained;
  const auto product = [n](const T* a, const T* b) {
    T sum{};
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  };
  c.given.assign(x, x + n);
  c.room.assign(k, T(0));
  tree_.solve(work.factor, x);
  const double free = value_of(product(c.given.data(), x));
  for (int a = 0; a < k; ++a) c.room[a] = -product(c.rows.data() + a * n, x);
  solve_independent(c.factor.data(), c.kept.data(), c.room.data(), k);
  for (int a = 0; a < k; ++a)
    for (int i = 0; i < n; ++i) x[i] += c.applied[a * n + i] * c.room[a];
  if (!(value_of(product(c.given.data(), x)) > detail::independent * free)) std::fill(x, x + n, T(0));
  if (reaction) std::copy(c.room.begin(), c.room.end(), reaction);
}

template <class P>
template <class T>
void SystemOf<P>::take_reactions(Work<T>& work) const {
  const Scene here = scene();
  for (std::size_t a = 0; a < constraints_.size(); ++a)
    with_constraint(constraints_[a], [&]<class E>(const E& e) {
      T* power = nullptr;
      if constexpr (E::channels.size() > 0) power = work.power.data() + static_cast<int>(channel_of<E>());
      e.take_reaction(constraints_[a].sub, work.constrained.force[a], here, work.frames,
                      work.template of<E>()[constraints_[a].index], power);
    });
}

}  // namespace thud
