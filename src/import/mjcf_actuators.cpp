#include <fmt/format.h>

#include <set>

#include "import/mjcf.hpp"

namespace thud::imports {

namespace {

using pugi::xml_node;

class Actuators {
 public:
  Actuators(const XmlFile& file, const MjcfSettings& settings, SpatialModel& out)
      : file_(file),
        settings_(settings),
        out_(out) {}

  // force = gear · (gain · control + b0 + b1 · gear · q + b2 · gear · q̇): a drive, a spring and a damper.
  void read(xml_node n) {
    const std::string tag = n.name();
    if (tag != "motor" && tag != "position" && tag != "velocity" && tag != "general") {
      leave_out(n, "this kind of actuator");
      return;
    }
    const auto name = get(n, "joint") ? get(n, "joint") : get(n, "jointinparent");
    if (!name) {
      leave_out(n, "an actuator that is not of a joint");
      return;
    }
    if (const auto dynamics = get(n, "dyntype"); dynamics && dynamics->text != "none") {
      leave_out(n, "an actuator with dynamics of its own");
      return;
    }
    double gain = 1;
    std::vector<double> bias(3, 0.0);
    if (!read_law(n, tag, gain, bias)) return;
    for (const char* key : {"forcerange", "timeconst", "dampratio", "inheritrange", "lengthrange", "delay"})
      if (get(n, key)) out_.note(file_.place(n, key), fmt::format("{}: {} is left out", call(n), key));
    add(n, *name, gain, bias);
  }

 private:
  std::optional<Value> get(xml_node n, const char* key) const {
    if (auto v = settings_.get(n, n.name(), key, "")) return v;
    return settings_.get(n, "general", key, "");
  }
  double number_or(xml_node n, const char* key, double fallback) const {
    const auto v = get(n, key);
    return v && !v->numbers().empty() ? v->numbers().front() : fallback;
  }
  void leave_out(xml_node n, const std::string& why) const {
    out_.note(file_.place(n), fmt::format("{}: {} cannot be written here: left out", call(n), why));
  }

  bool read_law(xml_node n, const std::string& tag, double& gain, std::vector<double>& bias) const {
    if (tag == "position") {
      gain = number_or(n, "kp", 1);
      bias = {0, -gain, -number_or(n, "kv", 0)};
    } else if (tag == "velocity") {
      gain = number_or(n, "kv", 1);
      bias = {0, 0, -gain};
    } else if (tag == "general") {
      const auto gaintype = get(n, "gaintype"), biastype = get(n, "biastype");
      if ((gaintype && gaintype->text != "fixed")
          || (biastype && biastype->text != "none" && biastype->text != "affine")) {
        leave_out(n, "its law");
        return false;
      }
      gain = number_or(n, "gainprm", 1);
      if (const auto v = get(n, "biasprm"); v && biastype && biastype->text == "affine") bias = v->numbers();
      bias.resize(3);
    }
    if (bias[1] <= 0 && bias[2] <= 0) return true;
    leave_out(n, "a spring or damper of negative stiffness");
    return false;
  }

  void add(xml_node n, const Value& name, double gain, const std::vector<double>& bias) {
    Joint& j = joint_named(name, out_);
    const double gear = number_or(n, "gear", 1);
    Drive d;
    d.name = n.attribute("name").as_string(j.name.c_str());
    d.gain = gear * gain;
    d.constant = gear * bias[0];
    d.place = file_.place(n);
    if (settings_.limited(n, n.name(), "ctrllimited", "ctrlrange", "")) {
      const auto range = get(n, "ctrlrange");
      if (!range)
        throw InputError(file_.place(n), fmt::format("{} is limited and has no ctrlrange", call(n)));
      const std::vector<double> x = range->numbers(2);
      if (!(x[0] <= x[1]))
        range->refuse(fmt::format("\"{}\" must be two numbers, the smaller first", range->text));
      d.lower = x[0], d.upper = x[1];
    }
    if (bias[1] < 0) j.springs.push_back({-gear * gear * bias[1], 0});
    j.damping -= gear * gear * bias[2];
    j.drives.push_back(std::move(d));
  }

  const XmlFile& file_;
  const MjcfSettings& settings_;
  SpatialModel& out_;
};

}  // namespace

Joint& joint_named(const Value& name, SpatialModel& model) {
  std::vector<std::string> known;
  for (Link& l : model.links)
    for (Joint& j : l.joints) {
      if (j.name == name.text) return j;
      known.push_back(j.name);
    }
  name.refuse(fmt::format("there is no joint \"{}\"{}", name.text, did_you_mean(name.text, known)));
}

void read_actuators(const XmlFile& file, const MjcfSettings& settings, SpatialModel& out) {
  Actuators all(file, settings, out);
  for (const xml_node a : file.root().children("actuator"))
    for (const xml_node n : a.children())
      if (n.type() == pugi::node_element) all.read(n);
}

}  // namespace thud::imports
