#include "thud/study/quick_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "thud/scenario/knob_range.hpp"

namespace thud {

namespace {

// One --vary as studies have it.
VariedKnob varied_knob(const VariedValues& values, const std::string& given) {
  VariedKnob out{values.knob(), {}, {"--vary " + given, 0, 0}};
  Distribution& d = out.distribution;
  if (values.is_range()) {
    const KnobRange range = values.range();
    d.kind = Distribution::Kind::grid;
    d.low = range.low, d.high = range.high, d.count = range.count;
    return out;
  }
  d.kind = Distribution::Kind::list;
  for (const std::string& text : values.list()) d.list.push_back(values.value_of(text));
  return out;
}

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
    const VariedValues values(given, scenario, base.knobs, set);
    if (s.find_varied(values.knob().name))
      throw values.error(fmt::format("\"{}\" is varied twice", values.knob().name));
    s.vary.push_back(varied_knob(values, given));
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
