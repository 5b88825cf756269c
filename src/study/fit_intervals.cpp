#include "study/fit_intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "study/fit_statistics.hpp"
#include "study/robust.hpp"

namespace thud {

using Eigen::Index;
using Eigen::VectorXd;
using Status = FitEstimate::Status;

double cost_unit(const VectorXd& residuals, const FitWeights& weights, const FitResult& result) {
  double slope = 0;
  for (double r : residuals) slope += loss_slope(weights.loss, weights.loss_scale, r).slope;
  return result.scale * result.scale * slope / static_cast<double>(residuals.size());
}

namespace {

// Below this share of a knob an error is rounding, and its interval is as good as a point.
constexpr double smallest_error = 1e-7;
constexpr double accuracy = 0.005;  // of t
constexpr int most_points = 12;

/// Walks from the estimate of one knob to one side, the others following.
class Profile {
 public:
  Profile(const FitPlace& place, LocalMinimiser& local, double best, double t)
      : place_(place),
        local_(local),
        best_(best),
        t_(t) {}

  struct End {
    double value = 0;
    bool is_bound = false;  // the cost does not rise enough before it
    bool ok = false;
  };

  // `step`: where the end is expected.
  End find(Index k, double step) {
    const FitParameter& q = place_.model.parameters()[std::size_t(k)];
    const double at = place_.parameters[k], bound = step > 0 ? q.high : q.low;
    double inner = at, inner_root = 0, outer = NAN, outer_root = NAN;
    VectorXd others = place_.parameters;
    double x = at + step;
    for (int i = 0; i < most_points; ++i) {
      const bool is_bound = step > 0 ? x >= bound : x <= bound;
      if (is_bound) x = bound;
      const auto root = root_at(k, x, others);
      if (!root) return {};
      if (std::abs(*root / t_ - 1) < accuracy) return {x, false, true};
      if (*root < t_) {
        if (is_bound) return {bound, true, true};
        inner = x, inner_root = *root;
      } else {
        outer = x, outer_root = *root;
      }
      x = next(at, inner, inner_root, outer, outer_root);
    }
    return {};
  }

  const std::optional<VectorXd>& better() const { return better_; }

 private:
  // The signed root of the rise of the cost, in standard errors: linear in the knob when the model is.
  std::optional<double> root_at(Index k, double x, VectorXd& others) {
    std::vector<char> held(std::size_t(others.size()), 0);
    held[std::size_t(k)] = 1;
    VectorXd from = others;
    from[k] = x;
    if (others == place_.parameters) from = local_.follow(from, held);
    const LocalMinimiser::Result r = local_.solve(from, held, place_.model.measured());
    if (!r.ok) return std::nullopt;
    const double rise = (r.cost - best_) / place_.unit;
    if (rise < -0.05) {
      better_ = r.parameters;
      return std::nullopt;
    }
    others = r.parameters;
    return std::sqrt(std::max(rise, 0.0));
  }

  double next(double at, double inner, double inner_root, double outer, double outer_root) const {
    if (std::isnan(outer)) {  // straight on from the estimate, but at most to three times the way
      const double factor = inner_root > 0 ? std::clamp(t_ / inner_root, 1.05, 3.0) : 3.0;
      return at + (inner - at) * factor;
    }
    const double share = (t_ - inner_root) / (outer_root - inner_root);
    return inner + std::clamp(share, 0.02, 0.98) * (outer - inner);
  }

  const FitPlace& place_;
  LocalMinimiser& local_;
  double best_, t_;
  std::optional<VectorXd> better_;
};

// How far a knob at a bound may be expected to go: its standard error with all others held, at least.
double error_of(const FitPlace& place, const FitEstimate& e, Index k) {
  if (e.error) return *e.error;
  double length = 0;
  for (Index i = 0; i < place.slopes.rows(); ++i)
    if (place.weights.used[std::size_t(i)])
      length += std::pow(place.slopes(i, k) / place.weights.deviation[i], 2);
  return length > 0 ? std::sqrt(place.unit / length) : 0;
}

}  // namespace

std::optional<VectorXd> add_profile_intervals(const FitPlace& place, FitResult& result) {
  LocalMinimiser local(place.model, place.weights, place.parameters, place.values, place.slopes, place.unit);
  const double best = place.weights.cost(place.weights.residuals(place.values, place.model.measured()));
  const double t = t_quantile(result.degrees);
  Profile profile(place, local, best, t);
  std::vector<std::string> left;
  for (std::size_t k = 0; k < result.estimates.size(); ++k) {
    FitEstimate& e = result.estimates[k];
    if (e.status != Status::determined && e.status != Status::at_bound) continue;
    const double error = error_of(place, e, Index(k));
    if (!(error > smallest_error * place.model.parameters()[k].size)) continue;
    place.model.enter(fmt::format("interval {} of {}", k + 1, result.estimates.size()));
    const bool at_low = e.value - e.low < e.high - e.value;
    const bool up = e.status == Status::determined || at_low,
               down = e.status == Status::determined || !at_low;
    const Profile::End high = up ? profile.find(Index(k), t * error) : Profile::End{};
    const Profile::End low = down ? profile.find(Index(k), -t * error) : Profile::End{};
    if (profile.better()) return profile.better();
    if ((up && !high.ok) || (down && !low.ok))
      left.push_back(e.name());
    else if (e.status == Status::determined)
      e.interval = {low.value, high.value};
    else
      e.limit = at_low ? high.value : low.value;
    if (up && down && low.is_bound && high.is_bound && !e.nuisance) {
      e.status = Status::undetermined;
      e.interval.reset();
      result.undetermined.push_back(fmt::format(
          "every value of {} within its range explains the data: they say next to nothing about it",
          e.name()));
    }
  }
  if (!left.empty())
    result.warnings.push_back(fmt::format(
        "the profile of {} could not be followed to its end: {} linearised interval{}", fmt::join(left, ", "),
        left.size() == 1 ? "it keeps its" : "they keep their", left.size() == 1 ? "" : "s"));
  return std::nullopt;
}

// ---- bootstrap -------------------------------------------------------------------------------------------------

namespace {

double weighted_residual(const FitPlace& place, Index i) {
  return (place.model.measured()[i] - place.values[i]) / place.weights.deviation[i];
}

// Residuals of the same unit are drawn with replacement, from their mean, enlarged for the knobs that were fitted to them.
// A mean left in them would shift all values, and the knobs with them.
VectorXd resample(const FitPlace& place, const FitResult& result, std::mt19937_64& random) {
  const auto n = static_cast<double>(place.weights.count());
  const double enlarged = std::sqrt(n / static_cast<double>(std::max(result.degrees, 1L)));
  std::vector<std::vector<Index>> of_unit(place.model.units().size());
  const auto unit = [&](Index i) { return std::size_t(place.model.unit_of()[std::size_t(i)]); };
  for (Index i = 0; i < place.values.size(); ++i)
    if (place.weights.used[std::size_t(i)]) of_unit[unit(i)].push_back(i);
  std::vector<double> mean(of_unit.size(), 0);
  for (std::size_t u = 0; u < of_unit.size(); ++u)
    for (Index i : of_unit[u]) mean[u] += weighted_residual(place, i) / double(of_unit[u].size());
  VectorXd out = place.values;
  for (Index i = 0; i < out.size(); ++i) {
    const std::vector<Index>& from = of_unit[unit(i)];
    if (from.empty()) continue;
    const Index j = from[std::size_t(static_cast<double>(random() >> 11) * 0x1p-53 * double(from.size()))];
    out[i] += enlarged * (weighted_residual(place, j) - mean[unit(i)]) * place.weights.deviation[i];
  }
  return out;
}

}  // namespace

void add_bootstrap_intervals(const FitPlace& place, int samples, std::uint64_t seed, FitResult& result) {
  LocalMinimiser local(place.model, place.weights, place.parameters, place.values, place.slopes, place.unit);
  const std::vector<char> held(result.estimates.size(), 0);
  std::vector<std::vector<double>> found(result.estimates.size());
  std::mt19937_64 random(seed);
  int failed = 0;
  for (int b = 0; b < samples && !place.model.is_cancelled(); ++b) {
    place.model.enter(fmt::format("refit {} of {}", b + 1, samples));
    const LocalMinimiser::Result r = local.solve(place.parameters, held, resample(place, result, random));
    failed += r.ok ? 0 : 1;
    for (std::size_t k = 0; r.ok && k < found.size(); ++k) found[k].push_back(r.parameters[Index(k)]);
  }
  if (failed > 0)
    result.warnings.push_back(
        fmt::format("{} of {} refits of the bootstrap did not settle", failed, samples));
  for (std::size_t k = 0; k < found.size(); ++k) {
    FitEstimate& e = result.estimates[k];
    if (found[k].size() < std::size_t(samples) / 2) continue;
    const double low = quantile(found[k], 0.025), high = quantile(found[k], 0.975);
    if (e.status == Status::determined) e.interval = {low, high};
    if (e.status == Status::at_bound) e.limit = e.value - e.low < e.high - e.value ? high : low;
  }
}

}  // namespace thud
