#include "thud/study/sensitivity.hpp"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <bit>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <mutex>
#include <numbers>

#include "study/study_file.hpp"

namespace thud {

namespace {

constexpr std::int64_t most_samples = std::int64_t{1} << 31;

void read_section(const OpenStudy& open, SensitivityStudy& s) {
  const auto t = open.root.table_or_none("sensitivity");
  if (!t) return;
  if (t->has("samples")) s.samples = read_count(*t, "samples", fewest_samples, most_samples);
  s.confidence = t->number_or("confidence", s.confidence, doc::Dimension::none,
                              doc::Range{.min = 0, .max = 1, .min_open = true, .max_open = true});
  if (t->has("bootstrap")) s.bootstrap = static_cast<int>(read_count(*t, "bootstrap", 10, 1'000'000));
  if (t->has("seed")) s.seed = static_cast<std::uint64_t>(read_count(*t, "seed", 0, std::int64_t{1} << 53));
  t->finish();
}

// One of n equally likely values.
std::int64_t pick(double u, std::int64_t n) {
  return std::min(static_cast<std::int64_t>(u * static_cast<double>(n)), n - 1);
}

double uniform(const VariedKnob& v, double u) {
  const Distribution& d = v.distribution;
  if (!v.knob.integer) return std::lerp(d.low, d.high, u);
  const double low = std::ceil(d.low), high = std::floor(d.high);
  return low + static_cast<double>(pick(u, static_cast<std::int64_t>(high - low) + 1));
}

/// Remembers why a run failed; of several reasons always the same one, whichever thread comes first.
class Reasons {
 public:
  void add(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    if (reason_.empty() || reason < reason_) reason_ = reason;
  }
  const std::string& first() const { return reason_; }

 private:
  std::mutex mutex_;
  std::string reason_;
};

}  // namespace

SensitivityStudy load_sensitivity(const std::string& name_or_path, const KnobSettings& set) {
  SensitivityStudy s;
  s.study = read_study(
      name_or_path, [&](const OpenStudy& open) { read_section(open, s); }, set);
  const Place file{s.study.file};
  if (s.study.vary.empty())
    throw InputError(file,
                     "nothing varies: [vary] must name the knobs and how they vary, such as "
                     "angle = { uniform = [\"20 deg\", \"30 deg\"] }");
  if (s.study.outputs.empty())
    throw InputError(file, "there is nothing to look at: outputs = [...] must name results or observables");
  return s;
}

std::int64_t samples_for_runs(const SensitivityStudy& s, std::int64_t most_runs) {
  const std::int64_t samples = most_runs / s.runs_per_sample();
  if (samples < fewest_samples)
    throw InputError({fmt::format("--runs {}", most_runs)},
                     fmt::format("{} knobs need at least {} runs ({} samples of {})", s.study.vary.size(),
                                 fewest_samples * s.runs_per_sample(), fewest_samples, s.runs_per_sample()));
  return static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::min(samples, most_samples))));
}

double quantile_of(const VariedKnob& v, double u) {
  const Distribution& d = v.distribution;
  switch (d.kind) {
    case Distribution::Kind::list: return d.value(pick(u, d.size()));
    case Distribution::Kind::grid: return v.knob.integer ? d.value(pick(u, d.size())) : uniform(v, u);
    case Distribution::Kind::uniform: return uniform(v, u);
    case Distribution::Kind::normal: {
      // In double, whatever long double is: the same bits everywhere.
      using namespace boost::math::policies;
      const double below =
          -std::numbers::sqrt2 * boost::math::erfc_inv(2 * u, policy<promote_double<false>>());
      const double x = d.mean + d.deviation * below;
      return v.knob.integer ? std::round(x) : x;
    }
  }
  return 0;
}

bool Sensitivity::has_results() const {
  return std::all_of(indices.outputs.begin(), indices.outputs.end(),
                     [](const SobolOutput& o) { return o.used >= fewest_samples; });
}

Sensitivity find_sensitivity(const SensitivityStudy& s, const SensitivityOptions& options) {
  const Study& study = s.study;
  const auto make_family = [&] {
    return ScenarioFamily(study.scenario, study.set, study.varied_names(), study.outputs);
  };
  Sensitivity out{s, make_family().outputs(), {}, {}};
  tbb::enumerable_thread_specific<ScenarioFamily> families(make_family);
  RunRequest request = study.request;
  request.cancel = options.cancel;
  Reasons reasons;
  const SobolModel model = [&](std::span<const double> u, std::span<double> y) {
    std::vector<double> values(u.size());
    for (std::size_t i = 0; i < u.size(); ++i) values[i] = quantile_of(study.vary[i], u[i]);
    const FamilyRun run = families.local().run(values, y.data(), request);
    if (!run.reached && run.reason != StopReason::cancelled) reasons.add(run.message);
    return run.reached;
  };
  SobolOptions o;
  o.confidence = s.confidence;
  o.bootstrap = s.bootstrap;
  o.seed = s.seed;
  o.jobs = options.jobs;
  o.cancel = options.cancel;
  o.progress = options.progress;
  out.indices = sobol_indices(static_cast<int>(study.vary.size()), static_cast<int>(out.outputs.size()),
                              s.samples, model, o);
  out.failure = reasons.first();
  return out;
}

}  // namespace thud
