#include "study/capture_signal.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>

#include "solve/dense.hpp"
#include "study/robust.hpp"
#include "thud/math/portable.hpp"

namespace thud {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

std::vector<std::size_t> rows_with_values(const std::vector<double>& value) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < value.size(); ++i)
    if (std::isfinite(value[i])) rows.push_back(i);
  return rows;
}

// Below this no distance says anything: the noise, or the digits that values are written with.
double resolution(const std::vector<double>& y, const std::vector<std::size_t>& rows) {
  double largest = 0, finest = HUGE_VAL;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    largest = std::max(largest, std::abs(y[rows[k]]));
    if (k < 2) continue;
    // Of a fast motion the values differ by much more than their digits; their second differences do not.
    const double bend = std::abs(y[rows[k]] - 2 * y[rows[k - 1]] + y[rows[k - 2]]);
    if (bend > 1e-12 * largest) finest = std::min(finest, bend);
  }
  return std::max({noise_of(y), std::isfinite(finest) ? finest : 0, 1e-9 * largest});
}

// How far a value is from the nearest of what its neighbours on the left, on the right and on both sides make of it.
// At a kink one of the sides is right.
double distance(const std::vector<double>& y, const std::vector<std::size_t>& rows, std::size_t k) {
  const auto line = [&](std::size_t a, std::size_t b) {
    const double t = double(rows[k]), ta = double(rows[a]), tb = double(rows[b]);
    return std::abs(y[rows[k]] - (y[rows[a]] + (y[rows[b]] - y[rows[a]]) * (t - ta) / (tb - ta)));
  };
  double least = HUGE_VAL;
  if (k >= 2) least = std::min(least, line(k - 2, k - 1));
  if (k + 2 < rows.size()) least = std::min(least, line(k + 1, k + 2));
  if (k >= 1 && k + 1 < rows.size()) least = std::min(least, line(k - 1, k + 1));
  constexpr double one_sided = 0.1;  // at the ends a motion may go on otherwise than a line does
  return k == 0 || k + 1 == rows.size() ? one_sided * least : least;
}

}  // namespace

std::vector<std::size_t> find_spikes(const std::vector<double>& value) {
  constexpr double far = 20;  // usual distances
  std::vector<double> y = value;
  std::vector<std::size_t> out;
  const std::size_t most = rows_with_values(y).size() / 10 + 1;
  while (out.size() < most) {
    const std::vector<std::size_t> rows = rows_with_values(y);
    if (rows.size() < 6) break;
    std::vector<double> d;
    for (std::size_t k = 0; k < rows.size(); ++k) d.push_back(distance(y, rows, k));
    const auto worst = std::max_element(d.begin(), d.end());
    const double usual = std::max(median(d), resolution(y, rows));
    if (!(usual > 0) || *worst <= far * usual) break;
    const std::size_t row = rows[std::size_t(worst - d.begin())];
    out.push_back(row);
    y[row] = NAN;
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::pair<double, int>> find_codes(const std::vector<double>& values) {
  std::map<double, int> counts;
  for (double x : values)
    if (std::isfinite(x)) ++counts[x];
  std::vector<std::pair<double, int>> out;
  for (const auto& [value, count] : counts) {
    if (count < 2) continue;
    double low = HUGE_VAL, high = -HUGE_VAL;
    std::size_t others = 0;
    for (const auto& [x, n] : counts)
      if (x != value) low = std::min(low, x), high = std::max(high, x), others += std::size_t(n);
    const double extent = high - low;
    if (others >= 4 && !(value > low - 3 * extent && value < high + 3 * extent))
      out.emplace_back(value, count);
  }
  return out;
}

double noise_of(const std::vector<double>& y) {
  std::vector<double> d;
  for (std::size_t i = 0; i + 3 < y.size(); ++i) {
    const double third = y[i + 3] - 3 * y[i + 2] + 3 * y[i + 1] - y[i];
    if (std::isfinite(third)) d.push_back(std::abs(third));
  }
  return d.size() < 8 ? 0 : deviation_per_median * median(std::move(d)) / std::sqrt(20.0);
}

std::optional<std::pair<double, double>> find_acceleration(const std::vector<double>& time,
                                                           const std::vector<double>& value,
                                                           std::size_t first, std::size_t last) {
  std::vector<std::size_t> rows;
  for (std::size_t i = first; i < last; ++i)
    if (std::isfinite(value[i])) rows.push_back(i);
  if (rows.size() < 6) return std::nullopt;
  const double t0 = time[rows.front()], width = time[rows.back()] - t0;
  if (!(width > 0)) return std::nullopt;
  MatrixXd a(Index(rows.size()), 3);
  VectorXd b(Index(rows.size()));
  for (Index k = 0; k < a.rows(); ++k) {
    const double t = (time[rows[std::size_t(k)]] - t0) / width;
    a.row(k) << 1, t, t * t;
    b[k] = value[rows[std::size_t(k)]];
  }
  const VectorXd x = least_squares(a, b);
  const double s2 = (a * x - b).squaredNorm() / double(rows.size() - 3);
  // What the square of the time has that place and speed do not make.
  const VectorXd own = a.col(2) - a.leftCols(2) * least_squares(a.leftCols(2), a.col(2));
  return std::pair{2 * x[2] / (width * width), 2 * std::sqrt(s2) / own.norm() / (width * width)};
}

namespace {

std::vector<double> weights_of(const std::vector<std::vector<double>>& signals) {
  std::vector<double> weight;
  for (const std::vector<double>& y : signals) {
    const double noise = noise_of(y);
    weight.push_back(noise > 0 ? 1 / (noise * noise) : 0);
  }
  return weight;
}

/// The squares that a parabola with a kink of the acceleration leaves of all signals.
double squares_left(const std::vector<double>& time, const std::vector<std::vector<double>>& signals,
                    const std::vector<double>& weight, double kink) {
  double sum = 0;
  const double t0 = time.front(), width = std::max(time.back() - t0, 1e-300);
  for (std::size_t s = 0; s < signals.size(); ++s) {
    const std::vector<double>& y = signals[s];
    const std::vector<std::size_t> rows = rows_with_values(y);
    if (rows.size() < 8) continue;
    MatrixXd a(Index(rows.size()), 5);
    VectorXd b(Index(rows.size()));
    for (Index k = 0; k < a.rows(); ++k) {
      const double t = (time[rows[std::size_t(k)]] - t0) / width;
      const double after = std::max(0.0, t - (kink - t0) / width);
      a.row(k) << 1, t, t * t, after * after, after * after * after;
      b[k] = y[rows[std::size_t(k)]];
    }
    sum += (a * least_squares(a, b) - b).squaredNorm() * weight[s];
  }
  return sum;
}

}  // namespace

std::optional<std::size_t> find_touch(const std::vector<double>& time,
                                      const std::vector<std::vector<double>>& signals) {
  constexpr std::size_t margin = 4;
  constexpr double better = 4;  // times fewer squares than without a kink
  if (time.size() < 4 * margin) return std::nullopt;
  const std::vector<double> weight = weights_of(signals);
  const double without = squares_left(time, signals, weight, time.front());
  double least = HUGE_VAL;
  std::size_t best = margin;
  const auto look = [&](std::size_t from, std::size_t to, std::size_t step) {
    for (std::size_t i = std::max(from, margin); i < std::min(to, time.size() - margin); i += step) {
      const double left = squares_left(time, signals, weight, time[i]);
      if (left < least) least = left, best = i;
    }
  };
  const std::size_t coarse = 1 + time.size() / 100;
  look(margin, time.size(), coarse);
  if (coarse > 1) look(best - std::min(best, coarse), best + coarse, 1);
  if (!(without > better * least)) return std::nullopt;
  return best;
}

// ---- when ------------------------------------------------------------------------------------------------------

namespace {

/// The squares that flights which depart from their parabolas at `t0`, by a power of the time since, leave of signals.
double squares_left(const std::vector<double>& time, const std::vector<std::vector<double>>& signals,
                    const std::vector<double>& weight, std::size_t last, double t0, int power) {
  double sum = 0;
  const double begin = time.front(), width = time[last - 1] - begin;
  for (std::size_t s = 0; s < signals.size(); ++s) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < last; ++i)
      if (std::isfinite(signals[s][i])) rows.push_back(i);
    if (rows.size() < 6 || !(weight[s] > 0)) continue;
    MatrixXd a(Index(rows.size()), 4);
    VectorXd b(Index(rows.size()));
    for (Index k = 0; k < a.rows(); ++k) {
      const double t = (time[rows[std::size_t(k)]] - begin) / width;
      a.row(k) << 1, t, t * t, portable::pow(std::max(0.0, t - (t0 - begin) / width), power);
      b[k] = signals[s][rows[std::size_t(k)]];
    }
    sum += (a * least_squares(a, b) - b).squaredNorm() * weight[s];
  }
  return sum;
}

}  // namespace

std::pair<double, double> find_departure(const std::vector<double>& time,
                                         const std::vector<std::vector<double>>& signals, std::size_t about) {
  constexpr std::size_t margin = 4;
  constexpr double likely = 9;  // rise of the squares, in variances: three standard errors
  const std::vector<double> weight = weights_of(signals);
  const std::size_t last = std::min(time.size(), about + std::max<std::size_t>(6, about / 4));
  const double frame = (time[last - 1] - time.front()) / double(last - 1);
  const double from = time[margin], to = std::min(time[last - 1] - 2 * frame, time[about] + 3 * frame);
  const double step = std::max(frame / 2, (to - from) / 200);
  std::vector<std::pair<double, double>> found;  // when, squares
  double least = HUGE_VAL;
  std::size_t values = 0;
  for (const std::vector<double>& y : signals)
    for (std::size_t i = 0; i < last; ++i) values += std::isfinite(y[i]) ? 1 : 0;
  for (int power : {2, 3})
    for (double t = from; t <= to; t += step) {
      found.emplace_back(t, squares_left(time, signals, weight, last, t, power));
      least = std::min(least, found.back().second);
    }
  const double variance = std::max(1.0, least / double(std::max<std::size_t>(values, 8)));
  std::pair<double, double> out{HUGE_VAL, -HUGE_VAL};
  for (const auto& [t, squares] : found)
    if (squares <= least + likely * variance) out = {std::min(out.first, t), std::max(out.second, t)};
  return {out.first - frame, out.second + frame};
}

}  // namespace thud
