#include <fmt/format.h>

#include <array>

#include "import/mjcf.hpp"

namespace thud::imports {

namespace {

using pugi::xml_node;

class Equalities {
 public:
  Equalities(const XmlFile& file, const MjcfSettings& settings, const MjcfMarks& marks, SpatialModel& out)
      : file_(file),
        settings_(settings),
        marks_(marks),
        out_(out) {}

  void read(xml_node n) {
    const std::string tag = n.name();
    const std::string name = n.attribute("name").as_string(fmt::format("loop{}", ++loops_).c_str());
    if (const auto v = settings_.get(n, "equality", "active", ""); v && !v->yes()) {
      out_.note(file_.place(n), fmt::format("{} is not active: left out", call(n)));
    } else if (tag == "connect" && n.attribute("body1")) {
      const int a = body(needed(file_, n, "body1"));
      const int b = n.attribute("body2") ? body(needed(file_, n, "body2")) : -1;
      const Vec3 anchor = needed(file_, n, "anchor").vector();
      out_.pins.push_back(
          {name, a, b, settings_.global || a < 0 ? anchor : marks_.bodies.at(a) * anchor, file_.place(n)});
    } else if (tag == "connect" && n.attribute("site1")) {
      add_sites(n, name);
    } else if (tag == "joint") {
      add_gear(n, name);
    } else {
      out_.note(file_.place(n), fmt::format("{}: cannot be written here: left out", call(n)));
    }
  }

 private:
  int body(const Value& name) const {
    if (name.text == "world") return -1;
    std::vector<std::string> known;
    for (std::size_t k = 0; k < out_.links.size(); ++k) {
      if (out_.links[k].name == name.text) return static_cast<int>(k);
      known.push_back(out_.links[k].name);
    }
    name.refuse(fmt::format("there is no body \"{}\"{}", name.text, did_you_mean(name.text, known)));
  }

  void add_sites(xml_node n, const std::string& name) {
    std::array<std::pair<int, Vec3>, 2> ends;
    for (int k = 0; k < 2; ++k) {
      const Value site = needed(file_, n, k == 0 ? "site1" : "site2");
      const auto found = marks_.sites.find(site.text);
      if (found == marks_.sites.end()) site.refuse(fmt::format("there is no site \"{}\"", site.text));
      ends[k] = found->second;
    }
    if ((ends[0].second - ends[1].second).norm() > 1e-6) {
      out_.note(file_.place(n), fmt::format("{}: its sites are {} m apart in the pose of the model: left out",
                                            call(n), (ends[0].second - ends[1].second).norm()));
      return;
    }
    out_.pins.push_back({name, ends[0].first, ends[1].first, ends[0].second, file_.place(n)});
  }

  // y − y0 = a0 + a1 (x − x0) + …, with y of joint1 and x of joint2.
  void add_gear(xml_node n, const std::string& name) {
    const Joint& y = joint_named(needed(file_, n, "joint1"), out_);
    std::vector<double> c{0, 1};
    if (const auto v = settings_.get(n, "equality", "polycoef", "")) c = v->numbers();
    c.resize(5);
    if (!n.attribute("joint2") || c[2] != 0 || c[3] != 0 || c[4] != 0 || c[1] == 0) {
      out_.note(file_.place(n),
                fmt::format("{}: only two joints in a fixed ratio can be coupled: left out", call(n)));
      return;
    }
    const Joint& x = joint_named(needed(file_, n, "joint2"), out_);
    out_.gears.push_back(
        {name, y.name, x.name, c[1], y.reference + c[0] - c[1] * x.reference, file_.place(n)});
  }

  const XmlFile& file_;
  const MjcfSettings& settings_;
  const MjcfMarks& marks_;
  SpatialModel& out_;
  int loops_ = 0;
};

}  // namespace

void read_equalities(const XmlFile& file, const MjcfSettings& settings, const MjcfMarks& marks,
                     SpatialModel& out) {
  Equalities all(file, settings, marks, out);
  for (const xml_node e : file.root().children("equality"))
    for (const xml_node n : e.children())
      if (n.type() == pugi::node_element) all.read(n);
}

}  // namespace thud::imports
