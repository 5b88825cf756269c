#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <map>

#include "import/formats.hpp"

namespace thud::imports {

namespace {

using pugi::xml_node;

// Roll, pitch and yaw about fixed axes.
Pose read_origin(const XmlFile& file, xml_node of) {
  Pose out;
  const xml_node o = of.child("origin");
  if (const auto xyz = value(file, o, "xyz")) out.at = xyz->vector();
  if (const auto rpy = value(file, o, "rpy")) {
    const Vec3 a = rpy->vector();
    out.turn = turn_about(Vec3::UnitZ(), a.z()) * turn_about(Vec3::UnitY(), a.y())
             * turn_about(Vec3::UnitX(), a.x());
  }
  return out;
}

double positive(const Value& v) {
  const double x = v.number();
  if (!(x > 0)) v.refuse(fmt::format("\"{}\" must be greater than 0", v.text));
  return x;
}

double non_negative(const Value& v) {
  const double x = v.number();
  if (x < 0) v.refuse(fmt::format("\"{}\" must not be negative", v.text));
  return x;
}

// None where it is infinite.
std::optional<double> finite_or_none(const Value& v) {
  std::string word;
  for (const char c : v.text)
    if (!std::isspace(static_cast<unsigned char>(c)))
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (word == "inf" || word == "+inf" || word == "-inf" || word == "infinity" || word == "-infinity")
    return std::nullopt;
  return v.number();
}

class UrdfReader {
 public:
  UrdfReader(const XmlFile& file, const ImportOptions& options) : file_(file), options_(options) {}

  SpatialModel read() {
    const xml_node robot = file_.root();
    out_.format = "URDF";
    out_.name = robot.attribute("name").as_string("model");
    for (const xml_node n : robot.children()) sort_in(n);
    if (links_.empty()) throw InputError(file_.place(robot), "the robot has no links");
    connect();
    add_tree();
    for (const xml_node j : joints_)
      if (j.child("mimic")) add_mimic(j);
    for (const xml_node l : loops_) add_loop(l);
    return std::move(out_);
  }

 private:
  void sort_in(xml_node n) {
    const std::string tag = n.name();
    if (n.type() != pugi::node_element || tag == "material") return;
    if (tag.starts_with("xacro:"))
      throw InputError(file_.place(n),
                       fmt::format("<{}>: this is a xacro file; make a URDF file of it first: "
                                   "xacro FILE > model.urdf",
                                   tag));
    if (tag == "link") {
      const Value name = needed(file_, n, "name");
      if (!links_.emplace(name.text, n).second) name.refuse("there are two links of this name");
    } else if (tag == "joint") {
      needed(file_, n, "name");
      joints_.push_back(n);
    } else if (tag == "loop_joint") {
      loops_.push_back(n);
    } else {
      const bool word = tag == "transmission" || tag == "gazebo" || tag == "sensor" || tag == "ros2_control";
      out_.note(file_.place(n),
                fmt::format("{}: {}", call(n),
                            word ? "is not for the motion: left out" : "is not known here: left out"));
    }
  }

  xml_node link_of(xml_node joint, const char* role) const {
    const Value name =
        needed(file_, joint.child(role) ? joint.child(role) : joint, joint.child(role) ? "link" : role);
    const auto found = links_.find(name.text);
    if (found != links_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [key, node] : links_) known.push_back(key);
    throw InputError(file_.place(name.node, "link"), fmt::format("{}: there is no link \"{}\"{}", call(joint),
                                                                 name.text, did_you_mean(name.text, known)));
  }

  void connect() {
    std::map<std::string, xml_node> names;
    for (const xml_node j : joints_) {
      if (!names.emplace(j.attribute("name").value(), j).second)
        throw InputError(file_.place(j, "name"),
                         fmt::format("there are two joints \"{}\"", j.attribute("name").value()));
      const xml_node child = link_of(j, "child");
      const std::string name = child.attribute("name").value();
      if (const auto had = carried_by_.find(name); had != carried_by_.end())
        throw InputError(file_.place(j),
                         fmt::format("link \"{}\" is carried by {} already (line {}): a URDF model is "
                                     "a tree",
                                     name, call(had->second), file_.place(had->second).line));
      carried_by_[name] = j;
      // The world need not be listed.
      const bool on_world = std::string("world") == j.child("parent").attribute("link").value();
      children_[on_world ? "world" : link_of(j, "parent").attribute("name").value()].push_back(j);
    }
  }

  void add_tree() {
    std::vector<xml_node> roots;
    for (const xml_node n : file_.root().children("link"))
      if (!carried_by_.contains(n.attribute("name").value())) roots.push_back(n);
    const bool implied = children_.contains("world") && !links_.contains("world");
    if (roots.empty() && !implied)
      throw InputError(file_.place(joints_.front()), "the joints form a cycle: there is no root link");
    if (!roots.empty() && implied)
      throw InputError(
          file_.place(roots[0]),
          fmt::format("{} is carried by no joint, others by the world: a URDF model has one root",
                      call(roots[0])));
    if (roots.size() > 1)
      throw InputError(file_.place(roots[1]),
                       fmt::format("{} and {} are both carried by no joint: a URDF model has one "
                                   "root",
                                   call(roots[0]), call(roots[1])));
    // From the root on; a list instead of recursion, for chains of any length.
    struct Task {
      xml_node link, joint;
      int parent;
      Pose pose;
    };
    std::vector<Task> tasks;
    if (!implied) tasks.push_back({roots[0], {}, -1, {}});
    if (implied)
      for (const xml_node j : children_["world"])
        tasks.push_back({link_of(j, "child"), j, -1, read_origin(file_, j)});
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      const Task t = tasks[k];
      const int index = add_link(t.link, t.joint, t.parent, t.pose);
      for (const xml_node j : children_[t.link.attribute("name").value()])
        tasks.push_back({link_of(j, "child"), j, index, t.pose * read_origin(file_, j)});
    }
    if (tasks.size() != links_.size())
      for (const auto& [name, node] : links_)
        if (std::none_of(tasks.begin(), tasks.end(),
                         [&link = node](const Task& t) { return t.link == link; }))
          throw InputError(file_.place(node), fmt::format("{} hangs in a cycle of joints", call(node)));
  }

  int add_link(xml_node n, xml_node joint, int parent, const Pose& pose) {
    Link l;
    l.name = n.attribute("name").value();
    l.parent = parent;
    l.origin = pose.at;
    l.place = file_.place(n);
    poses_[l.name] = pose;
    if (const xml_node i = n.child("inertial")) l.mass = read_mass(i, pose);
    int number = 0;
    for (const xml_node c : n.children("collision")) add_solid(c, l, pose, ++number);
    if (joint)
      add_joint(joint, l, pose);
    else
      l.floats = root_floats(l);
    out_.links.push_back(std::move(l));
    return static_cast<int>(out_.links.size()) - 1;
  }

  bool root_floats(const Link& root) {
    if (options_.base != "auto") return options_.base == "free";
    const bool ground = root.name == "world" || root.mass.mass == 0;
    out_.note(
        root.place,
        ground ? fmt::format("root link \"{}\" is the ground, as it {}; --base free lets it move", root.name,
                             root.name == "world" ? "is called so" : "has no mass")
               : fmt::format("root link \"{}\" is a free body; --base fixed makes it the ground", root.name));
    return !ground;
  }

  Mass read_mass(xml_node n, const Pose& link) {
    Mass m;
    const Pose pose = link * read_origin(file_, n);
    m.center = pose.at;
    const xml_node mass = n.child("mass"), i = n.child("inertia");
    if (!mass) throw InputError(file_.place(n), "inertial has no mass");
    const Value kg = needed(file_, mass, "value");
    m.mass = non_negative(kg);
    const auto get = [&](const char* key) {
      const auto v = value(file_, i, key);
      return v ? v->number() : 0.0;
    };
    const double xx = get("ixx"), xy = get("ixy"), xz = get("ixz"), yy = get("iyy"), yz = get("iyz"),
                 zz = get("izz");
    Mat3 own;
    own << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    for (int k = 0; k < 3; ++k)
      if (own(k, k) < 0) throw InputError(file_.place(i), "a moment of inertia is negative");
    m.inertia = pose.turn * own * pose.turn.transpose();
    return m;
  }

  void add_solid(xml_node n, Link& l, const Pose& link, int number) {
    const Pose pose = link * read_origin(file_, n);
    const xml_node g = n.child("geometry");
    Solid s;
    s.name = n.attribute("name") ? n.attribute("name").value() : fmt::format("{}_solid{}", l.name, number);
    s.pose = pose;
    s.place = file_.place(n);
    for (const xml_node f : g.children()) {
      const std::string tag = f.name();
      const char* plain = std::strrchr(f.name(), ':') ? std::strrchr(f.name(), ':') + 1 : f.name();
      if (tag == "sphere") {
        s.form = Form::sphere;
        s.size.x() = non_negative(needed(file_, f, "radius"));  // 0: a point
      } else if (tag == "cylinder" || std::strcmp(plain, "capsule") == 0) {
        s.form = tag == "cylinder" ? Form::cylinder : Form::capsule;
        s.size = {positive(needed(file_, f, "radius")), positive(needed(file_, f, "length")) / 2, 0};
      } else if (tag == "box") {
        s.form = Form::box;
        s.size = needed(file_, f, "size").vector() / 2;
        if (!(s.size.minCoeff() > 0))
          throw InputError(file_.place(f), "the sides of a box must be greater than 0");
      } else if (tag == "plane") {
        const auto normal = value(file_, f, "normal");
        out_.floors.push_back({l.name,
                               pose.at,
                               pose.turn * (normal ? normal->direction() : Vec3(Vec3::UnitZ())),
                               {},
                               file_.place(f)});
        if (l.parent >= 0) throw InputError(file_.place(f), "a plane must belong to the root link");
        return;
      } else {
        out_.note(file_.place(f),
                  fmt::format("collision of link \"{}\": a {} cannot touch here: left out", l.name, tag));
        return;
      }
      l.solids.push_back(s);
      return;
    }
    out_.note(file_.place(n), fmt::format("collision of link \"{}\" has no geometry: left out", l.name));
  }

  void add_joint(xml_node n, Link& l, const Pose& pose) {
    const Value type = needed(file_, n, "type");
    if (type.text == "fixed") return;
    if (type.text == "floating" || type.text == "planar") {
      if (type.text == "planar")
        out_.note(file_.place(n), fmt::format("{}: a planar joint makes a free body", call(n)));
      l.floats = true;
      l.parent = -1;
      return;
    }
    const bool slides = type.text == "prismatic";
    if (!slides && type.text != "revolute" && type.text != "continuous")
      type.refuse(fmt::format(
          "\"{}\" is not a type of joint{}; the types are revolute, continuous, prismatic, fixed, "
          "floating or planar",
          type.text,
          did_you_mean(type.text, {"revolute", "continuous", "prismatic", "fixed", "floating", "planar"})));
    Joint j;
    j.name = n.attribute("name").value();
    j.motion = slides ? Motion::slide : Motion::hinge;
    j.place = file_.place(n);
    j.anchor = pose.at;
    const auto axis = value(file_, n.child("axis"), "xyz");
    j.axis = pose.turn * (axis ? axis->direction() : Vec3(Vec3::UnitX()));
    if (const xml_node d = n.child("dynamics")) {
      if (const auto v = value(file_, d, "damping")) j.damping = non_negative(*v);
      if (const auto v = value(file_, d, "friction")) j.friction = non_negative(*v);
    }
    read_limit(n, j, type.text == "continuous");
    for (const char* other : {"calibration", "safety_controller"})
      if (const xml_node o = n.child(other))
        out_.note(file_.place(o), fmt::format("{} of {}: is not for the motion: left out", other, call(n)));
    l.joints.push_back(std::move(j));
  }

  void read_limit(xml_node n, Joint& j, bool endless) {
    const xml_node limit = n.child("limit");
    if (!endless) {
      const auto lower = value(file_, limit, "lower"), upper = value(file_, limit, "upper");
      // Both are 0 where they are not given; such a joint would not move, and is not what is meant.
      if (lower || upper) {
        j.lower = lower ? finite_or_none(*lower) : 0;
        j.upper = upper ? finite_or_none(*upper) : 0;
        if (j.lower && j.upper && *j.lower > *j.upper)
          throw InputError(file_.place(limit),
                           fmt::format("the limits of {} are the wrong way round: lower {} is above "
                                       "upper {}",
                                       call(n), *j.lower, *j.upper));
      } else if (limit) {
        out_.note(file_.place(limit),
                  fmt::format("{}: its limit has neither lower nor upper: it moves freely", call(n)));
      }
    }
    if (const auto effort = value(file_, limit, "effort")) {
      const auto most = finite_or_none(*effort);
      Drive d{j.name, 1, 0, {}, {}, file_.place(limit, "effort")};
      if (most) d.lower = -*most, d.upper = *most;
      if (!most || *most > 0) j.drives.push_back(std::move(d));
    }
    if (const auto speed = value(file_, limit, "velocity"); speed && finite_or_none(*speed).value_or(0) > 0)
      out_.note(
          file_.place(limit, "velocity"),
          fmt::format("{}: there is no limit of speed here: velocity {} is left out", call(n), speed->text));
  }

  // As some simulators write it: two links that share a hinge.
  void add_loop(xml_node n) {
    std::array<int, 2> links{-1, -1};
    std::array<Vec3, 2> points;
    for (int k = 0; k < 2; ++k) {
      const char* role = k == 0 ? "link1" : "link2";
      const std::string name = link_of(n, role).attribute("name").value();
      for (std::size_t i = 0; i < out_.links.size(); ++i)
        if (out_.links[i].name == name) links[k] = static_cast<int>(i);
      points[k] = poses_.at(name) * read_origin(file_, n.child(role)).at;
    }
    const double apart = (points[0] - points[1]).norm();
    if (apart > 1e-6)
      out_.note(file_.place(n), fmt::format("{}: its ends are {} m apart in the pose of the model: left out",
                                            call(n), apart));
    else
      out_.pins.push_back(
          {n.attribute("name").as_string("loop"), links[0], links[1], points[0], file_.place(n)});
  }

  void add_mimic(xml_node n) {
    const xml_node m = n.child("mimic");
    const auto get = [&](const char* key, double fallback) {
      const auto v = value(file_, m, key);
      return v ? v->number() : fallback;
    };
    GearLoop g;
    g.name = std::string(n.attribute("name").value()) + "_mimic";
    g.a = n.attribute("name").value();
    g.b = needed(file_, m, "joint").text;
    g.ratio = get("multiplier", 1);
    g.offset = get("offset", 0);
    g.place = file_.place(m);
    std::vector<std::string> known;
    for (const xml_node j : joints_) known.emplace_back(j.attribute("name").value());
    if (std::find(known.begin(), known.end(), g.b) == known.end())
      throw InputError(file_.place(m, "joint"), fmt::format("{}: there is no joint \"{}\" to mimic{}",
                                                            call(n), g.b, did_you_mean(g.b, known)));
    if (g.a == g.b) throw InputError(file_.place(m, "joint"), fmt::format("{} mimics itself", call(n)));
    out_.gears.push_back(std::move(g));
  }

  const XmlFile& file_;
  const ImportOptions& options_;
  SpatialModel out_;
  std::map<std::string, xml_node> links_, carried_by_;
  std::map<std::string, std::vector<xml_node>> children_;
  std::map<std::string, Pose> poses_;
  std::vector<xml_node> joints_, loops_;
};

}  // namespace

SpatialModel read_urdf(const XmlFile& file, const ImportOptions& options) {
  return UrdfReader(file, options).read();
}

}  // namespace thud::imports
