#pragma once
// What the tests over whole tables have in common.

#include <tbb/parallel_for.h>

#include <string>
#include <vector>

#include "thud/study/reproduce.hpp"

namespace thud::test {

/// A scenario with its settings.
struct Case {
  std::string scenario;
  KnobSettings set;
  std::string name;
};

inline std::string name_of(const std::string& head, const KnobSettings& set) {
  std::string name = head;
  for (const auto& [knob, value] : set) name += " " + knob + "=" + value;
  return name;
}

/// Every row of every reference table; how tightly to integrate is the matter of the tests.
inline std::vector<Case> every_row() {
  std::vector<Case> cases;
  for (const ReferenceTable& t : load_reference())
    for (const ReferenceRow& r : t.rows) {
      cases.push_back({t.scenario, r.set, name_of(t.id, r.set)});
      std::erase_if(cases.back().set, [](const auto& setting) { return setting.first == "tolerance"; });
    }
  return cases;
}

/// The same with some damping where there is none: an undamped beam that the sand holds rings for ever.
inline std::vector<Case> every_row_damped() {
  std::vector<Case> cases = every_row();
  for (Case& c : cases)
    for (auto& [knob, value] : c.set)
      if (knob == "damping" && value == "0") value = "0.05";
  return cases;
}

/// Every scenario of the library as it stands.
inline std::vector<Case> every_scenario() {
  std::vector<Case> cases;
  for (const LibraryEntry& e : list_library()) cases.push_back({e.name, {}, e.name});
  return cases;
}

/// What `check` has to say about each case ("": nothing), on all processors, in the order of the cases.
template <class Check>
std::vector<std::string> complaints(const std::vector<Case>& cases, const Check& check) {
  std::vector<std::string> said(cases.size());
  tbb::parallel_for(std::size_t{0}, cases.size(), [&](std::size_t i) { said[i] = check(cases[i]); });
  std::vector<std::string> out;
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (!said[i].empty()) out.push_back(cases[i].name + ": " + said[i]);
  return out;
}

}  // namespace thud::test
