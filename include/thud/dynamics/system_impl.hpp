#pragma once
// The right-hand side of a mode, templated on its scalar. Switches and what holds them: system_hold.hpp.

#include <algorithm>
#include <cmath>

#include "thud/dynamics/system.hpp"
#include "thud/dynamics/system_constrain.hpp"
#include "thud/dynamics/system_hold.hpp"

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
  work.factor.added.assign(of<AddedMassOf<P>>().empty() ? 0 : bodies, {});
  work.acceleration.assign(n, T(0));
  work.joint_held.assign(bodies, 0);
  Elements::each([&]<class E>() {
    const std::vector<E>& list = of<E>();
    auto& own = work.template of<E>();
    own.assign(list.size(), {});
    switches += E::switches.size() * list.size();
    if constexpr (requires { E::has_own_force(0); }) normals = normals || !list.empty();
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
  const std::size_t conditions = constraints_.size();
  work.constrained.rows.assign(conditions * n, T(0));
  work.constrained.applied.assign(conditions * n, T(0));
  work.constrained.factor.assign(conditions * conditions, T(0));
  work.constrained.kept.assign(conditions, 1);
  work.constrained.share.assign(conditions, 1);
  work.constrained.size.assign(conditions, 0);
  // A point that moves a million times less easily than the whole does not move: a rod between two pins.
  for (std::size_t c = 0; c < conditions; ++c)
    if (!constraint_turns(constraints_[c])) work.constrained.size[c] = 1e-2 / value_of(tree_.total_mass());
  work.constrained.force.assign(conditions, T(0));
  work.constrained.response.assign(conditions * switches, T(0));
  work.moving.resize(tree_);
  work.moving_q.resize(n);
  work.moving_v.resize(n);
  if constexpr (std::is_same_v<P, double>)
    if (may_sweep_) work.sweep.prepare(tree_);
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
  for (mechanics::Articulated<T>& a : work.factor.added) a = {};
  load.added = work.factor.added.empty() ? nullptr : work.factor.added.data();
  act(load);
}

template <class P>
template <class L, class T>
void SystemOf<P>::apply_all(const Mode& mode, L& load, Work<T>& work) const {
  load.control = mode.template of<ControllerOf<P>>().data();
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
  if (!constraints_.empty()) constrain(t, y, y + dof_count(), work);
  if (!mode.stuck.empty()) hold(mode, y, y + dof_count(), work);
  if (!constraints_.empty()) take_reactions(work);
  each([&]<class E>(const E& e, int k) {
    if constexpr (requires { e.take_acceleration(scene(), work.frames, vdot, work.template of<E>()[k]); })
      e.take_acceleration(scene(), work.frames, vdot, work.template of<E>()[k]);
  });
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
    if (!(types_in_use_ >> type_of<E> & 1u)) return;
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
  load.control = mode.template of<ControllerOf<P>>().data();
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
    measure(contacts()[k], tree_, walls_, work.moving, work.moving_q.data(), w);
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
