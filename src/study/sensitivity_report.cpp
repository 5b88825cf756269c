// What a sensitivity study found: as text, as JSON, as a picture.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/json_format.hpp"
#include "thud/draw/figures.hpp"
#include "thud/scenario/knob_text.hpp"
#include "thud/scenario/quantity.hpp"
#include "thud/study/sensitivity.hpp"

namespace thud {

namespace {

using json = nlohmann::ordered_json;

constexpr int bar_width = 20;

std::string percent(double share) { return fmt::format("{:.0f} %", std::max(0.0, 100 * share) + 0.0); }

// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t k = 0; k < names.size(); ++k)
    out += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
  return out;
}

// "20 to 30°", "normal, -1.75 ± 0.1 rad/s", "play-sand or hill-sand".
std::string describe(const VariedKnob& v, const TextStyle& style) {
  const Distribution& d = v.distribution;
  switch (d.kind) {
    case Distribution::Kind::list: {
      std::vector<std::string> values;
      for (const double x : d.list)
        values.push_back(v.knob.choices.empty() ? show_knob(v.knob, x, style)
                                                : v.knob.choices[static_cast<std::size_t>(x)]);
      return one_of(values);
    }
    case Distribution::Kind::normal: {
      return fmt::format("{} {} {}, normal", show_number(in_unit(d.mean, v.knob.unit)),
                         style.unicode ? "±" : "+-", show_knob(v.knob, d.deviation, style));
    }
    default: return show_number(in_unit(d.low, v.knob.unit)) + " to " + show_knob(v.knob, d.high, style);
  }
}

/// The knobs that do not act alone: their share in all is much larger, and certainly so.
bool acts_through_interactions(const SobolIndex& first, const SobolIndex& total) {
  return total.low > first.high && total.value - first.value >= 0.05 && first.value < 0.5 * total.value;
}

std::string trimmed(std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

class Text {
 public:
  Text(const Sensitivity& s, const TextStyle& style) : s_(s), style_(style) {
    for (const VariedKnob& v : s.study.study.vary)
      name_width_ = std::max(name_width_, text_width(v.knob.name));
  }

  std::string make() {
    add_title();
    add_knobs();
    for (std::size_t k = 0; k < s_.outputs.size(); ++k) add_output(k);
    add_failures();
    if (s_.indices.cancelled)
      out_ += "\n"
            + style_.paint("yellow",
                           wrap(fmt::format("Interrupted after {} of {} samples: the indices are those of "
                                            "what was done.",
                                            s_.indices.samples, s_.study.samples),
                                0, width()));
    return std::move(out_);
  }

 private:
  std::size_t width() const { return static_cast<std::size_t>(style_.width); }
  std::string dot() const { return style_.unicode ? " · " : ", "; }

  void add_title() {
    const Study& study = s_.study.study;
    out_ += style_.paint("bold", shorten(study.title, width(), style_)) + "\n";
    const std::vector<std::string> facts{
        std::filesystem::path(study.scenario).stem().string(),
        fmt::format("{} samples of {} knobs", s_.indices.samples, study.vary.size()),
        fmt::format("{} runs", s_.indices.runs), fmt::format("{} intervals", percent(s_.study.confidence))};
    out_ += style_.paint("dim", join_wrapped(facts, dot(), 0, width()));
  }

  void add_knobs() {
    out_ += "\n" + style_.paint("bold", "Varied") + "\n";
    std::size_t range = 0;
    for (const VariedKnob& v : s_.study.study.vary) range = std::max(range, text_width(describe(v, style_)));
    range = std::min<std::size_t>(range, 36);
    for (const VariedKnob& v : s_.study.study.vary)
      out_ += hang(fmt::format("  {}  {}  ", pad_right(v.knob.name, name_width_),
                               pad_right(describe(v, style_), range)),
                   v.knob.about, style_);
  }

  void add_output(std::size_t k) {
    const SobolOutput& o = s_.indices.outputs[k];
    const FamilyOutput& output = s_.outputs[k];
    out_ += "\n" + style_.paint("bold", output.name) + "  ";
    if (o.used < fewest_samples) {
      out_ += style_.paint("red",
                           fmt::format("{} of {} samples have a value: too few", o.used, s_.indices.samples))
            + "\n";
      return;
    }
    out_ += fmt::format("mean {}", show_quantity(o.mean, output.unit, style_));
    if (!o.varies) {
      out_ += ": it does not vary, so no index is defined\n";
      return;
    }
    out_ += fmt::format(", standard deviation {}\n",
                        show_quantity(std::sqrt(o.variance), output.unit, style_, 4));
    out_ += style_.paint("dim", fmt::format("  {}  {}  {}", pad_right("", name_width_),
                                            pad_right("first order", 22), "total"))
          + "\n";
    for (std::size_t i = 0; i < o.first.size(); ++i)
      out_ +=
          trimmed(fmt::format("  {}  {}  {}  {}", pad_right(s_.study.study.vary[i].knob.name, name_width_),
                              pad_right(show(o.first[i]), 22), pad_right(show(o.total[i]), 22),
                              bar(o.first[i], o.total[i])))
          + "\n";
    out_ +=
        style_.paint("dim", fmt::format("  {}  {}", pad_right("sum", name_width_), show(o.first_sum))) + "\n";
    out_ += wrap(stands_out(s_, k) + ".", 2, width());
  }

  static std::string show(const SobolIndex& i) {
    const auto number = [](double x) { return fmt::format("{:.3f}", std::abs(x) < 0.0005 ? 0.0 : x); };
    return fmt::format("{} [{}, {}]", pad_left(number(i.value), 5), number(i.low), number(i.high));
  }

  // Full for the first order, light for what interactions add.
  std::string bar(const SobolIndex& first, const SobolIndex& total) const {
    const auto cells = [](double share) {
      return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * bar_width));
    };
    const int full = cells(first.value), all = std::max(full, cells(total.value));
    std::string out, light;
    for (int i = 0; i < full; ++i) out += style_.unicode ? "█" : "#";
    for (int i = full; i < all; ++i) light += style_.unicode ? "░" : ".";
    return style_.paint("cyan", out) + style_.paint("cyan", light);
  }

  void add_failures() {
    const SobolIndices& all = s_.indices;
    if (all.failed == 0) return;
    std::string used;
    for (std::size_t k = 0; k < s_.outputs.size(); ++k)
      used += fmt::format("{}{} of {} for {}", k ? ", " : "", all.outputs[k].used, all.samples,
                          s_.outputs[k].name);
    std::string text = fmt::format(
        "{} of {} runs failed ({:.2g} %); the samples they belong to are left out, which "
        "leaves {}.",
        all.failed, all.runs, 100 * s_.failed_share(), used);
    if (!s_.failure.empty()) text += fmt::format(" One of the reasons: {}.", s_.failure);
    const bool is_much = s_.failed_share() > failed_share_warning;
    if (is_much)
      text = "warning: " + text + " The indices hold for what is left, which may not be what was asked for.";
    out_ += "\n" + style_.paint(is_much ? "yellow" : "dim", wrap(text, 0, width()));
  }

  const Sensitivity& s_;
  const TextStyle& style_;
  std::size_t name_width_ = 3;
  std::string out_;
};

// --- in words ---

std::string say_main(const std::vector<std::string>& knob, const SobolOutput& o, const std::string& output) {
  std::vector<std::size_t> order(knob.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return o.first[a].value > o.first[b].value; });
  const std::size_t main = order[0];
  if (o.first[main].value >= 0.5)
    return fmt::format("{} explains {} of the variance of {}", knob[main], percent(o.first[main].value),
                       output);
  std::vector<std::string> shares;
  for (const std::size_t i : order)
    if (o.first[i].value >= 0.05 && shares.size() < 3)
      shares.push_back(fmt::format("{} {}", knob[i], percent(o.first[i].value)));
  if (shares.empty()) return fmt::format("no knob alone explains the variance of {}", output);
  return fmt::format("no knob alone explains half of the variance of {}: {}", output, listed(shares));
}

json to_json(const SobolIndex& i) {
  const auto number = [](double x) { return std::isfinite(x) ? json(x) : json(nullptr); };
  return {{"value", number(i.value)}, {"low", number(i.low)}, {"high", number(i.high)}};
}

const char* kind_name(Distribution::Kind kind) {
  switch (kind) {
    case Distribution::Kind::grid: return "grid";
    case Distribution::Kind::list: return "list";
    case Distribution::Kind::uniform: return "uniform";
    case Distribution::Kind::normal: return "normal";
  }
  return "";
}

json knob_json(const VariedKnob& v) {
  const Distribution& d = v.distribution;
  json out{{"name", v.knob.name},
           {"unit", si_unit_of(v.knob.unit)},
           {"shown_in", v.knob.unit},
           {"about", v.knob.about},
           {"distribution", kind_name(d.kind)}};
  if (d.kind == Distribution::Kind::normal) {
    out["mean"] = d.mean;
    out["deviation"] = d.deviation;
  } else if (d.kind != Distribution::Kind::list) {
    out["low"] = d.low;
    out["high"] = d.high;
  } else if (v.knob.choices.empty()) {
    out["list"] = d.list;
  } else {
    for (const double x : d.list) out["list"].push_back(v.knob.choices[static_cast<std::size_t>(x)]);
  }
  return out;
}

json output_json(const Sensitivity& s, std::size_t k) {
  const SobolOutput& o = s.indices.outputs[k];
  const auto number = [](double x) { return std::isfinite(x) ? json(x) : json(nullptr); };
  json out{{"name", s.outputs[k].name},
           {"unit", s.outputs[k].unit},
           {"about", s.outputs[k].about},
           {"samples_used", o.used},
           {"varies", o.varies},
           {"mean", number(o.mean)},
           {"variance", number(o.variance)},
           {"first_sum", to_json(o.first_sum)},
           {"indices", json::array()}};
  for (std::size_t i = 0; i < o.first.size(); ++i)
    out["indices"].push_back({{"knob", s.study.study.vary[i].knob.name},
                              {"first", to_json(o.first[i])},
                              {"total", to_json(o.total[i])}});
  out["summary"] = stands_out(s, k);
  return out;
}

}  // namespace

std::string stands_out(const Sensitivity& s, std::size_t output) {
  const SobolOutput& o = s.indices.outputs[output];
  const std::string& name = s.outputs[output].name;
  if (!o.varies) return o.used < fewest_samples ? "" : name + " does not vary";
  const std::vector<std::string> knob = s.study.study.varied_names();
  std::string out = say_main(knob, o, name);
  std::vector<std::string> idle;
  for (std::size_t i = 0; i < knob.size(); ++i) {
    if (acts_through_interactions(o.first[i], o.total[i]))
      out += fmt::format("; {} acts mostly through interactions ({} alone, {} in all)", knob[i],
                         percent(o.first[i].value), percent(o.total[i].value));
    if (o.total[i].high < 0.01) idle.push_back(knob[i]);
  }
  if (o.first_sum.high < 0.95)
    out += fmt::format("; interactions make up about {}", percent(1 - o.first_sum.value));
  if (!idle.empty())
    out += fmt::format("; {} hardly matter{} (below 1 % in all)", listed(idle), idle.size() == 1 ? "s" : "");
  return out;
}

std::string to_text(const Sensitivity& s, const TextStyle& style) { return Text(s, style).make(); }

std::string to_json(const Sensitivity& s) {
  const Study& study = s.study.study;
  json out{{"thud", THUD_VERSION},
           {"format", json_format},
           {"study", study.name},
           {"title", study.title},
           {"file", study.file},
           {"scenario", study.scenario},
           {"samples", s.indices.samples},
           {"runs", s.indices.runs},
           {"failed", s.indices.failed},
           {"cancelled", s.indices.cancelled},
           {"confidence", s.study.confidence},
           {"bootstrap", s.study.bootstrap},
           {"seed", s.study.seed},
           {"estimators", {{"first", "Saltelli 2010"}, {"total", "Jansen 1999"}}},
           {"set", json::object()},
           {"knobs", json::array()},
           {"outputs", json::array()}};
  for (const auto& [name, value] : study.set) out["set"][name] = value;
  for (const VariedKnob& v : study.vary) out["knobs"].push_back(knob_json(v));
  for (std::size_t k = 0; k < s.outputs.size(); ++k) out["outputs"].push_back(output_json(s, k));
  if (!s.failure.empty()) out["failure"] = s.failure;
  return out.dump(2) + "\n";
}

std::string to_svg(const Sensitivity& s) {
  const TextStyle style;
  BarChart chart;
  chart.title = s.study.study.title;
  chart.subtitle = fmt::format("Sobol indices · {} samples, {} runs · {} intervals", s.indices.samples,
                               s.indices.runs, percent(s.study.confidence));
  chart.value = {"share of the variance", ""};
  chart.series = {"first order", "total"};
  for (std::size_t k = 0; k < s.outputs.size(); ++k) {
    const SobolOutput& o = s.indices.outputs[k];
    BarPanel panel{s.outputs[k].name, {}, "does not vary"};
    if (o.varies)
      panel.note = "standard deviation " + show_quantity(std::sqrt(o.variance), s.outputs[k].unit, style, 3);
    for (std::size_t i = 0; i < o.first.size(); ++i)
      panel.groups.push_back({s.study.study.vary[i].knob.name,
                              {{o.first[i].value, o.first[i].low, o.first[i].high},
                               {o.total[i].value, o.total[i].low, o.total[i].high}}});
    chart.panels.push_back(std::move(panel));
  }
  return bar_chart(chart);
}

}  // namespace thud
