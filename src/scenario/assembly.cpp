#include "scenario/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenario/beds.hpp"
#include "scenario/bodies.hpp"
#include "scenario/contacts.hpp"
#include "scenario/controllers.hpp"
#include "scenario/drives.hpp"
#include "scenario/elements.hpp"
#include "scenario/signals.hpp"

namespace thud::doc {

namespace {

// gravity = 9.81, or [gx, gz]
template <class P>
Vec2<P> read_gravity(const Table& root) {
  if (!root.has("gravity")) return {P(0), P(9.81)};
  if (root.kind_of("gravity") == ValueKind::array) {
    const auto g = root.pair("gravity", Dimension::acceleration);
    return {P((*g)[0]), P((*g)[1])};
  }
  return {P(0), P(root.number("gravity", Dimension::acceleration))};
}

template <class P>
void read_air(const Table& root, const std::vector<BodyDataOf<P>>& bodies,
              const std::vector<std::string>& names, SystemOf<P>& system) {
  const auto t = root.table_or_none("air");
  if (!t) return;
  const P density = t->number_or("density", P(1.2045), Dimension::density, Range::non_negative());
  const P coefficient = t->number("drag_coefficient", Dimension::none, Range::non_negative());
  TimeFunctionOf<P> wind;
  read_time_function(*t, "wind", Dimension::speed, wind);
  const std::vector<std::string> which = t->texts_or("bodies", names);
  for (const std::string& name : which) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw t->error("bodies", fmt::format("there is no body \"{}\"{}", name, did_you_mean(name, names)));
    const int i = static_cast<int>(found - names.begin());
    system.set_air_drag(i, 0.5 * coefficient * density * bodies[i].shape.air_area, wind);
  }
  t->finish();
}

// To be drawn only.
template <class P>
PartOf<P> make_circle(BodyPointOf<P> at, P radius) {
  PartOf<P> p;
  p.kind = PartKind::disc;
  p.s0 = p.s1 = at.s;
  p.n = at.n;
  p.width = p.breadth = 2 * radius;
  return p;
}

// Returns those of [points], with their radii.
template <class P>
std::vector<FeatureOf<P>> read_points(const Table& root, const std::vector<BodyDataOf<P>>& bodies,
                                      const std::vector<std::string>& names, BuiltOf<P>& s) {
  std::vector<FeatureOf<P>> features;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const int body = static_cast<int>(i);
    s.points.push_back({names[i] + ".start", body, {-bodies[i].origin, P(0)}});
    s.points.push_back({names[i] + ".tip", body, {bodies[i].shape.length - bodies[i].origin, P(0)}});
    if (bodies[i].rigid.beam && bodies[i].shape.has_rigid_parts)
      s.points.push_back({names[i] + ".root", body, {bodies[i].rigid.beam->start(), P(0)}});
  }
  const auto t = root.table_or_none("points");
  if (!t) return features;
  for (const std::string& key : t->keys()) {
    const Table p = t->table(key);
    const std::string name = p.text("body");
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw p.error("body", fmt::format("there is no body \"{}\"{}", name, did_you_mean(name, names)));
    const int body = static_cast<int>(found - names.begin());
    const P along = p.number("s", Dimension::length), lateral = p.number_or("n", P(0), Dimension::length);
    const BodyPointOf<P> at{along - bodies[body].origin, lateral};
    const P radius = p.number_or("radius", P(0), Dimension::length, Range::non_negative());
    s.points.push_back({key, body, at});
    features.push_back({key, body, at, radius});
    if (value_of(radius) > 0) s.parts.push_back({body, make_circle(at, radius)});
    p.finish();
  }
  t->finish();
  return features;
}

// An element that is left out because it would do nothing could not tell what it does when the knob is turned.
void refuse_hidden(const Table& root, const char* what, const std::string& where,
                   std::initializer_list<Dual<double>> values) {
  for (const Dual<double>& x : values)
    if (x.v == 0 && x.d != 0)
      throw InputError(
          root.place(),
          fmt::format("{} of {} is zero, where its derivative by a knob has a step", what, where));
}

void refuse_hidden(const Table&, const std::vector<BodyDataOf<double>>&, const System&) {}
void refuse_hidden(const Table& root, const std::vector<BodyDataOf<Dual<double>>>& bodies,
                   const SystemOf<Dual<double>>& system) {
  for (const auto& b : bodies) {
    const std::string name = fmt::format("body \"{}\"", b.rigid.name);
    refuse_hidden(root, "damping in the joint", name, {b.forces.damping});
    refuse_hidden(root, "friction in the joint", name,
                  {b.forces.friction_positive, b.forces.friction_negative});
    refuse_hidden(root, "mass without weight", name, {b.rigid.weightless});
    if (b.shape.beam)
      refuse_hidden(root, "rotary inertia of the tip", name, {b.shape.beam->data.tip_inertia});
    for (const auto& p : b.shape.parts) refuse_hidden(root, "a size", name, {p.width, p.breadth});
  }
  for (const auto& b : system.beds())
    refuse_hidden(root, "depth", fmt::format("bed \"{}\"", b.name), {b.bottom, b.rise});
  for (const auto& c : system.contacts()) {
    const std::string name = fmt::format("contact \"{}\"", c.subject());
    refuse_hidden(root, "friction", name, {c.law.friction});
    refuse_hidden(root, "radius", name, {c.a.radius, c.b.radius});
    // Its square counts, so that at zero the speed after an impact begins to grow as a root does.
    if (c.law.law == RestitutionLaw::stronge || system.contacts().size() > 1)
      refuse_hidden(root, "restitution", name, {c.law.restitution});
    if (c.law.correlation) refuse_hidden(root, "correlation", name, {*c.law.correlation});
    if (c.law.compliant) refuse_hidden(root, "damping", name, {c.law.damping});
  }
  refuse_hidden(root, "correlation", "[contact]", {system.correlation()});
  for (const auto& s : system.of<SpringOf<Dual<double>>>())
    refuse_hidden(root, "damping", s.label, {s.damping});
}

// What impact correlation alone uses, where no contact takes turns.
template <class P>
void tell_unused(const SystemOf<P>& system, std::vector<std::string>& notes) {
  bool rigid = false, turns = false, correlates = value_of(system.correlation()) > 0;
  for (const auto& c : system.contacts()) {
    if (c.law.compliant) continue;
    rigid = true;
    turns = turns || c.law.law == RestitutionLaw::stronge;
    correlates = correlates || (c.law.correlation && value_of(*c.law.correlation) > 0);
  }
  if (!rigid || turns) return;
  const auto tell = [&](const char* key) {
    notes.push_back(fmt::format(
        "\"{}\" is not used: by law = \"newton\" or \"poisson\" all contacts act at once, and none leads",
        key));
  };
  if (correlates) tell("correlation");
  if (system.leader() == LeaderRule::first) tell("leader");
}

// What a run keeps of the switches, contacts above all, grows with their square. [bytes]
template <class P>
double memory_of_run(const SystemOf<P>& system) {
  constexpr double workspaces = 4;
  double switches = 0;
  ElementTypesOf<P>::each([&]<class E>() {
    switches += static_cast<double>(E::switches.size() * system.template of<E>().size());
  });
  return workspaces * sizeof(double) * switches * (switches + 3.0 * system.dof_count());
}

template <class P>
void refuse_too_large(const Table& root, const SystemOf<P>& system) {
  constexpr double most = 4.5e9;
  const double needed = memory_of_run(system);
  if (needed > most)
    throw InputError(
        {root.place().file, 0, 0},
        fmt::format("a run of this mechanism would take {:.1f} GB, and {} are the most: it has {} "
                    "bodies and {} contacts",
                    needed / 1e9, most / 1e9, system.tree().body_count(), system.contacts().size()));
}

// Faces of one direction slide with one ratio of the stress along them to that across.
template <class P>
void refuse_layers_of_other_angles(const Place& place, const std::string& body, const BedOf<P>& bed) {
  const auto numbers = [](const DrftLawOf<P>& law) {
    const auto& a = law.alpha;
    return std::array<double, 9>{value_of(a.a00), value_of(a.a10),  value_of(a.b11),
                                 value_of(a.b01), value_of(a.bm11), value_of(a.c11),
                                 value_of(a.c01), value_of(a.cm11), value_of(a.d10)};
  };
  const std::array<double, 9> first = numbers(entry_stress(bed, BedEntry{}));
  for (const BedEntry& entry : bed_entries(bed)) {
    const std::array<double, 9> other = numbers(entry_stress(bed, entry));
    for (std::size_t i = 0; i < first.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (std::abs(first[i] * other[j] - first[j] * other[i]) > 1e-12 * std::abs(first[i] * other[j]))
          throw InputError(
              place,
              fmt::format("\"{}\" slides on its faces, which takes one friction for all layers of \"{}\": "
                          "they may differ in zeta only, not in the nine coefficients",
                          body, bed.name));
  }
}

template <class P>
[[noreturn]] void refuse_part(const Place& place, const std::string& body, const BedOf<P>& bed,
                              PartKind kind) {
  const bool axis = std::holds_alternative<LeeSpreadLawOf<P>>(bed.law);
  const char* what = kind == PartKind::block   ? "a block"
                   : kind == PartKind::beam    ? "a beam"
                   : kind == PartKind::disc    ? "a disc"
                   : kind == PartKind::segment ? "a cylinder beside its axis"
                   : kind == PartKind::polygon ? "a polygon"
                                               : "a ball";
  if (!is_spread<P>(bed.law))
    throw InputError(
        place, fmt::format("the law of \"{}\" acts at one point of what is immersed, and \"{}\" has a "
                           "polygon; rft and drft take it, or name in bodies = [...] what feels the bed",
                           bed.name, body));
  if (!axis && kind != PartKind::beam)
    throw InputError(
        place,
        fmt::format(
            "the law of \"{}\" is a plane one, and \"{}\" has a ball, whose surface it does not know; "
            "give it cylinders, blocks, polygons or discs, or name in bodies = [...] what feels the bed",
            bed.name, body));
  throw InputError(
      place,
      fmt::format("the law of \"{}\" acts along {}, and \"{}\" has {}; give it {}, or name in bodies = [...] "
                  "what feels the bed",
                  bed.name, axis ? "the axes of cylinders" : "rigid outlines", body, what,
                  axis ? "cylinders on it" : "cylinders, blocks, polygons or discs"));
}

void refuse_many(const Place& place, const std::string& body, int levels) {
  if (levels > SpreadMode::most_levels)
    throw InputError(place, fmt::format("\"{}\" has {} parts, and {} are the most that can feel this law",
                                        body, levels / 2, SpreadMode::most_levels / 2));
}

}  // namespace

template <class P>
BuiltOf<P> build_system(const Table& root, const OwnParts& own) {
  BuiltOf<P> out;
  const std::vector<BodyDataOf<P>> bodies = read_bodies<P>(root);
  std::vector<std::string> names;
  std::vector<BodyOf<P>> rigid;
  for (const BodyDataOf<P>& b : bodies) {
    names.push_back(b.rigid.name);
    rigid.push_back(b.rigid);
    out.notes.insert(out.notes.end(), b.notes.begin(), b.notes.end());
  }
  out.system = std::make_unique<SystemOf<P>>(TreeOf<P>(std::move(rigid)), read_gravity<P>(root));
  SystemOf<P>& system = *out.system;
  system.track_distance(true);
  std::vector<SpreadSandOf<P>> spread(bodies.size());
  for (const BedDataOf<P>& data : read_beds<P>(root, names, own)) {
    const int bed = system.add_bed(data.bed);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const bool feels = data.bodies.empty()
                      || std::find(data.bodies.begin(), data.bodies.end(), names[i]) != data.bodies.end();
      if (!feels) continue;
      const int body = static_cast<int>(i);
      if (std::holds_alternative<LeeSpreadLawOf<P>>(data.bed.law)) {
        LeeSpreadOf<P> axis;
        axis.body = body;
        axis.bed = bed;
        for (const PartOf<P>& part : bodies[i].shape.parts)
          if (!axis.add_part(part)) refuse_part(data.place, names[i], data.bed, part.kind);
        axis.add_levels(data.bed);
        refuse_many(data.place, names[i], axis.level_count());
        if (!axis.pieces.empty()) system.add(std::move(axis));
        continue;
      }
      if (!is_spread<P>(data.bed.law)) {
        for (const PartOf<P>& part : bodies[i].shape.parts) {
          if (part.kind == PartKind::polygon) refuse_part(data.place, names[i], data.bed, part.kind);
          system.add_piece(body, bed, part);
        }
        continue;
      }
      spread[i].body = body;
      for (const PartOf<P>& part : bodies[i].shape.parts)
        if (part.kind == PartKind::block || part.kind == PartKind::polygon)
          refuse_layers_of_other_angles(data.place, names[i], data.bed);
      for (const PartOf<P>& part : bodies[i].shape.parts)
        if (!spread[i].add_part(bed, part)) refuse_part(data.place, names[i], data.bed, part.kind);
      refuse_many(data.place, names[i], spread[i].level_count());
    }
  }
  for (SpreadSandOf<P>& s : spread) {
    if (s.faces.empty()) continue;
    s.cover_faces();
    s.add_levels(system.beds());
    refuse_many(root.tables("bed").front().place(), names[static_cast<std::size_t>(s.body)], s.level_count());
    system.add(std::move(s));
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    system.set_joint(static_cast<int>(i), bodies[i].forces);
    for (const PartOf<P>& part : bodies[i].shape.parts) out.parts.emplace_back(static_cast<int>(i), part);
  }
  read_air(root, bodies, names, system);
  const AssemblyOf<P> into{system, out.points};
  read_contacts(root, bodies, read_points(root, bodies, names, out), into);
  tell_unused(system, out.notes);
  read_controllers(root, into);
  read_drives(root, into);
  read_elements(root, into);
  refuse_hidden(root, bodies, system);
  refuse_too_large(root, system);
  return out;
}

template BuiltOf<double> build_system(const Table&, const OwnParts&);
THUD_WITH_DUALS(template BuiltOf<Dual<double>> build_system(const Table&, const OwnParts&);)

}  // namespace thud::doc
