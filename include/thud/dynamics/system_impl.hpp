#pragma once
// The right-hand side of a mode, templated on its scalar.

#include <algorithm>
#include <cmath>

#include "thud/dynamics/system.hpp"

namespace thud {

// ---- memory -------------------------------------------------------------------------------------------------------

template <class P>
template <class T>
void SystemOf<P>::prepare(Work<T>& work) const {
  const auto bodies = static_cast<std::size_t>(tree_.body_count());
  const auto n = static_cast<std::size_t>(dof_count());
  const Scene here = scene();
  std::size_t switches = 0;
  bool normals = false;
  work.frames.resize(tree_);
  work.wrenches.resize(bodies, tree_.elastic_count());
  tree_.prepare(work.factor);
  work.acceleration.assign(n, T(0));
  work.joint_held.assign(bodies, 0);
  Elements::each([&]<class E>() {
    const std::vector<E>& list = of<E>();
    auto& own = work.template of<E>();
    own.assign(list.size(), {});
    switches += E::switches.size() * list.size();
    for (const SwitchInfo& s : E::switches)
      normals = normals || (s.what == SwitchClass::normal && !list.empty());
    if constexpr (requires(const E& e) { e.prepare(here, own[0]); })
      for (std::size_t k = 0; k < list.size(); ++k) list[k].prepare(here, own[k]);
  });
  work.jacobian.assign(switches * n, T(0));
  work.applied.assign(switches * n, T(0));
  work.drive.assign(normals ? switches * n : 0, T(0));
  work.gram.assign(switches * switches, T(0));
  work.hold.assign(2 * switches, T(0));
  work.hold_bias.assign(switches, T(0));
  work.unheld.assign(n, T(0));
  work.brought.assign(switches, P(0));
  work.spans.assign(switches, {0, 0});
  work.moving.resize(tree_);
  work.moving_q.resize(n);
  work.moving_v.resize(n);
  if constexpr (std::is_same_v<P, double>)
    if (may_sweep_) work.sweep.prepare(tree_);
}

// ---- switches -----------------------------------------------------------------------------------------------------

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
    return T(value_of(lower + upper));  // how the load is shared does not move the system
  else
    return lower + upper;
}

// M⁻¹ times the force that comes with one unit of a switch: a normal force brings its sliding friction along.
template <class P>
template <class T>
void SystemOf<P>::fill_drive(SwitchRef s, P friction, const T* row, const T* applied, const Work<T>& work,
                             T* drive) const {
  const int n = dof_count();
  if (is_zero(friction)) {
    std::copy(applied, applied + n, drive);
    return;
  }
  std::fill(drive, drive + n, T(0));
  add_switch_row({s.type, static_cast<std::uint8_t>(s.sub + 1), s.index}, work, drive);
  for (int i = 0; i < n; ++i) drive[i] = row[i] + friction * drive[i];
  tree_.solve(work.factor, drive);
}

// Enters the force of a held switch, and the friction that it brings along.
template <class P>
template <class T>
void SystemOf<P>::set_held_force(SwitchRef s, T force, P friction, Work<T>& work) const {
  with_switch(s, [&]<class E>(const E& e) {
    auto& w = work.template of<E>()[s.index];
    T* power = work.power.data() + static_cast<int>(channel_of<E>());
    e.force(s.sub, w) = force;
    power[E::switches[s.sub].channel] += force * e.rate(s.sub, w);
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
    if (may_sweep_ && !work.rows_only && k >= many_held && hold_by_sweep(mode, q, v, work)) return;
  std::copy(work.acceleration.begin(), work.acceleration.end(), work.unheld.begin());

  T* const x = work.hold.data();
  T* const scale = x + k;
  T* const rows = work.jacobian.data();
  P* const friction = work.brought.data();
  bool symmetric = true, moves = false;
  for (int a = 0; a < k; ++a) {
    friction[a] = sliding_friction(mode.stuck[a], mode);
    symmetric = symmetric && is_zero(friction[a]);
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
    tree_.solve(work.factor, applied);
    if (!symmetric) fill_drive(s, friction[a], row, applied, work, drives + a * n);
    work.hold_bias[a] = hold_bias(s, mode, q, v, moves, work);
    scale[a] = hold_scale(s, work);
    work.spans[a] = detail::span_of(row, n);
    x[a] = -scale[a] * detail::product(row, accelerations, work.spans[a], work.hold_bias[a]);
  }
  if (work.rows_only) return;
  T* const g = work.gram.data();
  double largest = 0;
  for (int a = 0; a < k; ++a) {
    for (int b = 0; b <= (symmetric ? a : k - 1); ++b)
      g[a * k + b] = scale[a] * scale[b] * detail::product(rows + a * n, drives + b * n, work.spans[a]);
    largest = std::max(largest, std::abs(value_of(g[a * k + a])));
  }
  if (symmetric)
    solve_hold(g, x, k, 1e-12 * largest + 1e-300);
  else
    solve_general(g, x, k, 1e-12 * largest + 1e-300);

  for (int a = 0; a < k; ++a) {
    const T force = scale[a] * x[a];
    const T* drive = drives + a * n;
    const bool short_drive =
        tree_.all_alone() && is_zero(friction[a]);  // friction turns what the normal force does not
    const auto [from, to] = short_drive ? work.spans[a] : std::pair{0, n};
    for (int i = from; i < to; ++i) accelerations[i] += drive[i] * force;
    set_held_force(mode.stuck[a], force, friction[a], work);
  }
}

// ---- right-hand side ----------------------------------------------------------------------------------------------

template <class P>
template <class T>
[[gnu::always_inline]] inline void SystemOf<P>::add_weight(int i, Vec2<P> gravity, Work<T>& work) const {
  const BodyOf<P>& b = tree_.body(i);
  const Frames<T, P>& f = work.frames;
  if (b.beam) {
    const Vec2<P> weight = (b.mass - b.weightless) * gravity;
    work.wrenches.force[i] = {T(weight.x), T(weight.z)};
    work.wrenches.moment[i] = moment(tree_.weight_moment(f, i), Vec2<T>{T(gravity.x), T(gravity.z)});
    const T lateral = dot(gravity, f.w[i]);
    T* q = work.wrenches.elastic.data() + tree_.elastic_begin(i);
    for (int k = 0; k < b.beam->size(); ++k) q[k] = b.beam->weight()[k] * lateral;
    return;
  }
  find_weight(i, f.u[i], f.w[i], work.wrenches.force[i], work.wrenches.moment[i]);
}

template <class P>
template <class T>
[[gnu::always_inline]] inline void SystemOf<P>::find_weight(int i, Vec2<T> u, Vec2<T> w, Vec2<T>& force,
                                                            T& turn) const {
  const BodyPointOf<P> g = weight_at_[i];
  force = {T(weight_[i].x), T(weight_[i].z)};
  turn = moment(g.s * u + g.n * w, force);
}

template <class P>
template <class T, class Act>
[[gnu::always_inline]] inline void SystemOf<P>::load_bodies(double t, const T* y, Work<T>& work,
                                                            Act&& act) const {
  for (const Channel c : channels_) work.power[static_cast<int>(c)] = T(0);
  tree_.kinematics(y, y + dof_count(), work.frames);
  for (int i = 0; i < tree_.body_count(); ++i) add_weight(i, gravity_, work);
  const Scene here = scene();
  Load<T, P> load{here, T(t), y, work.frames, work.wrenches, nullptr, work.joint_held.data()};
  act(load);
}

template <class P>
template <class L, class T>
void SystemOf<P>::apply_all(const Mode& mode, L& load, Work<T>& work) const {
  Elements::each([&]<class E>() {
    if constexpr (std::is_same_v<L, Load<T, P>> || requires(const E& e) { e.acts_on_lone(load.scene); }) {
      if (!(types_in_use_ >> type_of<E> & 1u)) return;
      const std::vector<E>& list = of<E>();
      load.power = work.power.data() + static_cast<int>(channel_of<E>());
      const auto* m = mode.template of<E>().data();
      auto* w = work.template of<E>().data();
      for (std::size_t k = 0; k < list.size(); ++k) list[k].template apply<false>(load, m[k], w[k]);
    }
  });
}

template <class P>
template <bool Lean, class Act>
[[gnu::always_inline]] inline void SystemOf<P>::evaluate_lone(double t, const double* y,
                                                              thud::Work<double>& work, double* dydt,
                                                              Act&& act) const {
  const int n = dof_count();
  double* power = Lean ? dydt + 2 * n : work.power.data();
  for (const Channel c : channels_) *(Lean ? power++ : power + static_cast<int>(c)) = 0;
  const LoneFrames<double> frames = tree_.place_lone(y, y + n);
  LoneWrenches<double> wrenches;
  find_weight(0, frames.u.value, frames.w.value, wrenches.force.value, wrenches.moment.value);
  const Scene here = scene();
  LoneLoad<double> load{here, t, y, frames, wrenches, nullptr, nullptr};
  act(load);
  tree_.find_lone_rates(wrenches, work.factor, y, dydt);
  if (Lean && !track_distance_) return;
  Frames<double>& out = work.frames;
  out.u[0] = frames.u.value, out.w[0] = frames.w.value;
  out.origin[0] = frames.origin.value, out.origin_rate[0] = frames.origin_rate.value;
  out.rate[0] = frames.rate.value;
  for (int i = 0; i < n; ++i) work.acceleration[i] = dydt[n + i];
  if (Lean)
    dydt[distance_slot_] = norm(tree_.center_velocity(out, 0));
  else
    fill_rates(y, dydt + n, work, dydt);
}

template <class P>
template <class T>
[[gnu::always_inline]] inline void SystemOf<P>::fill_rates(const T* y, const T* vdot, const Work<T>& work,
                                                           T* dydt) const {
  const int n = dof_count();
  const T* v = y + n;
  for (int i = 0; i < n; ++i) dydt[i] = v[i];
  if (vdot != dydt + n)
    for (int i = 0; i < n; ++i) dydt[n + i] = vdot[i];
  T* work_rate = dydt + 2 * n;  // the channels in use follow the velocities, in their order
  for (const Channel c : channels_) *work_rate++ = work.power[static_cast<int>(c)];
  if (track_distance_)
    for (int i = 0; i < tree_.body_count(); ++i)
      dydt[distance_slot_ + i] = norm(tree_.center_velocity(work.frames, i));
}

template <class P>
template <class T>
void SystemOf<P>::evaluate(double t, const T* y, const Mode& mode, Work<T>& work, T* dydt) const {
  if constexpr (std::is_same_v<T, double> && std::is_same_v<P, double>)
    if (is_lone_ && mode.stuck.empty())
      return evaluate_lone<false>(t, y, work, dydt,
                                  [&](LoneLoad<double>& load) { apply_all(mode, load, work); });
  load_bodies(t, y, work, [&](Load<T, P>& load) { apply_all(mode, load, work); });
  T* vdot = work.acceleration.data();
  tree_.forward_dynamics(work.frames, work.wrenches, work.factor, vdot);
  if (!mode.stuck.empty()) hold(mode, y, y + dof_count(), work);
  fill_rates(y, vdot, work, dydt);
}

template <class P>
template <class T>
void SystemOf<P>::evaluate_motion(double t, const T* y, const Mode& mode, Work<T>& work) const {
  load_bodies(t, y, work, [&](Load<T, P>& load) { apply_all(mode, load, work); });
}

template <class P>
template <class T>
void SystemOf<P>::vibration_forces(const T* q, const T* v, const std::vector<char>& floating,
                                   const Mode& mode, Work<T>& work, T* generalised) const {
  tree_.kinematics(q, v, work.frames);
  for (int i = 0; i < tree_.body_count(); ++i) {
    add_weight(i, floating[i] ? Vec2<P>{} : gravity_, work);
    if (floating[i]) work.wrenches.force[i] = {}, work.wrenches.moment[i] = T(0);
  }
  const Scene here = scene();
  Load<T, P> load{here, T(0), q, work.frames, work.wrenches, nullptr, work.joint_held.data()};
  Elements::each([&]<class E>() {
    if constexpr (requires { E::acts_in_modes; }) {
      load.power = work.power.data() + static_cast<int>(channel_of<E>());
      const std::vector<E>& list = of<E>();
      for (std::size_t k = 0; k < list.size(); ++k)
        list[k].template apply<false>(load, mode.template of<E>()[k], work.template of<E>()[k]);
    }
  });
  tree_.reduce(work.frames, work.wrenches, generalised);
}

template <class P>
template <class E, class T, class Sink>
[[gnu::always_inline]] inline void SystemOf<P>::guards_of(int k, const Scene& here, const Mode& mode,
                                                          const Work<T>& work, const Scales& scales,
                                                          Sink&& sink) const {
  const E& e = of<E>()[k];
  const auto& m = mode.template of<E>()[k];
  const auto& w = work.template of<E>()[k];
  const auto put = [&](const T& value, double small, GuardRole role, std::uint8_t code, std::int16_t sub) {
    sink(value, small, GuardId{role, static_cast<std::uint8_t>(type_of<E>), code, sub, k});
  };
  const auto share = [&] { return pressing_share(switch_of<E>(k, 0), mode, work); };
  if constexpr (requires { e.guards(here, m, w, scales, put); })
    e.guards(here, m, w, scales, put);
  else if constexpr (requires { e.guards(here, work.frames, m, w, scales, put); })
    e.guards(here, work.frames, m, w, scales, put);
  else if constexpr (requires { e.guards(m, w, scales, put, share); })
    e.guards(m, w, scales, put, share);
}

template <class P>
template <class T, class Sink>
void SystemOf<P>::guards(const Mode& mode, const Work<T>& work, const Scales& scales, Sink&& sink) const {
  const Scene here = scene();
  Elements::each([&]<class E>() {
    const int count = static_cast<int>(of<E>().size());
    for (int k = 0; k < count; ++k) guards_of<E>(k, here, mode, work, scales, sink);
  });
}

template <class P>
template <class T>
T SystemOf<P>::guard(const GuardId& id, const Mode& mode, const Work<T>& work, const Scales& scales) const {
  T out{};
  const Scene here = scene();
  Elements::at(id.type, [&]<class E>() {
    guards_of<E>(id.index, here, mode, work, scales, [&](const T& value, double, const GuardId& other) {
      if (other == id) out = value;
    });
  });
  return out;
}

template <class P>
template <class T>
void SystemOf<P>::evaluate_element(double t, const T* y, const Mode& mode, const GuardId& of_,
                                   Work<T>& work) const {
  tree_.kinematics(y, y + dof_count(), work.frames);
  const Scene here = scene();
  Load<T, P> load{here, T(t), y, work.frames, work.wrenches, nullptr, work.joint_held.data()};
  Elements::at(of_.type, [&]<class E>() {
    load.power = work.power.data() + static_cast<int>(channel_of<E>());
    of<E>()[of_.index].template apply<false>(load, mode.template of<E>()[of_.index],
                                             work.template of<E>()[of_.index]);
  });
}

template <class P>
template <class E, class T>
T SystemOf<P>::stored_energy_of(const Work<T>& work) const {
  T sum{};
  if constexpr (requires(const E& e) { e.stored(work.template of<E>()[0]); })
    for (std::size_t k = 0; k < of<E>().size(); ++k) sum += of<E>()[k].stored(work.template of<E>()[k]);
  return sum;
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

// ---- contacts, sums -----------------------------------------------------------------------------------------------

template <class P>
template <class T>
void SystemOf<P>::gap_accelerations(const T* y, Work<T>& work, std::vector<T>& out) const {
  const int n = dof_count();
  for (int i = 0; i < n; ++i) {
    work.moving_q[i] = {y[i], y[n + i]};
    work.moving_v[i] = {y[n + i], work.acceleration[i]};
  }
  tree_.kinematics(work.moving_q.data(), work.moving_v.data(), work.moving);
  out.resize(contacts().size());
  for (std::size_t k = 0; k < contacts().size(); ++k) {
    Touching<Dual<T>> w;
    measure(contacts()[k], walls_, work.moving, w);
    out[k] = w.gap_rate.d;
  }
}

template <class P>
template <class T>
T SystemOf<P>::stored_energy(const Work<T>& work) const {
  T sum{};
  Elements::each([&]<class E>() { sum += stored_energy_of<E>(work); });
  return sum;
}

template <class P>
template <class T>
Vec2<T> SystemOf<P>::element_force(int body, const Work<T>& work) const {
  Vec2<T> sum{};
  const Scene here = scene();
  each([&]<class E>(const E& e, int k) {
    if constexpr (requires { e.force_on(body, here, work.frames, work.template of<E>()[k]); })
      sum += e.force_on(body, here, work.frames, work.template of<E>()[k]);
  });
  return sum;
}

template <class P>
template <class T>
T SystemOf<P>::joint_moment(int body, const Work<T>& work) const {
  T sum{};
  each([&]<class E>(const E& e, int k) {
    if constexpr (requires { e.joint_moment(body, work.template of<E>()[k]); })
      sum += e.joint_moment(body, work.template of<E>()[k]);
  });
  return sum;
}

}  // namespace thud
