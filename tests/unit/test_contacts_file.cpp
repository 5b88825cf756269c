// [contact], [[wall]] and [[pair]] of scenario files: what they make, and what is refused.
// Source of truth: geometry by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "thud/scenario/family.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double pi = std::numbers::pi;

Scenario parse(const std::string& text, const KnobSettings& set = {}) {
  return parse_scenario(text, "mine.toml", set);
}

std::string refusal(const std::string& text, const KnobSettings& set = {}) {
  try {
    (void)parse(text, set);
  } catch (const InputError& e) {
    return e.what();
  }
  return "(accepted)";
}

std::vector<std::string> names(const Scenario& s) {
  std::vector<std::string> out;
  for (const Contact& c : s.system->contacts()) out.push_back(c.name);
  return out;
}

const Contact& contact(const Scenario& s, const std::string& name) {
  for (const Contact& c : s.system->contacts())
    if (c.name == name) return c;
  throw std::out_of_range(name);
}

double gap(const Scenario& s, const std::string& name) {
  Frames<double> frames;
  frames.resize(s.system->tree());
  s.system->tree().kinematics(s.q.data(), s.v.data(), frames);
  Touching<double> t;
  measure(contact(s, name), s.system->tree(), s.system->walls(), frames, s.q.data(), t);
  return t.gap;
}

// Well above a floor at z = 0.
const std::string rod = R"(
[[body]]
name = "rod"
shape = { kind = "cylinder", length = 0.4, diameter = 0.01, mass = 1 }
joint = "free"
[initial]
"rod.z" = -2
)";
const std::string ball = R"(
[[body]]
name = "ball"
shape = { kind = "sphere", diameter = 0.1, mass = 1 }
joint = "free"
[initial]
"ball.z" = -2
)";
const std::string balls = R"(
[[body]]
repeat = 3
name = "ball{i}"
shape = { kind = "sphere", diameter = 0.1, mass = 1 }
joint = "free"
[initial]
repeat = 3
"ball{i}.x" = "=i"
"ball{i}.z" = -1
)";
const std::string floor_wall = "[[wall]]\nname = \"floor\"\n";

// ---- walls -----------------------------------------------------------------------------------------------------

TEST(Walls, a_floor_and_both_ends_of_a_rod) {
  const Scenario s = parse(rod + floor_wall);
  EXPECT_THAT(names(s), ElementsAre("rod.start@floor", "rod.tip@floor"));
  EXPECT_NEAR(gap(s, "rod.tip@floor"), 1.8, 1e-15);
  EXPECT_NEAR(gap(s, "rod.start@floor"), 2.2, 1e-15);
  for (const char* o : {"rod.tip@floor.gap", "rod.tip@floor.force", "energy.loss.impact"})
    EXPECT_TRUE(s.find_observable(o)) << o;
}

TEST(Walls, slopes_go_all_around) {
  const std::string left = "[[wall]]\nat = [-1, 0]\nslope = \"90 deg\"\n";
  const std::string right = "[[wall]]\nat = [1, 0]\nslope = \"-90 deg\"\n";
  const std::string top = "[[wall]]\nat = [0, -5]\nslope = \"180 deg\"\n";
  const Scenario s = parse(ball + left + right + top);
  EXPECT_THAT(names(s), ElementsAre("ball@wall", "ball@wall2", "ball@wall3"));
  EXPECT_NEAR(gap(s, "ball@wall"), 0.95, 1e-15);
  EXPECT_NEAR(gap(s, "ball@wall2"), 0.95, 1e-15);
  EXPECT_NEAR(gap(s, "ball@wall3"), 2.95, 1e-15);
  EXPECT_THAT(refusal(ball + "[[wall]]\nslope = \"190 deg\"\n"),
              HasSubstr("\"slope\" in wall 1 must be between"));
}

TEST(Walls, repeated_ones_are_stairs) {
  const Scenario s = parse(ball + "[[wall]]\nrepeat = 3\nname = \"step{i}\"\nat = [0, \"=0.2*i\"]\n");
  EXPECT_THAT(names(s), ElementsAre("ball@step1", "ball@step2", "ball@step3"));
  EXPECT_NEAR(gap(s, "ball@step3"), 2.55, 1e-15);
}

TEST(Walls, bodies_and_touches_choose) {
  const Scenario some = parse(balls + floor_wall + "bodies = [\"ball1\", \"ball3\"]\n");
  EXPECT_THAT(names(some), ElementsAre("ball1@floor", "ball3@floor"));
  const Scenario tip = parse(rod + floor_wall + "touches = [\"rod.tip\"]\n");
  EXPECT_THAT(names(tip), ElementsAre("rod.tip@floor"));
  const Scenario whole = parse(rod + floor_wall + "touches = \"rod\"\n");
  EXPECT_EQ(names(whole).size(), 2u);
  const Scenario mark = parse(rod + "[points]\nmark = { body = \"rod\", s = 0.1, n = 0.02, radius = 0.005 }\n"
                              + floor_wall + "touches = [\"mark\"]\n");
  EXPECT_THAT(names(mark), ElementsAre("mark@floor"));
  EXPECT_EQ(contact(mark, "mark@floor").a.radius, 0.005);
  EXPECT_NEAR(gap(mark, "mark@floor"), 2.1 - 0.005, 1e-15);
}

// ---- features of shapes ----------------------------------------------------------------------------------------

Scenario shaped(const std::string& shape, const std::string& joint = "\"free\"") {
  return parse("[[body]]\nname = \"it\"\nshape = " + shape + "\njoint = " + joint
               + "\n[[wall]]\nname = \"floor\"\nat = [0, 10]\n");
}

TEST(Features, of_every_shape) {
  EXPECT_THAT(names(shaped("{ kind = \"cylinder\", length = 1, diameter = 0.1, mass = 1 }")),
              ElementsAre("it.start@floor", "it.tip@floor"));
  EXPECT_THAT(names(shaped("{ kind = \"given\", length = 1, center = 0.5, inertia = 0.1, mass = 1 }")),
              ElementsAre("it.start@floor", "it.tip@floor"));
  EXPECT_THAT(names(shaped("{ kind = \"disc\", diameter = 1, thickness = 0.1, mass = 1 }")),
              ElementsAre("it@floor"));
  EXPECT_THAT(names(shaped("{ kind = \"point\", mass = 1, at = 1 }", "\"pin\"")), ElementsAre("it@floor"));
  EXPECT_THAT(names(shaped("{ kind = \"rod_disc\", length = 1, diameter = 0.02, rod_mass = 1, disc_mass = 1, "
                           "disc_diameter = 0.2 }")),
              ElementsAre("it.disc@floor", "it.start@floor"));
  EXPECT_THAT(names(shaped("{ kind = \"block\", length = 1, width = 0.4, mass = 1 }")),
              ElementsAre("it.corner1@floor", "it.corner2@floor", "it.corner3@floor", "it.corner4@floor"));
  EXPECT_THAT(names(shaped("{ kind = \"beam\", length = 1, diameter = 0.01, mass = 1, young = 2e11 }")),
              ElementsAre("it.start@floor", "it.tip@floor"));
  EXPECT_THAT(
      names(
          shaped("{ kind = \"stepped\", parts = [ { kind = \"cylinder\", length = 1, diameter = 0.02, mass = "
                 "1 }, { kind = \"cylinder\", length = 1, diameter = 0.01, mass = 1 }, { kind = \"point\", "
                 "mass = 1 } ] }")),
      ElementsAre("it.start@floor", "it.tip@floor"));
  EXPECT_THAT(
      names(
          shaped("{ kind = \"stepped\", parts = [ { kind = \"sphere\", diameter = 0.1, mass = 1, at = 0 }, { "
                 "kind = \"cylinder\", length = 1, diameter = 0.02, mass = 1, at = 0 }, { kind = \"sphere\", "
                 "diameter = 0.1, mass = 1 } ] }")),
      ElementsAre("it.ball1@floor", "it.ball2@floor"));
}

TEST(Features, corners_are_where_the_guide_says) {
  const Scenario s = shaped("{ kind = \"block\", length = 1, width = 0.4, mass = 1 }");
  // With the axis pointing down: top left, top right, bottom right, bottom left; z and x downwards and to the right.
  const double x[] = {-0.2, 0.2, 0.2, -0.2}, z[] = {-0.5, -0.5, 0.5, 0.5};
  Frames<double> frames;
  frames.resize(s.system->tree());
  s.system->tree().kinematics(s.q.data(), s.v.data(), frames);
  for (int k = 0; k < 4; ++k) {
    const Feature& f = s.system->contacts()[k].a;
    const Vec p = frames.position(f.body, f.point);
    EXPECT_NEAR(p.x, x[k], 1e-15) << k;
    EXPECT_NEAR(p.z, z[k], 1e-15) << k;
  }
  EXPECT_TRUE(s.find_observable("it.corner4.x"));
}

TEST(Features, ends_in_joints_do_not_count_but_can_be_listed) {
  const std::string chain = R"(
[[body]]
name = "a"
shape = { kind = "cylinder", length = 0.4, diameter = 0.01, mass = 1 }
joint = "pin"
[[body]]
name = "b"
shape = { kind = "cylinder", length = 0.4, diameter = 0.01, mass = 1 }
joint = { to = "a", at = "tip" }
[[wall]]
name = "floor"
at = [0, 1]
)";
  EXPECT_THAT(names(parse(chain)), ElementsAre("a.tip@floor", "b.tip@floor"));
  EXPECT_THAT(names(parse(chain + "touches = [\"b.start\"]\n")), ElementsAre("b.start@floor"));
}

// ---- laws ------------------------------------------------------------------------------------------------------

TEST(ContactLaws, defaults_and_what_a_wall_says_itself) {
  const Scenario s = parse(rod
                           + "[contact]\nlaw = \"newton\"\nrestitution = 0.5\nfriction = 0.3\ncorrelation = 0.1\n"
                             "[[wall]]\nname = \"a\"\n[[wall]]\nname = \"b\"\nat = [0, 1]\nlaw = \"poisson\"\n"
                             "restitution = 0.7\nmodel = \"hertz\"\nstiffness = 1e6\ndamping = 0.2\n");
  const ContactLaw& a = contact(s, "rod.tip@a").law;
  EXPECT_EQ(a.law, RestitutionLaw::newton);
  EXPECT_EQ(a.restitution, 0.5);
  EXPECT_EQ(a.friction, 0.3);
  EXPECT_FALSE(a.compliant);
  EXPECT_EQ(s.system->correlation(), 0.1);
  const ContactLaw& b = contact(s, "rod.tip@b").law;
  EXPECT_EQ(b.law, RestitutionLaw::poisson);
  EXPECT_EQ(b.restitution, 0.7);
  EXPECT_EQ(b.friction, 0.3);
  EXPECT_TRUE(b.compliant);
  EXPECT_EQ(b.stiffness, 1e6);
  EXPECT_EQ(b.exponent, 1.5);
  EXPECT_EQ(b.damping, 0.2);
}

TEST(ContactLaws, correlation_of_a_contact_and_who_leads) {
  const std::string walls =
      "[[wall]]\nname = \"a\"\n[[wall]]\nname = \"b\"\nat = [0, 1]\ncorrelation = 0.3\n";
  const Scenario s = parse(rod + "[contact]\ncorrelation = 0.1\nleader = \"first\"\n" + walls);
  EXPECT_EQ(s.system->correlation(), 0.1);
  EXPECT_EQ(s.system->leader(), LeaderRule::first);
  EXPECT_FALSE(contact(s, "rod.tip@a").law.correlation.has_value());
  EXPECT_EQ(contact(s, "rod.tip@b").law.correlation, 0.3);
  EXPECT_EQ(parse(rod + walls).system->leader(), LeaderRule::fastest);
}

TEST(ContactLaws, one_knob_switches_the_model) {
  const std::string text = "[parameters]\nmodel = { value = \"rigid\", choices = [\"rigid\", \"hertz\"] }\n"
                         + rod + "[contact]\nmodel = \"$model\"\nrestitution = 0.5\nstiffness = 1e6\n"
                         + floor_wall;
  EXPECT_FALSE(parse(text).system->contacts()[0].law.compliant);
  EXPECT_TRUE(parse(text, {{"model", "hertz"}}).system->contacts()[0].law.compliant);
}

TEST(ContactLaws, restitution_of_the_speed) {
  const std::string head = "[parameters]\nk = 0.9\n" + rod;
  const Scenario s = parse(head + floor_wall + "restitution = \"=min(1, k*v^-0.1)\"\n");
  const ContactLaw& law = s.system->contacts()[0].law;
  EXPECT_NEAR(law.restitution_of(2), 0.9 * std::pow(2, -0.1), 1e-15);
  EXPECT_EQ(law.restitution_of(0), 1);
  EXPECT_EQ(parse(head + floor_wall + "restitution = \"=k\"\n").system->contacts()[0].law.restitution, 0.9);
  // A number of a wall goes before an expression of [contact].
  const Scenario own =
      parse(head + "[contact]\nrestitution = \"=exp(-v)\"\n" + floor_wall + "restitution = 0.25\n");
  EXPECT_EQ(own.system->contacts()[0].law.restitution_of(3), 0.25);
  EXPECT_THAT(refusal(head + floor_wall + "restitution = \"=0.9*v^-0.1\"\n"),
              AllOf(HasSubstr("mine.toml:12:15"), HasSubstr("must be between 0 and 1")));
  EXPECT_THAT(refusal(head + floor_wall + "restitution = \"=1 - v\"\n"), HasSubstr("at v = 100 m/s"));
  EXPECT_THAT(refusal(head + floor_wall + "restitution = \"=k/w*v\"\n"), HasSubstr("unknown name \"w\""));
}

TEST(ContactLaws, what_makes_no_sense) {
  const std::string f = rod + floor_wall;
  EXPECT_THAT(refusal(f + "restitution = 1.2\n"),
              AllOf(HasSubstr("mine.toml:"), HasSubstr("between 0 and 1")));
  EXPECT_THAT(refusal(f + "friction = -0.1\n"), HasSubstr(">= 0"));
  EXPECT_THAT(refusal(f + "law = \"newten\"\n"), HasSubstr("did you mean \"newton\"?"));
  EXPECT_THAT(refusal(f + "stiffness = \"1 GPa\"\n"), HasSubstr("stiffness"));
  EXPECT_THAT(refusal(f + "damping = \"0.1 mm/s\"\n"), HasSubstr("damping"));
  EXPECT_THAT(refusal(f + "model = \"soft\"\n"), HasSubstr("must be rigid or hertz"));
  EXPECT_THAT(refusal(f + "model = \"hertz\"\n"), HasSubstr("needs a stiffness"));
  EXPECT_THAT(refusal(f + "correlation = -0.1\n"), HasSubstr("0"));
  EXPECT_THAT(refusal(f + "leader = \"first\"\n"), HasSubstr("unknown key \"leader\""));
  EXPECT_THAT(refusal(rod + "[contact]\nleader = \"fist\"\n" + floor_wall),
              AllOf(HasSubstr("mine.toml:"), HasSubstr("did you mean \"first\"?")));
  EXPECT_THAT(refusal(rod + "[contact]\nfriction = 0.1\n"),
              HasSubstr("there is no [[wall]] and no [[pair]]"));
  EXPECT_THAT(refusal(rod + "[contact]\ncorrelation = 1\n" + floor_wall), HasSubstr("1 (excluded)"));
}

// ---- pairs -----------------------------------------------------------------------------------------------------

TEST(Pairs, repeated_neighbours_and_every_two) {
  const Scenario s = parse(balls + "[[pair]]\nrepeat = 2\nbodies = [\"ball{i}\", \"ball{i+1}\"]\n");
  EXPECT_THAT(names(s), ElementsAre("ball1@ball2", "ball2@ball3"));
  EXPECT_NEAR(gap(s, "ball1@ball2"), 0.9, 1e-15);
  const Scenario all = parse(balls + "[[pair]]\nbodies = [\"ball1\", \"ball2\", \"ball3\"]\n");
  EXPECT_THAT(names(all), ElementsAre("ball1@ball2", "ball1@ball3", "ball2@ball3"));
}

TEST(Pairs, a_point_against_a_circle) {
  const std::string both =
      "[[body]]\nname = \"ball\"\nshape = { kind = \"sphere\", diameter = 0.1, mass = 1 }\n"
      "joint = \"free\"\n"
      + rod;
  const Scenario s = parse(both + "[[pair]]\ntouches = [\"rod.tip\", \"ball\"]\nfriction = 0.2\n");
  EXPECT_THAT(names(s), ElementsAre("rod.tip@ball"));
  EXPECT_NEAR(gap(s, "rod.tip@ball"), 1.8 - 0.05, 1e-15);
  EXPECT_EQ(s.system->contacts()[0].law.friction, 0.2);
  EXPECT_THAT(refusal(both + "[[pair]]\nbodies = [\"rod\", \"ball\"]\n"),
              HasSubstr("\"rod\" has no ball or disc"));
}

TEST(Pairs, what_makes_no_sense) {
  EXPECT_THAT(refusal(balls + "[[pair]]\nbodies = [\"ball1\"]\n"),
              HasSubstr("a pair needs two bodies; there is 1"));
  EXPECT_THAT(refusal(balls + "[[pair]]\nbodies = [\"ball1\", \"bal2\"]\n"),
              HasSubstr("there is no body \"bal2\"; did you mean \"ball2\"?"));
  EXPECT_THAT(refusal(balls + "[[pair]]\nbodies = [\"ball1\", \"ball1\"]\n"), HasSubstr("listed twice"));
  EXPECT_THAT(refusal(balls + "[[pair]]\nfriction = 1\n"), HasSubstr("does not say what it is a pair of"));
  EXPECT_THAT(refusal(balls + "[[pair]]\ntouches = [\"ball1\", \"ball2\", \"ball3\"]\n"),
              HasSubstr("there are 3"));
  const std::string twice =
      "[[pair]]\nbodies = [\"ball1\", \"ball2\"]\n[[pair]]\nbodies = [\"ball2\", \"ball1\"]\n";
  EXPECT_THAT(refusal(balls + twice), HasSubstr("there is a contact \"ball1@ball2\" already"));
  const std::string wheel = R"(
[[body]]
name = "hub"
shape = { kind = "disc", diameter = 0.1, thickness = 0.01, mass = 1 }
joint = { at = [1, 0] , own = 0.1 }
[[body]]
name = "wheel"
shape = { kind = "disc", diameter = 0.2, thickness = 0.01, mass = 1 }
joint = { to = "hub", at = "center" }
[[pair]]
bodies = ["hub", "wheel"]
)";
  EXPECT_THAT(refusal(wheel), HasSubstr("never changes"));
}

TEST(Walls, what_makes_no_sense) {
  EXPECT_THAT(refusal(rod + floor_wall + floor_wall), HasSubstr("there is a wall \"floor\" already"));
  EXPECT_THAT(refusal(rod + floor_wall + "touches = [\"rod.tp\"]\n"), HasSubstr("did you mean \"rod.tip\"?"));
  EXPECT_THAT(refusal(rod + floor_wall + "bodies = [\"rodd\"]\n"), HasSubstr("did you mean \"rod\"?"));
  EXPECT_THAT(refusal(rod + floor_wall + "bodies = [\"rod\"]\ntouches = [\"rod.tip\"]\n"),
              HasSubstr("not both"));
  EXPECT_THAT(refusal(rod + floor_wall + "bodies = []\n"), HasSubstr("the list is empty"));
  EXPECT_THAT(refusal(rod + floor_wall + "normal = [0, 1]\n"), HasSubstr("unknown key \"normal\""));
  EXPECT_THAT(refusal(rod + "[[wall]]\nname = \"the floor\"\n"), HasSubstr("is not a name"));
  EXPECT_THAT(
      refusal("[[body]]\nname = \"it\"\nshape = { kind = \"given\", mass = 1, center = 0.1, inertia = 1 }\n"
              "joint = \"pin\"\n"
              + floor_wall),
      HasSubstr("no body has a size"));
}

// ---- the start -------------------------------------------------------------------------------------------------

TEST(Start, inside_a_wall_is_refused_with_contact_and_depth) {
  const std::string text =
      "[parameters]\nz = -0.2\n[[body]]\nname = \"ball\"\nshape = { kind = \"sphere\", diameter = "
      "0.1, mass = 1 }\njoint = \"free\"\n[initial]\n\"ball.z\" = \"=z\"\n"
      + floor_wall;
  EXPECT_NO_THROW((void)parse(text, {{"z", "-0.05"}}));
  EXPECT_NO_THROW((void)parse(text, {{"z", "-0.0499999995"}}));
  EXPECT_THAT(refusal(text, {{"z", "-0.048"}}),
              AllOf(HasSubstr("mine.toml:7:"), HasSubstr("\"ball\" is inside the wall \"floor\" by 0.002 m"),
                    HasSubstr("ball@floor")));
  const std::string soft = text + "model = \"hertz\"\nstiffness = 1e6\n";
  EXPECT_NO_THROW((void)parse(soft, {{"z", "-0.048"}}));
}

TEST(Start, inside_another_body_is_refused) {
  EXPECT_THAT(refusal(balls + "\"ball2.vx\" = 1\n[[pair]]\nbodies = [\"ball1\", \"ball2\"]\n"),
              HasSubstr("(accepted)"));
  std::string close = balls;
  close.replace(close.find("\"=i\""), 4, "\"=0.09*i\"");
  EXPECT_THAT(refusal(close + "[[pair]]\nbodies = [\"ball1\", \"ball2\"]\n"),
              HasSubstr("\"ball1\" is inside \"ball2\" by 0.01 m"));
}

TEST(Start, gravity_may_be_zero) { EXPECT_EQ(parse("gravity = 0\n" + ball).system->gravity().z, 0); }

// ---- families --------------------------------------------------------------------------------------------------

class ContactFamily : public testing::Test {
 protected:
  ContactFamily() {
    file = testing::TempDir() + "thud-contacts-" + std::to_string(::getpid()) + ".toml";
    std::ofstream(file) << R"(
[parameters]
mu = 0.1
e = 0.5
tilt = 0
alpha = 0.1
r = 0.01
z = -1
[[body]]
name = "rod"
shape = { kind = "cylinder", length = 0.4, diameter = 0.01, mass = 1 }
joint = "free"
[points]
mark = { body = "rod", s = 0.1, radius = "=r" }
[contact]
friction = "=mu"
correlation = "=alpha"
[[wall]]
name = "floor"
slope = "=tilt"
restitution = "=e"
touches = ["rod.tip", "mark"]
[initial]
"rod.z" = "=z"
[stop]
time = 0.01
)";
  }
  ~ContactFamily() override { std::remove(file.c_str()); }

  std::string file;
};

TEST_F(ContactFamily, knobs_of_contacts_reach_the_system_every_time) {
  ScenarioFamily family(file, {}, {"mu", "e", "tilt", "alpha", "r", "z"}, {"end.time"});
  for (const double k : {1.0, 2.0, 3.0, 1.5}) {
    const Scenario& s = family.at(std::vector<double>{0.1 * k, 0.2 * k, 0.05 * k, 0.03 * k, 0.01 * k, -k});
    const Contact& c = contact(s, "mark@floor");
    EXPECT_EQ(c.law.friction, 0.1 * k);
    EXPECT_EQ(c.law.restitution, 0.2 * k);
    EXPECT_EQ(c.a.radius, 0.01 * k);
    EXPECT_NEAR(std::atan2(s.system->walls()[0].plane.tangent.z, s.system->walls()[0].plane.tangent.x),
                0.05 * k, 1e-15);
    EXPECT_EQ(s.system->correlation(), 0.03 * k);
    EXPECT_EQ(s.q[1], -k);
  }
}

TEST_F(ContactFamily, each_knob_alone_as_well) {
  for (const char* knob : {"mu", "e", "tilt", "alpha", "r"}) {
    ScenarioFamily family(file, {}, {knob}, {"end.time"});
    for (const double x : {0.2, 0.3}) {
      const Scenario& s = family.at(std::vector<double>{x});
      const Scenario anew = load_scenario(file, {{knob, std::to_string(x)}});
      const Contact &a = contact(s, "mark@floor"), &b = contact(anew, "mark@floor");
      EXPECT_EQ(a.law.friction, b.law.friction) << knob;
      EXPECT_EQ(a.law.restitution, b.law.restitution) << knob;
      EXPECT_EQ(a.a.radius, b.a.radius) << knob;
      EXPECT_EQ(s.system->correlation(), anew.system->correlation()) << knob;
      EXPECT_EQ(s.system->walls()[0].plane.normal.x, anew.system->walls()[0].plane.normal.x) << knob;
    }
  }
}

// Only the start changes, which needs no reading: the start is checked all the same.
TEST_F(ContactFamily, a_start_inside_the_wall_is_refused_every_time) {
  ScenarioFamily family(file, {}, {"z"}, {"end.time"});
  double out = 0;
  EXPECT_NO_THROW((void)family.at(std::vector<double>{-1.0}));
  EXPECT_NO_THROW((void)family.at(std::vector<double>{-0.5}));
  const FamilyRun inside = family.run(std::vector<double>{-0.1}, &out);
  EXPECT_THAT(inside.message, HasSubstr("\"rod.tip\" is inside the wall \"floor\" by 0.1 m"));
  EXPECT_NO_THROW((void)family.at(std::vector<double>{-0.7}));
}

// ---- the library -----------------------------------------------------------------------------------------------

TEST(ContactLibrary, numbers_of_the_papers) {
  const Scenario s = load_scenario("rough_obstacle");
  const Body &one = s.system->tree().body(0), &two = s.system->tree().body(1);
  EXPECT_NEAR(one.inertia, 0.0625, 1e-15);
  EXPECT_NEAR(two.mass, 2.4, 1e-15);
  EXPECT_NEAR(two.center.s, 0.34, 1e-15);
  EXPECT_NEAR(two.inertia, 0.04805333333333333, 1e-15);
  const double g = 0.8 - 0.5 * std::cos(130 * pi / 180) - 0.44 * std::cos(90 * pi / 180) - 0.04;  // eq 2
  EXPECT_NEAR(gap(s, "rod2.disc@obstacle"), g, 1e-14);

  const Scenario block = load_scenario("rocking_block");
  const Body& b = block.system->tree().body(0);
  // The inclination up to which the resting corner takes part: tan = (b² − I/m)/(bh).
  const double half = 0.05, h = 1.028115 * half;
  EXPECT_NEAR(std::atan((half * half - b.inertia / b.mass) / (half * h)) * 180 / pi, 17, 1e-4);
  EXPECT_NEAR(gap(block, "block.corner4@left"), 0, 1e-16);
  EXPECT_NEAR(gap(block, "block.corner3@right"), 0, 1e-16);
}

}  // namespace
}  // namespace thud
