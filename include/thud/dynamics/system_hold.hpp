#pragma once
// Switches of a system, and the forces of those that are held, templated on the scalar.

#include <algorithm>
#include <cmath>

#include "thud/dynamics/system.hpp"

namespace thud {

template <class P>
template <class F>
decltype(auto) SystemOf<P>::with_switch(SwitchRef s, F&& f) const {
  return Elements::at(s.type, [&]<class E>() -> decltype(auto) {
    if constexpr (E::switches.size() > 0) {
      return f(of<E>()[s.index]);
    } else {
      return f(of<SandPieceOf<P>>()[s.index]);  // never: it has no switches
    }
  });
}

template <class P>
template <class T>
T SystemOf<P>::switch_rate(SwitchRef s, const Work<T>& work) const {
  return with_switch(s, [&]<class E>(const E& e) { return e.rate(s.sub, work.template of<E>()[s.index]); });
}

template <class P>
template <class T>
T& SystemOf<P>::switch_force(SwitchRef s, Work<T>& work) const {
  return with_switch(
      s, [&]<class E>(const E& e) -> T& { return e.force(s.sub, work.template of<E>()[s.index]); });
}

template <class P>
template <class T>
void SystemOf<P>::add_switch_row(SwitchRef s, const Work<T>& work, T* row) const {
  with_switch(s, [&]<class E>(const E& e) {
    e.add_row(s.sub, scene(), work.frames, work.template of<E>()[s.index], row);
  });
}

template <class P>
template <class T>
void SystemOf<P>::switch_bounds(SwitchRef s, const Work<T>& work, T& lower, T& upper) const {
  with_switch(s, [&]<class E>(const E& e) { e.bounds(s.sub, work.template of<E>()[s.index], lower, upper); });
}

// Frames that move along with v̇ = 0, on dual numbers.
template <class P>
template <class T>
void SystemOf<P>::move_ahead(const T* q, const T* v, Work<T>& work) const {
  for (int i = 0; i < dof_count(); ++i) {
    work.moving_q[i] = {q[i], v[i]};
    work.moving_v[i] = {v[i], T(0)};
  }
  tree_.kinematics(work.moving_q.data(), work.moving_v.data(), work.moving);
}

// dγ/dt of a held switch at v̇ = 0. `moves`: whether work.moving has been made.
template <class P>
template <class T>
T SystemOf<P>::hold_bias(SwitchRef s, const Mode& mode, const T* q, const T* v, bool& moves,
                         Work<T>& work) const {
  return with_switch(s, [&]<class E>(const E& e) {
    T bias;
    if constexpr (requires { e.plain_bias(s.sub, work.frames, work.template of<E>()[s.index], bias); })
      if (e.plain_bias(s.sub, work.frames, work.template of<E>()[s.index], bias)) return bias;
    if (!moves) move_ahead(q, v, work);
    moves = true;
    return e.template bias<T>(s.sub, scene(), mode.template of<E>()[s.index], work.moving);
  });
}

// Widths of the boxes: dependent switches share the load by their strength.
template <class P>
template <class T>
T SystemOf<P>::hold_scale(SwitchRef s, const Work<T>& work) const {
  if (switch_class(s) != SwitchClass::box)
    return with_switch(s, [&]<class E>(const E& e) {
      if constexpr (requires { e.force_scale; }) return T(e.force_scale);
      return T(1);
    });
  T lower, upper;
  switch_bounds(s, work, lower, upper);
  if constexpr (std::is_same_v<P, double>)
    return T(measured(lower + upper));  // how the load is shared does not move the system
  else
    return lower + upper;
}

// M⁻¹ times the force that comes with one unit of a switch: a normal force brings its sliding friction along.
template <class P>
template <class T>
void SystemOf<P>::fill_drive(SwitchRef s, P friction, const T* row, const T* applied, const Work<T>& work,
                             T* drive, T* response) const {
  const int n = dof_count();
  if (has_own_force(s)) {
    std::fill(drive, drive + n, T(0));
    with_switch(s, [&]<class E>(const E& e) {
      if constexpr (requires {
                      e.add_own_force(s.sub, scene(), work.frames, work.template of<E>()[s.index], drive);
                    })
        e.add_own_force(s.sub, scene(), work.frames, work.template of<E>()[s.index], drive);
    });
    solve(work, drive, response);
    return;
  }
  if (is_zero(friction)) {
    std::copy(applied, applied + n, drive);
    return;
  }
  std::fill(drive, drive + n, T(0));
  add_switch_row({s.type, static_cast<std::uint8_t>(s.sub + 1), s.index}, work, drive);
  for (int i = 0; i < n; ++i) drive[i] = row[i] + friction * drive[i];
  solve(work, drive, response);
}

template <class P>
bool SystemOf<P>::has_own_force(SwitchRef s) const {
  return with_switch(s, [&]<class E>(const E&) {
    if constexpr (requires { E::has_own_force(s.sub); }) return E::has_own_force(s.sub);
    return false;
  });
}

// Enters the force of a held switch, and the friction that it brings along.
template <class P>
template <class T>
void SystemOf<P>::set_held_force(SwitchRef s, T force, P friction, Work<T>& work) const {
  with_switch(s, [&]<class E>(const E& e) {
    auto& w = work.template of<E>()[s.index];
    T* power = work.power.data() + static_cast<int>(channel_of<E>());
    e.force(s.sub, w) = force;
    T rate = e.rate(s.sub, w);
    if constexpr (requires { E::has_own_force(s.sub); })
      if (E::has_own_force(s.sub)) rate = e.own_force_rate(s.sub, w);
    power[E::switches[s.sub].channel] += force * rate;
    if (!is_zero(friction)) {
      T& along = e.force(s.sub + 1, w);
      along = friction * force;
      power[E::switches[s.sub + 1].channel] += along * e.rate(s.sub + 1, w);
    }
  });
}

// From how many on the sweep over the bodies is quicker than the dense equations (measured on chains).
inline constexpr int many_held = 16;

// Many held switches of bodies and joints, in a time that grows with the number of bodies only.
template <class P>
template <class T>
bool SystemOf<P>::hold_by_sweep(const Mode& mode, const T* q, const T* v, Work<T>& work) const {
  const Scene here = scene();
  bool moves = false;
  work.held.clear();
  for (const SwitchRef& s : mode.stuck) {
    if (has_own_force(s)) return false;
    HeldRow<T>& row = work.held.emplace_back();
    const bool known = with_switch(s, [&]<class E>(const E& e) {
      if constexpr (requires { e.fill_row(s.sub, here, work.template of<E>()[s.index], row); }) {
        e.fill_row(s.sub, here, work.template of<E>()[s.index], row);
        return true;
      }
      return false;
    });
    if (!known) return false;
    row.weight = value_of(hold_scale(s, work));
    row.wanted = -hold_bias(s, mode, q, v, moves, work);
  }
  if (!work.sweep.solve(work.frames, work.held, work.acceleration.data())) return false;
  for (std::size_t a = 0; a < mode.stuck.size(); ++a)
    set_held_force(mode.stuck[a], work.held[a].force, sliding_friction(mode.stuck[a], mode), work);
  return true;
}

namespace detail {
template <class T>
[[gnu::always_inline]] inline T product(const T* a, const T* b, std::pair<int, int> span, T sum = T{}) {
  for (int i = span.first; i < span.second; ++i) sum += a[i] * b[i];
  return sum;
}
/// Where a row is not zero.
template <class T>
[[gnu::always_inline]] inline std::pair<int, int> span_of(const T* row, int n) {
  int from = 0, to = n;
  while (to > 0 && is_zero(row[to - 1])) --to;
  while (from < to && is_zero(row[from])) ++from;
  return {from, to};
}
}  // namespace detail

// The forces of the held switches, all together: J M⁻¹ Jᵀ λ = −(J v̇ + bias).
template <class P>
template <class T>
void SystemOf<P>::hold(const Mode& mode, const T* q, const T* v, Work<T>& work) const {
  const int n = dof_count(), k = static_cast<int>(mode.stuck.size());
  // Its rounds end by values: where parameters have rates, the equations are solved at once.
  if constexpr (std::is_same_v<P, double>)
    if (may_sweep_ && constraints_.empty() && !work.rows_only && k >= many_held
        && hold_by_sweep(mode, q, v, work))
      return;
  std::copy(work.acceleration.begin(), work.acceleration.end(), work.unheld.begin());

  T* const x = work.hold.data();
  T* const scale = x + k;
  T* const rows = work.jacobian.data();
  P* const friction = work.brought.data();
  bool symmetric = true, moves = false;
  for (int a = 0; a < k; ++a) {
    friction[a] = sliding_friction(mode.stuck[a], mode);
    symmetric = symmetric && is_zero(friction[a]) && !has_own_force(mode.stuck[a]);
  }
  T* const drives = symmetric ? work.applied.data() : work.drive.data();
  T* const accelerations = work.acceleration.data();
  for (int a = 0; a < k; ++a) {
    const SwitchRef s = mode.stuck[a];
    T* row = rows + a * n;
    T* applied = work.applied.data() + a * n;
    std::fill(row, row + n, T(0));
    add_switch_row(s, work, row);
    std::copy(row, row + n, applied);
    T* response = work.constrained.response.data() + a * constraints_.size();
    solve(work, applied, response);
    if (!symmetric) fill_drive(s, friction[a], row, applied, work, drives + a * n, response);
    work.hold_bias[a] = hold_bias(s, mode, q, v, moves, work);
    scale[a] = hold_scale(s, work);
    work.spans[a] = detail::span_of(row, n);
    x[a] = -scale[a] * detail::product(row, accelerations, work.spans[a], work.hold_bias[a]);
  }
  if (work.rows_only) return;
  T* const g = work.gram.data();
  using std::abs, std::max;
  auto largest = measured(T(0));
  for (int a = 0; a < k; ++a) {
    for (int b = 0; b <= (symmetric ? a : k - 1); ++b)
      g[a * k + b] = scale[a] * scale[b] * detail::product(rows + a * n, drives + b * n, work.spans[a]);
    largest = max(largest, abs(measured(g[a * k + a])));
  }
  // What the constraints hold takes no force of its own.
  for (int a = 0; a < k && !constraints_.empty(); ++a)
    if (is_zero(g[a * k + a])) g[a * k + a] = T(largest + 1e-300), x[a] = T(0);
  if (symmetric)
    solve_hold(g, x, k, 1e-12 * largest + 1e-300);
  else
    solve_general(g, x, k, 1e-12 * largest + 1e-300);

  for (int a = 0; a < k; ++a) {
    const T force = scale[a] * x[a];
    const T* drive = drives + a * n;
    const bool short_drive = tree_.all_alone() && constraints_.empty()
                          && is_zero(friction[a])  // friction turns what the normal force does not
                          && (symmetric || !has_own_force(mode.stuck[a]));
    const auto [from, to] = short_drive ? work.spans[a] : std::pair{0, n};
    for (int i = from; i < to; ++i) accelerations[i] += drive[i] * force;
    for (std::size_t c = 0; c < constraints_.size(); ++c)
      work.constrained.force[c] += work.constrained.response[a * constraints_.size() + c] * force;
    set_held_force(mode.stuck[a], force, friction[a], work);
  }
}

// What a unit of normal force with its friction does against closing, as a share of what it would do without:
// 1 − μ|ε|/γ when friction helps to close. At zero and below there is no force that keeps a sliding contact closed.
template <class P>
template <class T>
T SystemOf<P>::pressing_share(SwitchRef normal, const Mode& mode, const Work<T>& work) const {
  const int n = dof_count();
  for (std::size_t a = 0; a < mode.stuck.size(); ++a) {
    if (!(mode.stuck[a] == normal)) continue;
    T with{}, without{};
    for (int i = 0; i < n; ++i) {
      with += work.jacobian[a * n + i] * work.drive[a * n + i];
      without += work.jacobian[a * n + i] * work.applied[a * n + i];
    }
    return with / without;
  }
  return T(1);
}

}  // namespace thud
