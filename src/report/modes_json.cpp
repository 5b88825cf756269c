#include "base/json_format.hpp"
#include "report/json_parts.hpp"
#include "thud/report/modes.hpp"

namespace thud {

using namespace json_parts;

namespace {

Json mode_json(const Tree& tree, const NaturalMode& m) {
  Json shape = Json::object(), kinetic = Json::object(), strain = Json::object();
  for (int i = 0; i < tree.dof_count(); ++i) shape[tree.dof_name(i)] = number(m.shape[i]);
  for (int i = 0; i < tree.body_count(); ++i) {
    const std::string& name = tree.body(i).name;
    kinetic[name] = {{"translation", number(m.kinetic[i].translation)},
                     {"rotation", number(m.kinetic[i].rotation)},
                     {"bending", number(m.kinetic[i].bending)}};
    if (tree.body(i).beam) strain[name] = number(m.strain[i]);
  }
  return {{"motion", motion_name(m.motion)},
          {"kind", mode_kind(tree, m)},
          {"frequency", number(m.frequency())},
          {"omega", number(m.omega())},
          {"natural_frequency", number(m.natural_frequency())},
          {"growth", number(m.growth())},
          {"damping_ratio", number(m.damping_ratio())},
          {"dominant", tree.dof_name(m.dominant)},
          {"shape", shape},
          {"kinetic", kinetic},
          {"strain", strain}};
}

}  // namespace

std::string make_modes_json(const Scenario& s, const ModalAnalysis& a, const ModesReportOptions& options) {
  const Tree& tree = s.system->tree();
  Json pose = Json::object(), force = Json::object(), modes = Json::array();
  for (int i = 0; i < tree.dof_count(); ++i) {
    pose[tree.dof_name(i)] = number(a.q[static_cast<std::size_t>(i)]);
    force[tree.dof_name(i)] = number(a.at.force[i]);
  }
  for (std::size_t k = 0; k < a.modes.size() && k < static_cast<std::size_t>(options.count); ++k)
    modes.push_back(mode_json(tree, a.modes[k]));
  Json out;
  out["thud"] = THUD_VERSION;
  out["format"] = json_format;
  out["scenario"] = scenario_json(s);
  out["pose"] = {{"at", options.at_equilibrium ? "equilibrium" : "initial"},
                 {"coordinates", pose},
                 {"is_equilibrium", a.at.is_equilibrium},
                 {"force", force},
                 {"falls", a.at.falls}};
  out["left_out"] = list_left_out(*s.system);
  out["stable"] = a.count(Motion::growing) == 0;
  out["mode_count"] = a.modes.size();
  out["modes"] = modes;
  return text_of(out);
}

}  // namespace thud
