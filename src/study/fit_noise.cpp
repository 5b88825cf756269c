#include "study/fit_noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

#include "study/robust.hpp"

namespace thud {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

// Of the values that are used, one list for every unit.
std::vector<std::vector<double>> by_unit(const FitModel& model, const std::vector<char>& used,
                                         const VectorXd& values) {
  std::vector<std::vector<double>> out(model.units().size());
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i]) out[std::size_t(model.unit_of()[i])].push_back(values[Index(i)]);
  return out;
}

double mean_square(const std::vector<double>& values, double centre) {
  double sum = 0;
  for (double x : values) sum += (x - centre) * (x - centre);
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

}  // namespace

VectorXd guess_noise(const FitModel& model, const std::vector<char>& used) {
  VectorXd out(Index(model.units().size()));
  Index unit = 0;
  for (const std::vector<double>& values : by_unit(model, used, model.measured())) {
    double mean = 0;
    for (double x : values) mean += x / static_cast<double>(values.size());
    const double spread = std::sqrt(mean_square(values, mean));
    out[unit++] = 0.01 * (spread > 0 ? spread : mean != 0 ? std::abs(mean) : 1);
  }
  return out;
}

VectorXd noise_of_residuals(const FitModel& model, const FitWeights& weights, const VectorXd& difference,
                            Index parameters) {
  const double n = double(weights.count()), p = double(parameters);
  VectorXd out(Index(model.units().size()));
  Index unit = 0;
  for (std::vector<double>& values : by_unit(model, weights.used, difference.cwiseAbs())) {
    const double level = weights.loss == FitLoss::none ? std::sqrt(mean_square(values, 0))
                                                       : deviation_per_median * median(std::move(values));
    out[unit++] = level * std::sqrt(n / std::max(n - p, 1.0));
  }
  return out;
}

void add_noise(const FitModel& model, const FitWeights& weights, const VectorXd& difference, bool stated,
               FitResult& result) {
  const VectorXd found = noise_of_residuals(model, weights, difference, Index(result.estimates.size()));
  for (Index u = 0; u < found.size(); ++u)
    result.noise.push_back({model.units()[std::size_t(u)], std::nullopt, found[u]});
  if (!stated) return;
  for (std::size_t i = 0; i < weights.used.size(); ++i) {
    std::optional<double>& given = result.noise[std::size_t(model.unit_of()[i])].given;
    given = std::max(given.value_or(0), weights.deviation[Index(i)]);
  }
  if (weights.loss != FitLoss::none || result.degrees < 1) return;
  double sum = 0;
  for (std::size_t i = 0; i < weights.used.size(); ++i)
    if (weights.used[i]) sum += std::pow(difference[Index(i)] / weights.deviation[Index(i)], 2);
  result.chi_square = sum;
  const boost::math::chi_squared law(static_cast<double>(result.degrees));
  result.chi_square_probability = boost::math::cdf(boost::math::complement(law, sum));
  if (*result.chi_square_probability < 1e-3)
    result.warnings.push_back(fmt::format(
        "the residuals are {:.3g} times the stated noise, more than chance explains: the model misses "
        "something, or the noise is larger; the intervals follow the residuals",
        result.scale));
}

}  // namespace thud
