// Resistance laws, impact laws and observables of the user's own.
// Sources of truth: the laws of thud, which the same formula must give back bit for bit; closed forms; the messages of
// what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "thud/draw/trajectory.hpp"
#include "thud/dynamics/sand_probe.hpp"
#include "thud/granular/laws.hpp"
#include "thud/report/impacts.hpp"
#include "thud/scenario/family.hpp"
#include "thud/scenario/register_law.hpp"
#include "thud/scenario/run.hpp"

namespace thud {
namespace {

using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Poncelet's law and Lohse's in one, as a user would write it: F_0 + k z + c v².
struct Mixed {
  double yield = 2, stiffness = 150, inertial = 0.8;

  template <class T>
  void evaluate(const Flow<T>& flow, Resistance<T>& out) const {
    out.drag = inertial * flow.speed;
    out.plunge = out.withdraw = yield + stiffness * flow.immersed->depth;
    out.shear = 0.5 * out.plunge;
  }
};

Resistance<double> mixed_function(const Flow<double>& flow) {
  Resistance<double> out;
  Mixed{}.evaluate(flow, out);
  return out;
}

// Two pieces in the sand: a link with a knee.
const char* const two_links = R"(
[parameters]
angle = { value = "32 deg", unit = "deg" }
[[body]]
name  = "thigh"
shape = { kind = "cylinder", length = 0.15, diameter = 0.01, density = 7700 }
joint = "free"
[[body]]
name  = "shank"
shape = { kind = "cylinder", length = 0.1, diameter = 0.008, density = 7700 }
joint = { to = "thigh", at = "tip" }
[bed]
medium = "play-sand"
[initial]
"thigh.angle" = "=angle"
"shank.angle" = "-20 deg"
"shank.tip.x" = 0
"shank.tip.z" = 0
"thigh.vz"    = 1.5
"thigh.rate"  = 3
[stop]
when = "thigh.vz falls through 0"
[results]
t = "time when thigh.vz falls through 0"
z = "shank.tip.depth at t"
F = "max shank.resistance.size"
)";

Scenario with_law(const Law& law, const char* text = two_links) {
  Scenario s = parse_scenario(text, "two_links.toml");
  Bed bed = s.system->beds()[0];
  bed.law = law;
  s.system->set_bed(0, std::move(bed));
  return s;
}

RunResult run_with(const Law& law, Method method = Method::automatic) {
  RunRequest request;
  request.method = method;
  return run(with_law(law), request);
}

void expect_same_bits(const RunResult& a, const RunResult& b) {
  ASSERT_TRUE(a.reached) << a.reason;
  ASSERT_TRUE(b.reached) << b.reason;
  EXPECT_EQ(a.outcome.state, b.outcome.state);
  EXPECT_EQ(a.outcome.stats.steps, b.outcome.stats.steps);
  EXPECT_EQ(a.outcome.stats.evaluations, b.outcome.stats.evaluations);
  EXPECT_EQ(a.final_values, b.final_values);
  for (std::size_t k = 0; k < a.results.size(); ++k) EXPECT_EQ(a.results[k].value, b.results[k].value);
}

// --- the same formula ---------------------------------------------------------------------------------------------

class SameFormula : public testing::TestWithParam<Method> {};

TEST_P(SameFormula, gives_the_same_bits) {
  LeeLaw lee;
  lee.friction = 0.3;
  const KatsuragiLaw katsuragi{150, 0.05, 0.5};
  const AllenLaw allen{0.7, 2, 3, 0.8};
  expect_same_bits(run_with(lee, GetParam()), run_with(make_law("own", lee), GetParam()));
  expect_same_bits(run_with(katsuragi, GetParam()), run_with(make_law("own", katsuragi), GetParam()));
  expect_same_bits(run_with(allen, GetParam()), run_with(make_law("own", allen), GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Methods, SameFormula,
                         testing::Values(Method::dop853, Method::dopri5, Method::radau5));

TEST(FunctionLaw, gives_the_bits_of_the_struct_where_no_derivatives_are_needed) {
  expect_same_bits(run_with(make_law("a", Mixed{})), run_with(make_law("b", mixed_function)));
}

// The derivatives only steer the iteration of a step, which ends when the residual is small: both agree to the tolerance
// of the run, 1e-9 of its sizes.
TEST(FunctionLaw, agrees_with_the_struct_on_radau5) {
  const RunResult a = run_with(make_law("a", Mixed{}), Method::radau5);
  const RunResult b = run_with(make_law("b", mixed_function), Method::radau5);
  ASSERT_TRUE(a.reached) << a.reason;
  ASSERT_TRUE(b.reached) << b.reason;
  EXPECT_NEAR(*a.find("t")->value, *b.find("t")->value, 1e-9);
  EXPECT_NEAR(*a.find("z")->value, *b.find("z")->value, 1e-9);
  // The differences are no worse as a Jacobian: a poor one would cost many more steps.
  EXPECT_LE(b.outcome.stats.evaluations, a.outcome.stats.evaluations + a.outcome.stats.evaluations / 10);
}

TEST(OwnLaw, keeps_the_energy_account) {
  for (const Law& law : {Law(make_law("a", Mixed{})), Law(make_law("b", mixed_function))}) {
    const RunResult r = run_with(law);
    EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8);
    EXPECT_GT(r.outcome.energy.lost[0], 0);
  }
}

struct Curved {
  template <class T>
  void evaluate(const Flow<T>& flow, Resistance<T>& out) const {
    using std::pow, std::sqrt;
    const Immersed<T>& im = *flow.immersed;
    out.drag = 3 * flow.speed * im.side + flow.area_speed + 0.2 * flow.cross * flow.cross;
    out.plunge = 40 * pow(im.depth, 1.7) + 1e4 * im.volume * flow.normal_rate;
    out.withdraw = sqrt(im.length * im.depth) + flow.along * flow.along;
    out.shear = im.length * flow.shear_rate * flow.shear_rate + im.top;
  }
};

// Central differences against dual numbers. Error of the step 6e-6: its square times the third derivative, and rounding
// over it, some 1e-10 of the sizes.
TEST(FunctionLaw, derivatives_by_differences) {
  using D = Dual<double>;
  Part part;
  part.width = part.breadth = 0.02;
  Immersed<D> im;
  im.length = {0.07, 0.3};
  im.volume = {2e-5, 1e-4};
  im.depth = {0.05, -0.4};
  im.top = {0.01, 0.2};
  im.side = {1.4e-3, 6e-3};
  Flow<D> flow{&im, &part, 50, {2e-3, 0.1}, {1.3, 5}, 0.1, 9.81};
  flow.cross = {0.4, 2};
  flow.along = {1.2, -3};
  flow.normal_rate = {1.1, 1};
  flow.shear_rate = {-0.6, 4};
  Resistance<D> exact, differences;
  make_law("a", Curved{}).evaluate(flow, exact);
  const auto function = [](const Flow<double>& f) {
    Resistance<double> out;
    Curved{}.evaluate(f, out);
    return out;
  };
  make_law("b", function).evaluate(flow, differences);
  for (const auto member :
       {&Resistance<D>::drag, &Resistance<D>::plunge, &Resistance<D>::withdraw, &Resistance<D>::shear}) {
    EXPECT_EQ((differences.*member).v, (exact.*member).v);
    EXPECT_NE((exact.*member).d, 0);
    EXPECT_NEAR((differences.*member).d, (exact.*member).d, 1e-8 * std::abs((exact.*member).d));
  }
}

TEST(DualMath, derivatives) {
  using D = Dual<double>;
  const D x{0.7, 2};
  const double e = std::exp(0.7), t = std::tanh(0.7), c = std::cos(0.7);
  EXPECT_DOUBLE_EQ(exp(x).d, 2 * e);
  EXPECT_DOUBLE_EQ(log(x).d, 2 / 0.7);
  EXPECT_DOUBLE_EQ(tanh(x).d, 2 * (1 - t * t));
  EXPECT_DOUBLE_EQ(tan(x).d, 2 / (c * c));
  EXPECT_EQ(abs(-x).d, 2);
  EXPECT_EQ(abs(x).d, 2);
  EXPECT_EQ(min(x, D(1)).d, 2);
  EXPECT_EQ(max(x, D(1)).d, 0);
  EXPECT_DOUBLE_EQ(exp(x).v, e);
  EXPECT_DOUBLE_EQ(log(x).v, std::log(0.7));
  EXPECT_DOUBLE_EQ(tanh(x).v, t);
  EXPECT_DOUBLE_EQ(tan(x).v, std::tan(0.7));
}

// --- by name, in files --------------------------------------------------------------------------------------------

std::string in_file(const std::string& bed) {
  std::string text = two_links;
  const std::string medium = "medium = \"play-sand\"";
  return text.replace(text.find(medium), medium.size(), bed);
}

void register_mixed() {
  register_law(make_law("mixed", Mixed{},
                        {{"F0", &Mixed::yield, "N", "constant resistance"},
                         {"k", &Mixed::stiffness, "N/m", "resistance per depth", true},
                         {"c", &Mixed::inertial, "N s2/m2", "quadratic drag"}},
                        "F0 + k z + c v^2"));
}

std::string refusal(const std::string& bed) {
  try {
    static_cast<void>(parse_scenario(in_file(bed), "own.toml"));
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(RegisteredLaw, is_read_with_its_coefficients) {
  register_mixed();
  const Scenario s = parse_scenario(in_file("law = \"mixed\"\nk = \"3 N/cm\"\nF0 = 1"), "own.toml");
  const auto& own = std::get<OwnLaw>(s.system->beds()[0].law);
  EXPECT_EQ(own.name(), "mixed");
  EXPECT_EQ(own.coefficient(0), 1);
  EXPECT_EQ(own.coefficient(1), 300);
  EXPECT_EQ(own.coefficient(2), 0.8);
  expect_same_bits(run(s), run_with(make_law("x", Mixed{1, 300, 0.8})));
}

TEST(RegisteredLaw, function_with_coefficients) {
  register_law(
      make_law("own_lohse",
               [](const Flow<double>& flow, std::span<const double> c) {
                 Resistance<double> out;
                 out.plunge = out.withdraw = c[0] * std::max(flow.immersed->depth, 0.0);
                 out.shear = c[1] * out.plunge;
                 return out;
               },
               {{"k", 100, "N/m", "resistance per depth"}, {"shear_ratio", 1, "", "along the surface"}}));
  expect_same_bits(
      run(parse_scenario(in_file("law = \"own_lohse\"\nk = 700\nshear_ratio = 0.4"), "own.toml")),
      run_with(LohseLaw{700, 0.4}));
}

TEST(RegisteredLaw, errors_are_those_of_the_laws_of_thud) {
  register_mixed();
  EXPECT_THAT(refusal("law = \"mixd\""), HasSubstr("did you mean \"mixed\"?"));
  EXPECT_THAT(refusal("law = \"mixed\"\nkk = 3"), HasSubstr("did you mean \"k\"?"));
  EXPECT_THAT(refusal("law = \"mixed\"\nk = \"3 kg\""),
              HasSubstr("own.toml:14:5: \"k\" in bed: \"kg\" is a mass unit; a stiffness is expected"));
  EXPECT_THAT(refusal("law = \"mixed\"\nk = -3"), HasSubstr("\"k\" in bed must be > 0 N/m"));
  EXPECT_THAT(refusal("law = \"mixed\"\nk = 0"), HasSubstr("\"k\" in bed must be > 0 N/m"));
  EXPECT_EQ(refusal("law = \"mixed\"\nF0 = 0"), "");
}

TEST(RegisteredLaw, a_unit_that_has_no_name_here_is_checked_too) {
  register_law(make_law("odd",
                        [](const Flow<double>&, std::span<const double>) { return Resistance<double>{}; },
                        {{"a", 1, "N/m4", ""}}));
  EXPECT_EQ(refusal("law = \"odd\"\na = \"2 N/cm4\""), "");
  EXPECT_THAT(refusal("law = \"odd\"\na = \"2 N/cm3\""), HasSubstr("does not measure the same as \"N/m4\""));
}

TEST(RegisteredLaw, can_be_replaced_for_files_that_are_read_later) {
  register_law(make_law("twice", Mixed{1, 100, 1}, {{"F0", &Mixed::yield, "N", ""}}));
  const Scenario first = parse_scenario(in_file("law = \"twice\""), "own.toml");
  register_law(make_law("twice", Mixed{2, 100, 1}, {{"F0", &Mixed::yield, "N", ""}}));
  const Scenario second = parse_scenario(in_file("law = \"twice\""), "own.toml");
  EXPECT_EQ(std::get<OwnLaw>(first.system->beds()[0].law).coefficient(0), 1);
  EXPECT_EQ(std::get<OwnLaw>(second.system->beds()[0].law).coefficient(0), 2);
  EXPECT_EQ(std::ranges::count_if(law_table(), [](const LawEntry* e) { return e->card.name == "twice"; }), 1);
}

TEST(RegisteredLaw, knobs_turn_its_coefficients) {
  register_mixed();
  std::string text = in_file("law = \"mixed\"\nk = \"=stiff\"");
  text.insert(text.find("[[body]]"), "stiff = { value = 100, unit = \"N/m\" }\n");
  ScenarioFamily family = ScenarioFamily::parse(text, "own.toml", {}, {"stiff"}, {"z"});
  for (const double k : {100.0, 250.0, 800.0}) {
    double z = nan;
    ASSERT_TRUE(family.run(std::vector{k}, &z).reached);
    // A family finds its start anew from the last one: equal but for rounding.
    EXPECT_NEAR(z, *run_with(make_law("x", Mixed{2, k, 0.8})).find("z")->value, 1e-12) << k;
  }
}

TEST(RegisteredLaw, refuses) {
  const auto refused = [](const auto& make) -> std::string {
    try {
      register_law(make());
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  const auto of = [](const char* key, const char* unit, double value = 1, bool positive = false) {
    return [=] { return make_law("mine", Mixed{value, 1, 1}, {{key, &Mixed::yield, unit, "", positive}}); };
  };
  EXPECT_THAT(refused([] { return make_law("lohse", Mixed{}); }), HasSubstr("is a law of thud"));
  EXPECT_THAT(refused(of("depth", "m")), HasSubstr("[bed] has a key of that name"));
  EXPECT_THAT(refused(of("k", "kN")), HasSubstr("\"kN\" is not SI"));
  EXPECT_THAT(refused(of("k", "furlongz")), HasSubstr("furlongz"));
  EXPECT_THAT(refused(of("k", "N", -1)), HasSubstr("starts at -1, and must be at least 0"));
  EXPECT_THAT(refused(of("k", "N", 0, true)), HasSubstr("must be above 0"));
  EXPECT_THAT(refused(of("k", "N", nan)), HasSubstr("starts at nan"));
  EXPECT_THAT(refused(of("a b", "N")), HasSubstr("letters, digits"));
  EXPECT_THAT(refused([] { return make_law("", Mixed{}); }), HasSubstr("cannot be the name of a law"));
  EXPECT_THAT(refused([] { return make_law("mine", LawFunction{}); }), HasSubstr("is empty"));
  EXPECT_THAT(refused([] {
                return make_law("mine", Mixed{},
                                {{"k", &Mixed::yield, "N", ""}, {"k", &Mixed::inertial, "N s2/m2", ""}});
              }),
              HasSubstr("it stands twice"));
  EXPECT_EQ(refused(of("k", "N")), "");
}

TEST(RegisteredLaw, keys_of_the_bed_are_the_ones_that_are_refused) {
  // A key that read_beds knows and register_law does not would be read twice, as something else.
  for (const char* key : {"name", "surface", "slope", "depth", "at_bottom", "law", "medium", "area",
                          "rotation", "bodies", "sphere_horizontal"}) {
    EXPECT_THROW(register_law(make_law("mine", Mixed{}, {{key, &Mixed::yield, "", ""}})),
                 std::invalid_argument);
  }
}

TEST(OwnLaw, coefficients_by_key) {
  OwnLaw law = make_law("mine", Mixed{}, {{"F0", &Mixed::yield, "N", ""}});
  const OwnLaw copy = law;
  law.set_coefficient("F0", 7);
  EXPECT_EQ(law.coefficient(0), 7);
  EXPECT_EQ(copy.coefficient(0), 2);
  EXPECT_THROW(law.set_coefficient("F1", 7), std::invalid_argument);
}

// --- what a law must not give -------------------------------------------------------------------------------------

template <class Change>
std::string failure_of(Change change, Method method = Method::automatic) {
  const RunResult r = run_with(make_law("bad",
                                        [change](const Flow<double>& flow) {
                                          Resistance<double> out = mixed_function(flow);
                                          if (flow.immersed->depth > 0.01) change(out);
                                          return out;
                                        }),
                               method);
  EXPECT_FALSE(r.reached);
  EXPECT_EQ(r.outcome.reason, StopReason::failed);
  return r.reason;
}

TEST(OwnLaw, what_is_not_finite_or_negative_stops_the_run) {
  EXPECT_THAT(failure_of([](auto& r) { r.drag = nan; }), HasSubstr("the law \"bad\" gives drag = nan N s/m"));
  EXPECT_THAT(failure_of([](auto& r) { r.drag = -1; }),
              HasSubstr("gives drag = -1 N s/m at a depth of 0.01"));
  EXPECT_THAT(failure_of([](auto& r) { r.plunge = -2; }), HasSubstr("gives plunge = -2 N"));
  EXPECT_THAT(failure_of([](auto& r) { r.withdraw = INFINITY; }), HasSubstr("gives withdraw = inf N"));
  EXPECT_THAT(failure_of([](auto& r) { r.shear = -1e-3; }), HasSubstr("gives shear = -0.001 N"));
  EXPECT_THAT(failure_of([](auto& r) { r.spin_linear = -1; }), HasSubstr("gives spin_linear = -1"));
  EXPECT_THAT(failure_of([](auto& r) { r.spin_square = nan; }), HasSubstr("gives spin_square = nan"));
  EXPECT_THAT(failure_of([](auto& r) { r.drag = nan; }, Method::radau5), HasSubstr("(t = 0.0"));
}

// A law that ends in NaN above the surface, where only trial states are, is none the worse for it.
TEST(OwnLaw, is_not_asked_for_sense_above_the_surface) {
  const auto root = [](double below) {
    return make_law("root", [below](const Flow<double>& flow) {
      Resistance<double> out = mixed_function(flow);
      const double z = flow.immersed->depth;
      out.plunge = out.withdraw = z > 0 ? 80 * std::sqrt(z) : below;
      return out;
    });
  };
  const RunResult a = run_with(root(0)), b = run_with(root(nan));
  expect_same_bits(a, b);
}

TEST(OwnLaw, exceptions_of_the_user_end_the_run_with_their_words) {
  const RunResult r = run_with(make_law("bad", [](const Flow<double>& flow) -> Resistance<double> {
    if (flow.immersed->depth > 0.01) throw std::runtime_error("no data beyond 10 mm");
    return {};
  }));
  EXPECT_EQ(r.outcome.reason, StopReason::failed);
  EXPECT_THAT(r.reason, HasSubstr("no data beyond 10 mm"));
}

// --- impacts ------------------------------------------------------------------------------------------------------

Scenario ball_with(const ContactLaw& law, const KnobSettings& set = {}) {
  Scenario s = load_scenario("bouncing_ball", set);
  s.system->set_contact_law(0, law);
  return s;
}

// Newton's law without friction: p = −(1 + e) c/W.
ImpulseLaw newton(double e) {
  return [e](const ImpactProblem& p) { return ContactImpulse{0, -(1 + e) * p.velocity[1] / p.matrix[3]}; };
}

TEST(OwnImpact, newton_again) {
  ContactLaw law;
  law.restitution = 0.8;
  law.law = RestitutionLaw::newton;
  const RunResult a = run(ball_with(law));
  law.impulse = newton(0.8);
  const RunResult b = run(ball_with(law));
  ASSERT_TRUE(a.reached && b.reached);
  EXPECT_EQ(a.outcome.impact_count, b.outcome.impact_count);
  EXPECT_NEAR(*a.find("t_rest")->value, *b.find("t_rest")->value, 1e-9);
  EXPECT_STREQ(impact_law_name(b.outcome.impacts[0]), "own");
  EXPECT_STREQ(impact_law_name(a.outcome.impacts[0]), "newton");
  EXPECT_LT(std::abs(b.outcome.energy.residual), 1e-10);
  // ½ m v² (1 − e²) of a fall from 1 m
  EXPECT_NEAR(b.outcome.impacts[0].result.work_normal[0], -0.1 * 9.81 * (1 - 0.64), 1e-9);
}

TEST(OwnImpact, restitution_of_the_speed) {
  ContactLaw law;
  law.restitution_at = [](double v) { return 0.9 / (1 + 0.1 * v); };
  const RunResult r = run(ball_with(law));
  ASSERT_TRUE(r.reached) << r.reason;
  for (const ImpactRecord& i : r.outcome.impacts) {
    const double v = -i.problem.velocity[1];
    EXPECT_NEAR(i.result.velocity[1], 0.9 / (1 + 0.1 * v) * v, 1e-12 * v);
  }
  EXPECT_GT(r.outcome.impact_count, 5);
}

std::string failure_of_impact(const ContactLaw& law) {
  const RunResult r = run(ball_with(law));
  EXPECT_FALSE(r.reached);
  EXPECT_EQ(r.outcome.reason, StopReason::failed);
  return r.reason;
}
std::string failure_of_impulse(ImpulseLaw impulse) {
  ContactLaw law;
  law.impulse = std::move(impulse);
  return failure_of_impact(law);
}

TEST(OwnImpact, refuses) {
  ContactLaw lively, undefined;
  lively.restitution_at = [](double) { return 1.2; };
  undefined.restitution_at = [](double) { return nan; };
  EXPECT_THAT(failure_of_impact(lively),
              HasSubstr("the restitution of ball@floor is 1.2 at 4.42945 m/s; it must be between 0 and 1"));
  EXPECT_THAT(failure_of_impact(undefined), HasSubstr("is nan at 4.4"));
  EXPECT_THAT(failure_of_impulse(newton(1.1)), HasSubstr("ball@floor: the impact law gains 0.206"));
  EXPECT_THAT(failure_of_impulse(newton(-0.5)), HasSubstr("leaves the contact closing with 2.2"));
  EXPECT_THAT(failure_of_impulse([](const ImpactProblem&) {
                return ContactImpulse{0, nan};
              }),
              HasSubstr("not finite"));
  EXPECT_THAT(failure_of_impulse([](const ImpactProblem&) {
                return ContactImpulse{0, -1};
              }),
              HasSubstr("it must not pull"));
}

TEST(OwnImpact, several_contacts_at_once_keep_to_the_restitution_and_say_so) {
  Scenario s = load_scenario("discs_in_v");
  for (int k = 0; k < static_cast<int>(s.system->contacts().size()); ++k) {
    ContactLaw law = s.system->contacts()[k].law;
    law.impulse = newton(0.5);
    s.system->set_contact_law(k, law);
  }
  const RunResult r = run(s);
  bool told = false;
  for (const ImpactRecord& i : r.outcome.impacts)
    if (i.contacts.size() > 1)
      told = told || i.result.note.find("an own impact law is for one") != std::string::npos;
  EXPECT_TRUE(told);
}

// --- observables --------------------------------------------------------------------------------------------------

TEST(OwnObservable, stops_and_results_like_one_of_thud) {
  Scenario s = load_scenario("free_link");
  const RunResult plain = run(s);
  const Observable vz = s.find_observable("link.tip.vz")->observable;
  // The same velocity from its parts: tip velocity times 2, by hand and by asking.
  const double half = 0.1524 / 2;  // a free body has its origin in the middle
  add_observable(s, {"mine.fast", make_observable([=](const Instant& i) {
                       return i.velocity(0, {half, 0}).z + i.observe(vz);
                     }),
                     "m/s", "twice the speed of the tip"});
  for (Condition& c : s.conditions) c.stops = false;
  add_stop(s, "mine.fast falls through 0");
  add_result(s, "mine", "time when mine.fast falls through 0");
  add_result(s, "there", "link.tip.depth at mine");
  add_result(s, "peak", "max mine.fast");
  const RunResult r = run(s);
  // The same function but for rounding: its zero is found to the accuracy of event times.
  EXPECT_NEAR(r.find("mine")->value.value_or(0), plain.find("t_z")->value.value_or(1), 1e-13);
  EXPECT_NEAR(r.find("there")->value.value_or(0), plain.find("z_T")->value.value_or(1), 1e-13);
  EXPECT_NEAR(*r.find("peak")->value, 2 * 1.26, 0.1);
  EXPECT_GE(*r.find("peak")->value, 2 * 1.26);
  EXPECT_EQ(r.find("peak")->unit, "m/s");
}

TEST(OwnObservable, ends_a_run_and_is_a_column) {
  Scenario s = load_scenario("free_link");
  add_observable(
      s, {"mine.turn", make_observable([](const Instant& i) { return i.angle(0) + i.rate(0) * 0; }), "rad",
          "the angle"});
  add_observable(s, {"mine.sum", make_observable([](const Instant& i) {
                       return i.q()[0] + i.v()[1] + i.acceleration()[2] + i.time();
                     }),
                     "", "something of everything"});
  add_stop(s, "link.tip.depth rises through 0.02");
  TrajectoryRecorder recorder(*s.system);
  RunRequest request;
  request.observer = &recorder;
  const RunResult r = run(s, request);
  recorder.finish(r.outcome);
  ASSERT_TRUE(r.reached) << r.reason;
  EXPECT_EQ(r.reason, "link.tip.depth rises through 0.02");
  const Trajectory table = recorder.table(
      {*s.find_observable("mine.turn"), *s.find_observable("link.angle"), *s.find_observable("mine.sum")});
  ASSERT_GT(table.row_count(), 5u);
  for (std::size_t i = 0; i < table.row_count(); ++i) EXPECT_EQ(table.at(i, 0), table.at(i, 1));
}

TEST(OwnObservable, refuses) {
  Scenario s = load_scenario("free_link");
  const auto zero = make_observable([](const Instant&) { return 0.0; });
  EXPECT_THROW(add_observable(s, {"link.rate", zero, "", ""}), InputError);
  EXPECT_THROW(add_observable(s, {"two words", zero, "", ""}), InputError);
  EXPECT_THROW(add_observable(s, {"", zero, "", ""}), InputError);
  EXPECT_THROW(static_cast<void>(make_observable({})), std::invalid_argument);
  EXPECT_THROW(add_result(s, "t_z", "max link.rate"), InputError);
  try {
    add_result(s, "peak", "max link.rat");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(),
                HasSubstr("peak: there is no observable \"link.rat\"; did you mean \"link.rate\"?"));
  }
  EXPECT_THROW(add_stop(s, "link.rate flies through 0"), InputError);
}

TEST(OwnObservable, must_be_a_number_where_one_is_needed) {
  Scenario s = load_scenario("free_link");
  add_observable(
      s, {"bad", make_observable([](const Instant& i) { return i.time() > 0.01 ? nan : -1; }), "", ""});
  Scenario stopped = load_scenario("free_link");
  add_observable(stopped, *s.find_observable("bad"));
  add_stop(stopped, "bad rises through 0");
  add_result(s, "peak", "max bad");
  for (const RunResult& r : {run(s), run(stopped)}) {
    EXPECT_EQ(r.outcome.reason, StopReason::failed);
    EXPECT_THAT(r.reason, HasSubstr("an observable of your own is nan, where a number is needed (t = "));
  }
}

// --- sand for other integrators -----------------------------------------------------------------------------------

const char* const falling_block = R"(
[[body]]
name  = "link"
shape = { kind = "block", length = 0.1, width = 0.04, thickness = 0.03, density = 2700 }
joint = "free"
[bed]
medium = "play-sand"
slope  = "5 deg"
[initial]
"link.angle" = "25 deg"
"link.x"     = 0
"link.z"     = -0.07
"link.vz"    = 1.5
"link.vx"    = 0.4
"link.rate"  = 2
[stop]
when = "link.vz falls through 0"
)";

// Source of truth: the forces and moments of the solver at the states it went through, while the body slips.
TEST(SandProbe, gives_the_force_of_the_solver) {
  for (const bool block : {false, true}) {
    Scenario s = block ? parse_scenario(falling_block, "block.toml") : load_scenario("free_link");
    TrajectoryRecorder recorder(*s.system);
    RunRequest request;
    request.observer = &recorder;
    const RunResult r = run(s, request);
    recorder.finish(r.outcome);
    const Trajectory table =
        recorder.table({*s.find_observable("link.resistance.x"), *s.find_observable("link.resistance.z"),
                        *s.find_observable("link.alpha"), *s.find_observable("link.sand.vx"),
                        *s.find_observable("link.sand.vz")});
    std::vector<Part> parts;
    for (const SandPiece& p : s.system->pieces()) parts.push_back(p.part);
    const Body& body = s.system->tree().body(0);
    SandProbe probe(s.system->beds()[0], body, parts, s.system->gravity());
    std::size_t row = 0, compared = 0;
    recorder.read_states([&](double, const double* y) {
      const std::size_t i = row++;
      const Vec force{table.at(i, 0), table.at(i, 1)};
      const Vec v{table.at(i, 3), table.at(i, 4)};
      const Plane& plane = s.system->beds()[0].plane;
      if (std::abs(dot(plane.normal, v)) < 1e-6 || std::abs(dot(plane.tangent, v)) < 1e-6)
        return;  // held, or not immersed
      const SandProbe::Answer a = probe.at({y[0], y[1]}, y[2], {y[3], y[4]}, y[5]);
      EXPECT_NEAR(a.force.x, force.x, 1e-10 * norm(force));
      EXPECT_NEAR(a.force.z, force.z, 1e-10 * norm(force));
      EXPECT_NEAR(a.moment, body.inertia * table.at(i, 2), 1e-10 * norm(force));
      ++compared;
    });
    EXPECT_GT(compared, 100u);
  }
}

TEST(SandProbe, above_the_sand_there_is_no_force) {
  Body body;
  body.mass = 1;
  body.inertia = 0.01;
  Part ball;
  ball.kind = PartKind::ball;
  ball.width = ball.breadth = 0.1;
  SandProbe probe(Bed{}, body, {ball});
  const SandProbe::Answer out = probe.at({0, -0.06}, 0, {1, 2}, 3), in = probe.at({0, -0.04}, 0, {1, 2}, 3);
  EXPECT_FALSE(out.immersed);
  EXPECT_EQ(norm(out.force), 0);
  EXPECT_EQ(out.moment, 0);
  EXPECT_TRUE(in.immersed);
  EXPECT_NEAR(in.depth, 0.01, 1e-15);
  EXPECT_LT(in.force.x, 0);
  EXPECT_LT(in.force.z, 0);
  EXPECT_EQ(norm(probe.at({0, -0.04}, 0, {0, 0}, 0).force), 0);
}

}  // namespace
}  // namespace thud
