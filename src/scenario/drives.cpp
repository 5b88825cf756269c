#include "scenario/drives.hpp"

#include <fmt/format.h>

#include <optional>

#include "scenario/bodies.hpp"
#include "scenario/repeated.hpp"
#include "scenario/signals.hpp"

namespace thud::doc {

namespace {

template <class P>
int find_body(const AssemblyOf<P>& s, const std::string& name) {
  for (int i = 0; i < s.system.tree().body_count(); ++i)
    if (s.system.tree().body(i).name == name) return i;
  return -1;
}

// What expressions may name, listed once and only where one asks.
template <class P>
class Signals {
 public:
  explicit Signals(const AssemblyOf<P>& s) : s_(s) {}
  const SignalListOf<P>& list() {
    if (!list_) list_.emplace(s_);
    return *list_;
  }

 private:
  const AssemblyOf<P>& s_;
  std::optional<SignalListOf<P>> list_;
};

// Torques and forces in `joint = { … }`; those of the time alone were read with the joints.
template <class P>
void read_joint_drives(const Table& root, const AssemblyOf<P>& s, Signals<P>& known) {
  each_table(root, "body", [&](const Table& t) {
    if (t.kind_of("joint") != ValueKind::table) return;
    const Table joint = t.table("joint");
    for (const char* key : {"torque", "force"}) {
      const auto text = joint.formula_text(key);
      if (!text || !has_signals(*text)) continue;
      JointTorqueOf<P> element;
      element.body = find_body(s, t.filled_text("name"));
      element.torque.drive = make_drive(joint, key, *text, joint.symbols(), known.list());
      element.torque.timing = element.torque.drive->timing();
      s.system.add(std::move(element));
    }
  });
}

// A joint torque of a name of its own, by an expression in which `q` and `v` stand for the joint's position and rate.
template <class P>
void add_drive(const Table& t, const char* kind, int number, const char* key, std::string text,
               const SymbolTable& symbols, const AssemblyOf<P>& s, Signals<P>& known, int body) {
  JointTorqueOf<P> element;
  element.body = body;
  element.label = t.filled_text_or("name", fmt::format("{}{}", kind, number));
  check_name(t, "name", element.label);
  if (find_body(s, element.label) >= 0)
    throw t.error("name", fmt::format("\"{}\" is the name of a body", element.label));
  for (const JointTorqueOf<P>& other : s.system.template of<JointTorqueOf<P>>())
    if (other.label == element.label)
      throw t.error("name", fmt::format("\"{}\" is the name of another drive", element.label));
  element.torque.drive = make_drive(t, key, text, symbols, known.list());
  element.torque.timing = element.torque.drive->timing();
  t.finish();
  s.system.add(std::move(element));
}

// The expression of a key: a formula, or a number. Wrong ones are refused by themselves, so that the place is right.
template <class P>
std::string read_text(const Table& t, const char* key, Dimension dimension, Signals<P>& known) {
  if (const auto text = t.formula_text(key)) {
    t.check_formula(key, dimension);
    (void)make_drive(t, key, *text, t.symbols(), known.list());
    return "(" + *text + ")";
  }
  const auto number = t.time_expression(key, dimension);
  if (!number) throw t.error(key, "is missing: a number or an expression");
  return "(" + number->text() + ")";
}

std::string limited(const std::string& text, bool has_limit) {
  return has_limit ? fmt::format("max(-limit_, min(limit_, {}))", text) : text;
}

template <class P>
void read_servo(const Table& t, int number, const AssemblyOf<P>& s, Signals<P>& known) {
  const int body = find_joint(t, "joint", s.system.tree());
  const bool slides = s.system.tree().joint_kind(body) == JointKind::slider;
  const Dimension load = slides ? Dimension::force : Dimension::torque;
  const std::string target = read_text(t, "target", slides ? Dimension::length : Dimension::angle, known);
  SymbolTable symbols = t.symbols().child();
  symbols.set("kp_", t.number("kp", slides ? Dimension::stiffness : Dimension::rotational_stiffness,
                              Range::non_negative()));
  const Dimension damping = slides ? Dimension::damping_force : Dimension::damping_torque;
  symbols.set("kd_", reading_of(t.number_or("kd", P(0), damping, Range::non_negative())));
  const auto limit = t.number_or_none("max", load, Range::positive());
  if (limit) symbols.set("limit_", *limit);
  const std::string n = s.system.tree().body(body).name + (slides ? "" : ".joint");
  const std::string q = n + (slides ? ".travel" : ".angle"), v = n + (slides ? ".travel.rate" : ".rate");
  add_drive(t, "servo", number, "target",
            limited(fmt::format("kp_*({} - {}) - kd_*{}", target, q, v), !!limit), symbols, s, known, body);
}

template <class P>
void read_motor(const Table& t, int number, const AssemblyOf<P>& s, Signals<P>& known) {
  const int body = find_joint(t, "joint", s.system.tree());
  if (s.system.tree().joint_kind(body) == JointKind::slider)
    throw t.error("joint", "a motor turns: it drives a pin; a slider is driven by `force` or a [[servo]]");
  const std::string voltage = read_text(t, "voltage", Dimension::none, known);
  SymbolTable symbols = t.symbols().child();
  symbols.set("k_", t.number("torque_constant", Dimension::none, Range::positive()));
  symbols.set("r_", t.number("resistance", Dimension::none, Range::positive()));
  symbols.set("n_", reading_of(t.number_or("gear", P(1), Dimension::none, Range::positive())));
  const auto limit = t.number_or_none("max", Dimension::torque, Range::positive());
  if (limit) symbols.set("limit_", *limit);
  const std::string v = s.system.tree().body(body).name + ".joint.rate";
  add_drive(t, "motor", number, "voltage",
            limited(fmt::format("n_*k_*({} - k_*n_*{})/r_", voltage, v), !!limit), symbols, s, known, body);
}

}  // namespace

template <class P>
void read_drives(const Table& root, const AssemblyOf<P>& into) {
  Signals<P> known(into);
  read_joint_drives(root, into, known);
  int number = 0;
  each_table(root, "servo", [&](const Table& t) { read_servo(t, ++number, into, known); });
  number = 0;
  each_table(root, "motor", [&](const Table& t) { read_motor(t, ++number, into, known); });
}

template void read_drives(const Table&, const AssemblyOf<double>&);
THUD_WITH_DUALS(template void read_drives(const Table&, const AssemblyOf<Dual<double>>&);)

}  // namespace thud::doc
