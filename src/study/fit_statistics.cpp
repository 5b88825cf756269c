#include "study/fit_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "solve/dense.hpp"

namespace thud {

namespace {

using Eigen::Index;
using Status = FitEstimate::Status;

// Directions weaker than this against the strongest are as good as invisible: the derivatives, differences of runs,
// have about six digits.
constexpr double worst_condition = 1e4;
constexpr double no_effect = 1e-6;         // of a knob, relative to its strongest fellow
constexpr double part_of_direction = 0.1;  // from this share on a knob takes part in a direction
constexpr double strong_correlation = 0.99;

bool is_at_bound(const FitEstimate& e) {
  const double slack = 1e-9 * std::max({std::abs(e.value), std::abs(e.start), 1e-300});
  return e.value <= e.low + slack || e.value >= e.high - slack;
}

std::string change_in_words(const FitEstimate& e, double part, bool relative) {
  const char* verb = part > 0 ? "raising" : "lowering";
  if (relative) return fmt::format("{} {} by {:.3g} %", verb, e.name(), std::abs(part));
  return fmt::format("{} {} by {:.3g} {}", verb, e.name(), std::abs(part), e.knob.unit);
}

// A direction in the space of the knobs, in words: "raising a by 1 % and lowering b by 0.5 %".
class Direction {
 public:
  /// `share`: its components where all knobs count alike; `length`: by which the columns were divided for that.
  Direction(const std::vector<FitEstimate>& estimates, const std::vector<std::size_t>& knobs,
            const Eigen::VectorXd& share, const Eigen::VectorXd& length) {
    double largest = 0;
    std::vector<double> parts;
    for (std::size_t k = 0; k < knobs.size(); ++k) {
      if (std::abs(share[Index(k)]) < part_of_direction) continue;
      const double value = std::abs(estimates[knobs[k]].value);
      members_.push_back(knobs[k]);
      parts.push_back(share[Index(k)] / length[Index(k)] / (value > 0 ? value : 1));
      largest = std::max(largest, std::abs(parts.back()));
    }
    const double sign = parts[0] < 0 ? -1 : 1;
    for (double& x : parts) x *= sign / largest;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const FitEstimate& e = estimates[members_[k]];
      const char* join = k == 0 ? "" : k + 1 == members_.size() ? " and " : ", ";
      text_ += join + change_in_words(e, parts[k], e.value != 0);
    }
    if (parts.size() == 2 && std::abs(parts[0] + parts[1]) < 0.02) hint_ = " (only their product matters)";
    if (parts.size() == 2 && std::abs(parts[0] - parts[1]) < 0.02) hint_ = " (only their ratio matters)";
  }

  const std::vector<std::size_t>& members() const { return members_; }
  std::string text() const { return text_; }
  std::string hint() const { return hint_; }
  std::string names(const std::vector<FitEstimate>& estimates) const {
    std::string out;
    for (std::size_t k = 0; k < members_.size(); ++k)
      out += (k == 0 ? "" : k + 1 == members_.size() ? " and " : ", ") + estimates[members_[k]].name();
    return out;
  }

 private:
  std::vector<std::size_t> members_;
  std::string text_, hint_;
};

double typical_size(const FitEstimate& e) {
  const double size = std::max({std::abs(e.value), std::abs(e.start), e.size});
  if (size > 0) return size;
  return std::isfinite(e.high - e.low) ? 0.1 * (e.high - e.low) : 1;
}

// Knobs inside their bounds that do something.
std::vector<std::size_t> find_active(const Eigen::MatrixXd& jacobian, FitResult& result) {
  const auto effect = [&](std::size_t k) {
    return jacobian.col(Index(k)).norm() * typical_size(result.estimates[k]);
  };
  double strongest = 0;
  for (std::size_t k = 0; k < result.estimates.size(); ++k) strongest = std::max(strongest, effect(k));
  std::vector<std::size_t> active;
  for (std::size_t k = 0; k < result.estimates.size(); ++k) {
    FitEstimate& e = result.estimates[k];
    const bool moves = effect(k) > no_effect * strongest;
    if (!moves) {
      e.status = Status::no_effect;
      result.undetermined.push_back(
          fmt::format("{} has no effect on any measured value: the data say nothing about it", e.name()));
    } else if (is_at_bound(e)) {
      e.status = Status::at_bound;
    } else {
      active.push_back(k);
    }
  }
  return active;
}

// s², from what the loss makes of the residuals (Huber & Ronchetti 2009, eq. 7.81, without its factor K near 1).
double variance(const Eigen::VectorXd& residuals, FitLoss loss, double scale, Index degrees) {
  double squares = 0, slope = 0;
  for (double r : residuals) {
    const LossSlope l = loss_slope(loss, scale, r);
    squares += l.psi * l.psi;
    slope += l.slope;
  }
  slope /= static_cast<double>(residuals.size());
  return squares / static_cast<double>(std::max<Index>(degrees, 1)) / (slope * slope);
}

// The Jacobian of the active knobs with columns of equal length: what is left of its condition number is how alike the
// knobs are. Directions that the data do not show are taken out.
class Analysis {
 public:
  Analysis(const Eigen::MatrixXd& jacobian, std::vector<std::size_t> active, FitResult& result)
      : active_(std::move(active)),
        result_(result),
        length_(count()) {
    Eigen::MatrixXd scaled(jacobian.rows(), count());
    for (Index k = 0; k < count(); ++k) {
      length_[k] = jacobian.col(knob(k)).norm();
      scaled.col(k) = jacobian.col(knob(k)) / length_[k];
    }
    svd_ = singular_values(scaled);
    const Eigen::VectorXd& s = svd_.values;
    result.condition = s[count() - 1] > 0 ? s[0] / s[count() - 1] : HUGE_VAL;
    rank_ = count();
    while (rank_ > 1 && !(s[rank_ - 1] * worst_condition > s[0])) --rank_;
  }

  Index rank() const { return rank_; }

  void name_hidden_directions() {
    for (Index k = rank_; k < count(); ++k) {
      const Direction d(result_.estimates, active_, svd_.right.col(k), length_);
      for (std::size_t i : d.members()) result_.estimates[i].status = Status::undetermined;
      result_.undetermined.push_back(
          fmt::format("the data cannot tell {} apart: {} changes no measured value{}",
                      d.names(result_.estimates), d.text(), d.hint()));
    }
  }

  // s² (JᵀJ)⁻¹ in the directions that show.
  void add_intervals(double variance) {
    const Eigen::MatrixXd root = length_.cwiseInverse().asDiagonal() * svd_.right.leftCols(rank_)
                               * svd_.values.head(rank_).cwiseInverse().asDiagonal();
    covariance_ = variance * root * root.transpose();
    const double t = t_quantile(result_.degrees);
    for (Index k = 0; k < count(); ++k) {
      FitEstimate& e = result_.estimates[std::size_t(knob(k))];
      if (e.status != Status::determined) continue;
      const double error = std::sqrt(covariance_(k, k));
      // A profile finds out by itself.
      if (2 * t * error > e.high - e.low && result_.intervals != FitIntervals::profile) {
        e.status = Status::undetermined;
        result_.undetermined.push_back(fmt::format(
            "the interval of {} would be wider than its range: the data say next to nothing about it",
            e.name()));
        continue;
      }
      e.error = error;
      e.interval = {e.value - t * error, e.value + t * error};
      result_.correlated.push_back(std::size_t(knob(k)));
      shown_.push_back(k);
    }
  }

  void add_correlations() {
    const auto n = Index(shown_.size());
    result_.correlation.resize(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        const Index a = shown_[std::size_t(i)], b = shown_[std::size_t(j)];
        const double size = std::sqrt(covariance_(a, a) * covariance_(b, b));
        result_.correlation(i, j) = i == j ? 1 : size > 0 ? covariance_(a, b) / size : 0;
        if (i < j && std::abs(result_.correlation(i, j)) > strong_correlation)
          warn_of_pair(a, b, result_.correlation(i, j));
      }
  }

 private:
  Index count() const { return Index(active_.size()); }
  Index knob(Index k) const { return Index(active_[std::size_t(k)]); }

  // By one standard error of each.
  void warn_of_pair(Index a, Index b, double c) {
    const auto change = [&](Index k, double sign) {
      const FitEstimate& e = result_.estimates[std::size_t(knob(k))];
      const double relative = e.value != 0 ? 100 / std::abs(e.value) : 1;
      return change_in_words(e, sign * *e.error * relative, e.value != 0);
    };
    result_.warnings.push_back(fmt::format(
        "the data hardly tell {} from {} (correlation {:.4f}): {} with {} changes the measured values little",
        result_.estimates[std::size_t(knob(a))].name(), result_.estimates[std::size_t(knob(b))].name(), c,
        change(a, 1), change(b, c > 0 ? 1 : -1)));
  }

  std::vector<std::size_t> active_;
  FitResult& result_;
  Eigen::VectorXd length_;
  SingularValues svd_;
  Eigen::MatrixXd covariance_;
  std::vector<Index> shown_;  // active knobs with an interval
  Index rank_ = 0;
};

}  // namespace

double t_quantile(long degrees) {
  const boost::math::students_t law(static_cast<double>(std::max(degrees, 1L)));
  return boost::math::quantile(boost::math::complement(law, 0.025));
}

LossSlope loss_slope(FitLoss loss, double scale, double r) {
  const double x = r / scale;
  switch (loss) {
    case FitLoss::none: return {r, 1};
    case FitLoss::huber: return std::abs(x) <= 1 ? LossSlope{r, 1} : LossSlope{std::copysign(scale, r), 0};
    case FitLoss::cauchy: {
      const double d = 1 + x * x;
      return {r / d, (1 - x * x) / (d * d)};
    }
  }
  return {r, 1};
}

void add_statistics(const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& residuals, FitLoss loss,
                    double loss_scale, FitResult& result) {
  const std::vector<std::size_t> active = find_active(jacobian, result);
  result.degrees = residuals.size();
  if (active.empty()) {
    result.scale = std::sqrt(variance(residuals, loss, loss_scale, result.degrees));
    return;
  }
  Analysis analysis(jacobian, active, result);
  result.degrees -= analysis.rank();
  const double s2 = variance(residuals, loss, loss_scale, result.degrees);
  result.scale = std::sqrt(s2);
  analysis.name_hidden_directions();
  analysis.add_intervals(s2);
  analysis.add_correlations();
}

}  // namespace thud
