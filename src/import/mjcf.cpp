#include "import/mjcf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace thud::imports {

namespace {

using pugi::xml_node;

struct Frame {
  int link;  // −1: the ground
  Pose pose;
  std::string child_class;
};

class MjcfReader {
 public:
  explicit MjcfReader(const XmlFile& file) : file_(file), settings_(file, out_) {}

  SpatialModel read() {
    const xml_node root = file_.root();
    out_.format = "MJCF";
    out_.name = root.attribute("model").as_string("model");
    refuse_includes(root);
    for (const xml_node n : root.children()) read_section(n);
    if (out_.links.empty()) throw InputError(file_.place(root), "the model has no bodies");
    set_total_mass();
    read_actuators(file_, settings_, out_);
    read_equalities(file_, settings_, marks_, out_);
    for (const auto& [what, where] : left_out_)
      out_.note(where.second, fmt::format("{}: nothing for the motion here: left out{}", what,
                                          where.first > 1 ? fmt::format(" ({} of them)", where.first) : ""));
    return std::move(out_);
  }

 private:
  std::optional<Value> get(xml_node n, const char* tag, const char* key, const Frame& f) const {
    return settings_.get(n, tag, key, f.child_class);
  }
  double number_or(xml_node n, const char* tag, const char* key, const Frame& f, double fallback) const {
    const auto v = get(n, tag, key, f);
    return v ? v->number() : fallback;
  }
  double size_or_zero(xml_node n, const char* tag, const char* key, const Frame& f) const {
    const auto v = get(n, tag, key, f);
    if (!v) return 0;
    const double x = v->numbers().empty() ? 0.0 : v->numbers().front();
    if (x < 0) v->refuse(fmt::format("\"{}\" must not be negative", v->text));
    return x;
  }
  void leave_out(xml_node n, const std::string& what) {
    auto& [count, place] = left_out_[what];
    if (count++ == 0) place = file_.place(n);
  }

  void refuse_includes(xml_node n) const {
    if (std::string(n.name()) == "include")
      throw InputError(file_.place(n),
                       fmt::format("this file includes \"{}\"; give a file that holds the whole model "
                                   "(MuJoCo writes one: mj_saveLastXML, or Save XML in its viewer)",
                                   n.attribute("file").value()));
    for (const xml_node c : n.children()) refuse_includes(c);
  }

  void read_section(xml_node n) {
    static const std::set<std::string> handled = {"compiler", "default", "actuator", "equality"};
    static const std::set<std::string> harmless = {"asset", "visual", "statistic",
                                                   "size",  "custom", "sensor"};
    const std::string tag = n.name();
    if (n.type() != pugi::node_element || handled.contains(tag)) return;
    if (tag == "option")
      read_option(n);
    else if (tag == "worldbody")
      read_children(n, {-1, {}, n.attribute("childclass").value()});
    else if (harmless.contains(tag))
      leave_out(n, tag);
    else if (tag == "contact")
      for (const xml_node c : n.children())
        out_.note(
            file_.place(c),
            fmt::format("{} of two bodies: only contacts with the floor are taken over: left out", call(c)));
    else if (tag == "keyframe")
      for (const xml_node c : n.children())
        out_.note(file_.place(c), fmt::format("{}: the start is the pose of the model: left out", call(c)));
    else if (n.first_child())
      for (const xml_node c : n.children())
        out_.note(file_.place(c), fmt::format("{} in {}: cannot be written here: left out", call(c), tag));
    else
      out_.note(file_.place(n), fmt::format("{}: cannot be written here: left out", tag));
  }

  void read_option(xml_node n) {
    std::string solver;
    for (const pugi::xml_attribute a : n.attributes()) {
      const std::string key = a.name();
      if (key == "gravity")
        out_.gravity = value(file_, n, "gravity")->vector();
      else if (key == "density" || key == "viscosity" || key == "wind" || key == "magnetic")
        out_.note(file_.place(n, key), fmt::format("option: {} = \"{}\" is left out", key, a.value()));
      else
        solver += (solver.empty() ? "" : ", ") + key;
    }
    if (!solver.empty())
      out_.note(file_.place(n), fmt::format("option: what is for MuJoCo's solver is left out: {}", solver));
    for (const xml_node f : n.children("flag"))
      for (const pugi::xml_attribute a : f.attributes())
        if (std::string(a.name()) == "gravity" && std::string(a.value()) == "disable")
          out_.gravity = Vec3::Zero();
        else if (std::string(a.name()) != "gravity")
          out_.note(file_.place(f, a.name()),
                    fmt::format("flag: {} = \"{}\" is left out", a.name(), a.value()));
  }

  // ---- bodies ---------------------------------------------------------------------------------

  void read_children(xml_node n, const Frame& f) {
    static const std::set<std::string> harmless = {"light", "camera"};
    for (const xml_node c : n.children()) {
      const std::string tag = c.name();
      if (tag == "body")
        read_body(c, f);
      else if (tag == "frame")
        read_children(c, inner(c, f));
      else if (tag == "joint" || tag == "freejoint")
        read_joint(c, f);
      else if (tag == "geom")
        read_geom(c, f);
      else if (tag == "site")
        marks_.sites[c.attribute("name").value()] = {f.link, place_of(c, "site", f).at};
      else if (harmless.contains(tag))
        leave_out(c, tag);
      else if (tag != "inertial" && c.type() == pugi::node_element)
        out_.note(file_.place(c), fmt::format("{}: cannot be written here: left out", call(c)));
    }
  }

  Pose place_of(xml_node n, const char* tag, const Frame& f) const {
    const Pose own = settings_.pose(n, tag, f.child_class);
    return settings_.global ? own : f.pose * own;
  }

  Frame inner(xml_node n, const Frame& f) const {
    Frame out{f.link, place_of(n, n.name(), f), f.child_class};
    if (const auto c = n.attribute("childclass")) out.child_class = c.value();
    return out;
  }

  void read_body(xml_node n, const Frame& f) {
    Frame own = inner(n, f);
    own.link = static_cast<int>(out_.links.size());
    Link l;
    l.name = n.attribute("name").as_string(fmt::format("body{}", own.link + 1).c_str());
    l.parent = f.link;
    l.origin = own.pose.at;
    l.place = file_.place(n);
    if (const auto v = value(file_, n, "gravcomp"); v && v->number() != 0)
      out_.note(file_.place(n, "gravcomp"),
                fmt::format("{}: gravcomp is left out: it has its weight", call(n)));
    if (n.attribute("mocap") && value(file_, n, "mocap")->yes())
      out_.note(file_.place(n, "mocap"), fmt::format("{}: mocap is left out: it stands still", call(n)));
    out_.links.push_back(std::move(l));
    marks_.bodies[own.link] = own.pose;
    read_children(n, own);
    const xml_node i = n.child("inertial");
    Link& made = out_.links[own.link];
    if (i && settings_.inertia != "true") made.mass = read_inertial(i, own);
    if (!i && settings_.inertia == "false") made.mass = {};
    made.mass.mass = std::max(made.mass.mass, settings_.least_mass);
    if (settings_.least_inertia > 0)
      for (int k = 0; k < 3; ++k)
        made.mass.inertia(k, k) = std::max(made.mass.inertia(k, k), settings_.least_inertia);
    if (made.mass.mass > 0) return;
    made.mass = {};
    made.mass.center = own.pose.at;
  }

  Mass read_inertial(xml_node n, const Frame& f) const {
    const Pose pose = place_of(n, "inertial", f);
    const Value kg = needed(file_, n, "mass");
    Mass m{kg.number(), pose.at, Mat3::Zero()};
    if (m.mass < 0) kg.refuse(fmt::format("\"{}\" must not be negative", kg.text));
    Mat3 own = Mat3::Zero();
    if (const auto v = value(file_, n, "diaginertia")) {
      own.diagonal() = v->vector();
    } else if (const auto full = value(file_, n, "fullinertia")) {
      const std::vector<double> x = full->numbers(6);
      own << x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2];
    }
    if (own.diagonal().minCoeff() < 0) throw InputError(file_.place(n), "a moment of inertia is negative");
    m.inertia = pose.turn * own * pose.turn.transpose();
    return m;
  }

  void read_joint(xml_node n, const Frame& f) {
    if (f.link < 0) throw InputError(file_.place(n), fmt::format("{}: the world has no joints", call(n)));
    Link& l = out_.links[f.link];
    const auto type = get(n, "joint", "type", f);
    const std::string kind = std::string(n.name()) == "freejoint" ? "free" : type ? type->text : "hinge";
    if (kind == "free") {
      if (l.parent >= 0)
        throw InputError(file_.place(n), fmt::format("{}: only a body of the world is free", call(n)));
      l.floats = true;
      return;
    }
    Joint j;
    j.name = n.attribute("name").as_string(fmt::format("{}_joint{}", l.name, l.joints.size() + 1).c_str());
    j.place = file_.place(n);
    if (kind == "slide")
      j.motion = Motion::slide;
    else if (kind == "ball")
      j.motion = Motion::ball;
    else if (kind != "hinge")
      type->refuse(
          fmt::format("\"{}\" is not a type of joint; the types are hinge, slide, ball or free", kind));
    const auto pos = get(n, "joint", "pos", f), axis = get(n, "joint", "axis", f);
    const Vec3 at = pos ? pos->vector() : Vec3(Vec3::Zero());
    const Vec3 along = axis ? axis->direction() : Vec3(Vec3::UnitZ());
    j.anchor = settings_.global ? (pos ? at : f.pose.at) : f.pose * at;
    j.axis = settings_.global ? along : f.pose.turn * along;
    read_passive(n, f, j);
    l.joints.push_back(std::move(j));
  }

  // Angles of hinges in the unit of the file.
  void read_passive(xml_node n, const Frame& f, Joint& j) {
    const auto scaled = [&](double x) { return j.motion == Motion::slide ? x : settings_.angle(x); };
    j.reference = j.start = scaled(number_or(n, "joint", "ref", f, 0));
    j.damping = size_or_zero(n, "joint", "damping", f);
    j.friction = size_or_zero(n, "joint", "frictionloss", f);
    j.armature = size_or_zero(n, "joint", "armature", f);
    if (const double k = size_or_zero(n, "joint", "stiffness", f); k > 0)
      j.springs.push_back({k, scaled(number_or(n, "joint", "springref", f, 0))});
    if (settings_.limited(n, "joint", "limited", "range", f.child_class)) {
      const auto range = get(n, "joint", "range", f);
      if (!range) throw InputError(file_.place(n), fmt::format("{} is limited and has no range", call(n)));
      const std::vector<double> x = range->numbers(2);
      if (j.motion == Motion::ball)
        out_.note(file_.place(n, "range"), fmt::format("{}: the range of a ball joint is left out", call(n)));
      else if (!(x[0] < x[1]))
        range->refuse(fmt::format("\"{}\" must be two numbers, the smaller first", range->text));
      else
        j.lower = scaled(x[0]), j.upper = scaled(x[1]);
    }
    for (const char* key : {"springdamper", "actuatorfrcrange"})
      if (const auto v = get(n, "joint", key, f))
        out_.note(file_.place(n, key), fmt::format("{}: {} is left out", call(n), key));
  }

  // ---- solids ---------------------------------------------------------------------------------

  Touch read_touch(xml_node n, const Frame& f) const {
    Touch t;
    t.type = static_cast<int>(std::clamp(number_or(n, "geom", "contype", f, 1), 0.0, 2e9));
    t.affinity = static_cast<int>(std::clamp(number_or(n, "geom", "conaffinity", f, 1), 0.0, 2e9));
    t.dimensions = static_cast<int>(std::clamp(number_or(n, "geom", "condim", f, 3), 1.0, 6.0));
    const auto friction = get(n, "geom", "friction", f);
    t.friction = friction ? size_or_zero(n, "geom", "friction", f) : 1;
    return t;
  }

  void read_geom(xml_node n, const Frame& f) {
    const auto type = get(n, "geom", "type", f);
    const std::string kind = type ? type->text : get(n, "geom", "mesh", f) ? "mesh" : "sphere";
    Solid s;
    s.place = file_.place(n);
    s.name = n.attribute("name").as_string(fmt::format("geom{}", ++geoms_).c_str());
    s.pose = place_of(n, "geom", f);
    s.touch = read_touch(n, f);
    if (kind == "plane") {
      if (f.link >= 0)
        out_.note(s.place, fmt::format("{}: a plane that is not of the world is left out", call(n)));
      else
        out_.floors.push_back(
            {n.attribute("name").as_string("floor"), s.pose.at, s.pose.turn.col(2), s.touch, s.place});
      return;
    }
    static const std::map<std::string, Form> forms = {{"sphere", Form::sphere},
                                                      {"capsule", Form::capsule},
                                                      {"cylinder", Form::cylinder},
                                                      {"box", Form::box},
                                                      {"ellipsoid", Form::ellipsoid}};
    const auto form = forms.find(kind);
    if (form == forms.end()) {
      out_.note(s.place,
                fmt::format("{}: a {} cannot be written here: left out, with its mass", call(n), kind));
      return;
    }
    s.form = form->second;
    read_size(n, f, s);
    add_solid(n, f, std::move(s));
  }

  void read_size(xml_node n, const Frame& f, Solid& s) {
    const auto size = get(n, "geom", "size", f), fromto = get(n, "geom", "fromto", f);
    if (!size) throw InputError(file_.place(n), fmt::format("{} has no size", call(n)));
    std::vector<double> x = size->numbers();
    std::size_t count = s.form == Form::sphere                              ? 1
                      : s.form == Form::capsule || s.form == Form::cylinder ? 2
                                                                            : 3;
    if (fromto && s.form != Form::sphere) {
      const std::vector<double> ends = fromto->numbers(6);
      const Vec3 a(ends[0], ends[1], ends[2]), b(ends[3], ends[4], ends[5]);
      const Pose base = settings_.global ? Pose{} : f.pose;
      if (!((b - a).norm() > 1e-12)) fromto->refuse("both ends are the same");
      s.pose = base * Pose{turn_to(b - a), 0.5 * (a + b)};
      if (x.empty()) size->refuse("is empty");
      x = count == 2 ? std::vector<double>{x[0], (b - a).norm() / 2}
                     : std::vector<double>{x[0], x.size() > 1 ? x[1] : x[0], (b - a).norm() / 2};
    }
    if (x.size() < count)
      size->refuse(fmt::format("\"{}\" has too few numbers; {} are needed", size->text, count));
    for (std::size_t k = 0; k < count; ++k) {
      if (!(x[k] > 0)) size->refuse(fmt::format("\"{}\": sizes must be greater than 0", size->text));
      s.size[static_cast<Eigen::Index>(k)] = x[k];
    }
  }

  void add_solid(xml_node n, const Frame& f, Solid s) {
    if (f.link < 0) {
      out_.ground.push_back(std::move(s));
      return;
    }
    Link& l = out_.links[f.link];
    const auto mass = get(n, "geom", "mass", f);
    const double density = get(n, "geom", "density", f) ? size_or_zero(n, "geom", "density", f) : 1000;
    const double kg = mass ? size_or_zero(n, "geom", "mass", f) : density * volume_of(s.form, s.size);
    if (const auto shell = get(n, "geom", "shellinertia", f); shell && shell->yes())
      out_.note(s.place, fmt::format("{}: shellinertia is left out: it is solid", call(n)));
    l.mass = sum(l.mass, mass_of(s.form, s.size, s.pose, kg));
    l.solids.push_back(std::move(s));
  }

  void set_total_mass() {
    if (!(settings_.total_mass > 0)) return;
    double now = 0;
    for (const Link& l : out_.links) now += l.mass.mass;
    if (!(now > 0)) return;
    for (Link& l : out_.links) {
      l.mass.mass *= settings_.total_mass / now;
      l.mass.inertia *= settings_.total_mass / now;
    }
  }

  const XmlFile& file_;
  SpatialModel out_;
  MjcfSettings settings_;
  std::map<std::string, std::pair<int, Place>> left_out_;
  MjcfMarks marks_;
  int geoms_ = 0;
};

}  // namespace

SpatialModel read_mjcf(const XmlFile& file) { return MjcfReader(file).read(); }

}  // namespace thud::imports
