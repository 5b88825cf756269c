#include "study_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_format.hpp"
#include "thud/scenario/catalogue.hpp"
#include "thud/scenario/knob_text.hpp"
#include "thud/study/design.hpp"
#include "thud/study/fit.hpp"
#include "thud/study/sensitivity.hpp"

namespace thud::cli {

namespace {

// A study as each of its commands reads it.
struct CheckedStudy {
  Study study;
  std::vector<std::string> commands;
  std::optional<std::int64_t> sweep_runs;
  std::optional<SensitivityStudy> sensitivity;
  std::optional<FitStudy> fit;
};

CheckedStudy read_all(const std::string& path, const KnobSettings& set) {
  CheckedStudy out{load_study(path, set), commands_of_study(path), {}, {}, {}};
  for (const std::string& command : out.commands) {
    if (command == "sensitivity") out.sensitivity = load_sensitivity(path, set);
    if (command == "fit") out.fit = load_fit_study(path, set);
  }
  // A study of sensitivities draws its own points: without a number of runs it is no sweep.
  const bool is_sweep =
      out.study.design.kind == Design::Kind::grid || out.study.design.runs > 0 || !out.sensitivity;
  if (!is_sweep) std::erase(out.commands, "sweep");
  if (!out.study.vary.empty() && is_sweep) out.sweep_runs = DesignPoints(out.study).size();
  if (out.commands.empty())
    throw InputError({path, 0, 0},
                     "says nothing of what is to be done: [vary], [fit] or [sensitivity] is missing");
  return out;
}

std::string how(const VariedKnob& v, const TextStyle& style) {
  const Distribution& d = v.distribution;
  const auto shown = [&](double x) {
    return v.knob.choices.empty() ? show_knob(v.knob, x, style) : v.knob.choices[static_cast<std::size_t>(x)];
  };
  switch (d.kind) {
    case Distribution::Kind::grid:
      return fmt::format("{} to {}, {} values", shown(d.low), shown(d.high), d.count);
    case Distribution::Kind::uniform: return fmt::format("{} to {}, uniform", shown(d.low), shown(d.high));
    case Distribution::Kind::normal:
      return fmt::format("{} {} {}, normal", shown(d.mean), style.unicode ? "±" : "+-", shown(d.deviation));
    default: break;
  }
  constexpr std::size_t most = 6;
  std::string out;
  for (std::size_t i = 0; i < d.list.size() && i < most; ++i) out += (i > 0 ? ", " : "") + shown(d.list[i]);
  return d.list.size() > most ? out + fmt::format(" and {} more", d.list.size() - most) : out;
}

std::string list_fit(const FitStudy& fit, const TextStyle& style) {
  std::string out = "\n" + style.paint("bold", "Fitted (thud fit)") + "\n";
  for (const FitKnob& k : fit.knobs)
    out += fmt::format("  {}  from {}\n", pad_right(k.knob.name, 12), show_knob(k.knob, k.start, style));
  for (const LocalKnob& k : fit.initial)
    out += fmt::format("  {}  per file, {}\n", pad_right(k.fit.knob.name, 12), k.free ? "fitted" : "given");
  std::string names;
  for (const FitFile& f : fit.files)
    if (!f.name.empty()) names += (names.empty() ? "" : ", ") + f.name;
  return out + wrap(names.empty() ? "of any files given with --data" : "of " + names, 2, 80);
}

std::string list_sensitivity(const SensitivityStudy& s, const TextStyle& style) {
  return "\n" + style.paint("bold", "Indices (thud sensitivity)")
       + fmt::format("\n  {} samples, {} runs, seed {}\n", s.samples, s.runs(), s.seed);
}

}  // namespace

std::string make_study_text(const std::string& path, const KnobSettings& set, const TextStyle& style) {
  const CheckedStudy c = read_all(path, set);
  const Study& s = c.study;
  const auto head = [&](const std::string& text) { return "\n" + style.paint("bold", text) + "\n"; };
  std::string out = style.paint("bold", s.title) + "\n" + style.paint("dim", s.file) + "\n";
  if (!s.about.empty()) out += wrap(s.about, 0, 80);
  out += head("Study")
       + wrap(fmt::format("of the scenario {}; run it with: thud {} {}", s.scenario,
                          fmt::join(c.commands, ", "), s.name),
              2, 80);
  if (!s.set.empty()) out += head("Set");
  for (const auto& [name, value] : s.set) out += fmt::format("  {}  {}\n", pad_right(name, 12), value);
  if (!s.vary.empty()) out += head("Varied");
  for (const VariedKnob& v : s.vary)
    out += fmt::format("  {}  {}\n", pad_right(v.knob.name, 12), how(v, style));
  if (!s.vary.empty()) out += head("Outputs") + wrap(fmt::format("{}", fmt::join(s.outputs, ", ")), 2, 80);
  if (c.sweep_runs)
    out += head("Sweep") + fmt::format("  {} runs, {} pictures\n", *c.sweep_runs, s.plots.size());
  if (c.sensitivity) out += list_sensitivity(*c.sensitivity, style);
  if (c.fit) out += list_fit(*c.fit, style);
  return out;
}

std::string make_study_json(const std::string& path, const KnobSettings& set) {
  using Json = nlohmann::ordered_json;
  const CheckedStudy c = read_all(path, set);
  constexpr const char* kinds[] = {"grid", "list", "uniform", "normal"};
  Json vary = Json::object(), fixed = Json::object();
  for (const VariedKnob& v : c.study.vary) {
    const Distribution& d = v.distribution;
    Json& knob = vary[v.knob.name] = {{"kind", kinds[static_cast<int>(d.kind)]}};
    if (d.kind == Distribution::Kind::list)
      knob["list"] = d.list;
    else if (d.kind == Distribution::Kind::normal)
      knob["mean"] = d.mean, knob["deviation"] = d.deviation;
    else
      knob["from"] = d.low, knob["to"] = d.high;
    if (d.size() > 0) knob["count"] = d.size();
  }
  for (const auto& [name, value] : c.study.set) fixed[name] = value;
  Json out = {{"thud", THUD_VERSION}, {"format", json_format}};
  out["study"] = {{"name", c.study.name}, {"title", c.study.title},       {"about", c.study.about},
                  {"file", c.study.file}, {"scenario", c.study.scenario}, {"commands", c.commands}};
  out["set"] = fixed;
  out["vary"] = vary;
  out["outputs"] = c.study.outputs;
  out["runs"] = c.sweep_runs  ? Json(*c.sweep_runs)
              : c.sensitivity ? Json(c.sensitivity->runs())
                              : Json(nullptr);
  if (c.fit) {
    out["fit"] = {{"knobs", Json::array()}, {"files", Json::array()}};
    for (const FitKnob& k : c.fit->knobs) out["fit"]["knobs"].push_back(k.knob.name);
    for (const FitFile& f : c.fit->files)
      if (!f.name.empty()) out["fit"]["files"].push_back(f.name);
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace thud::cli
