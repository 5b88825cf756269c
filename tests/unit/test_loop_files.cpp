// Loops and prescribed motions as scenario files write them.
// Sources of truth: Freudenstein's equation of the four-bar, the crank–slider, reflected inertia, statics, dense impact
// equations, the map of a ball on a moving table, work and energy.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "joint_models.hpp"
#include "thud/base/error.hpp"
#include "thud/scenario/run.hpp"
#include "thud/study/modes.hpp"

namespace thud {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double g = 9.81, pi = std::numbers::pi;

// Looks at the state at the ends of all steps, and in the middle of each.
class Watcher : public StepObserver {
 public:
  explicit Watcher(std::function<void(double, const double*)> look, int size)
      : look_(std::move(look)),
        y_(static_cast<std::size_t>(size)) {}
  void on_step(StepView& step) override {
    for (const double t : {0.5 * (step.begin() + step.end()), step.end()}) {
      step.state(t, y_.data());
      look_(t, y_.data());
    }
  }

 private:
  std::function<void(double, const double*)> look_;
  std::vector<double> y_;
};

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

Played play(const std::string& text, std::function<void(double, const double*)> look = {},
            double tolerance = 1e-12) {
  RunRequest request;
  request.tolerance = tolerance;
  Scenario s = parse_scenario(text, "test.toml");
  Watcher watcher(look, s.system->state_size());
  if (look) request.observer = &watcher;
  RunResult r = run(s, request);
  EXPECT_EQ(r.outcome.message, "");
  return {std::move(s), std::move(r)};
}

std::string refused(const std::string& text) {
  try {
    (void)parse_scenario(text, "test.toml");
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

std::string rod(const std::string& name, double length, const std::string& joint) {
  return fmt::format(R"([[body]]
name = "{0}"
shape = {{ kind = "given", length = {1}, mass = {1}, center = "={1}/2", inertia = "={1}^3/12" }}
joint = {2}
)",
                     name, length, joint);
}

// Crank 0.2, coupler 0.5, rocker 0.4 on the ground at 0.45: a crank that turns all round.
constexpr double a = 0.2, b = 0.5, c = 0.4, d = 0.45;
std::string four_bar(const std::string& more) {
  return rod("crank", a, "\"pin\"") + rod("coupler", b, R"({ to = "crank", at = "tip" })")
       + rod("rocker", c, "{ at = [0.45, 0] }") + R"([[loop]]
name = "knee"
a = "coupler.tip"
b = "rocker.tip"
[guess]
"coupler.angle" = "60 deg"
"rocker.angle" = "-10 deg"
)" + more;
}

// K₁ cos θ₄ − K₂ cos θ₂ + K₃ = cos(θ₂ − θ₄), angles from the ground link (Freudenstein 1955).
double freudenstein(double crank, double rocker) {
  const double k1 = d / a, k2 = d / c, k3 = (a * a - b * b + c * c + d * d) / (2 * a * c);
  const double t2 = pi / 2 - crank, t4 = pi / 2 - rocker;
  return k1 * std::cos(t4) - k2 * std::cos(t2) + k3 - std::cos(t2 - t4);
}

TEST(FourBar, follows_its_coupler_equation_through_a_whole_turn) {
  double worst = 0, low = 9, high = -9;
  const auto look = [&](double, const double* y) {
    worst = std::max(worst, std::abs(freudenstein(y[0], y[2])));
    low = std::min(low, y[2]), high = std::max(high, y[2]);
  };
  const Played p =
      play(four_bar("[initial]\n\"crank.angle\" = 0.3\n[[motion]]\nname = \"motor\"\njoint = \"crank\"\n"
                    "position = \"=0.3 + 2*pi*t\"\n[stop]\ntime = 1\n"),
           look);
  EXPECT_LT(worst, 1e-12);
  EXPECT_NEAR(p["crank.angle"], 0.3 + 2 * pi, 1e-12);
  EXPECT_NEAR(p["rocker.angle"], p.scenario.q[2], 1e-11);  // it rocks, and comes back
  EXPECT_GT(high - low, 0.5);
  EXPECT_LT(p.residual(), 1e-9);
}

TEST(FourBar, swings_for_a_minute_without_drift) {
  double worst = 0, fastest = 0;
  const Scenario s = parse_scenario(four_bar("[initial]\n\"crank.angle\" = 2\n"), "test.toml");
  Frames<double> frames;
  frames.resize(s.system->tree());
  const auto look = [&](double t, const double* y) {
    s.system->tree().kinematics(y, y + 3, frames);
    for (const SwitchRef& which : s.system->constraints()) {
      worst = std::max(worst, std::abs(s.system->constraint_gap(which, t, y, frames)));
      fastest = std::max(fastest, std::abs(s.system->constraint_rate(which, t, frames)));
    }
  };
  const Played p =
      play(four_bar("[initial]\n\"crank.angle\" = 2\n\"crank.rate\" = 3\n[stop]\ntime = 60\n"), look, 1e-9);
  EXPECT_LT(worst, 1e-14);
  EXPECT_LT(fastest, 1e-13);
  EXPECT_LT(p.residual(), 1e-8);
  EXPECT_EQ(p.result.outcome.reason, StopReason::time_limit);
}

// x = r cos θ + √(l² − r² sin²θ), and the energy of all three bodies.
std::string crank_slider(const std::string& more) {
  return rod("crank", 0.1, "\"pin\"") + rod("rod", 0.3, R"({ to = "crank", at = "tip" })") + R"([[body]]
name = "piston"
shape = { kind = "block", length = 0.04, width = 0.04, mass = 0.5 }
joint = { kind = "slider", direction = "horizontal", own = "center" }
[points]
wrist = { body = "piston", s = 0.02 }
[[loop]]
name = "wrist_pin"
a = "rod.tip"
b = "wrist"
[guess]
"rod.angle" = "80 deg"
)" + more;
}

TEST(CrankSlider, moves_as_its_closed_form_and_keeps_its_energy) {
  double worst = 0;
  const auto look = [&](double, const double* y) {
    const double s = 0.1 * std::cos(y[0]);  // height of the crank's tip; the angle counts from below
    worst = std::max(worst, std::abs(y[2] - (0.1 * std::sin(y[0]) + std::sqrt(0.09 - s * s))));
  };
  const Played p =
      play(crank_slider("[initial]\n\"crank.angle\" = 0.5\n\"crank.rate\" = 20\n[stop]\ntime = 3\n"), look);
  EXPECT_LT(worst, 1e-14);
  EXPECT_LT(p.residual(), 1e-10);
}

// A point on a line of the world in place of the piston; statics: half the weight of a rod on two supports.
TEST(Line, carries_half_of_a_rod) {
  const std::string text = rod("beam", 1.0, "\"pin\"") + R"([[loop]]
name = "roller"
kind = "line"
a = "beam.tip"
b = [5, 0]
direction = "90 deg"
[initial]
"beam.angle" = "90 deg"
[stop]
time = 0.5
)";
  const Played p = play(text);
  EXPECT_NEAR(p["beam.angle"], pi / 2, 1e-14);
  EXPECT_NEAR(std::abs(p["roller.force"]), 0.5 * g, 1e-12);
  EXPECT_NEAR(p["beam.joint.fz"], -0.5 * g, 1e-12);
  EXPECT_NEAR(p["beam.joint.fx"], 0, 1e-12);
}

// A rotor J, n times as fast as the arm that it drives: the arm feels n²J.
TEST(Gear, reflects_inertia) {
  for (const double n : {5.0, -12.0}) {
    const std::string text = fmt::format(R"(gravity = 0
[[body]]
name = "arm"
shape = {{ kind = "given", length = 0.6, mass = 2, center = 0.3, inertia = 0.06 }}
joint = {{ torque = 3 }}
[[body]]
name = "rotor"
shape = {{ kind = "disc", diameter = 0.1, thickness = 0.01, mass = 0.4 }}
joint = {{ own = "center", at = [1, 1] }}
[[loop]]
name = "gearing"
kind = "gear"
a = "arm"
b = "rotor"
ratio = {}
[initial]
"arm.angle" = 0.7
"rotor.angle" = 0.1
"arm.rate" = 0.5
[stop]
time = 0.9
)",
                                         n);
    const double own = 2 * 0.36 / 3, rotor = 0.5 * 0.4 * 0.0025, alpha = 3 / (own + n * n * rotor), t = 0.9;
    const Played p = play(text);
    EXPECT_NEAR(p["arm.angle"], 0.7 + 0.5 * t + 0.5 * alpha * t * t, 1e-10);
    EXPECT_NEAR(p["rotor.angle"] - 0.1, n * (p["arm.angle"] - 0.7), 1e-12);
    EXPECT_NEAR(p["gearing.moment"], rotor * n * alpha, 1e-10);
    EXPECT_LT(p.residual(), 1e-11);
  }
}

// A driven crank: its moment follows from the energy, P = λ ω = dE/dt; here a pendulum at constant speed, λ = m g l/2 sin φ.
TEST(PrescribedMotion, costs_what_mechanics_says) {
  const std::string text = rod("arm", 1.0, "\"pin\"") + R"([[motion]]
name = "motor"
joint = "arm"
position = "=0.2 + 3*t^2"
[stop]
time = 0.7
)";
  const Played p = play(text);
  const double phi = 0.2 + 3 * 0.49;
  EXPECT_NEAR(p["arm.angle"], phi, 1e-13);
  EXPECT_NEAR(p["arm.rate"], 4.2, 1e-12);
  EXPECT_NEAR(p["motor.moment"], 6.0 / 3 + 0.5 * g * std::sin(phi), 1e-10);
  EXPECT_NEAR(p["arm.joint.torque"], p["motor.moment"], 1e-13);
  // Kinetic ½ (1/3) ω², and the weight lifted from cos 0.2 to cos φ.
  EXPECT_NEAR(p["energy.supplied.motion"], 4.2 * 4.2 / 6 + 0.5 * g * (std::cos(0.2) - std::cos(phi)), 1e-9);
  EXPECT_LT(p.residual(), 1e-10);
}

// A ramp that begins and ends at once: jolts of ½ J ω² each way, all in the account.
TEST(PrescribedMotion, jolts_where_its_rate_jumps) {
  const std::string text = "gravity = 0\n" + rod("arm", 1.0, "\"pin\"") + R"toml([[motion]]
name = "motor"
joint = "arm"
position = "=4*min(max(t - 0.1, 0), 0.2)"
[stop]
time = TIME
)toml";
  const auto at = [&](const std::string& time) {
    std::string t = text;
    t.replace(t.find("TIME"), 4, time);
    return play(t);
  };
  const Played middle = at("0.25"), end = at("0.5");
  EXPECT_NEAR(middle["arm.rate"], 4, 1e-12);
  EXPECT_NEAR(middle["energy.supplied.motion"], 16.0 / 6, 1e-10);
  EXPECT_NEAR(end["arm.angle"], 0.8, 1e-12);
  EXPECT_NEAR(end["arm.rate"], 0, 1e-12);
  EXPECT_NEAR(end["energy.supplied.motion"], 0, 1e-10);
  EXPECT_LT(end.residual(), 1e-10);
}

// A ball on a table that swings with the period T: launched at φ with v = g T/2 it comes back in the same phase, where
// v' = e v + (1 + e) w has v for its fixed point, w = v (1 − e)/(1 + e) the speed of the table.
TEST(MovingTable, keeps_a_ball_bouncing_at_the_fixed_point) {
  const double e = 0.8, period = 0.4, omega = 2 * pi / period, v = g * period / 2;
  const double w = v * (1 - e) / (1 + e), amplitude = 0.02, phase = std::acos(w / (amplitude * omega));
  const std::string text = fmt::format(R"toml([[body]]
name = "table"
shape = {{ kind = "sphere", mass = 3, diameter = 0.2 }}
joint = {{ kind = "slider", direction = "vertical", own = "center" }}
[[body]]
name = "ball"
shape = {{ kind = "sphere", mass = 0.1, diameter = 0.1 }}
joint = "free"
[[pair]]
bodies = ["table", "ball"]
restitution = {0}
[[motion]]
name = "shaker"
joint = "table"
position = "=-{1}*sin({2:.17g}*t + {3:.17g})"
[initial]
"ball.z" = {4:.17g}
"ball.vz" = {5:.17g}
[stop]
time = 2.1
)toml",
                                       e, amplitude, omega, phase, -amplitude * std::sin(phase) - 0.15, -v);
  const Played p = play(text);
  ASSERT_EQ(p.result.outcome.impacts.size(), 5U);
  for (int k = 0; k < 5; ++k) {
    const ImpactRecord& r = p.result.outcome.impacts[k];
    EXPECT_NEAR(r.time, (k + 1) * period, 1e-8) << k;
    EXPECT_NEAR(r.problem.velocity[1], -(v + w), 1e-7);
    EXPECT_NEAR(r.result.velocity[1], e * (v + w), 1e-7);
  }
  EXPECT_LT(p.residual(), 1e-9);
  // Each impact: what the table gives is what the ball loses, P w = (1 − e²)/2 m (v + w)²; so nothing is left over.
  EXPECT_NEAR(p["energy.loss.impact"], 5 * 0.5 * 0.1 * (1 - e * e) * (v + w) * (v + w), 1e-7);
}

// A five-bar leg: two hips on a free trunk, two calves that meet in the foot.
std::string five_bar(const std::string& more) {
  return R"([[body]]
name = "trunk"
shape = { kind = "block", length = 0.05, width = 0.1, mass = 2 }
joint = "free"
)" + rod("left", 0.2, R"({ to = "trunk", at = [0.05, -0.04] })")
       + rod("right", 0.2, R"({ to = "trunk", at = [0.05, 0.04] })")
       + rod("left_calf", 0.3, R"({ to = "left", at = "tip" })")
       + rod("right_calf", 0.3, R"({ to = "right", at = "tip" })") + R"([[loop]]
name = "ankle"
a = "left_calf.tip"
b = "right_calf.tip"
[points]
foot = { body = "left_calf", s = 0.3 }
[[wall]]
touches = ["foot"]
restitution = 0.4
[initial]
"trunk.angle" = "4 deg"
"trunk.x" = 0
"trunk.z" = -0.7
"left.angle" = "-50 deg"
"right.angle" = "62 deg"
[guess]
"left_calf.angle" = "30 deg"
"right_calf.angle" = "-30 deg"
)" + more;
}

// v⁺ = v⁻ + M⁻¹(Jᵀ Λ + n P), J v⁺ = 0, n·v⁺ = −e n·v⁻, all at once.
TEST(FiveBar, is_struck_as_a_whole) {
  Scenario s = parse_scenario(five_bar("[stop]\ntime = 2\n"), "test.toml");
  SolverOptions options = s.options;
  options.tolerance = 1e-12;
  options.time_limit = 2;
  options.impacts_wanted = 1;
  Solver solver(*s.system);
  const Outcome out = solver.run(s.q, s.v, {}, options);
  ASSERT_FALSE(out.around.empty()) << out.message;
  const std::vector<double>&before = out.around[0].before, &after = out.around[0].after;
  const Tree& tree = s.system->tree();
  const int n = tree.dof_count();
  const Model model = make_model(tree.bodies());
  const std::vector<double> q(before.begin(), before.begin() + n),
      v(before.begin() + n, before.begin() + 2 * n);
  const MatrixXd mass = brute_force(model, q, v).mass;
  const Loop& ankle = s.system->of<Loop>()[0];
  const MatrixXd foot = jacobian_of(tree, q, make_point(tree, ankle.a.body, ankle.a.point));
  const MatrixXd other = jacobian_of(tree, q, make_point(tree, ankle.b.body, ankle.b.point));
  MatrixXd rows(3, n);
  rows.topRows(2) = (foot - other).topRows(2);
  rows.row(2) = -foot.row(1);  // the gap above the floor
  MatrixXd kkt = MatrixXd::Zero(n + 3, n + 3);
  kkt.topLeftCorner(n, n) = mass;
  kkt.topRightCorner(n, 3) = -rows.transpose();
  kkt.bottomLeftCorner(3, n) = rows;
  VectorXd right(n + 3);
  right << mass * map(v), 0, 0, -0.4 * rows.row(2).dot(map(v));
  const VectorXd x = kkt.fullPivLu().solve(right);
  for (int i = 0; i < n; ++i) EXPECT_NEAR(after[n + i], x[i], 1e-9) << tree.dof_name(i);
  ASSERT_EQ(out.impacts[0].constraints.size(), 2U);
  EXPECT_NEAR(out.impacts[0].constraints[0], x[n], 1e-9);
  EXPECT_NEAR(out.impacts[0].constraints[1], x[n + 1], 1e-9);
  EXPECT_NEAR(out.impacts[0].result.impulse[1], x[n + 2], 1e-9);
  // In the hip: what the whole leg below has of momentum came through the hips and the floor.
  EXPECT_LT(std::abs(out.energy.residual), 1e-8);
}

TEST(FiveBar, lands_and_comes_to_rest_with_friction_in_its_hips) {
  std::string text = five_bar("[stop]\nwhen = \"rest\"\ntime = 20\n");
  for (const char* hip : {R"(at = [0.05, -0.04] })", R"(at = [0.05, 0.04] })"})
    text.replace(text.find(hip) + std::string(hip).size() - 1, 1, ", friction = 6, damping = 0.1 }");
  text.replace(text.find("touches = [\"foot\"]"), 18, "touches = [\"foot\"]\nfriction = 0.9\n");
  const Played p = play(text, {}, 1e-9);
  EXPECT_LT(p.residual(), 1e-7);
}

// ---- the start ------------------------------------------------------------------------------------------------------

const std::string no_guess = four_bar("");

TEST(LoopStart, solves_for_what_is_missing) {
  const Scenario s =
      parse_scenario(four_bar("[initial]\n\"crank.angle\" = 0.9\n\"rocker.rate\" = 2\n"), "test.toml");
  EXPECT_NEAR(s.q[0], 0.9, 1e-15);
  EXPECT_NEAR(freudenstein(s.q[0], s.q[2]), 0, 1e-13);
  EXPECT_NEAR(s.v[2], 2, 1e-12);
  // dF/dt = 0 of Freudenstein's equation.
  const double h = 1e-6;
  const double rate = freudenstein(s.q[0] + h * s.v[0], s.q[2] + h * s.v[2])
                    - freudenstein(s.q[0] - h * s.v[0], s.q[2] - h * s.v[2]);
  EXPECT_NEAR(rate / h, 0, 1e-7);
}

TEST(LoopStart, tells_both_ways_to_close) {
  std::string text = four_bar("[initial]\n\"crank.angle\" = 0.9\n");
  const std::size_t guess = text.find("[guess]"), initial = text.find("[initial]");
  text.erase(guess, initial - guess);
  const std::string message = refused(text);
  EXPECT_THAT(message, AllOf(HasSubstr("test.toml:13:1"), HasSubstr("close in 2 ways"),
                             HasSubstr("\"rocker.angle\" = "), HasSubstr("; or "), HasSubstr("[guess]")));
}

TEST(LoopStart, refuses_what_cannot_close_with_its_gap) {
  std::string text = four_bar("[initial]\n\"crank.angle\" = \"-90 deg\"\n");
  text.replace(text.find("length = 0.5"), 12, "length = 0.1");
  // From (−0.2, 0) to (0.45, 0) with 0.1 + 0.4: 0.15 are missing.
  EXPECT_THAT(refused(text),
              AllOf(HasSubstr("test.toml:13:1"), HasSubstr("\"knee\" cannot close"),
                    HasSubstr("at best 150 mm remain"), HasSubstr("coupler.tip"), HasSubstr("rocker.tip")));
}

TEST(LoopStart, refuses_poses_and_velocities_that_contradict_a_loop) {
  EXPECT_THAT(
      refused(four_bar("[initial]\n\"crank.angle\" = 0.9\n\"rocker.angle\" = 1\n\"coupler.angle\" = 1\n")),
      HasSubstr("cannot close"));
  EXPECT_THAT(
      refused(four_bar("[initial]\n\"crank.angle\" = 0.9\n\"crank.rate\" = 1\n\"rocker.rate\" = 5\n")),
      AllOf(HasSubstr("velocities"), HasSubstr("knee")));
  EXPECT_THAT(
      refused(
          rod("arm", 1, "\"pin\"")
          + "[[motion]]\nname = \"m\"\njoint = \"arm\"\nposition = \"=1+t\"\n[initial]\n\"arm.angle\" = 2\n"),
      HasSubstr("cannot begin as prescribed"));
}

TEST(LoopStart, tells_of_redundant_loops_and_toggle_positions) {
  const std::string again = "[[loop]]\nname = \"again\"\na = \"coupler.tip\"\nb = \"rocker.tip\"\n";
  const Scenario s = parse_scenario(four_bar(again + "[initial]\n\"crank.angle\" = 0.9\n"), "test.toml");
  ASSERT_EQ(s.notes.size(), 1U);
  EXPECT_THAT(s.notes[0], AllOf(HasSubstr("\"again\" is redundant")));
  const Played p = play(four_bar(again + "[initial]\n\"crank.angle\" = 0.9\n[stop]\ntime = 2\n"));
  EXPECT_LT(p.residual(), 1e-9);

  // All four bars on one line: 0.2 + 0.65 = 0.4 + 0.45.
  std::string flat = four_bar(
      "[initial]\n\"crank.angle\" = \"90 deg\"\n\"rocker.angle\" = \"90 deg\"\n\"coupler.angle\" = \"90 "
      "deg\"\n[stop]\ntime = 1\n");
  flat.replace(flat.find("length = 0.5"), 12, "length = 0.65");
  const Scenario toggle = parse_scenario(flat, "test.toml");
  EXPECT_THAT(toggle.notes, ::testing::Contains(HasSubstr("toggle")));
  const RunResult r = run(toggle);  // it ends, and if it cannot go on it says why
  if (r.outcome.reason == StopReason::failed) {
    EXPECT_THAT(r.outcome.message, HasSubstr("toggle"));
  }
}

TEST(LoopFiles, refuse_bad_input_with_its_place) {
  const std::string bodies = rod("arm", 1, "\"pin\"") + rod("leg", 1, R"({ to = "arm", at = "tip" })");
  const auto loop = [&](const std::string& text) {
    return refused(bodies + "[[loop]]\nname = \"l\"\n" + text);
  };
  EXPECT_THAT(
      loop("a = \"leg.tipp\"\nb = [0, 0]\n"),
      AllOf(HasSubstr("test.toml:11:5"), HasSubstr("leg.tipp"), HasSubstr("did you mean \"leg.tip\"")));
  EXPECT_THAT(loop("a = \"leg.tip\"\nb = \"leg.start\"\n"), HasSubstr("same body"));
  EXPECT_THAT(loop("a = [1, 1]\nb = [0, 0]\n"), HasSubstr("both points are in the world"));
  EXPECT_THAT(loop("kind = \"gear\"\na = \"arm\"\nb = \"arm\"\n"), HasSubstr("two joints"));
  EXPECT_THAT(loop("kind = \"gear\"\na = \"arm\"\nb = \"leg\"\nratio = 0\n"), HasSubstr("zero"));
  EXPECT_THAT(loop("kind = \"pinn\"\na = \"leg.tip\"\nb = [0, 0]\n"), HasSubstr("did you mean \"pin\""));
  EXPECT_THAT(loop("a = \"leg.tip\"\nb = [0, 0]\nratio = 2\n"), HasSubstr("ratio"));
  EXPECT_THAT(refused(bodies + "[guess]\n\"arm.angle\" = 1\n"), HasSubstr("no loop to close"));
  const auto motion = [&](const std::string& text) { return refused(bodies + text); };
  const std::string one = "[[motion]]\nname = \"m\"\njoint = \"arm\"\nposition = \"=t\"\n";
  EXPECT_THAT(motion(one + "[[motion]]\nname = \"n\"\njoint = \"arm\"\nposition = \"=t\"\n"),
              AllOf(HasSubstr("test.toml:13:1"), HasSubstr("prescribed by \"m\" already")));
  EXPECT_THAT(motion("[[motion]]\njoint = \"arm\"\n"), HasSubstr("\"position\" is missing"));
  EXPECT_THAT(motion("[[motion]]\njoint = \"arm\"\nposition = \"=step(t - 1)\"\n"),
              AllOf(HasSubstr("jumps by 1 at t = 1 s")));
  EXPECT_THAT(motion("[[motion]]\njoint = \"amr\"\nposition = 0\n"), HasSubstr("did you mean \"arm\""));
  EXPECT_THAT(refused(rod("arm", 1, R"({ to = "leg" })") + rod("leg", 1, R"({ to = "arm" })")),
              HasSubstr("arm"));
}

// ---- small vibrations -------------------------------------------------------------------------------------------------

// A parallelogram swing: its platform only moves along circles, as a mathematical pendulum of the mass that it has.
TEST(LoopModes, parallelogram_swings_as_a_pendulum) {
  const std::string text = rod("left", 1, "\"pin\"") + rod("right", 1, "{ at = [0.5, 0] }") + R"([[body]]
name = "platform"
shape = { kind = "given", length = 0.5, mass = 4, center = 0.25, inertia = 0.1 }
joint = { to = "left", at = "tip" }
[[loop]]
a = "platform.tip"
b = "right.tip"
[initial]
"left.angle" = 0
"right.angle" = 0
"platform.angle" = "90 deg"
)";
  const Scenario s = parse_scenario(text, "test.toml");
  const ModalAnalysis modes = analyse_modes(*s.system, s.q);
  ASSERT_EQ(modes.modes.size(), 1U);
  EXPECT_TRUE(modes.at.is_equilibrium);
  // Links of 1 kg: inertia 2·1/3 + 4, restoring g (2·1/2 + 4).
  EXPECT_NEAR(std::abs(modes.modes[0].root), std::sqrt(g * 5 / (4 + 2.0 / 3)), 1e-9);
}

}  // namespace
}  // namespace thud
