// Sliders, welds and masses beside the axis, as scenario files write them.
// Sources of truth: uniformly accelerated and damped motion, the harmonic oscillator, the compound pendulum of the merged
// body, conservation of angular momentum and energy, statics.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "thud/base/error.hpp"
#include "thud/draw/stills.hpp"
#include "thud/scenario/outline.hpp"
#include "thud/scenario/run.hpp"
#include "thud/study/modes.hpp"

namespace thud {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double g = 9.81, pi = std::numbers::pi;

struct Played {
  Scenario scenario;
  RunResult result;

  double operator[](const std::string& name) const {
    for (std::size_t k = 0; k < scenario.observables.size(); ++k)
      if (scenario.observables[k].name == name) return result.final_values[k];
    ADD_FAILURE() << "there is no " << name;
    return 0;
  }
  double residual() const { return std::abs(result.outcome.energy.residual); }
};

Played play(const std::string& text) {
  RunRequest request;
  request.tolerance = 1e-12;
  Scenario s = parse_scenario(text, "test.toml");
  RunResult r = run(s, request);
  return {std::move(s), std::move(r)};
}

// A block of 2 kg on an incline, 60 degrees from the vertical, for 0.8 s.
std::string incline(const std::string& joint, const std::string& more = "") {
  return R"([[body]]
name = "block"
shape = { kind = "block", length = 0.1, width = 0.1, mass = 2 }
joint = { kind = "slider", direction = "60 deg", own = "center", )"
       + joint + " }\n" + more + "[stop]\ntime = 0.8\n";
}

const double pull = g * std::cos(pi / 3);  // along the incline, per mass

TEST(SliderFile, falls_freely_along_a_smooth_incline) {
  const Played p = play(incline("at = [1, 2]"));
  const double s = 0.5 * pull * 0.64;
  EXPECT_NEAR(p["block.travel"], s, 1e-12);
  EXPECT_NEAR(p["block.travel.rate"], pull * 0.8, 1e-12);
  EXPECT_NEAR(p["block.x"], 1 + s * std::sin(pi / 3), 1e-12);
  EXPECT_NEAR(p["block.z"], 2 + s * std::cos(pi / 3), 1e-12);
  EXPECT_EQ(p["block.angle"], 0);
  // Its rail gives the weight across the line, and nothing along it.
  EXPECT_NEAR(p["block.joint.f"], 2 * g * std::sin(pi / 3), 1e-11);
  EXPECT_NEAR(p["block.joint.force"], 0, 1e-12);
  EXPECT_LT(p.residual(), 1e-9);
}

TEST(SliderFile, dry_friction_takes_its_share) {
  const Played p = play(incline("friction = \"4 N\""));
  const double s = 0.5 * (pull - 2) * 0.64;
  EXPECT_NEAR(p["block.travel"], s, 1e-12);
  EXPECT_NEAR(p["block.joint.force"], -4, 1e-12);
  EXPECT_NEAR(p["energy.loss.joint_friction"], 4 * s, 1e-11);
  EXPECT_LT(p.residual(), 1e-9);
}

TEST(SliderFile, sticks_up_to_the_threshold_and_slips_beyond_it) {
  for (const double share : {1 + 1e-6, 1 - 1e-6}) {
    const std::string friction = fmt::format("friction = {:.17g}", share * 2 * pull);
    const Played p = play(incline(friction));
    EXPECT_NEAR(p["block.travel"], share > 1 ? 0 : 0.5 * 1e-6 * pull * 0.64, 1e-12) << share;
  }
  // Against the slope it comes to a stop and is held there: v²/2a.
  const Played up = play(incline("friction = 12", "[initial]\n\"block.travel.rate\" = -1.5\n"));
  EXPECT_NEAR(up["block.travel"], -1.5 * 1.5 / 2 / (pull + 6), 1e-12);
  EXPECT_NEAR(up["block.travel.rate"], 0, 1e-12);
  EXPECT_NEAR(up["block.joint.force"], -2 * pull, 1e-10);
}

TEST(SliderFile, a_drive_against_damping) {
  const Played p = play(R"([[body]]
name = "cart"
shape = { kind = "point", mass = 2 }
joint = { kind = "slider", direction = "horizontal", force = "=3", damping = "5 N s/m" }
[stop]
time = 0.6
)");
  const double decay = std::exp(-2.5 * 0.6);
  EXPECT_NEAR(p["cart.travel.rate"], 0.6 * (1 - decay), 1e-10);
  EXPECT_NEAR(p["cart.x"], 0.6 * (0.6 - (1 - decay) / 2.5), 1e-10);
  EXPECT_NEAR(p["cart.joint.force"], 3 - 5 * 0.6 * (1 - decay), 1e-10);
  EXPECT_NEAR(p["energy.supplied.torque"], 3 * p["cart.x"], 1e-10);
  EXPECT_LT(p.residual(), 1e-9);
}

TEST(SliderFile, a_spring_in_it_makes_an_oscillator) {
  const std::string text = incline("damping = 3", R"([[joint_spring]]
name = "coil"
joint = "block"
stiffness = "800 N/m"
rest = "50 mm"
)");
  const Scenario s = parse_scenario(text, "test.toml");
  const Equilibrium rest = find_equilibrium(*s.system, s.q);
  ASSERT_TRUE(rest.found);
  EXPECT_NEAR(rest.q[0], 0.05 + 2 * pull / 800, 1e-12);
  const ModalAnalysis a = analyse_modes(*s.system, rest.q, make_outline(s.system->tree(), s.parts));
  ASSERT_EQ(a.modes.size(), 1U);
  EXPECT_NEAR(std::abs(a.modes[0].root), std::sqrt(800.0 / 2), 1e-9);
  EXPECT_NEAR(a.modes[0].damping_ratio(), 3 / (2 * std::sqrt(800.0 * 2)), 1e-12);
  const Played p = play(text);
  EXPECT_NEAR(p["coil.force"], -800 * (p["block.travel"] - 0.05), 1e-9);
  EXPECT_NEAR(p["coil.travel"], p["block.travel"], 1e-15);
  EXPECT_LT(p.residual(), 1e-9);
}

// ---- welds ----------------------------------------------------------------------------------------------------------

// Two slender rods as an L, and the same as one body with its mass beside the axis.
constexpr double arm_mass = 1.2, arm_length = 0.3, tool_mass = 0.7, tool_length = 0.2, bend = 1.1;
struct Merged {
  double mass = arm_mass + tool_mass, s, n, inertia;
  Merged() {
    const double s2 = arm_length + tool_length / 2 * std::cos(bend), n2 = tool_length / 2 * std::sin(bend);
    s = (arm_mass * arm_length / 2 + tool_mass * s2) / mass;
    n = tool_mass * n2 / mass;
    inertia = arm_mass * (arm_length * arm_length / 12 + (arm_length / 2 - s) * (arm_length / 2 - s) + n * n)
            + tool_mass * (tool_length * tool_length / 12 + (s2 - s) * (s2 - s) + (n2 - n) * (n2 - n));
  }
  double about_pin() const { return inertia + mass * (s * s + n * n); }
};
std::string welded(const std::string& tail) {
  return fmt::format(R"([[body]]
name = "arm"
shape = {{ kind = "cylinder", length = {}, diameter = 0.01, mass = {}, inertia = "slender" }}
joint = "pin"
[[body]]
name = "tool"
shape = {{ kind = "cylinder", length = {}, diameter = 0.01, mass = {}, inertia = "slender" }}
joint = {{ kind = "weld", to = "arm", angle = {} }}
)",
                     arm_length, arm_mass, tool_length, tool_mass, bend)
       + tail;
}
std::string merged(const std::string& tail) {
  const Merged m;
  return fmt::format(R"([[body]]
name = "arm"
shape = {{ kind = "given", mass = {:.17g}, center = [{:.17g}, {:.17g}], inertia = {:.17g}, length = 0.3 }}
joint = "pin"
)",
                     m.mass, m.s, m.n, m.inertia)
       + tail;
}

TEST(WeldFile, an_L_swings_as_its_compound_pendulum) {
  const Merged m;
  for (const std::string& text : {welded(""), merged("")}) {
    const Scenario s = parse_scenario(text, "test.toml");
    const Equilibrium rest = find_equilibrium(*s.system, s.q);
    ASSERT_TRUE(rest.found);
    EXPECT_NEAR(rest.q[0], -std::atan2(m.n, m.s), 1e-12);  // the mass centre below the pin
    const ModalAnalysis modes = analyse_modes(*s.system, rest.q, {});
    ASSERT_EQ(modes.modes.size(), 1U);
    EXPECT_NEAR(modes.modes[0].omega(), std::sqrt(m.mass * g * std::hypot(m.s, m.n) / m.about_pin()), 1e-9);
  }
}

TEST(WeldFile, an_L_and_the_merged_body_swing_alike) {
  const std::string tail = "[initial]\n\"arm.angle\" = 2\n\"arm.rate\" = 3\n[stop]\ntime = 1.7\n";
  const Played two = play(welded(tail)), one = play(merged(tail));
  EXPECT_NEAR(two["arm.angle"], one["arm.angle"], 1e-9);
  EXPECT_NEAR(two["tool.angle"], one["arm.angle"] + bend, 1e-9);
  EXPECT_NEAR(two["arm.joint.fx"], one["arm.joint.fx"], 1e-7);
  EXPECT_NEAR(two["arm.joint.fz"], one["arm.joint.fz"], 1e-7);
  EXPECT_LT(two.residual(), 1e-9);
  EXPECT_LT(one.residual(), 1e-9);
  // The angle of what is welded may be given as well.
  const Scenario s =
      parse_scenario(welded("[initial]\n\"tool.angle\" = 1.5\n\"tool.rate\" = -2\n"), "test.toml");
  EXPECT_NEAR(s.q[0], 1.5 - bend, 1e-12);
  EXPECT_NEAR(s.v[0], -2, 1e-12);
}

TEST(GivenFile, a_free_body_with_its_mass_beside_the_axis_flies_by_its_mass_centre) {
  const Played p = play(R"([[body]]
name = "hatchet"
shape = { kind = "given", mass = 0.8, center = [0.2, 0.05], inertia = 0.004, length = 0.4, diameter = 0.02 }
joint = "free"
[initial]
"hatchet.x" = 1
"hatchet.z" = -2
"hatchet.angle" = 0.3
"hatchet.vx" = 2
"hatchet.vz" = 0
"hatchet.rate" = 7
[stop]
time = 0.5
)");
  EXPECT_NEAR(p["hatchet.x"], 2, 1e-11);
  EXPECT_NEAR(p["hatchet.z"], -2 + 0.125 * g, 1e-11);
  EXPECT_NEAR(p["hatchet.rate"], 7, 1e-10);
  // The start of the axis is 0.2 m behind the mass centre and 0.05 m beside it.
  const double q = 0.3 + 3.5;
  EXPECT_NEAR(p["hatchet.start.x"], 2 - 0.2 * std::sin(q) - 0.05 * std::cos(q), 1e-9);
  EXPECT_LT(p.residual(), 1e-9);
}

// ---- sliders on bodies ----------------------------------------------------------------------------------------------

TEST(SliderFile, a_bead_on_a_turning_rod_keeps_its_angular_momentum) {
  const Played p = play(R"(gravity = 0
[[body]]
name = "rod"
shape = { kind = "cylinder", length = 1, diameter = 0.01, mass = 0.6, inertia = "slender" }
joint = "pin"
[[body]]
name = "bead"
shape = { kind = "point", mass = 0.5 }
joint = { kind = "slider", to = "rod", at = "start", direction = "along" }
[initial]
"rod.rate" = 4
"bead.travel" = 0.3
"bead.travel.rate" = -0.2
[stop]
time = 0.9
)");
  const auto inertia = [](double s) { return 0.2 + 0.5 * s * s; };
  const double s = p["bead.travel"], rate = p["rod.rate"], speed = p["bead.travel.rate"];
  EXPECT_GT(s, 0.5);
  EXPECT_NEAR(inertia(s) * rate, inertia(0.3) * 4, 1e-9);
  EXPECT_NEAR(inertia(s) * rate * rate + 0.5 * speed * speed, inertia(0.3) * 16 + 0.5 * 0.04, 1e-9);
  EXPECT_NEAR(p["bead.angle"], p["rod.angle"], 1e-15);
}

TEST(SliderFile, across_a_body_at_a_place_beside_its_axis) {
  const Scenario s = parse_scenario(R"([[body]]
name = "frame"
shape = { kind = "block", length = 0.4, width = 0.2, mass = 1 }
joint = "pin"
[[body]]
name = "slide"
shape = { kind = "cylinder", length = 0.1, diameter = 0.01, mass = 0.2 }
joint = { kind = "slider", to = "frame", at = ["0.3 m", "50 mm"], direction = "across", angle = "-90 deg" }
[initial]
"frame.angle" = "30 deg"
"slide.travel" = 0.07
)",
                                    "test.toml");
  Frames<double> frames;
  frames.resize(s.system->tree());
  s.system->tree().kinematics(s.q.data(), s.v.data(), frames);
  const double c = std::cos(pi / 6), n = 0.05 + 0.07;
  EXPECT_NEAR(frames.origin[1].x, 0.3 * 0.5 + n * c, 1e-12);
  EXPECT_NEAR(frames.origin[1].z, 0.3 * c - n * 0.5, 1e-12);
  EXPECT_NEAR(s.system->tree().angle(1, s.q.data()), -pi / 3, 1e-12);
}

TEST(SliderFile, where_it_starts_may_be_a_place) {
  const Scenario s =
      parse_scenario(incline("at = [0, 1]", "[initial]\n\"block.z\" = 1.4\n\"block.vx\" = 3\n"), "test.toml");
  EXPECT_NEAR(s.q[0], 0.4 / std::cos(pi / 3), 1e-12);
  EXPECT_NEAR(s.v[0], 3 / std::sin(pi / 3), 1e-12);
}

// Nothing but the account knows all of it: a beam clamped in a slider that is shaken, with a welded tip.
TEST(SliderFile, carries_a_beam) {
  const Played p = play(R"toml([[body]]
name = "whip"
shape = { kind = "beam", length = 0.5, diameter = 0.008, density = 2700, young = 7e10, modes = 3 }
joint = { kind = "slider", direction = "horizontal", force = "=20*sin(30*t)", friction = 0.3 }
[[body]]
name = "tip"
shape = { kind = "cylinder", length = 0.05, diameter = 0.02, density = 2700 }
joint = { kind = "weld", to = "whip", angle = "40 deg" }
[stop]
time = 0.4
)toml");
  EXPECT_TRUE(p.result.reached) << p.result.reason;
  EXPECT_GT(p["energy.loss.joint_friction"], 1e-3);
  EXPECT_LT(p.residual(), 1e-9);
}

TEST(SliderFile, library_scenarios_close_their_account) {
  for (const char* name : {"drop_rig", "leg_on_rail"}) {
    const RunResult r = run(load_scenario(name));
    EXPECT_TRUE(r.reached) << name << r.reason;
    EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8) << name;
  }
  // Until the foot touches, the drop rig falls with g less the friction.
  const Scenario s = load_scenario("drop_rig");
  const double mass = s.system->tree().total_mass();
  EXPECT_NEAR(*run(s).find("v_touch")->value, std::sqrt(2 * 0.3 * (g - 0.8 / mass)), 1e-7);
}

// ---- pictures -------------------------------------------------------------------------------------------------------

TEST(SliderFile, rails_are_drawn) {
  const Scenario s = parse_scenario(incline("at = [1, 2]"), "test.toml");
  const double q = 0.5;
  const Pose pose = make_pose(s, 0, &q, {{-0.2, 0.8}});
  ASSERT_EQ(pose.rails.size(), 1U);
  EXPECT_TRUE(pose.pins.empty());
  EXPECT_NEAR(pose.rails[0][0].x, 1 - 0.2 * std::sin(pi / 3), 1e-12);
  EXPECT_NEAR(pose.rails[0][1].z, 2 + 0.8 * std::cos(pi / 3), 1e-12);
}

// ---- refusals -------------------------------------------------------------------------------------------------------

std::string refusal(const std::string& text) {
  try {
    const Scenario s = parse_scenario(text, "test.toml");
  } catch (const InputError& e) {
    return e.what();
  }
  return "not refused";
}
std::string with_joint(const std::string& joint, const std::string& more = "") {
  return "[[body]]\nname = \"arm\"\nshape = { kind = \"cylinder\", length = 1, diameter = 0.1, mass = 1 "
         "}\njoint = "
       + joint + "\n" + more;
}

TEST(SliderFile, is_refused_with_place_and_advice) {
  EXPECT_THAT(refusal(with_joint("\"slider\"")),
              AllOf(HasSubstr("test.toml:4:"), HasSubstr("direction = \"vertical\"")));
  EXPECT_THAT(refusal(with_joint("{ kind = \"slider\" }")),
              AllOf(HasSubstr("test.toml:4:"), HasSubstr("needs its direction")));
  EXPECT_THAT(refusal(with_joint("{ kind = \"slider\", direction = \"vertcal\" }")),
              AllOf(HasSubstr("test.toml:4:"), HasSubstr("did you mean \"vertical\"")));
  EXPECT_THAT(refusal(with_joint("{ kind = \"slider\", direction = \"along\" }")),
              HasSubstr("on the ground"));
  EXPECT_THAT(refusal(with_joint("{ kind = \"slider\", direction = \"2 m\" }")), HasSubstr("angle"));
  EXPECT_THAT(refusal(with_joint("{ kind = \"slidr\", direction = 0 }")),
              HasSubstr("did you mean \"slider\""));
  EXPECT_THAT(refusal(with_joint("{ kind = \"slider\", direction = 0, torque = 1 }")), HasSubstr("force = "));
  EXPECT_THAT(refusal(with_joint("{ kind = \"slider\", direction = 0, friction = \"1 N m\" }")),
              AllOf(HasSubstr("test.toml:4:"), HasSubstr("force")));
  EXPECT_THAT(refusal(with_joint("{ kind = \"slider\", direction = 0, damping = \"1 N m s/rad\" }")),
              HasSubstr("N s/m"));
  EXPECT_THAT(refusal(with_joint("{ kind = \"free\", direction = 0 }")), HasSubstr("no joint"));
  EXPECT_THAT(refusal(with_joint("{ kind = \"free\", to = \"arm\" }")), HasSubstr("carried by nothing"));
  EXPECT_THAT(refusal(with_joint("{ direction = 0 }")), HasSubstr("kind = \"slider\""));
  EXPECT_THAT(refusal(with_joint("{ angle = 1 }")), HasSubstr("\"arm.angle\" in [initial]"));
  EXPECT_THAT(refusal(with_joint("{ force = 1 }")), HasSubstr("torque"));
  EXPECT_THAT(refusal(with_joint("{ kind = \"weld\", friction = 1 }")), HasSubstr("nothing moves in a weld"));
  EXPECT_THAT(refusal(with_joint("\"weld\"")), HasSubstr("nothing can move"));
}

TEST(SliderFile, starts_that_cannot_be_are_refused) {
  const std::string slider = "{ kind = \"slider\", direction = \"vertical\", angle = \"20 deg\" }";
  EXPECT_THAT(refusal(with_joint(slider, "[initial]\n\"arm.angle\" = 1\n")),
              AllOf(HasSubstr("test.toml:6:"), HasSubstr("20"), HasSubstr("\"arm.travel\"")));
  EXPECT_THAT(refusal(with_joint(slider, "[initial]\n\"arm.rate\" = 1\n")), HasSubstr("cannot be set"));
  EXPECT_THAT(refusal(with_joint(slider, "[initial]\n\"arm.travel\" = \"2 rad\"\n")), HasSubstr("length"));
  EXPECT_THAT(refusal(with_joint("\"pin\"", "[initial]\n\"arm.travel\" = 1\n")),
              AllOf(HasSubstr("test.toml:6:"), HasSubstr("no slider")));
  EXPECT_THAT(refusal(with_joint(slider, "[initial]\n\"arm.x\" = 1\n")), HasSubstr("contradicts itself"));
}

TEST(SliderFile, elements_and_beams_that_do_not_fit_are_refused) {
  const std::string spring = "[[joint_spring]]\njoint = \"arm\"\nstiffness = ";
  EXPECT_THAT(refusal(with_joint("{ kind = \"slider\", direction = 0 }", spring + "\"2 N m/rad\"\n")),
              HasSubstr("N/m"));
  EXPECT_THAT(refusal(with_joint("\"pin\"", spring + "\"2 N/m\"\n")), HasSubstr("N m/rad"));
  const std::string tool =
      "[[body]]\nname = \"tool\"\nshape = { kind = \"point\", mass = 1 }\njoint = { kind = "
      "\"weld\", to = \"arm\" }\n[[joint_spring]]\njoint = \"tool\"\nstiffness = 2\n";
  EXPECT_THAT(refusal(with_joint("\"pin\"", tool)), HasSubstr("nothing moves in its joint"));
  EXPECT_THAT(refusal(R"([[body]]
name = "whip"
shape = { kind = "beam", length = 1, diameter = 0.01, density = 2700, young = 7e10, support = "pinned" }
joint = { kind = "slider", direction = 0 }
)"),
              AllOf(HasSubstr("test.toml:3:"), HasSubstr("clamped")));
}

}  // namespace
}  // namespace thud
