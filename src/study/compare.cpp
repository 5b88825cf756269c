#include "thud/study/compare.hpp"
#include "thud/math/portable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/fit_model.hpp"

namespace thud {

namespace {

// ---- the same data for all ---------------------------------------------------------------------------------------

[[noreturn]] void refuse(const RivalFit& r, const std::string& message) {
  throw InputError({r.study.study.file, 0, 0}, message);
}

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void check_same_data(const RivalFit& a, const RivalFit& b) {
  if (a.data.size() != b.data.size())
    refuse(b, fmt::format("reads {} files, {} reads {}: laws can only be compared on the same captures",
                          b.data.size(), a.study.study.name, a.data.size()));
  for (std::size_t f = 0; f < a.data.size(); ++f) {
    const Measurement &m = a.data[f].measurement, &n = b.data[f].measurement;
    bool same = m.columns.size() == n.columns.size() && m.time == n.time;
    for (std::size_t c = 0; same && c < m.columns.size(); ++c) {
      same = m.columns[c].what.name == n.columns[c].what.name
          && m.columns[c].what.unit == n.columns[c].what.unit;
      for (std::size_t i = 0; same && i < m.time.size(); ++i)
        same = is_same(m.columns[c].value[i], n.columns[c].value[i]);
    }
    if (!same)
      refuse(b, fmt::format(
                    "takes {} for other values than {} does: laws can only be compared on the same captures",
                    b.data[f].name, a.study.study.name));
  }
  const auto levels = [](const RivalFit& r) {
    std::vector<double> out;
    for (const FitData& d : r.data)
      for (const MeasuredColumn& c : d.measurement.columns) {
        const NoiseRule* rule = find_noise(r.study, c.what);
        out.push_back(rule ? rule->deviation : 0);
      }
    return out;
  };
  if (levels(a) != levels(b)) refuse(b, fmt::format("states another noise than {}", a.study.study.name));
  if (a.study.loss != b.study.loss) refuse(b, fmt::format("has another loss than {}", a.study.study.name));
  if (a.study.loss != FitLoss::none)
    refuse(b, "criteria that count parameters need loss = \"none\"; outliers are left out all the same");
}

// What the best law calls an outlier is one for all: a bad law must not choose its data.
void leave_out(const std::vector<FitOutlier>& outliers, std::vector<FitData>& data) {
  for (FitData& d : data)
    for (MeasuredColumn& c : d.measurement.columns)
      for (std::size_t i = 0; i < c.value.size(); ++i)
        for (const FitOutlier& o : outliers)
          if (o.file == d.name && o.observable == c.what.name && o.time == d.measurement.time[i])
            c.value[i] = NAN;
}

// ---- scores ------------------------------------------------------------------------------------------------------

struct Squares {
  double sum = 0, count = 0;
};

// Of the residuals of every unit, in SI.
std::vector<std::pair<std::string, Squares>> squares_of(const FitResult& r) {
  std::vector<std::pair<std::string, Squares>> out;
  for (const FitResidual& x : r.residuals) {
    auto at = std::find_if(out.begin(), out.end(), [&](const auto& u) { return u.first == x.unit; });
    if (at == out.end()) at = out.insert(at, {x.unit, {}});
    at->second.sum += x.rms * x.rms * static_cast<double>(x.time.size());
    at->second.count += static_cast<double>(x.time.size());
  }
  return out;
}

double noise_of(const FitResult& r, const std::string& unit) {
  for (const FitNoise& n : r.noise)
    if (n.unit == unit) return n.given.value_or(n.found);
  return 1;
}

// −2 ln of the likelihood, up to what is the same for all laws: χ² where the noise is stated, else with the noise of
// every unit as one more parameter.
void add_criteria(LawScore& s, bool is_noise_stated) {
  double deviance = 0, n = 0, k = static_cast<double>(s.parameters);
  for (const auto& [unit, squares] : squares_of(s.fit)) {
    n += squares.count;
    if (is_noise_stated) continue;
    deviance += squares.count * portable::log(std::max(squares.sum / squares.count, 1e-300));
    k += 1;
  }
  if (is_noise_stated) deviance = s.fit.chi_square.value_or(NAN);
  s.aic = deviance + 2 * k + (n > k + 1 ? 2 * k * (k + 1) / (n - k - 1) : HUGE_VAL);
  s.bic = deviance + k * portable::log(n);
}

// In standard deviations: as stated, or as the best law finds them.
double rms_in_noise(const FitResult& r, const FitResult& noise) {
  double sum = 0, count = 0;
  for (const auto& [unit, squares] : squares_of(r)) {
    sum += squares.sum / std::pow(noise_of(noise, unit), 2);
    count += squares.count;
  }
  return std::sqrt(sum / std::max(count, 1.0));
}

// ---- files left out --------------------------------------------------------------------------------------------

// The study with its knobs as fitted; what belongs to single files stays to be fitted.
FitStudy with_values(const FitStudy& study, const FitResult& fitted) {
  FitStudy out = study;
  out.knobs.clear();
  for (const FitEstimate& e : fitted.estimates)
    if (e.file.empty()) out.study.set.emplace_back(e.knob.name, fmt::format("{:.17g}", e.value));
  out.intervals = FitIntervals::linear;
  return out;
}

// The same fit, its progress told as part of a whole.
FitOptions as_part(const FitOptions& options, const std::string& part) {
  FitOptions out = options;
  if (options.progress)
    out.progress = [tell = options.progress, part](std::string_view stage, long runs) {
      tell(fmt::format("{}: {}", part, stage), runs);
    };
  return out;
}

LeftOutFile leave_out_file(const RivalFit& r, std::size_t f, const FitResult& noise,
                           const FitOptions& options) {
  LeftOutFile out{r.data[f].name};
  RivalFit others = r;
  others.data.erase(others.data.begin() + static_cast<std::ptrdiff_t>(f));
  others.study.intervals = FitIntervals::linear;
  const FitResult fitted = fit(others.study, others.data, as_part(options, "without " + out.file));
  if (!fitted.converged) return out.message = fitted.message, out;
  const FitStudy fixed = with_values(r.study, fitted);
  const std::vector<FitData> one = {r.data[f]};
  const FitResult told = fit(fixed, one, options);
  if (!told.converged) return out.message = "at the others' values: " + told.message, out;
  out.rms = rms_in_noise(told, noise);
  return out;
}

void add_left_out(const RivalFit& r, const FitResult& noise, const FitOptions& options, LawScore& s) {
  double sum = 0, count = 0;
  bool all = r.data.size() > 1;
  for (std::size_t f = 0; f < r.data.size() && r.data.size() > 1; ++f) {
    s.left_out.push_back(leave_out_file(r, f, noise, options));
    const auto n = static_cast<double>(r.data[f].measurement.count());
    if (s.left_out.back().rms) sum += std::pow(*s.left_out.back().rms, 2) * n, count += n;
    all = all && s.left_out.back().rms;
  }
  if (all && count > 0) s.left_out_rms = std::sqrt(sum / count);
}

// ---- the ranking -------------------------------------------------------------------------------------------------

double values_used(const FitResult& r) {
  double n = 0;
  for (const auto& [unit, squares] : squares_of(r)) n += squares.count;
  return n;
}

std::string name_part(std::size_t k, std::size_t count) { return fmt::format("law {} of {}", k + 1, count); }

std::vector<FitResult> fit_all(const std::vector<RivalFit>& rivals, const FitOptions& options) {
  std::vector<FitResult> out;
  for (const RivalFit& r : rivals)
    out.push_back(fit(r.study, r.data, as_part(options, name_part(out.size(), rivals.size()))));
  return out;
}

// A fit takes starts as known where the data cannot tell them, and then has rows that others leave out: all or none.
std::vector<FitResult> fit_to_same_values(std::vector<RivalFit>& rivals, const FitOptions& options) {
  std::vector<FitResult> out = fit_all(rivals, options);
  const auto differs = [&](const FitResult& r) {
    return r.converged && values_used(r) != values_used(out[0]);
  };
  if (std::none_of(out.begin(), out.end(), differs)) return out;
  for (RivalFit& r : rivals) r.study.start_known = true;
  return fit_all(rivals, options);
}

const FitResult* find_best(const std::vector<FitResult>& fits) {
  const auto cost = [](const FitResult& r) {
    double sum = 0;
    for (const auto& [unit, squares] : squares_of(r))
      sum += portable::log(squares.sum / squares.count) * squares.count;
    return sum;
  };
  const FitResult* best = nullptr;
  for (const FitResult& r : fits)
    if (r.converged && (!best || cost(r) < cost(*best))) best = &r;
  return best;
}

LawScore score(const RivalFit& r, FitResult fitted, const FitResult& noise, const FitOptions& options) {
  LawScore s;
  s.name = r.study.study.title;
  s.file = r.study.study.file;
  s.fit = std::move(fitted);
  s.parameters = static_cast<long>(s.fit.estimates.size());
  if (!s.fit.converged) return s;
  add_criteria(s, !r.study.noise.empty());
  s.rms = rms_in_noise(s.fit, noise);
  add_left_out(r, noise, options, s);
  return s;
}

void rank(std::vector<LawScore>& laws) {
  std::stable_sort(laws.begin(), laws.end(), [](const LawScore& a, const LawScore& b) {
    return a.is_settled() != b.is_settled() ? a.is_settled() : a.aic < b.aic;
  });
  double total = 0;
  for (LawScore& s : laws)
    if (s.is_settled()) total += s.weight = portable::exp(-0.5 * (s.aic - laws[0].aic));
  for (LawScore& s : laws) s.weight /= std::max(total, 1e-300);
}

}  // namespace

Comparison compare_fits(const std::vector<RivalFit>& given, const FitOptions& options) {
  for (const RivalFit& r : given) check_same_data(given[0], r);
  Comparison out;
  if (given.empty()) return out;
  out.is_noise_stated = !given[0].study.noise.empty();
  std::vector<RivalFit> rivals = given;
  const std::vector<FitResult> first = fit_to_same_values(rivals, options);
  const FitResult* best = find_best(first);
  const std::size_t strays = best ? best->outliers.size() : 0;
  if (strays > 0)
    out.notes.push_back(fmt::format("{} value{} that the best law calls {} left out for all", strays,
                                    strays == 1 ? "" : "s", strays == 1 ? "an outlier is" : "outliers are"));
  for (RivalFit& r : rivals) {
    if (best) leave_out(best->outliers, r.data);
    r.study.keep_outliers = true;
  }
  const auto has_strays = [](const FitResult& r) { return !r.outliers.empty(); };
  const bool is_done = !best || std::none_of(first.begin(), first.end(), has_strays);
  std::vector<FitResult> fits = is_done ? first : fit_to_same_values(rivals, options);
  for (std::size_t k = 0; k < rivals.size(); ++k)
    out.laws.push_back(score(rivals[k], std::move(fits[k]), best ? *best : first[0],
                             as_part(options, name_part(k, rivals.size()))));
  rank(out.laws);
  const LawScore& top = out.laws[0];
  out.values = static_cast<long>(values_used(top.fit));
  if (!top.is_settled()) out.warnings.push_back("no law could be fitted");
  for (const std::string& text : top.fit.failures)
    out.warnings.push_back("the best of them is no good fit: " + text);
  for (const LawScore& s : out.laws)
    for (const LeftOutFile& f : s.left_out)
      if (!f.rms)
        out.warnings.push_back(
            fmt::format("{}: how well it foretells {} is not known ({})", s.name, f.file, f.message));
  return out;
}

}  // namespace thud
