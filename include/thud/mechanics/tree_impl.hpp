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

template <class S, class T>
T row_times(const std::vector<S>& row, const T* x) {
  T sum{};
  for (std::size_t k = 0; k < row.size(); ++k) sum += row[k] * x[k];
  return sum;
}
}  // namespace detail

template <class T>
void Frames<T>::resize(const Tree& tree) {
  resize(static_cast<std::size_t>(tree.body_count()));
  eta.assign(tree.elastic_count(), T(0));
  eta_rate.assign(tree.elastic_count(), T(0));
  for (int i = 0; i < tree.body_count(); ++i) {
    beam[i] = tree.body(i).beam.get();
    eta_begin[i] = tree.elastic_begin(i);
  }
}

template <class T>
[[gnu::always_inline]] inline Vec2<T> Tree::attach_arm(const Frames<T>& frames, int i) const {
  const int p = bodies_[i].parent;
  const BodyPoint at = bodies_[i].attach;
  Vec2<T> a = at.s * frames.u[p] + at.n * frames.w[p];
  if (elastic_dof_[p] >= 0)
    a += detail::row_times(attach_[i].shapes, frames.eta.data() + elastic_begin_[p]) * frames.w[p];
  return a;
}

template <class T>
[[gnu::always_inline]] inline Frame<T> Tree::place(int i, const T* q, const T* v, Frames<T>& out) const {
  const Body& b = bodies_[i];
  const int angle = angle_dof_[i];
  T s, c;
  detail::sine_cosine(q[angle], s, c);
  Frame<T> f{{s, c}, {c, -s}, {}, {}, v[angle]};
  Vec2<T> centripetal{};
  if (b.parent >= 0) {
    const int p = b.parent;
    const Vec2<T> a = attach_arm(out, i);
    if (elastic_dof_[p] >= 0) {
      const T lateral = detail::row_times(attach_[i].shapes, out.eta_rate.data() + elastic_begin_[p]);
      f.origin_rate = lateral * out.w[p];
      centripetal = T(-2) * out.rate[p] * lateral * out.u[p];
    }
    f.origin = out.origin[p] + a;
    f.origin_rate += out.velocity(p, a);
    centripetal += out.centripetal[p] - out.rate[p] * out.rate[p] * a;
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
  if (elastic_dof_[i] >= 0) {
    const int first = elastic_dof_[i], begin = elastic_begin_[i];
    for (int k = 0; k < flex_[i].count; ++k) {
      out.eta[begin + k] = q[first + k];
      out.eta_rate[begin + k] = v[first + k];
    }
  }
  return f;
}

template <class T>
void Tree::kinematics(const T* q, const T* v, Frames<T>& out) const {
  for (int i = 0; i < body_count(); ++i) place(i, q, v, out);
}

template <class T>
Vec2<T> Tree::first_moment(const Frames<T>& frames, int i) const {
  const BodyPoint b = first_moment_[i];
  Vec2<T> first = b.s * frames.u[i] + b.n * frames.w[i];
  if (elastic_dof_[i] >= 0)
    first += detail::row_times(flex_[i].mean, frames.eta.data() + elastic_begin_[i]) * frames.w[i];
  return first;
}

template <class T>
void Tree::reduce(const Frames<T>& frames, Wrenches<T>& wrenches, T* generalised) const {
  // At v̇ = 0 everything beyond the origin of body i accelerates with centripetal_i − q̇_i² arm. Its inertia is
  // the first moment B_i: the joint's acceleration turns the body, and the body pulls at the joint with q̇_i² B_i.
  for (int i = body_count() - 1; i >= 0; --i) {
    const Body& b = bodies_[i];
    const Vec2<T> first = first_moment(frames, i);
    generalised[angle_dof_[i]] = wrenches.moment[i] - moment(first, frames.centripetal[i]);
    Vec2<T> f = wrenches.force[i] + frames.rate[i] * frames.rate[i] * first;
    if (elastic_dof_[i] >= 0) reduce_elastic(frames, i, wrenches, f, generalised);
    if (b.parent >= 0) {
      const int p = b.parent;
      const Vec2<T> a = attach_arm(frames, i);
      if (elastic_dof_[p] >= 0) {
        const std::vector<double>& shapes = attach_[i].shapes;
        const T lateral = dot(frames.w[p], f);
        for (std::size_t k = 0; k < shapes.size(); ++k)
          wrenches.elastic[elastic_begin_[p] + k] += shapes[k] * lateral;
      }
      wrenches.add(p, a, f);
    } else if (b.free) {
      generalised[translation_dof_[i]] = f.x;
      generalised[translation_dof_[i] + 1] = f.z;
    }
  }
}

// Coriolis forces of a beam that bends while it turns, centrifugal forces along its deflection, and the acceleration
// of its frame.
template <class T>
void Tree::reduce_elastic(const Frames<T>& frames, int i, const Wrenches<T>& wrenches, Vec2<T>& f,
                          T* generalised) const {
  const Flex& x = flex_[i];
  const int n = x.count, begin = elastic_begin_[i];
  if (x.linear) {
    for (int k = 0; k < n; ++k) generalised[elastic_dof_[i] + k] = wrenches.elastic[begin + k];
    return;
  }
  const T *eta = frames.eta.data() + begin, *rate = frames.eta_rate.data() + begin;
  const T spin = frames.rate[i], lateral = dot(frames.w[i], frames.centripetal[i]);
  T exchange{};  // ∫(n + w)ẇ dm
  for (int k = 0; k < n; ++k) {
    T inertia{};  // ∫(n + w)Ψ_k dm
    if (x.diagonal)
      inertia = x.swing[k * n + k] * eta[k];
    else
      for (int l = 0; l < n; ++l) inertia += x.swing[k * n + l] * eta[l];
    inertia += x.offset[k];
    exchange += inertia * rate[k];
    generalised[elastic_dof_[i] + k] =
        wrenches.elastic[begin + k] - x.mean[k] * lateral + spin * spin * inertia;
  }
  generalised[angle_dof_[i]] -= T(2) * spin * exchange;
  f += T(2) * spin * detail::row_times(x.mean, rate) * frames.u[i];
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
void Tree::add_point_force(const Frames<T>& frames, int body, Vec2<T> arm, Vec2<T> f, T* generalised,
                           const T* shapes) const {
  generalised[angle_dof_[body]] += moment(arm, f);
  if (shapes) {
    const T lateral = dot(frames.w[body], f);
    for (int k = 0; k < flex_[body].count; ++k) generalised[elastic_dof_[body] + k] += shapes[k] * lateral;
  }
  couple(frames, body, f, generalised);
}

template <class T>
void Tree::couple(const Frames<T>& frames, int body, Vec2<T> p, T* row) const {
  int i = body;
  while (bodies_[i].parent >= 0) {
    const int above = bodies_[i].parent;
    const Vec2<T> a = attach_arm(frames, i);
    if (elastic_dof_[above] >= 0) {
      const std::vector<double>& shapes = attach_[i].shapes;
      const T lateral = dot(frames.w[above], p);
      for (std::size_t k = 0; k < shapes.size(); ++k) row[elastic_dof_[above] + k] += shapes[k] * lateral;
    }
    row[angle_dof_[above]] += moment(a, p);
    i = above;
  }
  if (bodies_[i].free) {
    row[translation_dof_[i]] += p.x;
    row[translation_dof_[i] + 1] += p.z;
  }
}

template <class T>
T Tree::joint_rate(const Frames<T>& frames, int i) const {
  const int p = bodies_[i].parent;
  T rate = frames.rate[i];
  if (elastic_dof_[i] >= 0)
    rate += detail::row_times(flex_[i].own_slope, frames.eta_rate.data() + elastic_begin_[i]);
  if (p < 0) return rate;
  rate -= frames.rate[p];
  if (elastic_dof_[p] >= 0)
    rate -= detail::row_times(attach_[i].slopes, frames.eta_rate.data() + elastic_begin_[p]);
  return rate;
}

template <class T>
T Tree::joint_position(const Frames<T>& frames, const T* q, int i) const {
  const int p = bodies_[i].parent;
  T angle = q[angle_dof_[i]];
  if (elastic_dof_[i] >= 0)
    angle += detail::row_times(flex_[i].own_slope, frames.eta.data() + elastic_begin_[i]);
  if (p < 0) return angle;
  angle -= q[angle_dof_[p]];
  if (elastic_dof_[p] >= 0)
    angle -= detail::row_times(attach_[i].slopes, frames.eta.data() + elastic_begin_[p]);
  return angle;
}

template <class T>
void Tree::add_joint_moment(int i, T moment, T* generalised) const {
  const int p = bodies_[i].parent;
  generalised[angle_dof_[i]] += moment;
  for (int k = 0; k < flex_[i].count; ++k) generalised[elastic_dof_[i] + k] += flex_[i].own_slope[k] * moment;
  if (p < 0) return;
  generalised[angle_dof_[p]] -= moment;
  for (int k = 0; k < flex_[p].count; ++k) generalised[elastic_dof_[p] + k] -= attach_[i].slopes[k] * moment;
}

template <class T>
void Tree::add_joint_moment(int i, T moment, Wrenches<T>& wrenches) const {
  const int p = bodies_[i].parent;
  wrenches.moment[i] += moment;
  for (int k = 0; k < flex_[i].count; ++k)
    wrenches.elastic[elastic_begin_[i] + k] += flex_[i].own_slope[k] * moment;
  if (p < 0) return;
  wrenches.moment[p] -= moment;
  for (int k = 0; k < flex_[p].count; ++k)
    wrenches.elastic[elastic_begin_[p] + k] -= attach_[i].slopes[k] * moment;
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
void Tree::fill_elastic_rows(const Frames<T>& frames, int i, T* h) const {
  const Flex& x = flex_[i];
  const int n = dof_count_, count = x.count, angle = angle_dof_[i];
  const T* eta = frames.eta.data() + elastic_begin_[i];
  T turning{};  // ∫w² dm and the like
  for (int k = 0; k < count; ++k) {
    T* row = h + static_cast<std::ptrdiff_t>(elastic_dof_[i] + k) * n;
    T inertia{};
    for (int l = x.diagonal ? k : 0; l < (x.diagonal ? k + 1 : count); ++l)
      inertia += x.swing[k * count + l] * eta[l];
    turning += (inertia + T(2) * x.offset[k]) * eta[k];
    for (int j = dof_parent_[elastic_dof_[i] + k]; j >= 0; j = dof_parent_[j]) row[j] = T(0);
    for (int l = x.diagonal ? k : 0; l <= k; ++l) row[elastic_dof_[i] + l] = T(x.inertia[k * count + l]);
    row[angle] = T(x.first[k]);
    couple(frames, i, x.mean[k] * frames.w[i], row);
  }
  if (!x.linear) h[static_cast<std::ptrdiff_t>(angle) * n + angle] += turning;
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
    for (int j = dof_parent_[row]; j >= 0; j = dof_parent_[j]) hr[j] = T(0);
    hr[row] = T(diagonal_[i]);
    if (bodies_[i].free) {
      const int x = translation_dof_[i];
      h[x * n + x] = T(subtree_mass_[i]);
      h[(x + 1) * n + x] = T(0);
      h[(x + 1) * n + x + 1] = T(subtree_mass_[i]);
    }
    couple(frames, i, turned(first_moment(frames, i)), hr);
    if (elastic_dof_[i] >= 0) fill_elastic_rows(frames, i, h);
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
void Tree::multiply(const MassFactor<T>& factor, T* x) const {
  const int n = dof_count_;
  const T* h = factor.h.data();
  for (int i = n - 1; i >= 0; --i) {
    for (int j = dof_parent_[i]; j >= 0; j = dof_parent_[j]) x[i] += h[i * n + j] * x[j];
    x[i] = x[i] / factor.inverse_diagonal[i];
  }
  for (int i = 0; i < n; ++i)
    for (int j = dof_parent_[i]; j >= 0; j = dof_parent_[j]) x[j] += h[i * n + j] * x[i];
}

template <class T>
Vec2<T> Tree::center_arm(const Frames<T>& frames, int i) const {
  const Body& b = bodies_[i];
  Vec2<T> arm = b.center.s * frames.u[i] + b.center.n * frames.w[i];
  if (b.beam)
    arm += (detail::row_times(b.beam->mean(), frames.eta.data() + elastic_begin_[i]) * (1 / b.mass))
         * frames.w[i];
  return arm;
}

template <class T>
Vec2<T> Tree::center_velocity(const Frames<T>& frames, int i) const {
  const Body& b = bodies_[i];
  Vec2<T> v = frames.velocity(i, center_arm(frames, i));
  if (b.beam)
    v += (detail::row_times(b.beam->mean(), frames.eta_rate.data() + elastic_begin_[i]) * (1 / b.mass))
       * frames.w[i];
  return v;
}

template <class T>
Vec2<T> Tree::weight_moment(const Frames<T>& frames, int i) const {
  const Body& b = bodies_[i];
  Vec2<T> r = (b.mass * b.center.s - b.weightless * b.weightless_at) * frames.u[i]
            + (b.mass * b.center.n) * frames.w[i];
  if (b.beam) r += detail::row_times(b.beam->weight(), frames.eta.data() + elastic_begin_[i]) * frames.w[i];
  return r;
}

}  // namespace thud
