#include "thud/scenario/observable_hint.hpp"

#include <fmt/format.h>

namespace thud {

std::string observable_hint(const Scenario& s, const std::string& name) {
  std::vector<std::string> known;
  for (const NamedObservable& o : s.observables) known.push_back(o.name);
  for (const NamedObservable& rule : list_impact_results(s)) {
    const std::string impulse = rule.name.substr(0, rule.name.find(' '));
    if (name == impulse)
      return fmt::format(
          ": there is an impulse at impacts only, and no curve of it; write a result \"{} at impact 1\" or "
          "\"max {}\"",
          name, name.substr(0, name.rfind("impulse") + 7));
    if (impulse != "max") known.push_back(impulse);
  }
  return did_you_mean(name, known);
}

std::vector<NamedObservable> list_impact_results(const Scenario& s) {
  std::vector<NamedObservable> out;
  if (s.system->contacts().empty()) return out;
  const Tree& tree = s.system->tree();
  for (int i = 0; i < tree.body_count(); ++i) {
    const std::string& body = tree.body(i).name;
    if (tree.body(i).free) continue;
    for (const char* part : {"", ".x", ".z"})
      out.push_back({body + ".joint.impulse" + part + " at impact N",
                     {},
                     "N s",
                     fmt::format("on {} by the joint that carries it", body)});
    out.push_back({"max " + body + ".joint.impulse", {}, "N s", "the largest of all impacts"});
  }
  return out;
}

}  // namespace thud
