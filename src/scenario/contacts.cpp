#include "scenario/contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_set>

#include "scenario/repeated.hpp"
#include "scenario/signals.hpp"
#include "scenario/walls.hpp"
#include "thud/math/portable.hpp"

namespace thud::doc {

namespace {

constexpr double pi = std::numbers::pi;
constexpr double deepest_start = 1e-9;       // [m] that rigid things may be inside each other at the start
constexpr std::size_t most_contacts = 4000;  // memory grows with their square: 2 to 4 GB
constexpr double fastest = 100, slowest = 1e-6;  // [m/s] between which e(v) is tried

// e of the speed of approach, tried before it is believed; none when it is a number.
template <class P>
std::function<P(P)> read_restitution_of_speed(const Table& t) {
  if (t.kind_of("restitution") != ValueKind::text) return {};
  const std::string text = t.raw_text("restitution");
  const std::vector<std::string> words = words_in(text);
  if (!text.starts_with('=') || std::find(words.begin(), words.end(), "v") == words.end()) return {};
  const TimeExpression e = *t.time_expression("restitution", Dimension::none, "v");
  constexpr int samples = 160;
  for (int k = 0; k <= samples; ++k) {
    const double v = fastest * portable::pow(slowest / fastest, static_cast<double>(k) / samples);
    double value = 0;
    try {
      value = e(v);
    } catch (const ExpressionError& error) {
      throw t.error("restitution", error.message());
    }
    if (!(value >= 0 && value <= 1))
      throw t.error("restitution",
                    fmt::format("\"{}\" is {} at v = {} m/s; it must be between 0 and 1 for all speeds up to "
                                "{} m/s, which min(1, max(0, ...)) would see to",
                                e.text(), show(value), show(v), show(fastest)));
  }
  if constexpr (std::is_same_v<P, double>)
    return [e](double v) { return std::clamp(e(std::max(v, slowest)), 0.0, 1.0); };
  else
    return [e](P v) { return std::clamp(e.rate_at(std::max(v, P(slowest))), P(0.0), P(1.0)); };
}

// Reads what a table says of the law; the rest stays as it is.
template <class P>
ContactLawOf<P> read_law(const Table& t, ContactLawOf<P> law) {
  law.compliant = t.choice_or("model", law.compliant ? "hertz" : "rigid", {"rigid", "hertz"}) == "hertz";
  static const std::vector<std::string> laws = {"newton", "poisson", "stronge"};
  const std::string name = t.choice_or("law", laws[static_cast<std::size_t>(law.law)], laws);
  law.law = static_cast<RestitutionLaw>(std::find(laws.begin(), laws.end(), name) - laws.begin());
  if (t.has("restitution")) {
    law.restitution_at = read_restitution_of_speed<P>(t);
    law.restitution = law.restitution_at ? law.restitution_at(P(1))
                                         : P(t.number("restitution", Dimension::none, Range::fraction()));
  }
  static const std::vector<std::string> policies = {"lift", "slide", "jam", "stop"};
  const std::string policy =
      t.choice_or("painleve", policies[static_cast<std::size_t>(law.painleve)], policies);
  law.painleve =
      static_cast<Painleve>(std::find(policies.begin(), policies.end(), policy) - policies.begin());
  law.friction = t.number_or("friction", law.friction, Dimension::none, Range::non_negative());
  law.exponent = t.number_or("exponent", law.exponent, Dimension::none, Range::between(1, 10));
  // There are no names for N/m^1.5 and s/m: plain numbers, unless the contact is a linear spring.
  law.stiffness =
      t.number_or("stiffness", law.stiffness,
                  value_of(law.exponent) == 1 ? Dimension::stiffness : Dimension::none, Range::positive());
  law.damping = t.number_or("damping", law.damping, Dimension::none, Range::non_negative());
  return law;
}

template <class P>
class ContactReader {
 public:
  ContactReader(const Table& root, const std::vector<BodyDataOf<P>>& bodies,
                const std::vector<FeatureOf<P>>& points, const AssemblyOf<P>& into)
      : root_(root),
        bodies_(bodies),
        points_(points),
        all_points_(into.points),
        system_(into.system) {
    for (const BodyDataOf<P>& b : bodies) body_names_.push_back(b.rigid.name);
    for (const PointOf<P>& p : all_points_) point_names_.insert(p.name);
  }

  void read() {
    read_defaults();
    each("wall", [&](const Table& t) { read_wall(t); });
    int bed = 0;
    for (const Table& t : root_.tables("bed")) read_box(t, bed++);
    each("pair", [&](const Table& t) { read_pair(t); });
  }

 private:
  template <class F>
  void each(const char* kind, F&& f) {
    each_table(root_, kind, f, [](const Table& t, int count) {
      if (count > 0) t.finish();
    });
  }

  void read_defaults() {
    const auto t = root_.table_or_none("contact");
    if (!t) return;
    bool is_used = root_.has("wall") || root_.has("pair") || root_.has("limit") || root_.has("rope");
    for (const Table& bed : root_.tables("bed")) is_used = is_used || has_box(bed);
    if (!is_used)
      throw InputError(t->place(),
                       "[contact] holds for walls and pairs, and there is no [[wall]] and no [[pair]]");
    law_ = read_law(*t, law_);
    system_.set_correlation(t->number_or("correlation", P(0), Dimension::none, Range{0, 1, false, true}));
    const std::string leader = t->choice_or("leader", "fastest", {"fastest", "first"});
    system_.set_leader(leader == "first" ? LeaderRule::first : LeaderRule::fastest);
    t->finish();
  }

  // ---- what touches ----

  FeatureOf<P> feature_of(std::size_t body, const ShapeFeatureOf<P>& f) const {
    const std::string& name = body_names_[body];
    return {f.name.empty() ? name : name + "." + f.name, static_cast<int>(body), f.point, f.radius};
  }

  // The joint that carries a body is where its parent is, so a sharp end there says nothing new.
  bool is_at_joint(const FeatureOf<P>& f) const {
    const BodyOf<P>& b = bodies_[f.body].rigid;
    return !b.free && b.joint.kind != JointKind::slider && value_of(f.radius) == 0
        && portable::hypot(value_of(f.point.s), value_of(f.point.n)) < 1e-12;
  }

  // The body that a rigid body is one with by welds: itself, or −1 for the ground.
  int welded_to(int body) const {
    while (body >= 0) {
      const BodyOf<P>& b = bodies_[static_cast<std::size_t>(body)].rigid;
      if (b.joint.kind != JointKind::weld || b.beam) break;
      if (b.parent >= 0 && bodies_[static_cast<std::size_t>(b.parent)].rigid.beam) break;
      body = b.parent;
    }
    return body;
  }

  std::vector<FeatureOf<P>> features_of(std::size_t body) const {
    std::vector<FeatureOf<P>> out;
    for (const ShapeFeatureOf<P>& f : bodies_[body].shape.features) {
      const FeatureOf<P> feature = feature_of(body, f);
      if (!is_at_joint(feature)) out.push_back(feature);
    }
    return out;
  }

  std::size_t find_body(const Table& t, const char* key, const std::string& name) const {
    const auto found = std::find(body_names_.begin(), body_names_.end(), name);
    if (found == body_names_.end())
      throw t.error(key, fmt::format("there is no body \"{}\"{} (bodies: {})", name,
                                     did_you_mean(name, body_names_), one_of(body_names_)));
    return static_cast<std::size_t>(found - body_names_.begin());
  }

  std::vector<std::size_t> find_bodies(const Table& t) const {
    std::vector<std::size_t> out;
    for (const std::string& name : t.filled_texts_or("bodies")) {
      const std::size_t body = find_body(t, "bodies", name);
      if (std::find(out.begin(), out.end(), body) != out.end())
        throw t.error("bodies", fmt::format("\"{}\" is listed twice", name));
      out.push_back(body);
    }
    return out;
  }

  // Features by their names: of shapes, of [points], starts and tips; the name of a body means all that it has.
  std::vector<FeatureOf<P>> find_features(const Table& t, const std::string& name) const {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      for (const ShapeFeatureOf<P>& f : bodies_[i].shape.features) {
        const FeatureOf<P> feature = feature_of(i, f);
        if (feature.name == name) return {feature};
        known.push_back(feature.name);
      }
      known.push_back(body_names_[i]);
      if (body_names_[i] == name) {
        const std::vector<FeatureOf<P>> all = features_of(i);
        if (!all.empty()) return all;
        throw t.error("touches", nothing_to_touch(i));
      }
    }
    for (const FeatureOf<P>& p : points_) {
      if (p.name == name) return {p};
      known.push_back(p.name);
    }
    for (const PointOf<P>& p : all_points_) {
      if (p.name == name) return {{p.name, p.body, p.point, P(0)}};
      known.push_back(p.name);
    }
    throw t.error("touches", fmt::format("there is nothing called \"{}\" that could touch{}", name,
                                         did_you_mean(name, known)));
  }

  std::string nothing_to_touch(std::size_t body) const {
    return fmt::format(
        "body \"{}\" has nothing that could touch: its shape has no size; list points of it in "
        "\"touches\"",
        body_names_[body]);
  }

  void refuse_both(const Table& t) const {
    if (t.has("bodies") && t.has("touches"))
      throw t.error("touches", "give either bodies or touches, not both");
  }

  // ---- walls ----

  void read_wall(const Table& t) {
    WallOf<P> wall;
    wall.name = wall_name(t, system_.walls().size() + 1);
    check_name(t, "name", wall.name);
    if (!wall_names_.insert(wall.name).second)
      throw t.error("name", fmt::format("there is a wall \"{}\" already", wall.name));
    wall.plane = wall_plane<P>(t);
    carry(t, wall);
    const std::vector<FeatureOf<P>> features = features_at_wall(t, wall.on);
    const ContactLawOf<P> law = law_of(t);
    const int index = system_.add_wall(wall);
    for (const FeatureOf<P>& f : features) {
      ContactOf<P> c;
      c.name = fmt::format("{}@{}", f.name, wall.name);
      c.a = f;
      c.wall = index;
      c.rides = wall.on >= 0;
      if (c.rides) c.b.body = wall.on;
      c.law = law;
      add(t, std::move(c));
    }
  }

  // The bottom and the sides of a bed, for what feels it.
  static bool has_box(const Table& bed) {
    return bed.has("walls") || bed.text_or("at_bottom", "stop") == "wall";
  }

  void read_box(const Table& t, int number) {
    if (!has_box(t)) return;
    const BedOf<P> bed = system_.beds()[static_cast<std::size_t>(number)];
    ContactLawOf<P> law = law_;
    if (const auto own = t.table_or_none("contact")) {
      law = law_of(*own);
      own->finish();
    } else if (law.compliant && !(value_of(law.stiffness) > 0)) {
      throw InputError(t.place(), "walls of model \"hertz\" need a stiffness: give it in [contact]");
    }
    const std::vector<std::string> names = t.texts_or("bodies");
    std::vector<FeatureOf<P>> features;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (welded_to(static_cast<int>(i)) == -1) continue;
      if (!names.empty() && std::find(names.begin(), names.end(), body_names_[i]) == names.end()) continue;
      const std::vector<FeatureOf<P>> own = features_of(i);
      features.insert(features.end(), own.begin(), own.end());
    }
    if (features.empty())
      throw InputError(t.place(),
                       fmt::format("nothing could strike the box of \"{}\": no body that feels it has "
                                   "a size",
                                   bed.name));
    const auto add_side = [&](const char* side, const PlaneOf<P>& plane) {
      WallOf<P> wall;
      wall.name = fmt::format("{}_{}", bed.name, side);
      check_name(t, "name", wall.name);
      if (!wall_names_.insert(wall.name).second)
        throw InputError(t.place(), fmt::format("there is a wall \"{}\" already", wall.name));
      wall.plane = plane;
      const int index = system_.add_wall(wall);
      for (const FeatureOf<P>& f : features) {
        ContactOf<P> c;
        c.name = fmt::format("{}@{}", f.name, wall.name);
        c.a = f;
        c.wall = index;
        c.law = law;
        add(t, std::move(c));
      }
    };
    const PlaneOf<P>& p = bed.plane;
    if (bed.has_box) add_side("bottom", {p.point + bed.bottom * p.normal, p.normal, p.tangent});
    if (const auto sides = t.pair("walls", Dimension::length)) {
      // As walls that fall by a quarter turn more, and less, than the surface.
      add_side("left", {p.point + P((*sides)[0]) * p.tangent, -p.tangent, p.normal});
      add_side("right", {p.point + P((*sides)[1]) * p.tangent, p.tangent, -p.normal});
    }
  }

  // What carries a wall: a body that is named, or one that is made for it and moves as it is told.
  void carry(const Table& t, WallOf<P>& wall) {
    if (moves_wall(t)) {
      wall.on = static_cast<int>(find_body(t, "name", wall.name));
      wall.plane.point = {};  // its joint is there
      PrescribedMotionOf<P> motion;
      motion.label = wall.name;
      motion.body = wall.on;
      motion.position = read_path<P>(t, t.has("motion") ? "motion" : "slide", Dimension::length);
      system_.add(std::move(motion));
      return;
    }
    if (!t.has("on")) return;
    const std::string name = t.filled_text_or("on", "");
    wall.on = static_cast<int>(find_body(t, "on", name));
    const BodyDataOf<P>& carrier = bodies_[static_cast<std::size_t>(wall.on)];
    if (carrier.rigid.beam)
      throw t.error("on", fmt::format("\"{}\" is elastic; only rigid bodies carry a wall", name));
    wall.plane.point.z -= carrier.origin;  // from the start of the body, along its axis
  }

  std::vector<FeatureOf<P>> features_at_wall(const Table& t, int on) const {
    refuse_both(t);
    const auto is_one_with = [&](int body) { return welded_to(body) == (on < 0 ? -1 : welded_to(on)); };
    std::vector<FeatureOf<P>> out;
    if (t.has("touches")) {
      for (const std::string& name : t.filled_texts_or("touches"))
        for (const FeatureOf<P>& f : find_features(t, name)) out.push_back(f);
      if (out.empty()) throw t.error("touches", "the list is empty; leave it out to let everything touch");
      for (const FeatureOf<P>& f : out)
        if (is_one_with(f.body)) throw t.error("touches", never_touches(f.body, on));
      return out;
    }
    const std::vector<std::size_t> chosen = find_bodies(t);
    if (t.has("bodies") && chosen.empty())
      throw t.error("bodies", "the list is empty; leave it out to let all bodies touch");
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const bool is_chosen = std::find(chosen.begin(), chosen.end(), i) != chosen.end();
      if (!chosen.empty() && !is_chosen) continue;
      if (is_one_with(static_cast<int>(i))) {
        if (is_chosen) throw t.error("bodies", never_touches(static_cast<int>(i), on));
        continue;
      }
      const std::vector<FeatureOf<P>> own = features_of(i);
      if (own.empty() && is_chosen) throw t.error("bodies", nothing_to_touch(i));
      out.insert(out.end(), own.begin(), own.end());
    }
    if (out.empty())
      throw InputError(
          t.place(),
          fmt::format("nothing could touch {}: no body has a size; list points in \"touches\"", t.path()));
    return out;
  }

  std::string never_touches(int body, int on) const {
    const std::string& name = body_names_[static_cast<std::size_t>(body)];
    if (body == on) return fmt::format("\"{}\" carries this wall: it cannot come to touch it", name);
    return fmt::format("\"{}\" is welded to {}: it cannot come to touch this wall", name,
                       on < 0 ? "the ground" : "what carries it");
  }

  // ---- pairs ----

  void read_pair(const Table& t) {
    refuse_both(t);
    const ContactLawOf<P> law = law_of(t);
    if (t.has("touches")) {
      const std::vector<std::string> names = t.filled_texts_or("touches");
      if (names.size() != 2)
        throw t.error("touches",
                      fmt::format("a pair has two that touch each other; there are {} here", names.size()));
      add_pairs(t, "touches", find_features(t, names[0]), find_features(t, names[1]), law);
      return;
    }
    if (!t.has("bodies"))
      throw InputError(t.place(),
                       fmt::format("{} does not say what it is a pair of: give bodies = [\"...\", \"...\"] "
                                   "or touches = [\"...\", \"...\"]",
                                   t.path()));
    const std::vector<std::size_t> chosen = find_bodies(t);
    if (chosen.size() < 2)
      throw t.error("bodies", fmt::format("a pair needs two bodies; there {} {} here",
                                          chosen.size() == 1 ? "is" : "are", chosen.size()));
    for (std::size_t i = 0; i < chosen.size(); ++i)
      for (std::size_t j = i + 1; j < chosen.size(); ++j)
        add_pairs(t, "bodies", rounds_of(t, chosen[i]), rounds_of(t, chosen[j]), law);
  }

  std::vector<FeatureOf<P>> rounds_of(const Table& t, std::size_t body) const {
    std::vector<FeatureOf<P>> out = features_of(body);
    std::erase_if(out, [](const FeatureOf<P>& f) { return !(value_of(f.radius) > 0); });
    if (out.empty())
      throw t.error("bodies",
                    fmt::format("body \"{}\" has no ball or disc; bodies touch each other with these, and "
                                "with a corner or an end against one where \"touches\" lists it",
                                body_names_[body]));
    return out;
  }

  void add_pairs(const Table& t, const char* key, const std::vector<FeatureOf<P>>& first,
                 const std::vector<FeatureOf<P>>& second, const ContactLawOf<P>& law) {
    for (const FeatureOf<P>& a : first)
      for (const FeatureOf<P>& b : second) {
        if (a.body == b.body)
          throw t.error(key, fmt::format("\"{}\" and \"{}\" belong to the same body", a.name, b.name));
        if (welded_to(a.body) == welded_to(b.body))
          throw t.error(
              key, fmt::format("\"{}\" and \"{}\" are welded together: their distance never changes", a.name,
                               b.name));
        if (!(value_of(a.radius) > 0 || value_of(b.radius) > 0))
          throw t.error(
              key, fmt::format("\"{}\" and \"{}\" are both points; one of a pair must be a ball, a disc or "
                               "a point with a radius",
                               a.name, b.name));
        if (keeps_distance(a, b))
          throw t.error(
              key, fmt::format("the distance of \"{}\" and \"{}\" never changes: the joint of their bodies "
                               "is where one of them is",
                               a.name, b.name));
        ContactOf<P> c;
        c.name = fmt::format("{}@{}", a.name, b.name);
        c.a = a;
        c.b = b;
        c.law = law;
        add(t, std::move(c));
      }
  }

  // A point in the joint of two rigid bodies stays where it is on both.
  bool keeps_distance(const FeatureOf<P>& a, const FeatureOf<P>& b) const {
    const auto holds = [&](const FeatureOf<P>& child, const FeatureOf<P>& parent) {
      const BodyOf<P>& c = bodies_[child.body].rigid;
      if (c.parent != parent.body || c.joint.kind != JointKind::pin || c.beam
          || bodies_[parent.body].rigid.beam)
        return false;
      return portable::hypot(value_of(child.point.s), value_of(child.point.n)) < 1e-12
          || portable::hypot(value_of(parent.point.s - c.attach.s), value_of(parent.point.n - c.attach.n))
                 < 1e-12;
    };
    return holds(a, b) || holds(b, a);
  }

  // ---- both ----

  ContactLawOf<P> law_of(const Table& t) const {
    ContactLawOf<P> law = read_law(t, law_);
    if (t.has("correlation"))
      law.correlation = P(t.number("correlation", Dimension::none, Range{0, 1, false, true}));
    if (law.compliant && !(value_of(law.stiffness) > 0))
      throw InputError(t.place(),
                       fmt::format("{} is of model \"hertz\", which needs a stiffness: give stiffness = ... "
                                   "[N/m^{}] here or in [contact]",
                                   t.path(), show(value_of(law.exponent))));
    return law;
  }

  void add(const Table& t, ContactOf<P> c) {
    t.check_cancel();
    const std::string mirrored = c.wall < 0 ? fmt::format("{}@{}", c.b.name, c.a.name) : c.name;
    for (const std::string& name : {c.name, mirrored})
      if (contact_names_.contains(name))
        throw InputError(t.place(), fmt::format("there is a contact \"{}\" already", name));
    if (contact_names_.size() >= most_contacts)
      throw InputError(t.place(),
                       fmt::format("there are more than {} contacts; \"bodies\" or \"touches\" in [[wall]] "
                                   "and [[pair]] say which can happen at all",
                                   most_contacts));
    contact_names_.insert(c.name);
    name_point(c.a);
    if (c.wall < 0) name_point(c.b);
    system_.add_contact(std::move(c));
  }

  // So that it can be placed at the start and watched. A ball that is a whole body has its mass centre for that.
  void name_point(const FeatureOf<P>& f) {
    if (f.name == body_names_[f.body] || !point_names_.insert(f.name).second) return;
    all_points_.push_back({f.name, f.body, f.point});
  }

  const Table& root_;
  const std::vector<BodyDataOf<P>>& bodies_;
  const std::vector<FeatureOf<P>>& points_;
  std::vector<PointOf<P>>& all_points_;
  SystemOf<P>& system_;
  std::vector<std::string> body_names_;
  std::unordered_set<std::string> wall_names_, contact_names_, point_names_;
  ContactLawOf<P> law_;
};

}  // namespace

template <class P>
void read_contacts(const Table& root, const std::vector<BodyDataOf<P>>& bodies,
                   const std::vector<FeatureOf<P>>& points, const AssemblyOf<P>& into) {
  ContactReader<P>(root, bodies, points, into).read();
}

template void read_contacts(const Table&, const std::vector<BodyDataOf<double>>&, const std::vector<Feature>&,
                            const AssemblyOf<double>&);
THUD_WITH_DUALS(template void read_contacts(const Table&, const std::vector<BodyDataOf<Dual<double>>>&,
                                            const std::vector<FeatureOf<Dual<double>>>&,
                                            const AssemblyOf<Dual<double>>&);)

namespace {

// An angle as people say it, or a length.
std::string show_bound(const Contact& c, double x) {
  return c.turns ? fmt::format("{} deg", show(x * 180 / pi)) : fmt::format("{} m", show(x));
}

// Of stops and ropes whose bound the start is beyond.
std::string describe_beyond(const Contact& c, double gap) {
  const std::string now = show_bound(c, value_of(c.limit) + c.sense * gap), bound = show_bound(c, c.limit);
  const char* beyond = c.sense > 0 ? "below" : "above";
  if (c.wall == facing::stop)
    return fmt::format(
        "at the start the {} in the joint of \"{}\" is {}, {} its limit \"{}\" of {}; start it "
        "inside, or move the limit",
        c.turns ? "angle" : "travel", c.a.name, now, beyond, c.name, bound);
  return fmt::format("at the start the ends of \"{}\" are {} apart, {} its {} of {}", c.name, now,
                     c.sense > 0 ? "less than" : "more than", c.sense > 0 ? "least length" : "length", bound);
}

// Where the table of a contact stands, that of [initial] where it cannot be told.
Place place_of(const Table& root, const Contact& c) {
  for (const char* kind : {"limit", "rope", "strut"})
    for (const Table& t : root.tables(kind)) {
      const bool by_joint = !t.has("name") && std::string_view(kind) == "limit";
      if (!by_joint && !t.has("name")) continue;
      const std::string label = t.raw_text(by_joint ? "joint" : "name");
      if (c.name == label || c.name.starts_with(label + ".")) return t.place();
    }
  return root.has("initial") ? root.place_of_key("initial") : root.place();
}

}  // namespace

void check_start(const Table& root, const Scenario& scenario) {
  const System& system = *scenario.system;
  if (system.contacts().empty()) return;
  Frames<double> frames;
  frames.resize(system.tree());
  system.tree().kinematics(scenario.q.data(), scenario.v.data(), frames);
  for (const Contact& c : system.contacts()) {
    if (c.law.compliant) continue;
    Touching<double> touching;
    measure(c, system.tree(), system.walls(), frames, scenario.q.data(), touching);
    if (touching.gap >= -deepest_start) continue;
    if (c.wall < facing::feature) throw InputError(place_of(root, c), describe_beyond(c, touching.gap));
    const std::string other =
        c.wall >= 0 ? "the wall \"" + system.walls()[c.wall].name + "\"" : "\"" + c.b.name + "\"";
    throw InputError(
        root.has("initial") ? root.place_of_key("initial") : root.place(),
        fmt::format("at the start \"{}\" is inside {} by {} m (contact \"{}\"); rigid things may touch "
                    "there, no more",
                    c.a.name, other, show(-touching.gap), c.name));
  }
}

}  // namespace thud::doc
