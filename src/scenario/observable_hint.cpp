#include "thud/scenario/observable_hint.hpp"

#include <fmt/format.h>

namespace thud {

std::string observable_hint(const Scenario& s, const std::string& name) {
  const std::size_t at = name.find(".joint.impulse");
  if (at != std::string::npos)
    for (const NamedObservable& rule : list_impact_results(s))
      if (rule.name.starts_with(name.substr(0, at) + ".joint.impulse"))
        return fmt::format(
            ": there is an impulse at impacts only, and no curve of it; write a result \"{} at impact 1\" or "
            "\"max {}.joint.impulse\"",
            name, name.substr(0, at));
  std::vector<std::string> known;
  for (const NamedObservable& o : s.observables) known.push_back(o.name);
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
