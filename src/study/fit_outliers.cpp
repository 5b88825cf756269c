#include "study/fit_outliers.hpp"

#include <algorithm>
#include <cmath>

#include "study/capture_signal.hpp"
#include "study/robust.hpp"

namespace thud {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

constexpr double far_in_deviations = 6, far_in_medians = 30, far_in_extents = 3;
constexpr double rounding = 1e-5;  // of the extent of a column: differences below are none
constexpr double largest_share = 0.1;
constexpr int longest_run = 3;

// The values of one column after another, as ranges of indices.
std::vector<std::pair<Index, Index>> columns_of(const FitModel& model) {
  std::vector<std::pair<Index, Index>> out;
  const auto& s = model.sources();
  for (std::size_t i = 0; i < s.size(); ++i) {
    const bool is_new = i == 0 || s[i].file != s[i - 1].file || s[i].column != s[i - 1].column;
    if (is_new) out.emplace_back(Index(i), Index(i));
    out.back().second = Index(i) + 1;
  }
  return out;
}

// Whether outliers of a column are few and apart, as dropped frames and swapped markers are.
bool are_stray(const std::vector<char>& far, Index first, Index last) {
  Index count = 0;
  int run = 0, longest = 0;
  for (Index i = first; i < last; ++i) {
    count += far[std::size_t(i)];
    run = far[std::size_t(i)] ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest <= longest_run && double(count) <= std::max(1.0, largest_share * double(last - first));
}

double extent_of(const FitModel& model, Index first, Index last) {
  const auto* y = model.measured().data();
  const std::vector<double> measured(y + first, y + last);
  return quantile(measured, 0.9) - quantile(measured, 0.1);
}

// What its neighbours contradict, whatever the model says: one such value can lead the first fit astray.
void mark_spikes(const FitModel& model, Index first, Index last, std::vector<char>& out) {
  const auto row = [&](Index i) { return model.sources()[std::size_t(i)].row; };
  std::vector<double> signal(row(last - 1) - row(first) + 1, NAN);
  for (Index i = first; i < last; ++i) signal[row(i) - row(first)] = model.measured()[i];
  const std::vector<std::size_t> spikes = find_spikes(signal);
  for (Index i = first; i < last; ++i)
    if (std::binary_search(spikes.begin(), spikes.end(), row(i) - row(first))) out[std::size_t(i)] = 1;
}

}  // namespace

std::vector<char> find_impossible(const FitModel& model, const VectorXd& values) {
  std::vector<char> out(std::size_t(values.size()), 0);
  for (const auto& [first, last] : columns_of(model)) {
    std::vector<double> distance;
    for (Index i = first; i < last; ++i) distance.push_back(std::abs(values[i] - model.measured()[i]));
    const double limit =
        std::max(far_in_medians * median(distance), far_in_extents * extent_of(model, first, last));
    for (Index i = first; i < last; ++i)
      out[std::size_t(i)] = limit > 0 && !(distance[std::size_t(i - first)] <= limit);
    mark_spikes(model, first, last, out);
  }
  return out;
}

double robust_scale(const FitWeights& weights, const VectorXd& residuals) {
  std::vector<double> sizes;
  for (Index i = 0; i < residuals.size(); ++i)
    if (weights.used[std::size_t(i)]) sizes.push_back(std::abs(residuals[i]));
  return deviation_per_median * median(std::move(sizes));
}

std::vector<char> find_outliers(const FitModel& model, const FitWeights& weights, const VectorXd& values,
                                bool stated) {
  FitWeights all = weights;
  for (std::size_t i = 0; i < all.used.size(); ++i) all.used[i] = model.is_usable(Index(i));
  const VectorXd residuals = all.residuals(values, model.measured());
  std::vector<char> out = find_impossible(model, values);
  std::vector<char> far(out.size(), 0);
  for (std::size_t unit = 0; unit < model.units().size(); ++unit) {
    FitWeights of_unit = all;
    for (std::size_t i = 0; i < far.size(); ++i)
      of_unit.used[i] = all.used[i] && !out[i] && model.unit_of()[i] == int(unit);
    const double scale = std::max(robust_scale(of_unit, residuals), stated ? 1.0 : 0.0);
    const double limit = far_in_deviations * scale;
    for (std::size_t i = 0; i < far.size(); ++i)
      if (of_unit.used[i]) far[i] = limit > 0 && std::abs(residuals[Index(i)]) > limit;
  }
  for (const auto& [first, last] : columns_of(model)) {
    const double least = rounding * extent_of(model, first, last);
    for (Index i = first; i < last; ++i)
      if (std::abs(values[i] - model.measured()[i]) < least) far[std::size_t(i)] = 0;
    if (!are_stray(far, first, last)) continue;
    for (Index i = first; i < last; ++i) out[std::size_t(i)] |= far[std::size_t(i)];
  }
  return out;
}

VectorXd noise_of_differences(const FitModel& model, const std::vector<FitData>& data,
                              const std::vector<char>& used) {
  constexpr std::size_t enough = 20;
  std::vector<std::vector<double>> sizes(model.units().size());
  for (const auto& [first, last] : columns_of(model)) {
    for (Index i = first; i + 3 < last; ++i) {
      bool is_regular = true;
      const auto at = [&](Index k) -> const FitModel::Source& { return model.sources()[std::size_t(k)]; };
      const std::vector<double>& t = data[at(i).file].measurement.time;
      for (Index k = i; k <= i + 3; ++k)
        is_regular = is_regular && used[std::size_t(k)] && at(k).row == at(i).row + std::size_t(k - i);
      if (!is_regular) continue;
      const double step = t[at(i + 1).row] - t[at(i).row];
      if (std::abs(t[at(i + 3).row] - t[at(i).row] - 3 * step) > 0.03 * step) continue;
      const VectorXd& y = model.measured();
      sizes[std::size_t(model.unit_of()[std::size_t(i)])].push_back(
          std::abs(y[i + 3] - 3 * y[i + 2] + 3 * y[i + 1] - y[i]));
    }
  }
  VectorXd out = VectorXd::Zero(Index(sizes.size()));
  for (std::size_t u = 0; u < sizes.size(); ++u)  // the variance of a third difference is 20 σ²
    if (sizes[u].size() >= enough) out[Index(u)] = deviation_per_median * median(sizes[u]) / std::sqrt(20.0);
  return out;
}

}  // namespace thud
