#pragma once
// Steps without error where the right-hand side of a mode is affine; elsewhere those of order 8.

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "step/ladder.hpp"
#include "step/stepper.hpp"
#include "thud/dynamics/system.hpp"
#include "thud/math/portable.hpp"
#include "thud/step/options.hpp"

namespace thud {

struct ExactMethod : Dop853Method {};

/// Exact propagation (see Ladder) of modes in which the accelerations are affine in q and v and the powers quadratic in
/// v: linear arms, free bodies, between events. Both are checked at the end of every step against the right-hand side
/// itself; a mode that fails (a compliant contact, sand, finite rotations, a torque in time) is integrated with order 8.
///
/// Steps are as long as the observation of events allows, not the accuracy: at most a twentieth of the period of the
/// third bending mode, with eleven looks inside.
template <>
class Stepper<ExactMethod> : public Stepper<Dop853Method> {
  using Base = Stepper<Dop853Method>;

 public:
  static constexpr int looks = 12;  // at guards, on the way through a step

  void resize(int moving, int total) {
    Base::resize(moving, total);
    n_ = moving / 2;
    inner_.assign(total, 0.0);
    inner_slope_.assign(total, 0.0);
    forget_jacobian();
  }
  void set_frequencies(const System& system) {
    const Tree& tree = system.tree();
    for (int b = 0; b < tree.body_count(); ++b)
      for (int k = 0; tree.body(b).beam && k < tree.body(b).beam->size(); ++k)
        bending_.push_back({tree.elastic_dof(b) + k, tree.body(b).beam->frequency(k),
                            std::abs(tree.body(b).beam->first()[k])});
    std::vector<double> all;
    for (int i = 0; i < n_; ++i)
      if (system.tree().dof_frequency(i) > 0) all.push_back(system.tree().dof_frequency(i));
    std::sort(all.begin(), all.end());
    frequency_ = all.empty() ? 0 : all[std::min<std::size_t>(2, all.size() - 1)];
    channels_ = static_cast<int>(system.channels().size());
  }
  void set_options(const StepOptions& o) {
    longest_ =
        std::min(o.max_step, frequency_ > 0 ? 0.1 * std::numbers::pi / frequency_ : 0.002 * o.time_limit);
    longest_ = std::min(longest_, o.time_limit);
    known_.clear();
    forget_jacobian();
  }
  void forget_jacobian() { mode_ = nullptr; }

  /// A step near h for which little has to be computed.
  double suitable(double h, const double* y) const {
    if (mode_ && !mode_->ladder) return h;
    h = std::min({h, longest_, period_of_content(y)});
    if (!mode_) return h;
    const double first = looks * mode_->ladder->rung(0);
    return h <= first ? h : std::ldexp(first, std::ilogb(h / first));
  }

  template <class F, class Probe>
  void step(F& f, Probe&& probe, double t, const double* y, double h) {
    torques_at(f.system(), t, torques_);
    if (mode_ && mode_->torques != torques_) mode_ = nullptr;
    if (!mode_) find_mode(f, t, y);
    torques_at(f.system(), t + h, torques_);
    by_order_8_ = !mode_->ladder || mode_->torques != torques_;
    if (by_order_8_) return Base::step(f, probe, t, y, h);
    begin(y);
    std::vector<double> paths(total_ - moving_ - channels_, 0.0);  // ∫|v|dt, by Simpson's rule
    std::copy(y, y + total_, inner_.begin());
    for (int j = 1; j < looks; ++j) {
      look_w_[j - 1] = w_;
      look_dx_[j - 1] = dx_;
      mode_->ladder->advance(h / looks, w_, dx_, nullptr);
      for (int i = 0; i < moving_; ++i) inner_[i] = y[i] + dx_[i];
      f.full(t + h * j / looks, inner_.data(), inner_slope_.data());
      for (std::size_t i = 0; i < paths.size(); ++i)
        paths[i] += (j % 2 == 1 ? 4 : 2) * inner_slope_[moving_ + channels_ + i];
      probe();
    }
    look_w_[looks - 1] = w_;
    look_dx_[looks - 1] = dx_;
    begin(y);
    advance(h, next_.data());
    simpson_ = std::move(paths);
    step_h_ = h;
  }
  template <class F>
  void finish(F& f, double t, double h) {
    Base::finish(f, t, h);
    if (!by_order_8_ && h == step_h_)
      for (std::size_t i = 0; i < simpson_.size(); ++i) {
        const std::size_t k = moving_ + channels_ + i;
        next_[k] = from_[k] + h / (3 * looks) * (slope(0)[k] + simpson_[i] + slope(last)[k]);
      }
    fits_ = by_order_8_ || agrees();
    if (!fits_) mode_->ladder = nullptr;  // the mode is not affine after all: to be done again
  }
  double error(const double* scale, double h) { return by_order_8_ ? Base::error(scale, h) : 0; }
  /// False when the mode has just turned out not to be affine.
  bool fits() const { return fits_; }

  template <class F>
  void make_dense(F& f, double t, const double* y, double h) {
    if (by_order_8_) return Base::make_dense(f, t, y, h);
    dense_h_ = h;
    fill_cubic(y, slope(0), slope(last), h, moving_, total_);
  }
  /// The motion from the last look before, without error; works by cubics.
  void dense(double theta, const double* y, double* out) {
    if (by_order_8_) return Base::dense(theta, y, out);
    const int j = std::clamp(static_cast<int>(theta * looks), 0, looks - 1);
    w_ = look_w_[j];
    dx_ = look_dx_[j];
    mode_->ladder->advance((theta - static_cast<double>(j) / looks) * dense_h_, w_, dx_, nullptr);
    for (int i = 0; i < moving_; ++i) out[i] = y[i] + dx_[i];
    read_cubic(theta, y, out, moving_, total_);
  }

 private:
  static constexpr std::size_t most_known = 24;  // a torque that changes all the time makes ever new ones

  // Of the fastest bending mode that can be felt in the joints: where it is, twelve looks see it.
  double period_of_content(const double* y) const {
    double largest = 0, period = longest_;
    const auto felt = [&](const Bending& b) {
      const double speed = portable::hypot(y[n_ + b.dof], b.frequency * y[b.dof]);
      return b.moment * b.frequency * speed;
    };
    for (const Bending& b : bending_) largest = std::max(largest, felt(b));
    for (const Bending& b : bending_)
      if (felt(b) > 1e-4 * largest) period = std::min(period, 2 * std::numbers::pi / b.frequency);
    return period;
  }

  // An affine system by its derivatives, for as long as it lasts; without a ladder where it is none.
  struct Known {
    Mode mode;
    std::vector<double> torques;
    Eigen::MatrixXd by_q, by_v;
    std::vector<Eigen::VectorXd> linear;  // of the powers: p = c + l·v + vᵀ Q v
    std::vector<Eigen::MatrixXd> forms;
    std::vector<int> quadratic;  // the powers whose form is not zero
    std::vector<double> constant;
    std::unique_ptr<Ladder> ladder;
  };

  struct Bending {
    int dof;
    double frequency, moment;  // moment: how much of it is felt at the root
  };

  // A torque may be constant, but not change within a step.
  static void torques_at(const System& system, double t, std::vector<double>& out) {
    out.clear();
    system.each([&]<class E>(const E& e, int) {
      const auto put = [&](double x) { out.push_back(x); };
      if constexpr (requires { e.inputs_at(t, put); }) e.inputs_at(t, put);
    });
  }

  static bool same_forces(const Mode& a, const Mode& b) { return a.elements == b.elements; }

  template <class F>
  void find_mode(F& f, double t, const double* y) {
    for (const auto& k : known_)
      if (same_forces(k->mode, f.mode()) && k->torques == torques_) {
        mode_ = k.get();
        return;
      }
    if (known_.size() >= most_known) known_.erase(known_.begin());
    known_.push_back(std::make_unique<Known>());
    mode_ = known_.back().get();
    mode_->mode = f.mode();
    mode_->torques = torques_;
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_q(n_, n_), by_v(n_, n_);
    f.jacobian(t, y, by_q.data(), by_v.data());
    if (!by_q.allFinite() || !by_v.allFinite()) return;
    mode_->by_q = by_q;
    mode_->by_v = by_v;
    find_powers(f, t, y);
    std::vector<Eigen::MatrixXd> forms;
    for (int c = 0; c < channels_; ++c) {
      if (mode_->forms[c].isZero(0)) continue;
      mode_->quadratic.push_back(c);
      forms.push_back(mode_->forms[c]);
    }
    mode_->ladder = std::make_unique<Ladder>(mode_->by_q, mode_->by_v, forms, 2 * longest_);
  }

  // The powers are polynomials of degree 2 in v: p(0), p(±e_i), p(e_i + e_j) give them.
  template <class F>
  void find_powers(F& f, double t, const double* y) {
    const int count = channels_;
    Known& k = *mode_;
    k.constant.assign(count, 0.0);
    k.linear.assign(count, Eigen::VectorXd::Zero(n_));
    k.forms.assign(count, Eigen::MatrixXd::Zero(n_, n_));
    if (count == 0) return;
    std::copy(y, y + total_, inner_.begin());
    std::fill(inner_.begin() + n_, inner_.end(), 0.0);
    const auto powers = [&] {
      f(t, inner_.data(), inner_slope_.data());
      return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(inner_slope_.data() + moving_, count));
    };
    const Eigen::VectorXd zero = powers();
    std::vector<Eigen::VectorXd> one(n_);
    for (int i = 0; i < n_; ++i) {
      inner_[n_ + i] = 1;
      one[i] = powers();
      inner_[n_ + i] = -1;
      const Eigen::VectorXd minus = powers();
      inner_[n_ + i] = 0;
      for (int c = 0; c < count; ++c) {
        k.constant[c] = zero[c];
        k.linear[c][i] = 0.5 * (one[i][c] - minus[c]);
        k.forms[c](i, i) = 0.5 * (one[i][c] + minus[c]) - zero[c];
      }
    }
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < i; ++j) {
        inner_[n_ + i] = inner_[n_ + j] = 1;
        const Eigen::VectorXd both = powers();
        inner_[n_ + i] = inner_[n_ + j] = 0;
        for (int c = 0; c < count; ++c) {
          const double mixed = 0.5 * (both[c] - one[i][c] - one[j][c] + zero[c]);
          k.forms[c](i, j) = k.forms[c](j, i) = mixed;
        }
      }
  }

  void begin(const double* y) {
    w_.resize(2 * n_);
    dx_.setZero(2 * n_);
    for (int i = 0; i < n_; ++i) w_[i] = y[n_ + i], w_[n_ + i] = slope(0)[n_ + i];
    works_.assign(channels_, 0.0);
    forms_.assign(mode_->quadratic.size(), 0.0);
    passed_ = 0;
    from_ = y;
  }
  void advance(double h, double* out) {
    mode_->ladder->advance(h, w_, dx_, forms_.data());
    for (std::size_t i = 0; i < forms_.size(); ++i) works_[mode_->quadratic[i]] = forms_[i];
    passed_ += h;
    for (int i = 0; i < moving_; ++i) out[i] = from_[i] + dx_[i];
    for (int c = 0; c < channels_; ++c)
      out[moving_ + c] =
          from_[moving_ + c] + works_[c] + mode_->linear[c].dot(dx_.head(n_)) + mode_->constant[c] * passed_;
  }

  // The accelerations and powers at the end, as they are and as the ladder has them.
  bool agrees() {
    const double *end = slope(last), *start = slope(0);
    for (int i = 0; i < n_; ++i) {
      double size = std::abs(start[n_ + i]);
      for (int j = 0; j < n_; ++j)
        size += std::abs(mode_->by_q(i, j) * dx_[j]) + std::abs(mode_->by_v(i, j) * dx_[n_ + j]);
      size += std::abs(end[n_ + i]);
      if (!(std::abs(end[n_ + i] - w_[n_ + i]) <= 1e-9 * size + 1e-12)) return false;
    }
    const Eigen::Map<const Eigen::VectorXd> v(next_.data() + n_, n_);
    for (int c = 0; c < channels_; ++c) {
      const double quadratic = v.dot(mode_->forms[c] * v), linear = mode_->linear[c].dot(v);
      const double size = std::abs(quadratic) + std::abs(linear) + std::abs(mode_->constant[c]);
      if (!(std::abs(end[moving_ + c] - quadratic - linear - mode_->constant[c]) <= 1e-8 * size + 1e-14))
        return false;
    }
    return true;
  }

  int n_ = 0, channels_ = 0;
  std::vector<Bending> bending_;
  double step_h_ = 0;
  std::vector<double> simpson_;
  Eigen::VectorXd look_w_[looks], look_dx_[looks];
  double frequency_ = 0, longest_ = 1, dense_h_ = 0, passed_ = 0;
  bool by_order_8_ = false, fits_ = true;
  std::vector<double> torques_;
  std::vector<std::unique_ptr<Known>> known_;
  Known* mode_ = nullptr;
  const double* from_ = nullptr;
  Eigen::VectorXd w_, dx_;
  std::vector<double> forms_, works_, inner_, inner_slope_;
};

}  // namespace thud
