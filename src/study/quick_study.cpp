#include "thud/study/quick_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "study/knobs.hpp"
#include "thud/scenario/quantity.hpp"

namespace thud {

namespace {

constexpr double most_grid_values = 1e6;

std::vector<std::string> split_at(const std::string& text, char mark) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(mark, from), text.size());
    std::string part = text.substr(from, to - from);
    while (part.ends_with(' ')) part.pop_back();
    part.erase(0, std::min(part.find_first_not_of(' '), part.size()));
    out.push_back(std::move(part));
    from = to + 1;
  }
  return out;
}

// One --vary, read with the scenario it is for.
class VaryOption {
 public:
  VaryOption(const std::string& given, const std::string& scenario, const KnobSettings& set)
      : given_(given),
        scenario_(scenario),
        set_(set) {
    const auto equals = given.find('=');
    if (equals == std::string::npos || equals == 0)
      throw error("expected NAME=FROM:TO:STEP or NAME=A,B,..., such as --vary speed=1:3:0.1");
    name_ = split_at(given.substr(0, equals), '=').front();
    values_ = given.substr(equals + 1);
  }

  const std::string& name() const { return name_; }
  InputError error(const std::string& message) const { return {{"--vary " + given_, 0, 0}, message}; }

  VariedKnob read(const std::vector<Knob>& knobs) const {
    std::vector<std::string> known;
    for (const Knob& k : knobs) known.push_back(k.name);
    const auto knob =
        std::find_if(knobs.begin(), knobs.end(), [&](const Knob& k) { return k.name == name_; });
    if (knob == knobs.end())
      throw error(known.empty() ? "the scenario has no knobs"
                                : fmt::format("there is no knob \"{}\"{} (knobs: {})", name_,
                                              did_you_mean(name_, known), fmt::join(known, ", ")));
    if (!setting_of(set_, name_).empty()) throw error(fmt::format("\"{}\" is fixed by --set", name_));
    const std::vector<std::string> ends = split_at(values_, ':');
    VariedKnob out{*knob, {}, {"--vary " + given_, 0, 0}};
    if (ends.size() == 1)
      read_list(*knob, out.distribution);
    else
      read_grid(*knob, ends, out.distribution);
    return out;
  }

 private:
  // As the scenario reads it: in SI or the index of a choice, and refused where the knob does not take it.
  double value_of(const Knob& knob, const std::string& text) const {
    if (text.empty()) throw error("a value is empty");
    KnobSettings set = set_;
    set.emplace_back(knob.name, text);
    try {
      const Scenario s = load_scenario(scenario_, set);
      const auto now =
          std::find_if(s.knobs.begin(), s.knobs.end(), [&](const Knob& k) { return k.name == knob.name; });
      if (now->choices.empty()) return now->value;
      return static_cast<double>(std::find(now->choices.begin(), now->choices.end(), now->text)
                                 - now->choices.begin());
    } catch (const InputError& e) {
      if (e.place().file == fmt::format("--set {}={}", knob.name, text)) throw error(e.message());
      throw;
    }
  }

  void read_list(const Knob& knob, Distribution& d) const {
    d.kind = Distribution::Kind::list;
    for (const std::string& text : split_at(values_, ',')) d.list.push_back(value_of(knob, text));
  }

  void read_grid(const Knob& knob, const std::vector<std::string>& ends, Distribution& d) const {
    if (!knob.choices.empty()) throw error("is a text: give its values as NAME=A,B,...");
    if (ends.size() != 3) throw error("expected NAME=FROM:TO:STEP, such as --vary speed=1:3:0.1");
    d.kind = Distribution::Kind::grid;
    d.low = value_of(knob, ends[0]);
    d.high = value_of(knob, ends[1]);
    const double step = read_quantity(ends[2], si_unit_of(knob.unit), "--vary " + given_);
    const double steps = (d.high - d.low) / step;
    if (!(step != 0) || !std::isfinite(steps) || steps < 0)
      throw error(
          fmt::format("a step of \"{}\" does not lead from \"{}\" to \"{}\"", ends[2], ends[0], ends[1]));
    if (steps >= most_grid_values) throw error("has more than a million values");
    if (std::abs(steps - std::round(steps)) > 1e-6)
      throw error(
          fmt::format("{:.6g} steps of \"{}\" lie between \"{}\" and \"{}\"; it must be a whole number",
                      steps, ends[2], ends[0], ends[1]));
    d.count = static_cast<std::int64_t>(std::round(steps)) + 1;
    if (knob.integer && step != std::round(step))
      throw error("takes whole numbers only, and the step is none");
  }

  const std::string& given_;
  const std::string& scenario_;
  const KnobSettings& set_;
  std::string name_, values_;
};

std::vector<std::string> choose_outputs(const Scenario& s, const std::vector<std::string>& wanted) {
  std::vector<std::string> all;
  for (const ResultSpec& r : s.results) all.push_back(r.name);
  std::vector<std::string> known = all;
  for (const char* name : {"end.time", "end.reason", "energy.residual"}) known.emplace_back(name);
  for (const NamedObservable& o : s.observables) known.push_back(o.name);
  for (const std::string& name : wanted)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw InputError({"--outputs " + name, 0, 0},
                       fmt::format("scenario \"{}\" has no result or observable \"{}\"{}", s.name, name,
                                   did_you_mean(name, known)));
  if (wanted.empty() && all.empty())
    throw InputError(
        {}, fmt::format("scenario \"{}\" has no results of its own: name some with --outputs", s.name));
  return wanted.empty() ? all : wanted;
}

// What --svg draws: curves over one knob, maps over two, curves for each text of a knob that has texts.
std::vector<StudyPlot> choose_plots(const Study& s) {
  std::vector<StudyPlot> out;
  std::vector<std::string> numbers, texts;
  for (const VariedKnob& v : s.vary) (v.knob.choices.empty() ? numbers : texts).push_back(v.knob.name);
  if (numbers.empty() || s.vary.size() > 2) return out;
  for (const std::string& output : s.outputs) {
    if (output == "end.reason") continue;
    StudyPlot p;
    p.place = {"--svg", 0, 0};
    p.title = s.title;
    p.x = numbers[0];
    p.kind = numbers.size() == 2 ? StudyPlot::Kind::map : StudyPlot::Kind::curves;
    p.y = numbers.size() == 2 ? numbers[1] : output;
    if (numbers.size() == 2) p.z = output;
    if (!texts.empty()) p.by = texts[0];
    out.push_back(std::move(p));
  }
  return out;
}

}  // namespace

Study make_quick_study(const std::string& scenario, const std::vector<std::string>& vary,
                       const std::vector<std::string>& outputs, const KnobSettings& set) {
  const Scenario base = load_scenario(scenario, set);
  Study s;
  s.name = base.name + "_sweep";
  s.file = s.name;
  s.title = base.title;
  s.about = base.about;
  s.scenario = scenario;
  s.scenario_text = base.text;
  s.set = set;
  s.text = fmt::format("# thud sweep {}", scenario);  // tells one sweep from another when it is resumed
  for (const std::string& given : vary) {
    const VaryOption option(given, scenario, set);
    if (s.find_varied(option.name()))
      throw option.error(fmt::format("\"{}\" is varied twice", option.name()));
    s.vary.push_back(option.read(base.knobs));
    s.text += fmt::format(" --vary \"{}\"", given);
  }
  s.outputs = choose_outputs(base, outputs);
  for (const std::string& name : s.outputs) {
    if (s.find_varied(name)) throw InputError({"--outputs " + name, 0, 0}, "is a knob that is varied");
    s.text += fmt::format(" --outputs {}", name);
  }
  s.text += "\n";
  s.plots = choose_plots(s);
  return s;
}

}  // namespace thud
