#pragma once
// Random mechanisms of all joints, loops and elements, as files.

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace thud {

/// Writes a scenario. Poses are followed along, so that limits, ropes and loops fit the start.
class MechanismMaker {
 public:
  explicit MechanismMaker(unsigned seed) : rng_(seed) {}

  std::string make() {
    is_chain_ = coin(0.35);  // of pins, which loops want
    const int count = whole(is_chain_ ? 3 : 1, 5);
    for (int i = 0; i < count; ++i) add_body(i);
    if (coin(0.6)) add_loop();
    for (int i = 0; i < count; ++i) {
      if (coin(0.3)) add_limit(i);
      if (coin(0.3)) add_joint_spring(i);
      if (coin(0.25)) add_servo(i);
    }
    for (int k = whole(0, 2); k > 0; --k) add_tie();
    if (coin(0.3)) add_force();
    if (coin(0.3)) add_controller();
    return "[solver]\ntolerance = 1e-10\n[stop]\ntime = 0.4\n" + bodies_ + elements_ + "[initial]\n"
         + initial_;
  }

 private:
  enum class Joint { pin, slider, weld, free };
  struct Link {
    Joint joint;
    int parent;
    double length, x, z, angle;  // x, z: of its start
    int pins;                    // in a row from the ground; −1 where other joints are among them
    bool drives = false;

    double tip_x() const { return x + length * std::sin(angle); }
    double tip_z() const { return z + length * std::cos(angle); }
  };

  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(rng_); }
  int whole(int a, int b) { return std::uniform_int_distribution<int>(a, b)(rng_); }
  bool coin(double p) { return uniform(0, 1) < p; }
  bool moves(int i) const { return links_[i].joint == Joint::pin || links_[i].joint == Joint::slider; }
  static std::string name(int i) { return fmt::format("b{}", i); }

  void add_body(int i) {
    Link l{};
    l.length = uniform(0.15, 0.5);
    l.parent = i > 0 && coin(0.8) ? whole(0, i - 1) : -1;
    const double pick = uniform(0, 1);
    l.joint = pick < 0.6          ? Joint::pin
            : pick < 0.8          ? Joint::slider
            : pick < 0.9 && i > 0 ? Joint::weld
                                  : Joint::free;
    if (is_chain_) l.joint = Joint::pin, l.parent = i - 1;
    if (l.joint == Joint::free) l.parent = -1;
    const Link* on = l.parent >= 0 ? &links_[l.parent] : nullptr;
    const double base = on && l.joint != Joint::pin && l.joint != Joint::free ? on->angle : 0;
    const double turn = uniform(-2, 2);
    l.angle = base + turn;
    l.x = on ? on->tip_x() : uniform(-1, 1);
    l.z = on ? on->tip_z() : uniform(-1, 1);
    l.pins = l.joint != Joint::pin ? -1 : !on ? 1 : on->pins < 0 ? -1 : on->pins + 1;
    const std::string to = on ? fmt::format("to = \"{}\", at = \"tip\"", name(l.parent))
                              : fmt::format("at = [{:.17g}, {:.17g}]", l.x, l.z);
    std::string joint;
    const std::string extra = fmt::format(
        ", damping = {:.3g}, friction = {:.3g}, inertia = {:.3g}", coin(0.4) ? uniform(0, 0.3) : 0.0,
        coin(0.4) ? uniform(0.01, 0.5) : 0.0, coin(0.3) ? uniform(0.001, 0.05) : 0.0);
    switch (l.joint) {
      case Joint::pin: joint = "{ " + to + extra + " }"; break;
      case Joint::slider:
        joint = fmt::format("{{ kind = \"slider\", {}, direction = {:.17g}, angle = {:.17g}{} }}", to,
                            uniform(-3, 3), turn, extra);
        break;
      case Joint::weld: joint = fmt::format("{{ kind = \"weld\", {}, angle = {:.17g} }}", to, turn); break;
      case Joint::free: joint = "\"free\""; break;
    }
    bodies_ += fmt::format(
        "[[body]]\nname = \"{}\"\nshape = {{ kind = \"cylinder\", length = {:.17g}, diameter = 0.03, mass = "
        "{:.4g} }}\n"
        "joint = {}\n",
        name(i), l.length, uniform(0.2, 2), joint);
    if (l.joint == Joint::pin || l.joint == Joint::free)
      initial_ += fmt::format("\"{}.angle\" = {:.17g}\n", name(i), l.angle);
    if (l.joint == Joint::slider) initial_ += fmt::format("\"{}.travel\" = 0\n", name(i));
    if (l.joint == Joint::free)
      initial_ +=
          fmt::format("\"{0}.start.x\" = {1:.17g}\n\"{0}.start.z\" = {2:.17g}\n\"{0}.rate\" = {3:.3g}\n",
                      name(i), l.x, l.z, uniform(-3, 3));
    links_.push_back(l);
  }

  // The tip of a chain of three pins or more, held where it is.
  void add_loop() {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].pins < 3) continue;
      elements_ += fmt::format("[[loop]]\nname = \"loop\"\na = \"{}.tip\"\nb = [{:.17g}, {:.17g}]\n",
                               name(static_cast<int>(i)), links_[i].tip_x(), links_[i].tip_z());
      return;
    }
  }
  double in_joint(int i) const {
    const Link& l = links_[i];
    if (l.joint == Joint::slider) return 0;
    return l.parent >= 0 ? l.angle - links_[l.parent].angle : l.angle;
  }
  void add_limit(int i) {
    if (!moves(i)) return;
    const double size = links_[i].joint == Joint::slider ? 0.2 : 1.0, at = in_joint(i);
    elements_ += fmt::format("[[limit]]\njoint = \"{}\"\nmin = {:.17g}\nmax = {:.17g}\n", name(i),
                             at - uniform(0.1, 1) * size, at + uniform(0.1, 1) * size);
    elements_ += coin(0.7) ? fmt::format("restitution = {:.3g}\n", uniform(0, 0.9))
                           : fmt::format("stiffness = {:.4g}\n", uniform(20, 200));
  }
  void add_joint_spring(int i) {
    if (!moves(i)) return;
    elements_ += fmt::format("[[joint_spring]]\njoint = \"{}\"\nstiffness = {:.4g}\nrest = {:.4g}\n", name(i),
                             uniform(0.5, 20), in_joint(i) + uniform(-0.5, 0.5));
  }
  void add_servo(int i) {
    if (!moves(i) || links_[i].drives) return;
    links_[i].drives = true;
    elements_ += fmt::format(
        "[[servo]]\nname = \"servo{0}\"\njoint = \"b{0}\"\ntarget = \"={1:.4g} + 0.2*sin(7*t)\"\nkp = "
        "{2:.4g}\n"
        "kd = {3:.4g}\nmax = {4:.4g}\n",
        i, in_joint(i) + uniform(-0.5, 0.5), uniform(2, 30), uniform(0.05, 0.6), uniform(1, 10));
  }
  // A spring, damper, strut or rope from a tip to the world or to another body.
  void add_tie() {
    const int count = static_cast<int>(links_.size()), a = whole(0, count - 1), b = whole(-1, count - 1);
    if (a == b
        || (b >= 0
            && (links_[b].parent == a || links_[a].parent == links_[b].parent || links_[a].parent == b)))
      return;
    const double x = uniform(-1, 1), z = uniform(-1, 1);
    const double far = b < 0 ? std::hypot(links_[a].tip_x() - x, links_[a].tip_z() - z)
                             : std::hypot(links_[a].tip_x() - links_[b].x, links_[a].tip_z() - links_[b].z);
    if (far < 0.05) return;
    const std::string ends =
        fmt::format("from = \"{}.tip\"\nto = {}\n", name(a),
                    b < 0 ? fmt::format("[{:.17g}, {:.17g}]", x, z) : "\"" + name(b) + ".start\"");
    switch (whole(0, 3)) {
      case 0:
        elements_ +=
            "[[spring]]\n" + ends
            + fmt::format("stiffness = {:.4g}\nrest = {:.4g}\n", uniform(10, 200), far * uniform(0.5, 1.3));
        break;
      case 1: elements_ += "[[damper]]\n" + ends + fmt::format("damping = {:.4g}\n", uniform(0.1, 5)); break;
      case 2:
        elements_ += "[[strut]]\n" + ends
                   + fmt::format("force = {:.4g}\nlength = {:.17g}\nstroke = {:.4g}\n", uniform(1, 50), far,
                                 0.5 * far);
        break;
      default:
        elements_ += "[[rope]]\n" + ends
                   + fmt::format("length = {:.17g}\nrestitution = {:.3g}\n", far * uniform(1.01, 1.3),
                                 uniform(0, 0.8));
    }
  }
  void add_force() {
    const int i = whole(0, static_cast<int>(links_.size()) - 1);
    elements_ += fmt::format(
        "[[force]]\nat = \"{0}.tip\"\nx = \"={1:.3g}*max(0, {0}.tip.vx) - {2:.3g}*abs({0}.tip.x)\"\nz = "
        "\"={3:.3g}*pulse(t, 0.1, 0.13)\"\n",
        name(i), -uniform(0, 2), uniform(0, 5), uniform(-20, 20));
  }
  void add_controller() {
    for (std::size_t k = 0; k < links_.size(); ++k) {
      const int i = static_cast<int>(k);
      if (!moves(i) || links_[i].drives) continue;
      links_[i].drives = true;
      elements_ += fmt::format(
          "[[controller]]\nname = \"c\"\n{0}[[controller.state]]\nname = \"on\"\nout = {{ u = {1:.3g} }}\ngo "
          "= [{{ to = \"off\", after = "
          "{2:.3g} }}]\n[[controller.state]]\nname = \"off\"\ngo = [{{ to = \"on\", when = \"{3}.rate "
          "crosses 0.1\" }}]\n"
          "[[servo]]\nname = \"driven\"\njoint = \"{3}\"\ntarget = \"=c.u\"\nkp = 5\nkd = 0.1\n",
          coin(0.5) ? "rate = \"200 Hz\"\n" : "", uniform(-1, 1), uniform(0.02, 0.1), name(i));
      return;
    }
  }

  std::mt19937 rng_;
  bool is_chain_ = false;
  std::vector<Link> links_;
  std::string bodies_, elements_, initial_;
};

}  // namespace thud
