// A fit for people and for machines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_format.hpp"
#include "thud/math/portable.hpp"
#include "thud/scenario/quantity.hpp"
#include "thud/study/fit.hpp"

namespace thud {

namespace {

using Status = FitEstimate::Status;

std::string counted(long n, const char* noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

std::string trimmed(std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

// As many decimals as the error has, and two more digits of it.
int decimals_for(double error) {
  if (!(error > 0)) return 6;
  return std::clamp(1 - static_cast<int>(std::floor(portable::log10(error))), 0, 15);
}

class Report {
 public:
  Report(const FitResult& result, const TextStyle& style) : r_(result), style_(style) {}

  std::string make() {
    add_title();
    add_outcome();
    add_estimates();
    add_correlation();
    add_residuals();
    add_noise();
    add_starts();
    add_outliers();
    for (const std::string& text : r_.notes) out_ += "\n" + wrap("note: " + text, 0, width());
    for (const std::string& text : r_.undetermined) warn("not determined: " + text);
    for (const std::string& text : r_.failures)
      out_ += "\n" + style_.paint("red", wrap("failed: " + text, 0, width()));
    for (const std::string& text : r_.warnings) warn("warning: " + text);
    return std::move(out_);
  }

 private:
  std::size_t width() const { return static_cast<std::size_t>(style_.width); }
  std::string dot() const { return style_.unicode ? " · " : ", "; }
  std::string dash() const { return style_.unicode ? "—" : "-"; }
  void head(std::string_view text) { out_ += "\n" + style_.paint("bold", text) + "\n"; }
  void warn(const std::string& text) { out_ += "\n" + style_.paint("yellow", wrap(text, 0, width())); }

  void add_title() {
    out_ += style_.paint("bold", shorten(r_.title, width(), style_)) + "\n";
    std::set<std::string> files;
    for (const FitResidual& x : r_.residuals) files.insert(x.file);
    std::vector<std::string> items = {r_.scenario};
    if (!files.empty()) items.push_back(counted(static_cast<long>(files.size()), "file"));
    items.push_back(counted(r_.values, "measured value"));
    if (r_.loss != "none") items.push_back("loss " + r_.loss);
    out_ += style_.paint("dim", join_wrapped(items, dot(), 0, width()));
  }

  void add_outcome() {
    const std::string knobs = counted(static_cast<long>(r_.estimates.size()), "knob");
    const bool met = r_.converged && r_.failures.empty();
    const std::string text = !r_.converged ? "Not fitted: " + r_.message
                           : !met          ? "Not fitted: " + r_.failures.front()
                                           : fmt::format("Fitted {} in {}, {}", knobs,
                                                         counted(r_.iterations, "iteration"), counted(r_.runs, "run"));
    out_ += "\n" + style_.paint(met ? "green" : "red", wrap(text, 0, width()));
  }

  std::string shown(const FitEstimate& e, double x, int decimals) const {
    return fmt::format("{:.{}f}", in_unit(x, e.knob.unit) + 0.0, decimals);
  }

  std::string shown_limit(const FitEstimate& e) const {
    return show_number(in_unit(*e.limit, e.knob.unit), 4);
  }

  struct Line {
    std::string name, value, error, interval, about;
  };

  Line make_line(const FitEstimate& e) const {
    const std::string unit = style_.unit(e.knob.unit);
    const std::string tail = unit.empty() ? "" : (unit == "°" ? "" : " ") + unit;
    const bool is_local = !e.file.empty();
    Line line{is_local ? e.file + " " + e.knob.name : e.knob.name,
              show_number(in_unit(e.value, e.knob.unit)) + tail, dash(), "", is_local ? "" : e.knob.about};
    if (e.error) {
      const double error = std::abs(in_unit(e.value + *e.error, e.knob.unit) - in_unit(e.value, e.knob.unit));
      const int decimals = decimals_for(error);
      line.value = shown(e, e.value, decimals) + tail;
      line.error = fmt::format("{:.{}f}", error, decimals);
      line.interval = shown(e, e.interval->first, decimals) + " to " + shown(e, e.interval->second, decimals);
    } else if (e.status == Status::at_bound) {
      const bool low = std::abs(e.value - e.low) < std::abs(e.value - e.high);
      line.interval = low ? "at its lower bound" : "at its upper bound";
      if (e.limit) line.interval += fmt::format(", 95 %: {} {}", low ? "up to" : "down to", shown_limit(e));
    } else {
      line.interval = e.status == Status::no_effect ? "no effect" : "not determined";
    }
    return line;
  }

  void add_estimates() {
    if (r_.residuals.empty()) return;
    std::vector<Line> shared, local, nuisance;
    for (const FitEstimate& e : r_.estimates)
      (e.nuisance ? nuisance : e.file.empty() ? shared : local).push_back(make_line(e));
    add_table("Estimates", std::move(shared));
    add_table("Initial conditions, fitted per file", std::move(local));
    add_table("Clocks and axes, fitted per file", std::move(nuisance));
  }

  void add_table(std::string_view title, std::vector<Line> lines) {
    if (lines.empty()) return;
    head(title);
    lines.insert(lines.begin(), {"", "value", "error", "95 % interval", ""});
    std::size_t name = 0, value = 0, error = 0, interval = 0;
    for (const Line& l : lines) {
      name = std::max(name, text_width(l.name));
      value = std::max(value, text_width(l.value));
      error = std::max(error, text_width(l.error));
      interval = std::max(interval, text_width(l.interval));
    }
    name = std::min(name, std::size_t{34});
    for (std::size_t k = 0; k < lines.size(); ++k) {
      const Line& l = lines[k];
      const std::string left =
          fmt::format("  {}  {}  {}  {}  ", pad_right(shorten(l.name, name, style_), name),
                      pad_right(l.value, value), pad_right(l.error, error), pad_right(l.interval, interval));
      const std::size_t used = text_width(left);
      const std::string about = used + 10 < width() ? shorten(l.about, width() - used, style_) : "";
      if (k == 0)
        out_ += style_.paint("dim", trimmed(left)) + "\n";
      else
        out_ += trimmed(left + style_.paint("dim", about)) + "\n";
    }
  }

  // Of the knobs of all files; those of single files have theirs in the JSON.
  void add_correlation() {
    constexpr std::size_t most = 8, cell = 8;
    std::vector<std::size_t> shown;
    for (std::size_t k = 0; k < r_.correlated.size() && shown.size() < most; ++k)
      if (r_.estimates[r_.correlated[k]].file.empty()) shown.push_back(k);
    const std::size_t n = shown.size();
    if (n < 2) return;
    head("Correlation of the estimates");
    std::size_t name = 0;
    const auto label = [&](std::size_t k) { return r_.estimates[r_.correlated[shown[k]]].knob.name; };
    for (std::size_t k = 0; k < n; ++k) name = std::max(name, text_width(label(k)));
    name = std::min(name, std::size_t{14});
    std::string titles = std::string(name + 2, ' ');
    for (std::size_t k = 0; k + 1 < n; ++k) titles += pad_left(shorten(label(k), cell - 1, style_), cell);
    out_ += style_.paint("dim", titles) + "\n";
    for (std::size_t i = 1; i < n; ++i) {
      std::string line = "  " + pad_right(shorten(label(i), name, style_), name);
      for (std::size_t j = 0; j < i; ++j)
        line += pad_left(
            fmt::format("{:+.3f}", r_.correlation(static_cast<long>(shown[i]), static_cast<long>(shown[j]))),
            cell);
      out_ += line + "\n";
    }
  }

  // One unit and one number of decimals for all columns of a kind, so that they can be compared.
  std::string show_rms(const FitResidual& x) const {
    double largest = 0;
    for (const FitResidual& other : r_.residuals)
      if (other.unit == x.unit) largest = std::max(largest, other.rms);
    const ShownUnit unit = suit_unit(largest, x.unit);
    return fmt::format("{:.{}f} {}", x.rms * unit.factor, decimals_for(0.01 * largest * unit.factor),
                       style_.unit(unit.unit));
  }

  void add_residuals() {
    if (r_.residuals.empty()) return;
    constexpr std::size_t most = 40;
    head("Residuals");
    std::size_t file = 4, what = 10;
    for (const FitResidual& x : r_.residuals) {
      file = std::max(file, text_width(x.file));
      what = std::max(what, text_width(x.observable));
    }
    file = std::min(file, std::size_t{24});
    what = std::min(what, std::size_t{26});
    const std::string gamma = style_.unicode ? "γ" : "gamma";
    out_ +=
        style_.paint("dim", fmt::format("  {}  {}  {:>6}  {:>12}  {}", pad_right("file", file),
                                        pad_right("observable", what), "values", "rms", pad_left(gamma, 8)))
        + "\n";
    for (std::size_t k = 0; k < std::min(most, r_.residuals.size()); ++k) {
      const FitResidual& x = r_.residuals[k];
      out_ += fmt::format("  {}  {}  {:>6}  {}  {}\n", pad_right(shorten(x.file, file, style_), file),
                          pad_right(shorten(x.observable, what, style_), what), x.time.size(),
                          pad_left(show_rms(x), 12),
                          pad_left(x.end_error ? fmt::format("{:.2f} %", 100 * *x.end_error) : dash(), 8));
    }
    if (r_.residuals.size() > most)
      out_ += style_.paint("dim", fmt::format("  and {} more (--json)", r_.residuals.size() - most)) + "\n";
    out_ += style_.paint(
        "dim", wrap(gamma + ": relative error of the last measured value (Lee 2009, eq. 6.1)", 2, width()));
  }

  void add_noise() {
    if (r_.noise.empty()) return;
    head("Noise");
    for (const FitNoise& n : r_.noise) {
      std::string text = "  " + show_quantity(n.found, n.unit, style_, 4) + " from the residuals";
      if (n.given) text += ", " + show_quantity(*n.given, n.unit, style_, 4) + " stated";
      out_ += text + "\n";
    }
    std::string text = fmt::format("{} of freedom", counted(r_.degrees, "degree"));
    if (r_.chi_square)
      text += fmt::format(", chi-square {:.4g}, exceeded by chance with probability {:.2g}", *r_.chi_square,
                          *r_.chi_square_probability);
    text += fmt::format(", condition number {:.3g}", r_.condition);
    out_ += style_.paint("dim", wrap(text, 2, width()));
  }

  void add_outliers() {
    if (r_.outliers.empty()) return;
    constexpr std::size_t most = 8;
    head(fmt::format("Outliers ({} of {} values; the fit does without them)", r_.outliers.size(), r_.values));
    for (std::size_t k = 0; k < std::min(most, r_.outliers.size()); ++k) {
      const FitOutlier& x = r_.outliers[k];
      out_ += wrap(
          fmt::format("{} {} at {}: {}, the model has {}", x.file, x.observable,
                      show_quantity(x.time, "s", style_, 4), show_quantity(x.measured, x.unit, style_, 4),
                      show_quantity(x.fitted, x.unit, style_, 4)),
          2, width());
    }
    if (r_.outliers.size() > most)
      out_ += style_.paint("dim", fmt::format("  and {} more (--json)", r_.outliers.size() - most)) + "\n";
  }

  void add_starts() {
    if (r_.starts.empty()) return;
    double best = HUGE_VAL;
    for (const FitStart& s : r_.starts)
      if (s.converged) best = std::min(best, s.cost);
    long same = 0, converged = 0;
    for (const FitStart& s : r_.starts) {
      converged += s.converged ? 1 : 0;
      same += s.converged && s.cost <= best + 1e-6 * std::max(best, 1e-12) ? 1 : 0;
    }
    out_ += "\n"
          + wrap(fmt::format("{} of {} starts settled, {} of them in the best minimum", converged,
                             r_.starts.size(), same),
                 0, width());
  }

  const FitResult& r_;
  const TextStyle& style_;
  std::string out_;
};

using Json = nlohmann::ordered_json;

Json number(double x) { return std::isfinite(x) ? Json(x + 0.0) : Json(nullptr); }
Json number(const std::optional<double>& x) { return x ? number(*x) : Json(nullptr); }

Json estimate_json(const FitEstimate& e) {
  Json interval = nullptr;
  if (e.interval) interval = {number(e.interval->first), number(e.interval->second)};
  return {{"knob", e.knob.name},
          {"file", e.file.empty() ? Json(nullptr) : Json(e.file)},
          {"unit", si_unit_of(e.knob.unit)},
          {"shown_in", e.knob.unit},
          {"value", number(e.value)},
          {"standard_error", number(e.error)},
          {"interval_95", interval},
          {"limit_95", number(e.limit)},
          {"nuisance", e.nuisance},
          {"status", fit_status_name(e.status)},
          {"start", number(e.start)},
          {"range", {number(e.low), number(e.high)}}};
}

Json correlation_json(const FitResult& r) {
  Json names = Json::array(), rows = Json::array();
  for (std::size_t k : r.correlated) names.push_back(r.estimates[k].name());
  for (long i = 0; i < r.correlation.rows(); ++i) {
    Json row = Json::array();
    for (long j = 0; j < r.correlation.cols(); ++j) row.push_back(number(r.correlation(i, j)));
    rows.push_back(row);
  }
  return {{"names", names}, {"matrix", rows}};
}

Json residual_json(const FitResidual& x) {
  return {{"file", x.file},
          {"observable", x.observable},
          {"unit", x.unit},
          {"values", x.time.size()},
          {"rms", number(x.rms)},
          {"gamma", number(x.end_error)},
          {"lag_one_correlation", number(x.lag_one)},
          {"time", x.time},
          {"measured", x.measured},
          {"fitted", x.fitted}};
}

}  // namespace

std::string to_text(const FitResult& result, const TextStyle& style) { return Report(result, style).make(); }

std::string to_json(const FitResult& r) {
  Json estimates = Json::array(), residuals = Json::array(), noise = Json::array(), starts = Json::array(),
       outliers = Json::array();
  for (const FitOutlier& x : r.outliers)
    outliers.push_back({{"file", x.file},
                        {"observable", x.observable},
                        {"unit", x.unit},
                        {"time", number(x.time)},
                        {"measured", number(x.measured)},
                        {"fitted", number(x.fitted)}});
  for (const FitEstimate& e : r.estimates) estimates.push_back(estimate_json(e));
  for (const FitResidual& x : r.residuals) residuals.push_back(residual_json(x));
  for (const FitNoise& n : r.noise)
    noise.push_back({{"unit", n.unit}, {"found", number(n.found)}, {"given", number(n.given)}});
  for (const FitStart& s : r.starts)
    starts.push_back(
        {{"start", s.start}, {"end", s.end}, {"cost", number(s.cost)}, {"converged", s.converged}});
  const Json out = {
      {"thud", THUD_VERSION},
      {"format", json_format},
      {"study", {{"title", r.title}, {"file", r.file}, {"scenario", r.scenario}, {"loss", r.loss}}},
      {"converged", r.converged},
      {"sound", r.is_sound()},
      {"message", r.message},
      {"estimates", estimates},
      {"correlation", correlation_json(r)},
      {"condition_number", number(r.condition)},
      {"intervals", fit_intervals_name(r.intervals)},
      {"undetermined", r.undetermined},
      {"failures", r.failures},
      {"warnings", r.warnings},
      {"notes", r.notes},
      {"outliers", outliers},
      {"values", r.values},
      {"degrees_of_freedom", r.degrees},
      {"scale", number(r.scale)},
      {"chi_square", number(r.chi_square)},
      {"chi_square_probability", number(r.chi_square_probability)},
      {"noise", noise},
      {"residuals", residuals},
      {"starts", starts},
      {"iterations", r.iterations},
      {"runs", r.runs},
      {"failed_runs", r.failed_runs}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace thud
