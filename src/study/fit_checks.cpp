#include "study/fit_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/fit_outliers.hpp"
#include "study/fit_views.hpp"
#include "study/robust.hpp"
#include "thud/base/format.hpp"
#include "thud/math/portable.hpp"
#include "thud/scenario/knob_text.hpp"

namespace thud {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Status = FitEstimate::Status;

namespace {

const TextStyle plain{.unicode = false};

constexpr double far_above = 5;        // residuals over noise
constexpr double worth_a_step = 0.05;  // gain of another step, in units of cost

// A clock or an axis at a bound, with what is stated about it as likely as the bound: the data hardly tell it.
bool is_within_reach(const FitEstimate& e) {
  if (!e.nuisance || !e.limit) return false;
  return std::min(e.value, *e.limit) <= e.start && e.start <= std::max(e.value, *e.limit);
}

void check_bounds(FitResult& result) {
  for (const FitEstimate& e : result.estimates) {
    if (e.status != Status::at_bound || is_within_reach(e)) continue;
    const bool low = e.value - e.low < e.high - e.value;
    result.failures.push_back(fmt::format(
        "{} ends at its {} bound of {}: the best value lies beyond it, or the data are not what the "
        "study takes them for",
        e.name(), low ? "lower" : "upper", show_knob(e.knob, e.value, plain)));
  }
}

// Whether the residuals are more than what runs and printed digits leave of an exact fit.
bool is_noisy(const FitPlace& place) {
  const VectorXd r = place.weights.residuals(place.values, place.model.measured());
  double off = 0, size = 0;
  for (Index i = 0; i < r.size(); ++i)
    if (place.weights.used[std::size_t(i)]) {
      off = std::max(off, std::abs(r[i] * place.weights.deviation[i]));
      size = std::max(size, std::abs(place.values[i]));
    }
  return off > 1e-7 * size;
}

// Another Gauss-Newton step would lead somewhere: this is no minimum.
void check_minimum(const FitPlace& place, const VectorXd& start, FitResult& result) {
  const LocalMinimiser local(place.model, place.weights, place.parameters, place.values, place.slopes,
                             place.unit);
  // No minimum in the presence of noise lies on the very digits of the start.
  if (place.parameters.size() > 0 && place.parameters == start) {
    result.failures.push_back("the fit did not move from its start values");
    return;
  }
  const LocalMinimiser::Step step = local.next_step();
  if (!(step.gain > worth_a_step * place.unit)) return;
  bool is_far = false;
  for (Index k = 0; k < start.size(); ++k)
    is_far = is_far || std::abs(step.step[k]) > 1e-6 * place.model.parameters()[std::size_t(k)].size;
  if (!is_far) return;
  result.failures.push_back("the fit stopped before it reached a minimum");
}

void check_level(const FitPlace& place, const FitStudy& study, const std::vector<FitData>& data,
                 FitResult& result) {
  if (!study.noise.empty()) {
    if (result.scale > far_above)
      result.failures.push_back(fmt::format(
          "the residuals are {:.3g} times the stated noise: the model does not meet the data", result.scale));
    return;
  }
  const VectorXd noise = noise_of_differences(place.model, data, place.weights.used);
  for (std::size_t u = 0; u < result.noise.size(); ++u) {
    const double level = noise[Index(u)], found = result.noise[u].found;
    double extent = 0;
    for (Index i = 0; i < place.values.size(); ++i)
      if (place.model.unit_of()[std::size_t(i)] == int(u) && place.weights.used[std::size_t(i)])
        extent = std::max(extent, std::abs(place.model.measured()[i]));
    if (!(level > 0) || found <= far_above * level || found < 1e-4 * extent) continue;
    result.failures.push_back(
        fmt::format("the residuals are {}, {:.3g} times the noise of the measured values ({}): the model "
                    "does not meet the data",
                    show_quantity(found, result.noise[u].unit, plain, 3), found / level,
                    show_quantity(level, result.noise[u].unit, plain, 3)));
  }
}

// Successive residuals that resemble each other are no noise.
void warn_of_pattern(FitResult& result) {
  std::vector<std::string> columns;
  for (const FitResidual& r : result.residuals) {
    const double n = static_cast<double>(r.time.size());
    if (n >= 10 && r.lag_one > 4 / std::sqrt(n))
      columns.push_back(fmt::format("{} of {}", r.observable, r.file));
  }
  if (columns.empty()) return;
  const std::size_t more = columns.size() - 1;
  result.warnings.push_back(fmt::format(
      "residuals follow a pattern instead of scattering ({}{}): the model misses something, and the "
      "intervals are too narrow",
      columns.front(), more > 0 ? fmt::format(" and {} other column{}", more, more == 1 ? "" : "s") : ""));
}

// Measured lengths of another size than all that the model does: most often millimetres taken for metres.
void check_scale(const FitPlace& place, FitResult& result) {
  std::vector<double> measured, model;
  for (Index i = 0; i < place.values.size(); ++i) {
    const FitModel::Source& source = place.model.sources()[std::size_t(i)];
    if (place.model.column(source).what.unit != "m" || !place.weights.used[std::size_t(i)]) continue;
    measured.push_back(std::abs(place.model.measured()[i]));
    model.push_back(std::abs(place.values[i]));
  }
  const double ratio = median(measured) / median(model);
  if (!std::isfinite(ratio) || !(ratio > 0) || std::abs(portable::log10(ratio)) < 1.5) return;
  const double power = portable::pow(10, std::round(std::abs(portable::log10(ratio))));
  result.failures.push_back(fmt::format(
      "the measured lengths are some {:.0f} times as {} as those of the model: is their unit right? unit = "
      "\"mm\" under [fit.capture], or a heading such as \"link.tip.z [mm]\", says another than metres",
      power, ratio > 1 ? "large" : "small"));
}

bool is_far_off(const FitResult& result) {
  return std::any_of(result.estimates.begin(), result.estimates.end(),
                     [](const FitEstimate& e) { return e.status == Status::at_bound; });
}

}  // namespace

void check_fit(const FitPlace& place, const FitStudy& study, const std::vector<FitData>& data,
               const VectorXd& start, FitResult& result) {
  if (!is_noisy(place)) return check_bounds(result);
  FitResult level;
  level.noise = result.noise;
  level.scale = result.scale;
  check_level(place, study, data, level);
  const bool is_off = is_far_off(result) || !level.failures.empty();
  if (is_off) check_scale(place, result);
  const bool is_turned = is_off && check_signs(place, data, result);
  // So far off, small corrections of clocks and axes tell nothing, and what does comes first.
  constexpr double hopeless = 50;
  const bool is_hopeless = !study.noise.empty() && result.scale > hopeless;
  if (is_hopeless && !is_turned)
    level.failures.front() +=
        " (another experiment, unit or marker, or an axis that runs the other way: sign = "
        "\"find\" under [fit.nuisance] tries the axes)";
  if (is_hopeless)
    result.failures.insert(result.failures.end(), level.failures.begin(), level.failures.end());
  check_minimum(place, start, result);
  if (!is_turned && !is_hopeless && start.size() > 0) check_views(place, data, result);
  check_bounds(result);
  if (!is_hopeless)
    result.failures.insert(result.failures.end(), level.failures.begin(), level.failures.end());
  warn_of_pattern(result);
}

}  // namespace thud
