#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <set>

#include "import/mjcf.hpp"
#include "thud/math/portable.hpp"

namespace thud::imports {

namespace {

using pugi::xml_node;

// Attributes of <compiler> that say how files are found, checked or shown, and nothing about the motion.
const std::set<std::string> harmless_settings = {"meshdir",    "texturedir",  "assetdir",      "strippath",
                                                 "usethread",  "fitaabb",     "discardvisual", "convexhull",
                                                 "fusestatic", "saveinertial"};

}  // namespace

MjcfSettings::MjcfSettings(const XmlFile& file, SpatialModel& out)
    : file_(file),
      angle_unit_(std::numbers::pi / 180) {
  for (const xml_node n : file.root().children("compiler")) read_compiler(n, out);
  for (const xml_node n : file.root().children("default")) add_defaults(n, "");
}

void MjcfSettings::read_compiler(xml_node n, SpatialModel& out) {
  for (const pugi::xml_attribute a : n.attributes()) {
    const std::string key = a.name();
    const Value v = *value(file_, n, a.name());
    const auto choice = [&](const std::vector<std::string>& words) {
      if (std::find(words.begin(), words.end(), v.text) == words.end())
        v.refuse(fmt::format("\"{}\" must be {}", v.text, one_of(words)));
      return v.text;
    };
    if (key == "angle")
      angle_unit_ = choice({"degree", "radian"}) == "radian" ? 1.0 : std::numbers::pi / 180;
    else if (key == "coordinate")
      global = choice({"local", "global"}) == "global";
    else if (key == "autolimits")
      auto_limits_ = v.yes();
    else if (key == "inertiafromgeom")
      inertia = choice({"auto", "true", "false"});
    else if (key == "settotalmass")
      total_mass = v.number();
    else if (key == "boundmass")
      least_mass = v.number();
    else if (key == "boundinertia")
      least_inertia = v.number();
    else if (key == "eulerseq") {
      euler_ = v.text;
      if (euler_.size() != 3 || euler_.find_first_not_of("xyzXYZ") != std::string::npos)
        v.refuse(fmt::format("\"{}\" must be three of the letters x, y, z, X, Y, Z", v.text));
    } else if (!harmless_settings.contains(key)) {
      out.note(file_.place(n, key), fmt::format("compiler: {} = \"{}\" is left out", key, v.text));
    }
  }
}

void MjcfSettings::add_defaults(xml_node n, const std::string& parent) {
  const bool top = parent.empty();
  const std::string name = n.attribute("class").as_string(top ? "main" : "");
  if (name.empty()) throw InputError(file_.place(n), "a default within another needs a class");
  classes_.insert({top ? "main" : name, {n, parent}});
  if (top && name != "main") classes_.insert({name, {n, parent}});
  for (const xml_node c : n.children("default")) add_defaults(c, top ? "main" : name);
}

std::optional<Value> MjcfSettings::get(xml_node node, const char* tag, const char* name,
                                       const std::string& child_class) const {
  if (auto own = value(file_, node, name)) return own;
  const bool own_class = node.attribute("class");
  std::string at = own_class ? node.attribute("class").value() : child_class.empty() ? "main" : child_class;
  if (!classes_.contains(at) && (own_class || !child_class.empty())) {
    std::vector<std::string> known;
    for (const auto& [key, c] : classes_) known.push_back(key);
    throw InputError(file_.place(node, "class"), fmt::format("{}: there is no default class \"{}\"{}",
                                                             call(node), at, did_you_mean(at, known)));
  }
  while (!at.empty()) {
    const auto [begin, end] = classes_.equal_range(at);
    std::string parent;
    for (auto c = begin; c != end; ++c) {
      parent = c->second.parent;
      for (const xml_node d : c->second.node.children(tag))
        if (auto v = value(file_, d, name)) return v;
    }
    at = parent;
  }
  return std::nullopt;
}

bool MjcfSettings::limited(xml_node node, const char* tag, const char* flag, const char* range,
                           const std::string& child_class) const {
  const auto v = get(node, tag, flag, child_class);
  if (v && v->text != "auto") return v->yes();
  return auto_limits_ && get(node, tag, range, child_class).has_value();
}

Mat3 MjcfSettings::turn(xml_node node, const char* tag, const std::string& c) const {
  if (const auto v = get(node, tag, "quat", c)) {
    const std::vector<double> q = v->numbers(4);
    const double size = portable::hypot(portable::hypot(q[0], q[1]), portable::hypot(q[2], q[3]));
    if (!(size > 1e-12)) v->refuse("is zero");
    return turn_of_quaternion(q[0] / size, q[1] / size, q[2] / size, q[3] / size);
  }
  if (const auto v = get(node, tag, "axisangle", c)) {
    const std::vector<double> x = v->numbers(4);
    const Vec3 axis(x[0], x[1], x[2]);
    if (!(axis.norm() > 1e-12)) v->refuse("its axis is no direction");
    return turn_about(axis / axis.norm(), angle(x[3]));
  }
  if (const auto v = get(node, tag, "euler", c)) {
    const std::vector<double> x = v->numbers(3);
    Mat3 out = Mat3::Identity();
    for (int k = 0; k < 3; ++k) {
      const char letter = euler_[k];
      const bool moving = letter >= 'a';  // about axes that turn along; capitals: about those that stay
      const Mat3 one = turn_about(Vec3::Unit((letter - (moving ? 'x' : 'X'))), angle(x[k]));
      out = moving ? Mat3(out * one) : Mat3(one * out);
    }
    return out;
  }
  if (const auto v = get(node, tag, "xyaxes", c)) {
    const std::vector<double> a = v->numbers(6);
    Vec3 x(a[0], a[1], a[2]), y(a[3], a[4], a[5]);
    if (x.norm() > 1e-12) x /= x.norm();
    y -= x.dot(y) * x;
    if (!(x.norm() > 0.5 && y.norm() > 1e-12)) v->refuse("are no two directions");
    y /= y.norm();
    Mat3 out;
    out.col(0) = x, out.col(1) = y;
    out.col(2) = cross(x, y);
    return out;
  }
  if (const auto v = get(node, tag, "zaxis", c)) return turn_to(v->direction());
  return Mat3::Identity();
}

Pose MjcfSettings::pose(xml_node node, const char* tag, const std::string& child_class) const {
  Pose out;
  if (const auto v = get(node, tag, "pos", child_class)) out.at = v->vector();
  out.turn = turn(node, tag, child_class);
  return out;
}

}  // namespace thud::imports
