#include "thud/scenario/knob_range.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "thud/scenario/quantity.hpp"

namespace thud {

namespace {

constexpr double most_values = 1e6;

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

}  // namespace

VariedValues::VariedValues(const std::string& given, const std::string& scenario,
                           const std::vector<Knob>& knobs, const KnobSettings& set)
    : given_(given),
      scenario_(scenario),
      set_(set) {
  const auto equals = given.find('=');
  if (equals == std::string::npos || equals == 0)
    throw error("expected NAME=FROM:TO:STEP or NAME=A,B,..., such as --vary speed=1:3:0.5");
  const std::string name = split_at(given.substr(0, equals), '=').front();
  values_ = given.substr(equals + 1);
  std::vector<std::string> known;
  for (const Knob& k : knobs) {
    known.push_back(k.name);
    if (k.name == name) knob_ = &k;
  }
  if (!knob_)
    throw error(known.empty() ? "the scenario has no knobs"
                              : fmt::format("there is no knob \"{}\"{} (knobs: {})", name,
                                            did_you_mean(name, known), fmt::join(known, ", ")));
  for (const auto& [other, value] : set)
    if (other == name) throw error(fmt::format("\"{}\" is fixed by --set", name));
}

double VariedValues::value_of(const std::string& text) const {
  if (text.empty()) throw error("a value is empty");
  KnobSettings set = set_;
  set.emplace_back(knob_->name, text);
  try {
    const Scenario s = load_scenario(scenario_, set);
    const auto now =
        std::find_if(s.knobs.begin(), s.knobs.end(), [&](const Knob& k) { return k.name == knob_->name; });
    if (now->choices.empty()) return now->value;
    return static_cast<double>(std::find(now->choices.begin(), now->choices.end(), now->text)
                               - now->choices.begin());
  } catch (const InputError& e) {
    if (e.place().file == fmt::format("--set {}={}", knob_->name, text)) throw error(e.message());
    throw;
  }
}

std::vector<std::string> VariedValues::list() const {
  std::vector<std::string> out = split_at(values_, ',');
  for (const std::string& text : out)
    if (text.empty()) throw error("a value is empty");
  return out;
}

KnobRange VariedValues::range() const {
  if (!knob_->choices.empty()) throw error("is a text: give its values as NAME=A,B,...");
  const std::vector<std::string> ends = split_at(values_, ':');
  if (ends.size() != 3) throw error("expected NAME=FROM:TO:STEP, such as --vary speed=1:3:0.5");
  KnobRange out{value_of(ends[0]), value_of(ends[1])};
  const double step = read_quantity(ends[2], si_unit_of(knob_->unit), "--vary " + given_);
  const double steps = (out.high - out.low) / step;
  if (!(step != 0) || !std::isfinite(steps) || steps < 0)
    throw error(
        fmt::format("a step of \"{}\" does not lead from \"{}\" to \"{}\"", ends[2], ends[0], ends[1]));
  if (steps >= most_values) throw error("has more than a million values");
  if (std::abs(steps - std::round(steps)) > 1e-6)
    throw error(fmt::format("{:.6g} steps of \"{}\" lie between \"{}\" and \"{}\"; it must be a whole number",
                            steps, ends[2], ends[0], ends[1]));
  out.count = static_cast<std::int64_t>(std::round(steps)) + 1;
  if (knob_->integer && step != std::round(step))
    throw error("takes whole numbers only, and the step is none");
  return out;
}

}  // namespace thud
