#include "still.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "thud/base/format.hpp"
#include "thud/report/summary.hpp"
#include "thud/scenario/knob_range.hpp"
#include "thud/store/file.hpp"

namespace thud::cli {

namespace {

constexpr std::int64_t most_runs = 12;
constexpr std::size_t most_panels = 8;

// As --set takes them.
std::vector<std::string> settings_of(const VariedValues& values) {
  std::vector<std::string> out;
  const auto check = [&](std::int64_t count) {
    if (count > most_runs)
      throw values.error(fmt::format("{} values; a figure has room for {}", count, most_runs));
  };
  if (values.is_range()) {
    const KnobRange range = values.range();
    check(range.count);
    for (std::int64_t k = 0; k < range.count; ++k) out.push_back(fmt::format("{}", range.at(k)));
    return out;
  }
  out = values.list();
  check(static_cast<std::int64_t>(out.size()));
  return out;
}

bool has_setting(const KnobSettings& set, const std::string& name) {
  return std::any_of(set.begin(), set.end(), [&](const auto& s) { return s.first == name; });
}

}  // namespace

std::vector<Variant> read_variants(const std::vector<std::string>& given, const std::string& file,
                                   const Scenario& scenario, const KnobSettings& fixed) {
  std::vector<Variant> out;
  for (const std::string& text : given) {
    const VariedValues values(text, file, scenario.knobs, fixed);
    const std::string& name = values.knob().name;
    const std::vector<std::string> settings = settings_of(values);
    if (!out.empty() && has_setting(out.front().set, name))
      throw values.error(fmt::format("\"{}\" is varied twice", name));
    if (out.empty()) out.resize(settings.size());
    if (settings.size() != out.size())
      throw values.error(fmt::format("{} values where another --vary has {}: they go along with each other",
                                     settings.size(), out.size()));
    for (std::size_t k = 0; k < settings.size(); ++k) out[k].set.emplace_back(name, settings[k]);
  }
  return out;
}

Scenario load_variant(const std::string& file, const KnobSettings& fixed, const Variant& variant) {
  KnobSettings set = fixed;
  set.insert(set.end(), variant.set.begin(), variant.set.end());
  try {
    return load_scenario(file, set);
  } catch (const InputError& e) {
    for (const auto& [name, value] : variant.set)
      if (e.place().file == fmt::format("--set {}={}", name, value))
        throw InputError({fmt::format("--vary {}={}", name, value), 0, 0}, e.message());
    throw;
  }
}

void check_still_file(const std::string& file) {
  try {
    const AtomicFile probe(file);
  } catch (const OutputError& e) {
    throw InputError({"--svg " + file, 0, 0}, e.what());
  }
}

void check_still_plots(const std::vector<NamedObservable>& plots, bool are_given) {
  if (plots.size() > most_panels)
    throw InputError({are_given ? "--plot" : "--svg", 0, 0},
                     fmt::format("{} observables; a figure has room for {}{}", plots.size(), most_panels,
                                 are_given ? "" : ": choose some with --plot"));
}

std::string make_family_table(const std::vector<Scenario>& scenarios, const std::vector<RunResult>& results,
                              const std::vector<std::string>& varied, const TextStyle& style) {
  std::vector<std::vector<std::string>> rows(1);
  rows[0] = varied;
  for (const ResultSpec& r : scenarios.front().results) rows[0].push_back(r.name);
  rows[0].emplace_back("end");
  for (std::size_t k = 0; k < results.size(); ++k) {
    std::vector<std::string>& row = rows.emplace_back();
    for (const std::string& name : varied) row.push_back(name_by_knobs(scenarios[k], {name}));
    for (const ResultSpec& r : scenarios.front().results) {
      const ResultValue* v = results[k].find(r.name);
      row.push_back(v && v->value ? show_quantity(*v->value, v->unit, style) : "-");
    }
    row.push_back(results[k].reached ? show_quantity(results[k].outcome.time, "s", style)
                                     : results[k].reason);
  }
  std::string out = style.paint("bold", scenarios.front().title) + "\n";
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      std::size_t wide = 0;
      for (const auto& other : rows)
        if (c + 1 < other.size()) wide = std::max(wide, text_width(other[c]));
      line += "  " + (c + 1 < row.size() ? pad_right(row[c], wide) : row[c]);
    }
    out += &row == &rows.front() ? style.paint("dim", line) + "\n" : line + "\n";
  }
  return out;
}

}  // namespace thud::cli
