#pragma once
// Explicit Runge-Kutta steps over the state (q, v, quadratures). The quadratures do not feed back,
// so the inner stages advance the first `moving` components only.

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "step/tableau.hpp"

namespace thud {

namespace detail {

/// Two numbers at once.
using Pair = double __attribute__((vector_size(16)));
inline Pair load_pair(const double* from) {
  Pair x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}
inline void store_pair(double* to, Pair x) { __builtin_memcpy(to, &x, sizeof x); }
inline double load_one(const double* from) { return *from; }

// out = base + h Σ w_j k_j over the nonzero entries of a row, unrolled at compile time. Summed from the left, so that
// only one addition waits for the latest stage.
template <const auto& Row, std::size_t... J, class Size>
[[gnu::always_inline]] inline void combine(std::index_sequence<J...>, Size n, const double* k, int stride,
                                           double h, const double* base, double* out) {
  const auto sum = [&](auto load, const double* at) {
    return (... + (Row[J].weight * load(at + Row[J].stage * stride)));
  };
  int i = 0;
  for (; i + 1 < n; i += 2) {
    const Pair x = h * sum(load_pair, k + i);
    store_pair(out + i, base ? load_pair(base + i) + x : x);
  }
  if (i < n) out[i] = (base ? base[i] : 0.0) + h * sum(load_one, k + i);
}
template <const auto& Row, class Size>
void combine(Size n, const double* k, int stride, double h, const double* base, double* out) {
  combine<Row>(std::make_index_sequence<Row.size()>{}, n, k, stride, h, base, out);
}

}  // namespace detail

/// Memory common to all methods: the stages of one step and its continuous extension.
class StageMemory {
 public:
  void resize(int moving, int total, int stages, int terms) {
    moving_ = moving;
    total_ = total;
    k_.assign(static_cast<std::size_t>(stages) * total, 0.0);
    trial_.assign(total, 0.0);
    next_.assign(total, 0.0);
    dense_.assign(static_cast<std::size_t>(terms) * total, 0.0);
  }
  double* slope(int stage) { return k_.data() + stage * total_; }
  const double* slope_at_start() const { return k_.data(); }
  double* next() { return next_.data(); }
  const double* next() const { return next_.data(); }

 protected:
  /// The first three terms of a continuous extension over [begin, end): the cubic of values and slopes at both ends.
  void fill_cubic(const double* y, const double* f0, const double* f1, double h, int begin, int end) {
    double* d = dense_.data();
    for (int i = begin; i < end; ++i) {
      const double delta = next_[i] - y[i];
      d[i] = delta;
      d[total_ + i] = h * f0[i] - delta;
      d[2 * total_ + i] = 2 * delta - h * (f0[i] + f1[i]);
    }
  }
  /// The cubic alone, at θ of the step.
  void read_cubic(double theta, const double* y, double* out, int begin, int end) const {
    const double rest = 1 - theta;
    for (int i = begin; i < end; ++i)
      out[i] = y[i] + theta * (dense_[i] + rest * (dense_[total_ + i] + theta * dense_[2 * total_ + i]));
  }

  int moving_ = 0, total_ = 0;
  std::vector<double> k_, trial_, next_, dense_;
};

/// What a fixed-step method and an embedded pair have in common. Method supplies `Tableau`-like statics.
template <class Method>
class Stepper : public StageMemory {
 public:
  static constexpr int order = Method::order;
  static constexpr bool adaptive = Method::adaptive;
  static constexpr int last = Method::stages;  // slope at the end of the step
  static constexpr int terms = Method::dense_terms;

  void resize(int moving, int total) { StageMemory::resize(moving, total, Method::dense_stages, terms); }

  /// Advances from y (slope(0) must hold f(t, y)) into next(). `probe(stage)` runs after selected inner stages.
  template <class F, class Probe>
  void step(F& f, Probe&& probe, double t, const double* y, double h) {
    switch (moving_) {
      case 2: Method::stages_of(*this, f, probe, t, y, h, std::integral_constant<int, 2>{}); break;
      case 4: Method::stages_of(*this, f, probe, t, y, h, std::integral_constant<int, 4>{}); break;
      case 6: Method::stages_of(*this, f, probe, t, y, h, std::integral_constant<int, 6>{}); break;
      case 8: Method::stages_of(*this, f, probe, t, y, h, std::integral_constant<int, 8>{}); break;
      default: Method::stages_of(*this, f, probe, t, y, h, moving_); break;
    }
    detail::combine<Method::b>(total_, k_.data(), total_, h, y, next_.data());
  }
  /// Slope at the end, the first of the next step.
  template <class F>
  void finish(F& f, double t, double h) {
    f.full(t + h, next_.data(), slope(last));
  }
  /// Scaled error of the last step; ≤ 1 is good.
  double error(const double* scale, double h) { return Method::error(*this, scale, h); }

  /// Continuous extension over the last finished step.
  template <class F>
  void make_dense(F& f, double t, const double* y, double h) {
    Method::dense_slopes(*this, f, t, y, h);
    fill_cubic(y, slope(0), slope(last), h, 0, total_);
    Method::dense_high(*this, h);
  }
  void dense(double theta, const double* y, double* out) const {
    const double rest = 1 - theta;
    const auto read = [&](auto load, const double* term) {
      auto sum = load(term + (terms - 1) * total_) * (terms % 2 == 1 ? theta : rest);
      for (int k = terms - 2; k >= 0; --k)
        sum = (sum + load(term + k * total_)) * (k % 2 == 0 ? theta : rest);
      return sum;
    };
    int i = 0;
    for (; i + 1 < total_; i += 2)
      detail::store_pair(out + i, detail::load_pair(y + i) + read(detail::load_pair, dense_.data() + i));
    if (i < total_) out[i] = y[i] + read(detail::load_one, dense_.data() + i);
  }

  template <const auto& Row, class F, class Size>
  void stage(F& f, double t, const double* y, double h, double c, int index, Size n) {
    detail::combine<Row>(n, k_.data(), total_, h, y, trial_.data());
    f(t + c * h, trial_.data(), slope(index));
  }
  /// A stage after which guards are looked at.
  template <const auto& Row, class F, class Size>
  void probed_stage(F& f, double t, const double* y, double h, double c, int index, Size n) {
    detail::combine<Row>(n, k_.data(), total_, h, y, trial_.data());
    f.full(t + c * h, trial_.data(), slope(index));
  }
  template <const auto& Row>
  void sum(double h, double* out, int n) const {
    detail::combine<Row>(n, k_.data(), total_, h, static_cast<const double*>(nullptr), out);
  }
  double* trial() { return trial_.data(); }
  double* dense_term(int k) { return dense_.data() + k * total_; }
  int moving() const { return moving_; }
  int total() const { return total_; }
};

struct Dop853Method : tableau::Dop853 {
  static constexpr bool adaptive = true;
  static constexpr int error_order = 8;
  static constexpr int dense_terms = 7;

  template <class S, class F, class Probe, class Size>
  static void stages_of(S& s, F& f, Probe&& probe, double t, const double* y, double h, Size n) {
    s.template stage<a1>(f, t, y, h, c[1], 1, n);
    s.template stage<a2>(f, t, y, h, c[2], 2, n);
    s.template stage<a3>(f, t, y, h, c[3], 3, n);
    s.template stage<a4>(f, t, y, h, c[4], 4, n);
    s.template stage<a5>(f, t, y, h, c[5], 5, n);
    s.template stage<a6>(f, t, y, h, c[6], 6, n);
    s.template probed_stage<a7>(f, t, y, h, c[7], 7, n);
    probe();
    s.template stage<a8>(f, t, y, h, c[8], 8, n);
    s.template probed_stage<a9>(f, t, y, h, c[9], 9, n);
    probe();
    s.template stage<a10>(f, t, y, h, c[10], 10, n);
    s.template stage<a11>(f, t, y, h, c[11], 11, n);
  }
  template <class S>
  static double error(S& s, const double* scale, double h) {
    const int n = s.moving();
    double sum5 = 0, sum3 = 0;
    double* e = s.trial();
    s.template sum<e5>(1.0, e, n);
    for (int i = 0; i < n; ++i) sum5 += (e[i] * scale[i]) * (e[i] * scale[i]);
    s.template sum<e3>(1.0, e, n);
    for (int i = 0; i < n; ++i) sum3 += (e[i] * scale[i]) * (e[i] * scale[i]);
    const double denominator = (sum5 + 0.01 * sum3) * n;
    if (!std::isfinite(denominator)) return std::numeric_limits<double>::infinity();  // nothing to be trusted
    return denominator == 0 ? 0.0 : std::abs(h) * sum5 / std::sqrt(denominator);
  }
  template <class S, class F>
  static void dense_slopes(S& s, F& f, double t, const double* y, double h) {
    s.template stage<a13>(f, t, y, h, c[13], 13, s.moving());
    s.template stage<a14>(f, t, y, h, c[14], 14, s.moving());
    s.template stage<a15>(f, t, y, h, c[15], 15, s.moving());
  }
  template <class S>
  static void dense_high(S& s, double h) {
    s.template sum<d0>(h, s.dense_term(3), s.total());
    s.template sum<d1>(h, s.dense_term(4), s.total());
    s.template sum<d2>(h, s.dense_term(5), s.total());
    s.template sum<d3>(h, s.dense_term(6), s.total());
  }
};

struct Dopri5Method : tableau::Dopri5 {
  static constexpr bool adaptive = true;
  static constexpr int error_order = 5;
  static constexpr int dense_terms = 4;

  template <class S, class F, class Probe, class Size>
  static void stages_of(S& s, F& f, Probe&& probe, double t, const double* y, double h, Size n) {
    s.template stage<a1>(f, t, y, h, c[1], 1, n);
    s.template probed_stage<a2>(f, t, y, h, c[2], 2, n);
    probe();
    s.template probed_stage<a3>(f, t, y, h, c[3], 3, n);
    probe();
    s.template stage<a4>(f, t, y, h, c[4], 4, n);
    s.template stage<a5>(f, t, y, h, c[5], 5, n);
  }
  // The error needs the slope at the end: the solver finishes the step first.
  template <class S>
  static double error(S& s, const double* scale, double h) {
    const int n = s.moving();
    double sum_ = 0;
    double* out = s.trial();
    s.template sum<e>(h, out, n);
    for (int i = 0; i < n; ++i) sum_ += (out[i] * scale[i]) * (out[i] * scale[i]);
    return std::sqrt(sum_ / n);
  }
  template <class S, class F>
  static void dense_slopes(S&, F&, double, const double*, double) {}
  template <class S>
  static void dense_high(S& s, double h) {
    s.template sum<d>(h, s.dense_term(3), s.total());
  }
};

/// The classical fourth-order method with a fixed step.
struct Rk4Method {
  static constexpr int order = 4, stages = 4, dense_stages = 5, dense_terms = 3;
  static constexpr bool adaptive = false;
  static constexpr std::array<tableau::Entry, 1> a1 = {{{0, 0.5}}}, a2 = {{{1, 0.5}}}, a3 = {{{2, 1.0}}};
  static constexpr std::array<tableau::Entry, 4> b = {
      {{0, 1.0 / 6}, {1, 1.0 / 3}, {2, 1.0 / 3}, {3, 1.0 / 6}}};

  template <class S, class F, class Probe, class Size>
  static void stages_of(S& s, F& f, Probe&&, double t, const double* y, double h, Size n) {
    s.template stage<a1>(f, t, y, h, 0.5, 1, n);
    s.template stage<a2>(f, t, y, h, 0.5, 2, n);
    s.template stage<a3>(f, t, y, h, 1.0, 3, n);
  }
  template <class S>
  static double error(S&, const double*, double) {
    return 0;
  }
  template <class S, class F>
  static void dense_slopes(S&, F&, double, const double*, double) {}
  template <class S>
  static void dense_high(S&, double) {}
};

/// Explicit Euler with a fixed step, as several tables of Lee 2009 were computed.
struct EulerMethod {
  static constexpr int order = 1, stages = 1, dense_stages = 2, dense_terms = 3;
  static constexpr bool adaptive = false;
  static constexpr std::array<tableau::Entry, 1> b = {{{0, 1.0}}};

  template <class S, class F, class Probe, class Size>
  static void stages_of(S&, F&, Probe&&, double, const double*, double, Size) {}
  template <class S>
  static double error(S&, const double*, double) {
    return 0;
  }
  template <class S, class F>
  static void dense_slopes(S&, F&, double, const double*, double) {}
  template <class S>
  static void dense_high(S&, double) {}
};

}  // namespace thud
