#include "scenario/strike.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thud/beam/strike.hpp"
#include "thud/math/portable.hpp"

namespace thud::doc {

namespace {

int need_body(const Table& t, const char* key, const Tree& tree) {
  const std::string name = t.text(key);
  std::vector<std::string> known;
  for (const Body& b : tree.bodies()) {
    if (b.name == name) return static_cast<int>(known.size());
    known.push_back(b.name);
  }
  throw t.error(key, fmt::format("there is no body \"{}\"{} (bodies: {})", name, did_you_mean(name, known),
                                 one_of(known)));
}

// stiffness = k₂, or from the shapes and materials of the two: k₂ = 4/3 q_k/((δ₁ + δ₂) √(A + B)), after Goldsmith.
double read_stiffness(const Table& t) {
  const auto given = t.number_or_none("stiffness", Dimension::none, Range::positive());
  const auto h = t.table_or_none("hertz");
  if (given && h) throw t.error("hertz", "give either stiffness or hertz, not both");
  if (given) return *given;
  if (!h)
    throw InputError(
        t.place(),
        "a strike needs the stiffness of the contact: stiffness = 6e8 (N/m^1.5) or hertz = { qk = ..., "
        "A = ..., B = ..., delta1 = ..., delta2 = ... }");
  const auto positive = [&](const char* key) { return h->number(key, Dimension::none, Range::positive()); };
  const double qk = positive("qk"), a = positive("A"), b = positive("B"), d1 = positive("delta1"),
               d2 = positive("delta2");
  h->finish();
  return 4.0 / 3 * qk / (std::sqrt(a + b) * (d1 + d2));
}

StrikeModes read_modes(const Table& t) {
  const std::string m = t.choice_or("modes", "published", {"published", "length", "tip-mass"});
  return m == "published" ? StrikeModes::published
       : m == "length"    ? StrikeModes::length
                          : StrikeModes::tip_mass;
}

void add_constants(const std::optional<StrikeResult>& r, Scenario& s) {
  const auto add = [&](std::string name, std::optional<double> value, const char* unit) {
    s.constants.push_back({"strike." + std::move(name), value, unit});
  };
  const auto of = [&](double StrikeResult::*member) {
    return r ? std::optional((*r).*member) : std::nullopt;
  };
  add("contact_time", of(&StrikeResult::contact_time), "s");
  add("restitution", of(&StrikeResult::restitution), "");
  add("impulse", of(&StrikeResult::impulse), "N s");
  const auto list = [&](const char* name, const std::vector<double> StrikeResult::*member, const char* unit) {
    for (std::size_t n = 0; n < 3; ++n) {
      const bool has = r && n < ((*r).*member).size();
      add(fmt::format("{}{}", name, n + 1), has ? std::optional(((*r).*member)[n]) : std::nullopt, unit);
    }
  };
  list("C", &StrikeResult::amplitude, "m^1.5");
  list("Cdot", &StrikeResult::rate, "m^1.5/s");
  list("u", &StrikeResult::tip, "m^-0.5");
  list("bending", &StrikeResult::bending, "J");
  list("moving", &StrikeResult::moving, "J");
  list("moving_tip", &StrikeResult::moving_tip, "J");
  std::optional<double> all;
  for (std::size_t n = 0; n < 3; ++n) {
    const bool has = r && n < r->bending.size();
    const std::optional<double> sum =
        has ? std::optional(r->bending[n] + r->moving[n] + r->moving_tip[n]) : std::nullopt;
    add(fmt::format("energy{}", n + 1), sum, "J");
    if (sum) all = all.value_or(0) + *sum;
  }
  add("energy", all, "J");
  add("ratio", all ? of(&StrikeResult::ratio) : std::nullopt, "");
}

}  // namespace

void read_strike(const Table& root, Scenario& s) {
  const auto t = root.table_or_none("strike");
  if (!t) return;
  const Tree& tree = s.system->tree();
  const int arm = need_body(*t, "body", tree), ball = need_body(*t, "ball", tree);
  const Body& b = tree.body(arm);
  if (!b.beam || b.beam->basis().support() != Support::clamped || tree.joint_kind(arm) != JointKind::pin
      || b.parent >= 0)
    throw t->error("body", "a strike is for a beam that is clamped to a hub, and that pinned to the ground");
  if (!tree.body(ball).free || tree.body(ball).beam)
    throw t->error("ball", "what strikes is a free rigid body, such as a sphere");
  const std::string route = t->choice_or("route", "direct", {"direct", "impulse", "paper"});
  TipStrike strike;
  strike.ball_mass = tree.body(ball).mass;
  strike.speed = t->number("speed", Dimension::speed);
  if (strike.speed == 0) throw t->error("speed", "a ball without speed does not strike");
  strike.stiffness = read_stiffness(*t);
  strike.ratios =
      t->numbers("damping", Dimension::none, Range::between(0, 0.999)).value_or(std::vector<double>(3, 0.0));
  strike.contact_time = t->number_or_none("contact_time", Dimension::time, Range::positive());
  const StrikeModes modes = read_modes(*t);
  if (route == "paper"
      && (strike.ratios.empty() || strike.ratios.size() > 3
          || static_cast<int>(strike.ratios.size()) > b.beam->size()))
    throw t->error(
        "damping",
        fmt::format("the route of the paper takes 1 to 3 modes, a ratio for each; there are {} ratios, "
                    "and the beam has {} modes",
                    strike.ratios.size(), b.beam->size()));
  t->finish();

  // The ball moves across the arm, along the positive deflection.
  const double angle = s.q[tree.angle_dof(arm)];
  const Vec across{portable::cos(angle), -portable::sin(angle)},
      along{portable::sin(angle), portable::cos(angle)};
  const int x = tree.translation_dof(ball);
  const Vec from_tip = Vec{s.q[x], s.q[x + 1]} - b.anchor - b.beam->end() * along;
  if (std::abs(dot(from_tip, along)) > 1e-6 * b.beam->length())
    throw t->error(
        "ball",
        fmt::format("at the start the ball is {:.6g} m along the arm from its tip; it has to be beside it",
                    dot(from_tip, along)));
  if (dot(from_tip, across) * strike.speed > 0)
    throw t->error("speed", "the ball starts on the side it is to fly to: it moves away from the arm");
  std::optional<StrikeResult> result;
  if (route == "paper") result = strike_by_modes(*b.beam, strike, modes);
  if (route == "impulse") result = strike_by_impulse(*b.beam, strike);
  double speed = strike.speed;
  if (result) {
    speed *= -result->restitution;
    for (int k = 0; k < b.beam->size(); ++k) {
      s.q[tree.elastic_dof(arm) + k] += result->eta[k];
      s.v[tree.elastic_dof(arm) + k] += result->eta_rate[k];
    }
  }
  s.v[x] = speed * across.x;
  s.v[x + 1] = speed * across.z;
  add_constants(result, s);
  Observable o;
  o.quantity = thud::Quantity::along;
  o.body = ball;
  o.direction = (-1 / strike.speed) * across;
  s.observables.push_back(
      {"strike.rebound", o, "",
       "velocity of " + tree.body(ball).name + " after the strike over that before, reversed: e"});
}

}  // namespace thud::doc
