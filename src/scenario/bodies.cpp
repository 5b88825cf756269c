#include "scenario/bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "scenario/repeated.hpp"
#include "scenario/walls.hpp"
#include "thud/beam/strike.hpp"

namespace thud::doc {

namespace {

template <class P>
struct RawBody {
  std::string name;
  Table table;
  ShapeDataOf<P> shape;
  JointDataOf<P> joint;
};

template <class P>
std::vector<RawBody<P>> read_raw(const Table& root) {
  std::vector<RawBody<P>> raw;
  if (root.tables("body").empty())
    throw InputError({root.place().file, 0, 0}, "there is no [[body]]: a scenario needs at least one");
  std::set<std::string> names;
  const auto add = [&](const Table& t) {
    RawBody<P> b{t.filled_text("name"), t, {}, {}};
    check_name(t, "name", b.name);
    if (!names.insert(b.name).second)
      throw t.error("name", fmt::format("there is a body \"{}\" already", b.name));
    b.shape = read_shape<P>(t.table("shape"));
    b.joint = read_joint(t, b.name, b.shape);
    t.finish();
    raw.push_back(std::move(b));
  };
  each_table(root, "body", add, [](const Table& t, int) {
    t.allow("name"), t.allow("shape"), t.allow("joint"), t.allow("joint_inertia");
  });
  return raw;
}

// Parents first; refuses unknown parents and loops.
template <class P>
std::vector<int> sort_bodies(const std::vector<RawBody<P>>& raw) {
  std::map<std::string, int> index;
  std::vector<std::string> names;
  for (int i = 0; i < static_cast<int>(raw.size()); ++i) index[raw[i].name] = i, names.push_back(raw[i].name);
  std::vector<int> order, state(raw.size(), 0);
  std::vector<int> path;
  const auto visit = [&](auto&& self, int i) -> void {
    if (state[i] == 2) return;
    path.push_back(i);
    if (state[i] == 1) {
      std::string loop;
      for (const int k : path) loop += (loop.empty() ? "" : " -> ") + raw[k].name;
      throw raw[i].joint.table->error(
          "to", fmt::format("the joints form a loop: {}; one body must be joined to the ground or "
                            "free, and what closes the loop is a [[loop]]",
                            loop));
    }
    state[i] = 1;
    if (!raw[i].joint.parent.empty()) {
      const auto found = index.find(raw[i].joint.parent);
      if (found == index.end())
        throw raw[i].joint.table->error(
            "to", fmt::format("there is no body \"{}\"{} (bodies: {})", raw[i].joint.parent,
                              did_you_mean(raw[i].joint.parent, names), one_of(names)));
      self(self, found->second);
    }
    state[i] = 2;
    order.push_back(i);
    path.pop_back();
  };
  for (int i = 0; i < static_cast<int>(raw.size()); ++i) visit(visit, i);
  return order;
}

}  // namespace

bool is_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
}

void check_name(const Table& t, const char* key, const std::string& name) {
  if (!is_name(name))
    throw t.error(key, fmt::format("\"{}\" is not a name; use letters, digits, _ and -", name));
}

template <class P>
int find_joint(const Table& t, const char* key, const TreeOf<P>& tree) {
  const std::string wanted = t.filled_text(key);
  std::vector<std::string> known;
  for (int i = 0; i < tree.body_count(); ++i) {
    const BodyOf<P>& b = tree.body(i);
    const JointKind kind = tree.joint_kind(i);
    if (b.name == wanted && b.free)
      throw t.error(key, fmt::format("\"{}\" is free: it has no joint for this to act in", wanted));
    if (b.name == wanted && kind == JointKind::weld)
      throw t.error(key, fmt::format("\"{}\" is welded: nothing moves in its joint", wanted));
    if (b.name == wanted) return i;
    if (!b.free && kind != JointKind::weld) known.push_back(b.name);
  }
  throw t.error(key, fmt::format("there is no body \"{}\"{} (bodies with a joint that moves: {})", wanted,
                                 did_you_mean(wanted, known), one_of(known)));
}

template int find_joint(const Table&, const char*, const TreeOf<double>&);
THUD_WITH_DUALS(template int find_joint(const Table&, const char*, const TreeOf<Dual<double>>&);)

namespace {

// Rayleigh damping by two ratios, for the frequencies of the hub held and, if asked for, of the hub free.
void fit_damping(const BeamSpecOf<double>& spec, double about_joint, const std::string& name,
                 ElasticBeam& beam, BodyDataOf<double>& out) {
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

// The frequencies it is fitted to are not followed as a knob turns.
void fit_damping(const BeamSpecOf<Dual<double>>& spec, Dual<double>, const std::string& name,
                 ElasticBeamOf<Dual<double>>&, BodyDataOf<Dual<double>>&) {
  throw spec.table.error("damping",
                         fmt::format("Rayleigh damping of {} by ratios has no derivatives by knobs", name));
}

template <class P>
P about_joint(const BodyOf<P>& b) {
  return b.inertia + b.joint.inertia + b.mass * (b.center.s * b.center.s + b.center.n * b.center.n);
}

template <class P>
void add_beam(const RawBody<P>& r, const BeamMountOf<P>& mount, BodyDataOf<P>& b) {
  const BeamSpecOf<P>& spec = *r.shape.beam;
  ElasticBeamOf<P> beam = make_beam(spec, mount);
  const bool grounded = r.joint.is_ground_pin();
  const bool clamped = beam.basis().support() == Support::clamped;
  if (r.joint.forces.clamp.is_on() && !(grounded && clamped))
    throw r.joint.table->error(
        "stick", "this rule is for a body that is pinned to the ground, its beam clamped to it");
  if (spec.by_state && !(grounded && clamped))
    throw spec.table.error(
        "damping", "fit = \"by-state\" is for a body that is pinned to the ground, its beam clamped to it");
  if (spec.small_motion) {
    if (!grounded) throw spec.table.error("motion", "\"small\" is for a body that is pinned to the ground");
    b.rigid.linear = true;
  }
  if (spec.rayleigh_ratios) fit_damping(spec, about_joint(b.rigid), r.name, beam, b);
  b.rigid.beam = std::make_shared<ElasticBeamOf<P>>(std::move(beam));
}

}  // namespace

namespace {

template <class P>
BodyOf<P> make_body(const RawBody<P>& r, P origin) {
  BodyOf<P> b;
  b.name = r.name;
  b.free = r.joint.is_free();
  if (!b.free) b.joint = {r.joint.kind, r.joint.direction, r.joint.angle, r.joint.inertia};
  b.anchor = r.joint.anchor;
  b.mass = r.shape.mass;
  b.inertia = r.shape.inertia;
  b.center = {r.shape.center.s - origin, r.shape.center.n};
  b.weightless = r.shape.weightless;
  b.weightless_at = r.shape.weightless_at - origin;
  return b;
}

template <class P>
void mount_beam(const RawBody<P>& r, BodyDataOf<P>& b) {
  const BeamSpecOf<P>& beam = *r.shape.beam;
  const bool free = r.joint.is_free();
  if (!free && b.origin > beam.at)
    throw beam.table.error("at",
                           "the joint of the body is on the beam; it must be at its start or before it");
  const JointForcesOf<P>& f = r.joint.forces;
  BeamMountOf<P> mount{free, f.has_friction() || value_of(f.damping) > 0 || f.torque || r.joint.is_driven,
                       false, false, b.origin};
  // Before it there may be rigid parts, or just a rigid arm without mass.
  mount.behind_parts = r.shape.has_rigid_parts || (!free && b.origin < beam.at - 1e-12 * beam.data.length);
  mount.is_held = !free && r.joint.kind != JointKind::pin;
  add_beam(r, mount, b);
}

template <class P>
void check_body(const RawBody<P>& r, const BodyDataOf<P>& b) {
  if (r.joint.forces.clamp.is_on() && !r.shape.beam)
    throw r.joint.table->error("stick", "this rule looks at the bending of a beam, and the body has none");
  const bool pinned = r.joint.kind == JointKind::pin;
  if (pinned && !is_zero(r.joint.inertia) && b.rigid.beam
      && b.rigid.beam->basis().support() != Support::clamped)
    throw InputError(r.table.place(),
                     fmt::format("where the joint of \"{}\" has an inertia its beam must be clamped: give it "
                                 "support = \"clamped\"",
                                 r.name));
  const bool turns = r.joint.is_free() || pinned;
  if (turns && !(value_of(about_joint(b.rigid)) > 0))
    throw InputError(r.table.place(),
                     fmt::format("body \"{}\" has no inertia about its joint, so nothing could turn it; "
                                 "place its mass away from the joint or give it a size",
                                 r.name));
}

}  // namespace

template <class P>
std::vector<BodyDataOf<P>> read_bodies(const Table& root) {
  std::vector<RawBody<P>> raw = read_raw<P>(root);
  for (const char* drive : {"servo", "motor"})
    for (const Table& t : root.tables(drive))
      for (RawBody<P>& r : raw)
        r.joint.is_driven = r.joint.is_driven || (t.has("joint") && t.raw_text("joint") == r.name);
  const std::vector<int> order = sort_bodies(raw);
  if (std::all_of(raw.begin(), raw.end(),
                  [](const RawBody<P>& r) { return r.joint.kind == JointKind::weld; }))
    throw InputError(raw.front().table.place(),
                     "nothing can move: every body is welded; one needs a joint of another kind");
  std::map<std::string, int> place;
  std::vector<BodyDataOf<P>> out;
  for (int i : order) {
    const RawBody<P>& r = raw[i];
    BodyDataOf<P> b;
    b.shape = r.shape;
    b.forces = r.joint.forces;
    b.origin = r.joint.is_free() ? r.shape.center.s : r.joint.own;
    b.rigid = make_body(r, b.origin);
    if (r.shape.beam) mount_beam(r, b);
    if (!r.joint.parent.empty()) {
      b.rigid.parent = place.at(r.joint.parent);
      const BodyDataOf<P>& parent = out[b.rigid.parent];
      if (parent.rigid.linear)
        throw r.joint.table->error(
            "to", fmt::format("the beam of \"{}\" has motion = \"small\": nothing can be pinned to it",
                              r.joint.parent));
      b.rigid.attach = read_attachment(r.joint, parent.shape);
      b.rigid.attach.s -= parent.origin;
    }
    for (PartOf<P>& p : b.shape.parts) {
      p.s0 -= b.origin, p.s1 -= b.origin;
      for (BodyPointOf<P>& c : p.corners) c.s -= b.origin;
    }
    for (ShapeFeatureOf<P>& f : b.shape.features) f.point.s -= b.origin;
    check_body(r, b);
    place[r.name] = static_cast<int>(out.size());
    out.push_back(std::move(b));
  }
  add_wall_carriers(root, out);
  return out;
}

template std::vector<BodyDataOf<double>> read_bodies(const Table&);
THUD_WITH_DUALS(template std::vector<BodyDataOf<Dual<double>>> read_bodies(const Table&);)

}  // namespace thud::doc
