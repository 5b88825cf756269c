#pragma once
// Templates of Tree: the same code runs on double and on dual numbers.

#include "thud/math/dual.hpp"
#include "thud/mechanics/tree.hpp"

namespace thud {

namespace detail {
inline void sine_cosine(double q, double& s, double& c) { __builtin_sincos(q, &s, &c); }
template <class T>
void sine_cosine(T q, T& s, T& c) {
  s = sin(q);
  c = cos(q);
}
}  // namespace detail

template <class T>
[[gnu::always_inline]] inline Frame<T> Tree::place(int i, const T* q, const T* v, Frames<T>& out) const {
  const RigidBody& b = bodies_[i];
  const int angle = angle_dof_[i];
  T s, c;
  detail::sine_cosine(q[angle], s, c);
  Frame<T> f{{s, c}, {c, -s}, {}, {}, v[angle]};
  Vec2<T> centripetal{};
  if (b.parent >= 0) {
    const int p = b.parent;
    const Vec2<T> a = out.arm(p, b.attach);
    f.origin = out.origin[p] + a;
    f.origin_rate = out.velocity(p, a);
    centripetal = out.centripetal[p] - out.rate[p] * out.rate[p] * a;
  } else if (b.free) {
    const int x = translation_dof_[i];
    f.origin = {q[x], q[x + 1]};
    f.origin_rate = {v[x], v[x + 1]};
  } else {
    f.origin = {T(b.anchor.x), T(b.anchor.z)};
  }
  out.u[i] = f.u;
  out.w[i] = f.w;
  out.rate[i] = f.rate;
  out.origin[i] = f.origin;
  out.origin_rate[i] = f.origin_rate;
  out.centripetal[i] = centripetal;
  return f;
}

template <class T>
void Tree::kinematics(const T* q, const T* v, Frames<T>& out) const {
  for (int i = 0; i < body_count(); ++i) place(i, q, v, out);
}

template <class T>
void Tree::reduce(const Frames<T>& frames, Wrenches<T>& wrenches, T* generalised) const {
  // At v̇ = 0 everything beyond the origin of body i accelerates with centripetal_i − q̇_i² arm. Its inertia is
  // the first moment B_i: the joint's acceleration turns the body, and the body pulls at the joint with q̇_i² B_i.
  for (int i = body_count() - 1; i >= 0; --i) {
    const RigidBody& b = bodies_[i];
    const Vec2<T> first = frames.arm(i, first_moment_[i]);
    generalised[angle_dof_[i]] = wrenches.moment[i] - moment(first, frames.centripetal[i]);
    const Vec2<T> f = wrenches.force[i] + frames.rate[i] * frames.rate[i] * first;
    if (b.parent >= 0) {
      wrenches.add(b.parent, frames.arm(b.parent, b.attach), f);
    } else if (b.free) {
      generalised[translation_dof_[i]] = f.x;
      generalised[translation_dof_[i] + 1] = f.z;
    }
  }
}

template <class T>
[[gnu::always_inline]] inline void Tree::forward_dynamics(const Frames<T>& frames, Wrenches<T>& wrenches,
                                                          MassFactor<T>& mass, T* vdot) const {
  if (!all_alone_) {
    reduce(frames, wrenches, vdot);
    factor(frames, mass);
    solve(mass, vdot);
    return;
  }
  for (int i = 0; i < body_count(); ++i) {  // M is diagonal, and there are no centripetal terms
    const int angle = angle_dof_[i], x = translation_dof_[i];
    vdot[angle] = mass.inverse_diagonal[angle] * wrenches.moment[i];
    if (x < 0) continue;
    vdot[x] = mass.inverse_diagonal[x] * wrenches.force[i].x;
    vdot[x + 1] = mass.inverse_diagonal[x + 1] * wrenches.force[i].z;
  }
}

template <class T>
void Tree::add_point_force(const Frames<T>& frames, int body, Vec2<T> arm, Vec2<T> f, T* generalised) const {
  generalised[angle_dof_[body]] += moment(arm, f);
  int i = body;
  while (bodies_[i].parent >= 0) {
    const int p = bodies_[i].parent;
    generalised[angle_dof_[p]] += moment(frames.arm(p, bodies_[i].attach), f);
    i = p;
  }
  if (bodies_[i].free) {
    generalised[translation_dof_[i]] += f.x;
    generalised[translation_dof_[i] + 1] += f.z;
  }
}

template <class T>
void Tree::prepare(MassFactor<T>& out) const {
  const auto n = static_cast<std::size_t>(dof_count_);
  out.h.assign(n * n, T(0));
  out.inverse_diagonal.assign(n, T(0));
  for (int i = 0; i < body_count(); ++i) {
    if (!alone_[i]) continue;
    out.inverse_diagonal[angle_dof_[i]] = T(1 / diagonal_[i]);
    for (int k = 0; bodies_[i].free && k < 2; ++k)
      out.inverse_diagonal[translation_dof_[i] + k] = T(1 / subtree_mass_[i]);
  }
}

template <class T>
void Tree::factor(const Frames<T>& frames, MassFactor<T>& out) const {
  if (all_alone_) return;
  const int n = dof_count_;
  T* h = out.h.data();
  for (int i = 0; i < body_count(); ++i) {
    if (alone_[i]) continue;
    const int row = angle_dof_[i];
    T* hr = h + row * n;
    hr[row] = T(diagonal_[i]);
    const Vec2<T> bi = turned(frames.arm(i, first_moment_[i]));
    int k = i;
    while (bodies_[k].parent >= 0) {
      const int p = bodies_[k].parent;
      hr[angle_dof_[p]] = dot(turned(frames.arm(p, bodies_[k].attach)), bi);
      k = p;
    }
    if (bodies_[k].free) {
      const int x = translation_dof_[k];
      hr[x] = bi.x;
      hr[x + 1] = bi.z;
      if (k == i) {
        h[x * n + x] = T(subtree_mass_[i]);
        h[(x + 1) * n + x] = T(0);
        h[(x + 1) * n + x + 1] = T(subtree_mass_[i]);
      }
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    if (dof_alone_[k]) continue;
    T* hk = h + k * n;
    const T inverse = T(1) / hk[k];
    out.inverse_diagonal[k] = inverse;
    for (int i = dof_parent_[k]; i >= 0; i = dof_parent_[i]) {
      const T a = hk[i] * inverse;
      for (int j = i; j >= 0; j = dof_parent_[j]) h[i * n + j] -= a * hk[j];
      hk[i] = a;
    }
  }
}

template <class T>
void Tree::solve(const MassFactor<T>& factor, T* x) const {
  const int n = dof_count_;
  const T* h = factor.h.data();
  for (int i = n - 1; i >= 0; --i)
    for (int j = dof_parent_[i]; j >= 0; j = dof_parent_[j]) x[j] -= h[i * n + j] * x[i];
  for (int i = 0; i < n; ++i) {
    x[i] *= factor.inverse_diagonal[i];
    for (int j = dof_parent_[i]; j >= 0; j = dof_parent_[j]) x[i] -= h[i * n + j] * x[j];
  }
}

template <class T>
Vec2<T> Tree::acceleration(const Frames<T>& frames, const T* vdot, int body, Vec2<T> arm) const {
  Vec2<T> a{};
  int i = body;
  Vec2<T> r = arm;
  for (;;) {
    a += vdot[angle_dof_[i]] * turned(r) - frames.rate[i] * frames.rate[i] * r;
    const int p = bodies_[i].parent;
    if (p < 0) break;
    r = frames.arm(p, bodies_[i].attach);
    i = p;
  }
  if (bodies_[i].free) a += Vec2<T>{vdot[translation_dof_[i]], vdot[translation_dof_[i] + 1]};
  return a;
}

}  // namespace thud
