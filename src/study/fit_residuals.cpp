// The residuals of a fit as its reports and pictures want them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/fit_model.hpp"
#include "study/sampler.hpp"
#include "thud/base/format.hpp"

namespace thud {

namespace {

void finish_residual(FitResidual& r) {
  double sum = 0, product = 0;
  double last = 0;
  const std::size_t n = r.time.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double d = r.measured[i] - r.fitted[i];
    sum += d * d;
    product += i > 0 ? d * last : 0;
    last = d;
  }
  r.rms = n > 0 ? std::sqrt(sum / static_cast<double>(n)) : 0;
  r.lag_one = sum > 0 ? product / sum : 0;
}

// The measured instants and 200 others.
std::vector<double> curve_times(const Measurement& m) {
  std::vector<double> out = m.time;
  constexpr int parts = 200;
  for (int i = 0; i <= parts; ++i) out.push_back(m.last() * i / parts);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

std::vector<FitResidual> FitModel::residuals(const Eigen::VectorXd& parameters, const std::vector<char>& used,
                                             std::vector<std::string>& notes) {
  std::vector<FitResidual> out;
  Eigen::VectorXd values;
  if (!predict(parameters, values)) return out;
  for (std::size_t f = 0; f < files_.size(); ++f) {
    const File& file = files_[f];
    const Measurement& m = file.data->measurement;
    const Scenario& scenario = families_.local().at(settings(f, parameters));
    const View seen = view(f, parameters);
    const std::vector<double> times = curve_times(m), in_run = run_times(times, seen);
    Sampler sampler(*scenario.system, in_run, file.columns);
    RunRequest r = request(file, seen);
    r.observer = &sampler;
    const RunResult result = run(scenario, r);
    if (result.outcome.state.empty()) return {};
    sampler.finish(result.outcome);
    Eigen::Index at = file.first;
    for (std::size_t c = 0; c < m.columns.size(); ++c) {
      const MeasuredColumn& column = m.columns[c];
      FitResidual x{file.data->name, column.what.name, column.what.unit, {}, {}, {}, 0, 0, {}, 0, times, {}};
      for (std::size_t row = 0; row < m.time.size(); ++row) {
        const double measured = column.value[row];
        if (!std::isfinite(measured)) continue;
        const Eigen::Index i = at++;
        x.end_value = measured;
        x.end_error.reset();
        if (measured != 0) x.end_error = std::abs((measured - values[i]) / measured);
        if (!used[static_cast<std::size_t>(i)]) continue;
        x.time.push_back(m.time[row]);
        x.measured.push_back(measured);
        x.fitted.push_back(values[i]);
      }
      const auto axis = static_cast<std::size_t>(file.axes[c]);
      for (std::size_t i = 0; i < times.size(); ++i)
        x.curve.push_back(seen.offset[axis] + seen.scale[axis] * sampler.at(i, c));
      finish_residual(x);
      out.push_back(std::move(x));
    }
    const auto late = std::count_if(m.time.begin(), m.time.end(), [&](double t) {
      return (t - seen.delay) / seen.clock > result.outcome.time * (1 + 1e-12);
    });
    if (late > 0 && result.outcome.reason != StopReason::rest)
      notes.push_back(
          fmt::format("{}: {} of {} measured instants lie after the end of the run at {} ({}); its final "
                      "state stands for them",
                      file.data->name, late, m.time.size(),
                      show_quantity(result.outcome.time, "s", {.unicode = false}, 4), result.reason));
  }
  return out;
}

}  // namespace thud
