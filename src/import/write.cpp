#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "import/planar.hpp"
#include "thud/base/format.hpp"
#include "thud/math/portable.hpp"

namespace thud::imports {

namespace {

constexpr double degree = std::numbers::pi / 180;

// Fourteen digits: all that survives turning into the plane, and no rounding noise.
std::string num(double x) {
  if (!std::isfinite(x)) throw std::overflow_error("numbers of the model are too large to compute with");
  return fmt::format("{:.14g}", x == 0 ? 0.0 : x);
}
std::string deg(double x) { return fmt::format("\"{} deg\"", num(clean(x / degree))); }
std::string pair(Vec v) { return fmt::format("[{}, {}]", num(clean(v.x)), num(clean(v.z))); }
std::string quoted(const std::string& name) { return "\"" + name + "\""; }

// Text of the model in a comment or a title: one line, of characters that TOML has.
std::string tame(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t width = c < 0x80              ? 1
                            : c >= 0xc2 && c < 0xe0 ? 2
                            : c >= 0xe0 && c < 0xf0 ? 3
                            : c >= 0xf0 && c < 0xf5 ? 4
                                                    : 0;
    bool good = width > 0 && i + width <= text.size();
    for (std::size_t k = 1; good && k < width; ++k)
      good = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
    // Overlong forms, surrogates and what is above the last plane are no characters.
    if (good && width >= 3) {
      const auto d = static_cast<unsigned char>(text[i + 1]);
      good = !(c == 0xe0 && d < 0xa0) && !(c == 0xed && d >= 0xa0) && !(c == 0xf0 && d < 0x90)
          && !(c == 0xf4 && d >= 0x90);
    }
    if (good && width == 1)
      out += c < 0x20 || c == 0x7f ? ' ' : text[i];
    else
      out += good ? text.substr(i, width) : "?";
    i += good ? width : 1;
  }
  return out;
}

std::string commented(const std::string& text) {
  std::string out;
  const std::string lines = wrap(tame(text), 0, 116);
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    out += "# " + lines.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

std::string toml_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : tame(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '$' ? ' ' : c;  // it would stand for a parameter
  }
  return out + "\"";
}

std::string show(const Vec3& v) {
  return fmt::format("({}, {}, {})", num(clean(v.x())), num(clean(v.y())), num(clean(v.z())));
}

class Writer {
 public:
  Writer(const SpatialModel& m, const PlanarModel& p, const std::string& file, Names& names)
      : m_(m),
        p_(p),
        file_(file),
        names_(names) {}

  std::string make() {
    write_head();
    write_knobs();
    for (const PlanarBody& b : p_.bodies) write_body(b);
    write_springs();
    write_limits();
    write_loops();
    write_walls();
    write_points();
    write_start();
    return std::move(out_);
  }

 private:
  template <class... A>
  void line(fmt::format_string<A...> format, A&&... a) {
    out_ += fmt::format(format, std::forward<A>(a)...) + "\n";
  }
  std::string name_of(int body) const { return p_.bodies[body].name; }

  void write_head() {
    out_ += commented(fmt::format("Imported from {} ({}) by thud import.", file_, m_.format));
    out_ += "#\n";
    out_ += commented("x points right, z points DOWN, angles are absolute, from the downward vertical.");
    out_ += commented(fmt::format("In the model x is {} and z is {}; positive angles turn about {}.",
                                  show(p_.plane.right), show(p_.plane.down), show(p_.plane.normal)));
    if (!m_.notes.empty()) {
      out_ += "#\n# Not as in the model:\n";
      for (const ImportNote& n : m_.notes)
        out_ += commented(
            "* " + (n.place.line > 0 ? fmt::format("{}:{}:{}: ", file_, n.place.line, n.place.column) : "")
            + n.text);
    }
    line("");
    line("title = {}", toml_text(m_.name));
    const Vec g = p_.gravity;
    line("gravity = {}", g.x == 0 && g.z >= 0 ? num(g.z) : pair(g));
  }

  // ---- bodies ---------------------------------------------------------------------------------

  void write_knobs() {
    for (const PlanarBody& b : p_.bodies)
      for (const Drive& d : b.joint.drives) {
        if (knobs_.empty()) line("\n[parameters]");
        const bool ends = d.name.ends_with("drive") || d.name.ends_with("motor");
        const std::string name = names_.make_knob(ends ? d.name : d.name + "_drive");
        std::string range, gain;
        if (d.lower && d.upper) range = fmt::format("range = [{}, {}], ", num(*d.lower), num(*d.upper));
        if (d.gain != 1)
          gain = fmt::format(", times {} {}", num(d.gain), b.hold == Hold::slider ? "N" : "N m");
        const double rest = std::clamp(0.0, d.lower.value_or(0), d.upper.value_or(0));
        line("{} = {{ value = {}, {}about = {} }}", name, num(rest), range,
             toml_text(
                 fmt::format("drives joint {} (line {} of the model){}", b.joint.name, d.place.line, gain)));
        knobs_.push_back({&d, name});
      }
  }

  std::string knob_of(const Drive& d) const {
    return std::find_if(knobs_.begin(), knobs_.end(), [&](const auto& k) { return k.first == &d; })->second;
  }

  std::string drive_of(const PlanarBody& b) const {
    std::string sum;
    double constant = 0;
    for (const Drive& d : b.joint.drives) {
      const double gain = b.sign * d.gain;
      constant += b.sign * d.constant;
      const std::string size = std::abs(gain) == 1 ? "" : num(std::abs(gain)) + "*";
      sum += (gain < 0 ? "-" : sum.empty() ? "" : "+") + size + knob_of(d);
    }
    if (constant != 0) sum += (constant < 0 ? "" : "+") + num(constant);
    return "\"=" + sum + "\"";
  }

  std::string joint_of(const PlanarBody& b) const {
    if (b.hold == Hold::free) return "\"free\"";
    const char* kinds[] = {"free", "pin", "slider", "weld"};
    std::string j = fmt::format("kind = \"{}\"", kinds[static_cast<int>(b.hold)]);
    // A slider has no travel where its coordinate is zero.
    Vec seat = b.origin;
    if (b.parent >= 0) j += fmt::format(", to = {}", quoted(name_of(b.parent)));
    const double carried = b.parent < 0 ? 0 : p_.bodies[b.parent].angle;
    if (b.hold == Hold::slider) {
      const double d = carried + b.direction;
      seat -= b.joint.reference * Vec{portable::sin(d), portable::cos(d)};
    }
    if (b.parent >= 0) {
      const PlanarBody& p = p_.bodies[b.parent];
      const Vec at = p.local(seat);
      const bool tip = at.z == 0 && p.length > 0 && std::abs(at.x - p.length) < 1e-13;
      j += tip ? ", at = \"tip\"" : at.z == 0 ? fmt::format(", at = {}", num(at.x)) : ", at = " + pair(at);
    } else {
      j += ", at = " + pair(seat);
    }
    if (b.hold == Hold::slider) j += ", direction = " + deg(b.direction);
    if (b.hold != Hold::pin && b.relative != 0) j += ", angle = " + deg(b.relative);
    if (b.hold == Hold::weld) return "{ " + j + " }";
    const Joint& m = b.joint;
    if (m.damping > 0) j += ", damping = " + num(m.damping);
    if (m.friction > 0) j += ", friction = " + num(m.friction);
    if (m.armature > 0) j += ", inertia = " + num(m.armature);
    if (!m.drives.empty())
      j += fmt::format(", {} = {}", b.hold == Hold::slider ? "force" : "torque", drive_of(b));
    return "{ " + j + " }";
  }

  std::string shape_of(const PlanarBody& b) const {
    const Vec c = b.local(b.center);
    std::string s = fmt::format("kind = \"given\", mass = {}, center = {}, inertia = {}", num(b.mass),
                                c.z == 0 ? num(c.x) : pair(c), num(b.inertia));
    if (b.length > 0) s += ", length = " + num(b.length);
    if (b.diameter > 0) s += ", diameter = " + num(b.diameter);
    return "{ " + s + " }";
  }

  // How the joint of the model is called, and how its coordinate is found again.
  std::string remark_of(const PlanarBody& b) const {
    if (b.hold == Hold::weld || b.hold == Hold::free) return "";
    std::string r = fmt::format("joint {} of the model (line {})", b.joint.name, b.joint.place.line);
    if (b.hold == Hold::slider) return r + ": its coordinate is the travel";
    const std::string against = b.parent < 0 ? "" : fmt::format(" - {}.angle", name_of(b.parent));
    const double offset = clean((b.relative - b.sign * b.joint.reference) / degree);
    const std::string from = offset == 0 ? "" : num(offset) + " deg ", sign = b.sign > 0 ? "+ " : "- ";
    return r
         + fmt::format(": {}.angle{} = {}{}its coordinate", b.name, against, from,
                       offset == 0 && b.sign > 0 ? "" : sign);
  }

  void write_body(const PlanarBody& b) {
    line("\n[[body]]");
    line("name  = {}", quoted(b.name));
    line("shape = {}", shape_of(b));
    if (const std::string r = remark_of(b); !r.empty()) out_ += commented(r);
    line("joint = {}", joint_of(b));
  }

  // ---- elements ---------------------------------------------------------------------------------

  std::string position(const PlanarBody& b, double coordinate) const {
    return b.hold == Hold::slider ? num(coordinate) : deg(b.joint_angle(coordinate));
  }

  void write_springs() {
    for (const PlanarBody& b : p_.bodies)
      for (const Spring& s : b.joint.springs) {
        line("\n[[joint_spring]]");
        line("joint     = {}", quoted(b.name));
        line("stiffness = {}", num(s.stiffness));
        line("rest      = {}", position(b, s.rest));
      }
  }

  void write_limits() {
    for (const PlanarBody& b : p_.bodies) {
      const Joint& j = b.joint;
      if (!j.lower && !j.upper) continue;
      line("\n[[limit]]");
      line("joint = {}", quoted(b.name));
      const std::optional<double>& low = b.sign > 0 ? j.lower : j.upper;
      const std::optional<double>& high = b.sign > 0 ? j.upper : j.lower;
      if (low) line("min   = {}", position(b, *low));
      if (high) line("max   = {}", position(b, *high));
    }
  }

  void write_loops() {
    const auto end = [&](const PlanarPoint& p, bool gear) {
      return gear ? quoted(name_of(p.body)) : p.body < 0 ? pair(p.at) : quoted(p.name);
    };
    for (const PlanarLoop& l : p_.loops) {
      line("\n[[loop]]");
      line("name  = {}", quoted(l.name));
      line("kind  = \"{}\"", l.gear ? "gear" : "pin");
      line("a     = {}", end(l.a, l.gear));
      line("b     = {}", end(l.b, l.gear));
      if (l.gear) line("ratio = {}", num(l.ratio));
    }
  }

  void write_walls() {
    for (const PlanarWall& w : p_.walls) {
      line("\n[[wall]]");
      line("name     = {}", quoted(w.name));
      line("at       = {}", pair(w.at));
      if (w.slope != 0) line("slope    = {}", deg(w.slope));
      line("friction = {}", num(w.friction));
      std::vector<std::string> touches;
      for (const std::string& t : w.touches) touches.push_back(quoted(t));
      line("touches  = [{}]", fmt::join(touches, ", "));
    }
  }

  void write_points() {
    std::vector<const PlanarPoint*> points;
    for (const PlanarPoint& p : p_.points) points.push_back(&p);
    for (const PlanarLoop& l : p_.loops)
      for (const PlanarPoint* p : {&l.a, &l.b})
        if (!l.gear && p->body >= 0) points.push_back(p);
    if (!points.empty()) line("\n[points]");
    for (const PlanarPoint* p : points) {
      std::string t = fmt::format("body = {}, s = {}", quoted(name_of(p->body)), num(p->at.x));
      if (p->at.z != 0) t += ", n = " + num(p->at.z);
      if (p->radius > 0) t += ", radius = " + num(p->radius);
      line("{} = {{ {} }}", p->name, t);
    }
  }

  void write_start() {
    line("\n[initial]");
    for (const PlanarBody& b : p_.bodies) {
      if (b.hold == Hold::free) {
        line("\"{}.start.x\" = {}", b.name, num(clean(b.start.x)));
        line("\"{}.start.z\" = {}", b.name, num(clean(b.start.z)));
      }
      if (b.hold == Hold::free || b.hold == Hold::pin) line("\"{}.angle\" = {}", b.name, deg(b.start_angle));
      if (b.hold == Hold::slider) line("\"{}.travel\" = {}", b.name, num(clean(b.joint.start)));
    }
    line("\n[stop]");
    line("time = \"2 s\"");
  }

  const SpatialModel& m_;
  const PlanarModel& p_;
  const std::string& file_;
  Names& names_;
  std::string out_;
  std::vector<std::pair<const Drive*, std::string>> knobs_;
};

}  // namespace

std::string write_scenario(const SpatialModel& model, const PlanarModel& planar, const std::string& file,
                           Names& names) {
  return Writer(model, planar, file, names).make();
}

}  // namespace thud::imports
