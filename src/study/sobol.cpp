#include "thud/study/sobol.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "study/in_parallel.hpp"
#include "study/quasi_random.hpp"

namespace thud {

namespace {

using Size = std::size_t;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Where a sample has its runs: in A, in B, and in A with one knob of B.
class Runs {
 public:
  Runs(Size knobs, Size outputs, Size samples)
      : knobs_(knobs),
        outputs_(outputs),
        samples_(samples),
        value_(samples * (knobs + 2) * outputs, nan),
        done_(samples, 0) {}

  Size knobs() const { return knobs_; }
  Size outputs() const { return outputs_; }
  Size samples() const { return samples_; }
  Size runs_per_sample() const { return knobs_ + 2; }

  /// All outputs of run r of sample j: 0 and 1 for A and B, 2 + i for A with knob i of B.
  std::span<double> at(Size j, Size r) {
    return {value_.data() + (j * runs_per_sample() + r) * outputs_, outputs_};
  }
  double value(Size j, Size r, Size output) const {
    return value_[(j * runs_per_sample() + r) * outputs_ + output];
  }
  void set_done(Size j) { done_[j] = 1; }
  bool is_done(Size j) const { return done_[j] != 0; }

  bool is_usable(Size j, Size output) const {
    if (!is_done(j)) return false;
    for (Size r = 0; r < runs_per_sample(); ++r)
      if (!std::isfinite(value(j, r, output))) return false;
    return true;
  }

 private:
  Size knobs_, outputs_, samples_;
  std::vector<double> value_;
  std::vector<std::uint8_t> done_;
};

std::vector<double> draw_samples(Size knobs, Size samples, std::uint64_t seed) {
  std::vector<double> u(samples * 2 * knobs);
  ShiftedSobol sequence(2 * knobs, seed);
  for (Size j = 0; j < samples; ++j) sequence.next(std::span(u).subspan(j * 2 * knobs, 2 * knobs));
  return u;
}

void run_sample(std::span<const double> ab, const SobolModel& model, Size j, Runs& runs,
                const std::atomic<bool>* cancel) {
  const Size d = runs.knobs();
  const std::span<const double> a = ab.first(d), b = ab.subspan(d);
  std::vector<double> x(a.begin(), a.end());
  const auto run = [&](std::span<const double> u, Size r) {
    if (cancel && *cancel) return;
    const std::span<double> out = runs.at(j, r);
    if (!model(u, out)) std::fill(out.begin(), out.end(), nan);
  };
  run(a, 0);
  run(b, 1);
  for (Size i = 0; i < d; ++i) {
    x[i] = b[i];
    run(x, 2 + i);
    x[i] = a[i];
  }
  if (!(cancel && *cancel)) runs.set_done(j);
}

/// The usable samples of an output, less their mean.
struct Sample {
  std::vector<Size> row;               // number of the sample
  std::vector<double> a, b;            // per row
  std::vector<std::vector<double>> c;  // per knob and row
  double mean = 0, largest = 0;
};

Sample sample_of(const Runs& runs, Size output) {
  Sample s;
  s.c.resize(runs.knobs());
  for (Size j = 0; j < runs.samples(); ++j) {
    if (!runs.is_usable(j, output)) continue;
    s.row.push_back(j);
    s.a.push_back(runs.value(j, 0, output));
    s.b.push_back(runs.value(j, 1, output));
    for (Size i = 0; i < s.c.size(); ++i) s.c[i].push_back(runs.value(j, 2 + i, output));
  }
  for (Size j = 0; j < s.row.size(); ++j) {
    s.mean += (s.a[j] + s.b[j]) / (2 * static_cast<double>(s.row.size()));
    s.largest = std::max({s.largest, std::abs(s.a[j]), std::abs(s.b[j])});
  }
  for (std::vector<double>* list : {&s.a, &s.b})
    for (double& x : *list) x -= s.mean;
  for (std::vector<double>& list : s.c)
    for (double& x : list) x -= s.mean;
  return s;
}

/// Indices of one (re)sampling: S_1 … S_d, T_1 … T_d, Σ S_i; and its variance.
struct Estimate {
  std::vector<double> index;
  double variance = 0;
};

// `weight`: how often each row counts.
Estimate estimate(const Sample& s, std::span<const double> weight) {
  const Size n = s.row.size(), d = s.c.size();
  double rows = 0, sum = 0, squares = 0;
  for (Size j = 0; j < n; ++j) {
    rows += weight[j];
    sum += weight[j] * (s.a[j] + s.b[j]);
    squares += weight[j] * (s.a[j] * s.a[j] + s.b[j] * s.b[j]);
  }
  const double mean = sum / (2 * rows);
  Estimate e{std::vector<double>(2 * d + 1, 0), squares / (2 * rows) - mean * mean};
  for (Size i = 0; i < d; ++i) {
    const std::vector<double>& c = s.c[i];
    double alone = 0, in_all = 0;
    for (Size j = 0; j < n; ++j) {
      const double step = c[j] - s.a[j];
      alone += weight[j] * (s.b[j] - mean) * step;
      in_all += weight[j] * step * step;
    }
    e.index[i] = alone / (rows * e.variance);
    e.index[d + i] = in_all / (2 * rows * e.variance);
    e.index[2 * d] += e.index[i];
  }
  return e;
}

/// resampled[r·(2d + 1) + k]: index k in resampling r.
std::vector<double> bootstrap(const Sample& s, Size output, const SobolOptions& options) {
  const Size n = s.row.size(), width = 2 * s.c.size() + 1;
  std::vector<double> resampled(static_cast<Size>(options.bootstrap) * width);
  in_parallel(options.jobs, static_cast<Size>(options.bootstrap), [&](Size r) {
    std::vector<double> weight(n, 0);
    const std::uint64_t stream = hash_of(options.seed, r, 4 + output);
    for (Size j = 0; j < n; ++j) ++weight[((hash_of(stream, j, 0) >> 32) * n) >> 32];  // n < 2^32
    const std::vector<double> index = estimate(s, weight).index;
    std::copy(index.begin(), index.end(), resampled.begin() + static_cast<std::ptrdiff_t>(r * width));
  });
  return resampled;
}

// Between neighbours in the order, as most programs do it.
double percentile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const Size k = std::min(static_cast<Size>(at), sorted.size() - 1),
             next = std::min(k + 1, sorted.size() - 1);
  return std::lerp(sorted[k], sorted[next], at - static_cast<double>(k));
}

SobolIndex with_interval(double value, const std::vector<double>& resampled, Size k, Size width,
                         double confidence) {
  std::vector<double> values;
  for (Size at = k; at < resampled.size(); at += width)
    if (std::isfinite(resampled[at])) values.push_back(resampled[at]);
  if (values.size() < 2) return {value, nan, nan};
  std::sort(values.begin(), values.end());
  return {value, percentile(values, (1 - confidence) / 2), percentile(values, (1 + confidence) / 2)};
}

SobolOutput analyse(const Runs& runs, Size output, const SobolOptions& options) {
  const Sample s = sample_of(runs, output);
  const Size d = runs.knobs();
  SobolOutput out;
  out.used = static_cast<std::int64_t>(s.row.size());
  out.first.assign(d, {nan, nan, nan});
  out.total = out.first;
  out.first_sum = {nan, nan, nan};
  out.mean = out.used > 0 ? s.mean : nan;
  out.variance = nan;
  if (out.used < 2) return out;
  const Estimate e = estimate(s, std::vector<double>(s.row.size(), 1.0));
  out.variance = e.variance;
  // What rounding leaves of a constant is no variance.
  out.varies = out.used >= fewest_samples && std::sqrt(std::max(0.0, e.variance)) > 1e-13 * s.largest;
  if (!out.varies) return out;
  const std::vector<double> resampled = bootstrap(s, output, options);
  const auto index = [&](Size k) {
    return with_interval(e.index[k], resampled, k, 2 * d + 1, options.confidence);
  };
  for (Size i = 0; i < d; ++i) {
    out.first[i] = index(i);
    out.total[i] = index(d + i);
  }
  out.first_sum = index(2 * d);
  return out;
}

void count_runs(const Runs& runs, SobolIndices& out) {
  for (Size j = 0; j < runs.samples(); ++j) {
    if (!runs.is_done(j)) continue;
    ++out.samples;
    for (Size r = 0; r < runs.runs_per_sample(); ++r) {
      bool has_all = true;
      for (Size k = 0; k < runs.outputs(); ++k) has_all = has_all && std::isfinite(runs.value(j, r, k));
      out.failed += !has_all;
    }
  }
  out.runs = out.samples * static_cast<std::int64_t>(runs.runs_per_sample());
}

}  // namespace

SobolIndices sobol_indices(int knobs, int outputs, std::int64_t samples, const SobolModel& model,
                           const SobolOptions& options) {
  if (knobs < 1 || outputs < 1 || samples < 1 || options.bootstrap < 0
      || !(options.confidence > 0 && options.confidence < 1))
    throw std::invalid_argument(
        "sobol_indices: needs knobs, outputs, samples and a confidence between 0 and 1");
  const Size d = static_cast<Size>(knobs);
  Runs runs(d, static_cast<Size>(outputs), static_cast<Size>(samples));
  const std::vector<double> u = draw_samples(d, runs.samples(), options.seed);
  const std::int64_t per_sample = knobs + 2, total = samples * per_sample;
  std::atomic<std::int64_t> done = 0;
  in_parallel(options.jobs, static_cast<Size>(samples), [&](Size row) {
    if (options.cancel && *options.cancel) return;
    run_sample(std::span(u).subspan(row * 2 * d, 2 * d), model, row, runs, options.cancel);
    const std::int64_t count = done += per_sample;
    if (options.progress) options.progress(count, total);
  });
  SobolIndices out;
  out.cancelled = options.cancel && *options.cancel;
  count_runs(runs, out);
  for (Size k = 0; k < runs.outputs(); ++k) out.outputs.push_back(analyse(runs, k, options));
  return out;
}

}  // namespace thud
