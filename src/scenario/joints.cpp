#include "scenario/joints.hpp"

#include <fmt/format.h>

#include <cctype>
#include <numbers>

#include "scenario/signals.hpp"

namespace thud::doc {

namespace {

// A point along a body: "start", "center", "tip" or a length from the start.
template <class P>
P read_place(const Table& t, const char* key, const ShapeDataOf<P>& shape, P fallback) {
  if (!t.has(key)) return fallback;
  if (t.kind_of(key) == ValueKind::text) {
    const std::string text = t.text(key);
    if (text == "start") return P(0);
    if (text == "tip" || text == "end") return shape.length;
    if (text == "center") {
      if (!is_zero(shape.center.n))
        throw t.error(key, "the mass centre is not on the axis of this body; give a length from its start");
      return shape.center.s;
    }
    if (text.empty() || text.front() != '=') {
      try {
        return P(parse_quantity(text, Dimension::length));
      } catch (const std::invalid_argument&) {
        throw t.error(
            key,
            fmt::format(
                "\"{}\" is not a place on a body; allowed are \"start\", \"center\", \"tip\" or a length "
                "from the start such as \"40 mm\"{}",
                text, did_you_mean(text, {"start", "center", "tip"})));
      }
    }
  }
  return t.number(key, Dimension::length);
}

// ---- forces -----------------------------------------------------------------------------------

// stick = { rate = ..., energy = ..., friction = [a, b] }: the rule of Chapnik et al.; rule = "coulomb" turns it off.
template <class P>
ClampRuleOf<P> read_stick(const Table& t, const JointForcesOf<P>& forces) {
  ClampRuleOf<P> out;
  const auto s = t.table_or_none("stick");
  if (!s) return out;
  const bool on = s->choice_or("rule", "threshold", {"threshold", "coulomb"}) == "threshold";
  const P rate = s->number("rate", Dimension::angular_rate, Range::positive());
  out.energy = s->number("energy", Dimension::energy, Range::positive());
  out.static_negative = forces.friction_negative;
  out.static_positive = forces.friction_positive;
  if (const auto both = s->pair("friction", Quantity{Dimension::torque, Range::positive(), {}})) {
    out.static_negative = (*both)[0];
    out.static_positive = (*both)[1];
  }
  if (!(value_of(out.static_negative) > 0 && value_of(out.static_positive) > 0))
    throw InputError(s->place(),
                     "the joint needs a friction in both directions to be held by: friction = [a, b]");
  s->finish();
  out.rate = on ? rate : P(0);
  return out;
}

// In a slider forces along its line take the place of moments.
template <class P>
JointForcesOf<P> read_forces(const Table& t, bool slides) {
  const Dimension load = slides ? Dimension::force : Dimension::torque;
  JointForcesOf<P> f;
  f.damping = t.number_or("damping", P(0), slides ? Dimension::damping_force : Dimension::damping_torque,
                          Range::non_negative());
  if (t.has("friction")) {
    if (t.kind_of("friction") == ValueKind::array) {
      const auto both = t.pair("friction", Quantity{load, Range::non_negative(), {}});
      f.friction_negative = (*both)[0];
      f.friction_positive = (*both)[1];
    } else {
      f.friction_negative = t.number("friction", load, Range::non_negative());
      f.friction_positive = f.friction_negative;
    }
  }
  const char* key = slides ? "force" : "torque";
  if (const auto text = t.formula_text(key); text && has_signals(*text)) {
    t.check_formula(key, load);  // of the state: read_drives
  } else if (auto drive = t.time_expression(key, load)) {
    check_start(t, key, *drive);
    f.torque_varies = drive->varies();
    if (f.torque_varies) f.torque_timing = timing_of(*drive);
    auto torque = function_of<P>(std::move(*drive));
    if (f.torque_varies)
      f.torque = std::move(torque);
    else
      f.torque = [constant = torque(0.0)](double) { return constant; };
  }
  if (!slides) f.clamp = read_stick(t, f);
  return f;
}

// ---- kinds ------------------------------------------------------------------------------------

struct KindEntry {
  const char* name;
  JointKind kind;
};
constexpr KindEntry kinds[] = {{"free", JointKind::free},
                               {"pin", JointKind::pin},
                               {"slider", JointKind::slider},
                               {"weld", JointKind::weld}};

JointKind kind_of(const std::string& name) {
  for (const KindEntry& k : kinds)
    if (name == k.name) return k.kind;
  return JointKind::pin;
}

// What a kind has no use for must not be there.
void refuse_keys(const Table& j, JointKind kind, const std::string& body) {
  const auto refuse = [&](std::initializer_list<const char*> keys, const std::string& why) {
    for (const char* key : keys)
      if (j.has(key)) throw j.error(key, why);
  };
  switch (kind) {
    case JointKind::free:
      refuse({"to"},
             "a free body is carried by nothing; leave this out, or take another kind (\"pin\", \"slider\", "
             "\"weld\")");
      refuse(
          {"damping", "friction", "torque", "force", "stick", "own", "at", "direction", "angle", "inertia"},
          "a free body has no joint for this to act in");
      break;
    case JointKind::pin:
      refuse({"direction"}, "a pin has no direction; a body that moves along a line has kind = \"slider\"");
      refuse({"angle"}, fmt::format("a pinned body turns; its angle at the start is \"{0}.angle\" in "
                                    "[initial]; kind = \"weld\" or \"slider\" holds it at an angle",
                                    body));
      refuse({"force"}, "a pin is driven by a moment: torque = …; force is for kind = \"slider\"");
      break;
    case JointKind::slider:
      refuse({"torque"}, "a slider is driven along its line: force = …, in N");
      refuse({"stick"}, "this rule is for a body that is pinned to the ground, its beam clamped to it");
      break;
    case JointKind::weld:
      refuse({"direction"}, "nothing moves in a weld; a body that moves along a line has kind = \"slider\"");
      refuse({"damping", "friction", "torque", "force", "stick", "inertia"},
             "nothing moves in a weld, so this has nothing to act on");
      break;
    case JointKind::geared: break;  // not of files
  }
}

// What a gear reflects into the joint: `inertia` in it, or `joint_inertia` of the body where the joint is a word.
template <class P>
P read_inertia(const Table& body, const Table* joint, JointKind kind, const std::string& name) {
  const bool moves = kind == JointKind::pin || kind == JointKind::slider;
  if (!moves && body.has("joint_inertia"))
    throw body.error("joint_inertia", fmt::format("\"{}\" has no joint that moves for this to act in", name));
  if (!moves) return P(0);
  const Dimension measure = kind == JointKind::slider ? Dimension::mass : Dimension::inertia;
  if (!joint || !joint->has("inertia"))
    return body.number_or("joint_inertia", P(0), measure, Range::non_negative());
  if (body.has("joint_inertia"))
    throw body.error("joint_inertia", "the joint has its inertia already: give one of them");
  return P(joint->number("inertia", measure, Range::non_negative()));
}

// ---- directions -------------------------------------------------------------------------------

struct Word {
  const char* name;
  double angle;
  bool of_ground;
};
constexpr Word words[] = {{"vertical", 0, true},
                          {"horizontal", std::numbers::pi / 2, true},
                          {"along", 0, false},
                          {"across", std::numbers::pi / 2, false}};

// A word, or an angle against the axis of what carries it, on the ground against the downward vertical.
template <class P>
P read_direction(const Table& j, bool on_ground) {
  const char* allowed =
      on_ground ? "\"vertical\" (travel counts downwards), \"horizontal\" (to the right) or an angle "
                  "from the downward vertical such as \"30 deg\""
                : "\"along\" or \"across\" the axis of the body that carries it, or an angle against "
                  "that axis such as \"30 deg\"";
  if (!j.has("direction"))
    throw InputError(j.place(), fmt::format("a slider needs its direction: direction = {}", allowed));
  if (j.kind_of("direction") == ValueKind::text) {
    const std::string text = j.text("direction");
    std::vector<std::string> fitting;
    for (const Word& w : words) {
      if (w.of_ground == on_ground) fitting.emplace_back(w.name);
      if (text != w.name) continue;
      if (w.of_ground == on_ground) return P(w.angle);
      throw j.error("direction",
                    fmt::format("\"{}\" is a direction of {}; allowed here are {}", text,
                                on_ground ? "a body, and this slider is on the ground"
                                          : "the ground, and this slider is on a body that may turn",
                                allowed));
    }
    if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())))
      throw j.error("direction", fmt::format("\"{}\" is not a direction; allowed are {}{}", text, allowed,
                                             did_you_mean(text, fitting)));
  }
  return j.number("direction", Dimension::angle);
}

}  // namespace

std::vector<std::string> joint_kinds() {
  std::vector<std::string> names;
  for (const KindEntry& k : kinds) names.emplace_back(k.name);
  return names;
}

std::vector<std::string> direction_words() {
  std::vector<std::string> names;
  for (const Word& w : words) names.emplace_back(w.name);
  return names;
}

template <class P>
JointDataOf<P> read_joint(const Table& t, const std::string& name, const ShapeDataOf<P>& shape) {
  JointDataOf<P> out;
  switch (t.kind_of("joint")) {
    case ValueKind::absent:
      throw InputError(
          t.place(), fmt::format("body \"{}\" has no joint; write joint = \"free\", joint = \"pin\" (to the "
                                 "ground) or joint = {{ to = \"other body\", at = \"tip\" }}",
                                 name));
    case ValueKind::array:
      throw t.error("joint",
                    "a body hangs on one joint only; a [[loop]] pins it to another body as well: a = \"tip "
                    "of one\", b = \"tip of the "
                    "other\"");
    case ValueKind::text:
      out.kind = kind_of(t.choice("joint", joint_kinds()));
      if (out.kind == JointKind::slider)
        throw t.error(
            "joint", "a slider needs its direction: joint = { kind = \"slider\", direction = \"vertical\" }");
      out.inertia = read_inertia<P>(t, nullptr, out.kind, name);
      return out;
    default: break;
  }
  const Table j = t.table("joint");
  out.table = j;
  out.kind = kind_of(j.choice_or("kind", "pin", joint_kinds()));
  refuse_keys(j, out.kind, name);
  out.inertia = read_inertia<P>(t, &j, out.kind, name);
  if (out.is_free()) {
    j.finish();
    return out;
  }
  out.own = read_place(j, "own", shape, P(0));
  if (j.has("to")) out.parent = j.filled_text("to");
  const bool slides = out.kind == JointKind::slider;
  if (slides) out.direction = read_direction<P>(j, out.parent.empty());
  if (out.kind != JointKind::pin) out.angle = j.number_or("angle", P(0), Dimension::angle);
  if (out.kind != JointKind::weld) out.forces = read_forces<P>(j, slides);
  const auto drive = j.formula_text(slides ? "force" : "torque");
  out.is_driven = drive && has_signals(*drive);
  if (!out.parent.empty()) {
    j.allow("at");
    return out;
  }
  if (j.has("at")) {
    const auto at = j.pair("at", Dimension::length);
    out.anchor = {(*at)[0], (*at)[1]};
  }
  j.finish();
  return out;
}

template <class P>
BodyPointOf<P> read_attachment(const JointDataOf<P>& joint, const ShapeDataOf<P>& parent) {
  const Table& j = *joint.table;
  BodyPointOf<P> at{};
  if (j.kind_of("at") == ValueKind::array) {
    const auto both = j.pair("at", Dimension::length);
    at = {(*both)[0], (*both)[1]};
    if (parent.beam && !is_zero(at.n))
      throw j.error("at", "a joint on a body with a beam lies on its axis: give the length along it alone");
  } else {
    at.s = read_place(j, "at", parent, parent.length);
  }
  j.finish();
  return at;
}

template JointDataOf<double> read_joint(const Table&, const std::string&, const ShapeDataOf<double>&);
THUD_WITH_DUALS(template JointDataOf<Dual<double>> read_joint(const Table&, const std::string&,
                                                              const ShapeDataOf<Dual<double>>&);)
template BodyPoint read_attachment(const JointDataOf<double>&, const ShapeDataOf<double>&);
THUD_WITH_DUALS(template BodyPointOf<Dual<double>> read_attachment(const JointDataOf<Dual<double>>&,
                                                                   const ShapeDataOf<Dual<double>>&);)

}  // namespace thud::doc
