#include "scenario/bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "thud/beam/strike.hpp"

namespace thud::doc {

namespace {

struct RawBody {
  std::string name, parent;  // parent empty: ground or free
  Table table;
  std::string joint_key_path;
  ShapeData shape;
  bool free = false;
  Vec anchor{};
  double own = 0;
  JointForces forces;
  std::optional<Table> joint;
  std::optional<Table> joint_table;  // for messages
};

// A point along a body: "start", "center", "tip" or a length from the start.
double read_place(const Table& t, const char* key, const ShapeData& shape, double fallback) {
  if (!t.has(key)) return fallback;
  if (t.kind_of(key) == ValueKind::text) {
    const std::string text = t.text(key);
    if (text == "start") return 0;
    if (text == "tip" || text == "end") return shape.length;
    if (text == "center") return shape.center.s;
    if (text.empty() || text.front() != '=') {
      try {
        return parse_quantity(text, Dimension::length);
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

// stick = { rate = ..., energy = ..., friction = [a, b] }: the rule of Chapnik et al.; rule = "coulomb" turns it off.
ClampRule read_stick(const Table& t, const JointForces& forces) {
  ClampRule out;
  const auto s = t.table_or_none("stick");
  if (!s) return out;
  const bool on = s->choice_or("rule", "threshold", {"threshold", "coulomb"}) == "threshold";
  const double rate = s->number("rate", Dimension::angular_rate, Range::positive());
  out.energy = s->number("energy", Dimension::energy, Range::positive());
  out.static_negative = forces.friction_negative;
  out.static_positive = forces.friction_positive;
  if (const auto both = s->pair("friction", Quantity{Dimension::torque, Range::positive(), {}})) {
    out.static_negative = (*both)[0];
    out.static_positive = (*both)[1];
  }
  if (!(out.static_negative > 0 && out.static_positive > 0))
    throw InputError(s->place(),
                     "the joint needs a friction in both directions to be held by: friction = [a, b]");
  s->finish();
  out.rate = on ? rate : 0;
  return out;
}

JointForces read_forces(const Table& t) {
  JointForces f;
  f.damping = t.number_or("damping", 0, Dimension::damping_torque, Range::non_negative());
  if (t.has("friction")) {
    if (t.kind_of("friction") == ValueKind::array) {
      const auto both = t.pair("friction", Quantity{Dimension::torque, Range::non_negative(), {}});
      f.friction_negative = (*both)[0];
      f.friction_positive = (*both)[1];
    } else {
      f.friction_negative = f.friction_positive =
          t.number("friction", Dimension::torque, Range::non_negative());
    }
  }
  if (auto torque = t.time_expression("torque", Dimension::torque)) {
    f.torque_varies = torque->varies();
    if (f.torque_varies)
      f.torque = *torque;
    else
      f.torque = [moment = (*torque)(0.0)](double) { return moment; };
  }
  f.clamp = read_stick(t, f);
  return f;
}

void read_joint(const Table& t, RawBody& raw) {
  const std::vector<std::string> words = {"free", "pin"};
  switch (t.kind_of("joint")) {
    case ValueKind::absent:
      throw InputError(
          t.place(), fmt::format("body \"{}\" has no joint; write joint = \"free\", joint = \"pin\" (to the "
                                 "ground) or joint = {{ to = \"other body\", at = \"tip\" }}",
                                 raw.name));
    case ValueKind::array:
      throw t.error("joint", "a body hangs on one joint only: closed loops of bodies are not supported");
    case ValueKind::text: raw.free = t.choice("joint", words) == "free"; return;
    default: break;
  }
  const Table j = t.table("joint");
  raw.joint_table = j;
  raw.own = read_place(j, "own", raw.shape, 0);
  raw.forces = read_forces(j);
  if (j.has("to")) {
    raw.parent = j.filled_text("to");
    raw.joint = j;  // `at` waits until the parent is known
    j.allow("at");
    j.allow("kind");
  } else {
    raw.free = j.choice_or("kind", "pin", words) == "free";
    if (raw.free) {
      for (const char* key : {"damping", "friction", "torque", "stick", "own", "at"})
        if (j.has(key)) throw j.error(key, "a free body has no joint for this to act in");
    } else if (j.has("at")) {
      const auto at = j.pair("at", Dimension::length);
      raw.anchor = {(*at)[0], (*at)[1]};
    }
    j.finish();
  }
}

std::vector<RawBody> read_raw(const Table& root) {
  std::vector<RawBody> raw;
  const std::vector<Table> tables = root.tables("body");
  if (tables.empty())
    throw InputError({root.place().file, 0, 0}, "there is no [[body]]: a scenario needs at least one");
  const auto add = [&](const Table& t) {
    RawBody b{t.filled_text("name"), {}, t, {}, {}, false, {}, 0, {}, {}, {}};
    if (!is_name(b.name))
      throw t.error("name", fmt::format("\"{}\" is not a name; use letters, digits, _ and -", b.name));
    for (const RawBody& other : raw)
      if (other.name == b.name) throw t.error("name", fmt::format("there is a body \"{}\" already", b.name));
    b.shape = read_shape(t.table("shape"));
    read_joint(t, b);
    t.finish();
    raw.push_back(std::move(b));
  };
  for (const Table& t : tables) {
    if (!t.has("repeat")) {
      add(t);
      continue;
    }
    const int count = t.integer("repeat", Range::between(0, 10000));
    for (int i = 1; i <= count; ++i) {
      SymbolTable symbols = t.symbols().child();
      symbols.set("i", i);
      add(t.with_symbols(symbols));
    }
    t.allow("name"), t.allow("shape"), t.allow("joint");
  }
  return raw;
}

// Parents first; refuses unknown parents and loops.
std::vector<int> sort_bodies(const std::vector<RawBody>& raw) {
  std::map<std::string, int> index;
  std::vector<std::string> names;
  for (int i = 0; i < static_cast<int>(raw.size()); ++i) index[raw[i].name] = i, names.push_back(raw[i].name);
  std::vector<int> order, state(raw.size(), 0);
  const auto visit = [&](auto&& self, int i, std::vector<std::string> path) -> void {
    if (state[i] == 2) return;
    path.push_back(raw[i].name);
    if (state[i] == 1) {
      std::string loop;
      for (const auto& n : path) loop += (loop.empty() ? "" : " -> ") + n;
      throw raw[i].joint->error(
          "to",
          fmt::format("the joints form a loop: {}; one body must be pinned to the ground or free", loop));
    }
    state[i] = 1;
    if (!raw[i].parent.empty()) {
      const auto found = index.find(raw[i].parent);
      if (found == index.end())
        throw raw[i].joint->error("to", fmt::format("there is no body \"{}\"{} (bodies: {})", raw[i].parent,
                                                    did_you_mean(raw[i].parent, names), one_of(names)));
      self(self, found->second, path);
    }
    state[i] = 2;
    order.push_back(i);
  };
  for (int i = 0; i < static_cast<int>(raw.size()); ++i) visit(visit, i, {});
  return order;
}

}  // namespace

bool is_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
}

namespace {

// Rayleigh damping by two ratios, for the frequencies of the hub held and, if asked for, of the hub free.
void fit_damping(const BeamSpec& spec, double about_joint, const std::string& name, ElasticBeam& beam,
                 BodyData& out) {
  if (beam.size() < 2)
    throw spec.table.error("damping", "Rayleigh damping by ratios needs at least two modes");
  const auto fit = [&](double w1, double w2, const char* state) {
    const Rayleigh r = fit_rayleigh(w1, w2, (*spec.rayleigh_ratios)[0], (*spec.rayleigh_ratios)[1]);
    if (r.alpha < 0 || r.beta < 0)
      out.notes.push_back(fmt::format(
          "Rayleigh damping of {} turns negative {}: alpha = {:.4g} 1/s, beta = {:.4g} s from ratios {:g} "
          "and {:g} at {:.4g} "
          "and {:.4g} rad/s. It drives {} bending instead of damping it; a ratio for each mode avoids that",
          name, state, r.alpha, r.beta, (*spec.rayleigh_ratios)[0], (*spec.rayleigh_ratios)[1], w1, w2,
          r.alpha < 0 ? "slow" : "fast"));
    return r;
  };
  const Rayleigh held = fit(beam.frequency(0), beam.frequency(1), "while its joint is held");
  if (!spec.by_state) return beam.set_rayleigh_damping(held.alpha, held.beta);
  const std::vector<double> w = frequencies_on_hub(beam, about_joint);
  const Rayleigh loose = fit(w[0], w[1], "while its joint turns");
  beam.set_rayleigh_damping(loose.alpha, loose.beta);
  beam.set_damping_when_held(held.alpha, held.beta);
}

void add_beam(const RawBody& r, const BeamMount& mount, BodyData& b) {
  const BeamSpec& spec = *r.shape.beam;
  ElasticBeam beam = make_beam(spec, mount);
  const bool grounded = !r.free && r.parent.empty();
  const bool clamped = beam.basis().support() == Support::clamped;
  if (r.forces.clamp.is_on() && !(grounded && clamped))
    throw r.joint_table->error(
        "stick", "this rule is for a body that is pinned to the ground, its beam clamped to it");
  if (spec.by_state && !(grounded && clamped))
    throw spec.table.error(
        "damping", "fit = \"by-state\" is for a body that is pinned to the ground, its beam clamped to it");
  if (spec.small_motion) {
    if (!grounded) throw spec.table.error("motion", "\"small\" is for a body that is pinned to the ground");
    b.rigid.linear = true;
  }
  if (spec.rayleigh_ratios)
    fit_damping(spec, b.rigid.inertia + b.rigid.mass * b.rigid.center.s * b.rigid.center.s, r.name, beam, b);
  b.rigid.beam = std::make_shared<ElasticBeam>(std::move(beam));
}

}  // namespace

std::vector<BodyData> read_bodies(const Table& root) {
  const std::vector<RawBody> raw = read_raw(root);
  const std::vector<int> order = sort_bodies(raw);
  std::map<std::string, int> place;
  std::vector<BodyData> out;
  for (int i : order) {
    const RawBody& r = raw[i];
    BodyData b;
    b.shape = r.shape;
    b.forces = r.forces;
    b.origin = r.free ? r.shape.center.s : r.own;
    b.rigid.name = r.name;
    b.rigid.free = r.free;
    b.rigid.anchor = r.anchor;
    b.rigid.mass = r.shape.mass;
    b.rigid.inertia = r.shape.inertia;
    b.rigid.center = {r.shape.center.s - b.origin, 0};
    b.rigid.weightless = r.shape.weightless;
    b.rigid.weightless_at = r.shape.weightless_at - b.origin;
    if (r.shape.beam) {
      if (!r.free && b.origin > r.shape.beam->at)
        throw r.shape.beam->table.error(
            "at", "the joint of the body is on the beam; it must be at its start or before it");
      BeamMount mount{r.free, r.forces.has_friction() || r.forces.damping > 0 || r.forces.torque, false,
                      b.origin};
      // Before it there may be rigid parts, or just a rigid arm without mass.
      mount.behind_parts = r.shape.has_rigid_parts
                        || (!r.free && b.origin < r.shape.beam->at - 1e-12 * r.shape.beam->data.length);
      add_beam(r, mount, b);
    } else if (r.forces.clamp.is_on()) {
      throw r.joint_table->error("stick", "this rule looks at the bending of a beam, and the body has none");
    }
    if (!r.parent.empty()) {
      b.rigid.parent = place.at(r.parent);
      const BodyData& parent = out[b.rigid.parent];
      if (parent.rigid.linear)
        throw r.joint->error(
            "to",
            fmt::format("the beam of \"{}\" has motion = \"small\": nothing can be pinned to it", r.parent));
      b.rigid.attach = {read_place(*r.joint, "at", parent.shape, parent.shape.length) - parent.origin, 0};
      r.joint->finish();
    }
    for (Part& p : b.shape.parts) p.s0 -= b.origin, p.s1 -= b.origin;
    for (ShapeFeature& f : b.shape.features) f.point.s -= b.origin;
    const double about_joint = b.rigid.inertia + b.rigid.mass * b.rigid.center.s * b.rigid.center.s;
    if (!(about_joint > 0))
      throw InputError(r.table.place(),
                       fmt::format("body \"{}\" has no inertia about its joint, so nothing could turn it; "
                                   "place its mass away from the joint or give it a size",
                                   r.name));
    place[r.name] = static_cast<int>(out.size());
    out.push_back(std::move(b));
  }
  return out;
}

}  // namespace thud::doc
