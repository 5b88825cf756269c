// Laws side by side, for people and for machines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_format.hpp"
#include "thud/draw/figures.hpp"
#include "thud/scenario/quantity.hpp"
#include "thud/study/compare.hpp"

namespace thud {

namespace {

std::string show_difference(double x) { return std::isfinite(x) ? fmt::format("{:.1f}", x) : "-"; }

std::string knobs_of(const LawScore& s) {
  std::vector<std::string> out;
  for (const FitEstimate& e : s.fit.estimates)
    if (e.file.empty())
      out.push_back(fmt::format("{} = {:.4g}{}", e.knob.name, in_unit(e.value, e.knob.unit),
                                e.knob.unit.empty() ? "" : " " + e.knob.unit));
  return fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace

std::string to_text(const Comparison& c, const TextStyle& style) {
  const auto width = static_cast<std::size_t>(style.width);
  std::string out =
      style.paint("bold", fmt::format("{} laws on the same {} values", c.laws.size(), c.values)) + "\n\n";
  std::size_t name = 3;
  for (const LawScore& s : c.laws) name = std::max(name, text_width(s.name));
  name = std::min(name, std::size_t{34});
  const std::string delta = style.unicode ? "Δ" : "d";
  out += style.paint("dim", fmt::format("  {}  {:>6}  {:>8}  {}  {}  {:>6}  {:>8}", pad_right("law", name),
                                        "fitted", "rms", pad_left(delta + "AIC", 8),
                                        pad_left(delta + "BIC", 8), "weight", "left out"))
       + "\n";
  double best_bic = HUGE_VAL;
  for (const LawScore& s : c.laws)
    if (s.is_settled()) best_bic = std::min(best_bic, s.bic);
  for (const LawScore& s : c.laws) {
    if (!s.is_settled()) {
      out += fmt::format("  {}  {:>6}  not fitted\n", pad_right(shorten(s.name, name, style), name),
                         s.parameters);
      continue;
    }
    out += fmt::format("  {}  {:>6}  {:>8.3g}  {:>8}  {:>8}  {:>6.3f}  {:>8}\n",
                       pad_right(shorten(s.name, name, style), name), s.parameters, s.rms,
                       show_difference(s.aic - c.laws[0].aic), show_difference(s.bic - best_bic), s.weight,
                       s.left_out_rms ? fmt::format("{:.3g}", *s.left_out_rms) : "-");
  }
  out += style.paint(
      "dim",
      wrap(fmt::format("fitted: parameters; rms: of the residuals, in standard deviations of the noise ({}); "
                       "left out: the same for each file by a fit without it",
                       c.is_noise_stated ? "as stated" : "as the best law finds it"),
           2, width));
  out += "\n" + style.paint("bold", "Estimates") + "\n";
  for (const LawScore& s : c.laws)
    if (s.is_settled()) out += wrap(fmt::format("{}: {}", s.name, knobs_of(s)), 2, width);
  for (const std::string& text : c.notes) out += "\n" + wrap("note: " + text, 0, width);
  for (const std::string& text : c.warnings)
    out += "\n" + style.paint("yellow", wrap("warning: " + text, 0, width));
  for (const LawScore& s : c.laws)
    if (!s.is_settled())
      out += "\n" + style.paint("yellow", wrap(fmt::format("{}: {}", s.name, s.fit.message), 0, width));
  return out;
}

std::string to_json(const Comparison& c) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); };
  Json laws = Json::array();
  for (const LawScore& s : c.laws) {
    Json left = Json::array();
    for (const LeftOutFile& f : s.left_out) {
      left.push_back({{"file", f.file}, {"rms", f.rms ? number(*f.rms) : Json(nullptr)}});
      if (!f.rms) left.back()["message"] = f.message;
    }
    laws.push_back({{"law", s.name},
                    {"file", s.file},
                    {"converged", s.is_settled()},
                    {"parameters", s.parameters},
                    {"rms", number(s.rms)},
                    {"aic", number(s.aic)},
                    {"bic", number(s.bic)},
                    {"weight", number(s.weight)},
                    {"left_out", left},
                    {"left_out_rms", s.left_out_rms ? number(*s.left_out_rms) : Json(nullptr)},
                    {"fit", Json::parse(to_json(s.fit))}});
  }
  const Json out = {{"thud", THUD_VERSION},  {"format", json_format},
                    {"values", c.values},    {"noise", c.is_noise_stated ? "stated" : "found"},
                    {"laws", laws},          {"notes", c.notes},
                    {"warnings", c.warnings}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string make_comparison_picture(const Comparison& c) {
  BarChart chart;
  chart.title = "Laws on the same captures";
  chart.subtitle = "residuals in standard deviations of the noise: 1 is as good as it gets";
  chart.value = {"rms of the residuals", "", 1};
  chart.series = {"fitted", "foretold, each file by a fit without it"};
  BarPanel panel;
  for (const LawScore& s : c.laws) {
    if (!s.is_settled()) continue;
    const double told = s.left_out_rms.value_or(NAN);
    panel.groups.push_back({fmt::format("{} (ΔAIC {})", s.name, show_difference(s.aic - c.laws[0].aic)),
                            {{s.rms, NAN, NAN}, {told, NAN, NAN}}});
  }
  chart.panels.push_back(std::move(panel));
  return bar_chart(chart);
}

}  // namespace thud
