// The stress of the sand along an outline, as pictures show it.
// Sources of truth: the force and the moment that the equations of motion have, which are summed by other functions
// (load_facet, load_rim, load_line over whole bodies); the law as Li, Zhang & Goldman print it, with its angles.

#include "thud/elements/stress_field.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "thud/report/frames.hpp"
#include "thud/scenario/run.hpp"

namespace thud {
namespace {

constexpr double pi = std::numbers::pi;

struct Played {
  explicit Played(const std::string& text)
      : scenario(parse_scenario(text, "test.toml")),
        frames(*scenario.system, 120) {
    RunRequest request;
    request.observer = &frames;
    result = run(scenario, request);
    frames.finish(result.outcome);
  }
  const System& system() const { return *scenario.system; }
  /// see(e, frames, work) at every frame, for the one body that feels sand along it.
  template <class E, class See>
  void each(See&& see) const {
    frames.read([&](double, const double*, const Work<double>& work) {
      see(system().of<E>()[0], work.frames, work.of<E>()[0]);
    });
  }

  Scenario scenario;
  FrameRecorder frames;
  RunResult result;
};

// A body that is thrown onto a slope, turning.
std::string thrown(const std::string& shape, const std::string& law, double slope, double angle, double rate,
                   double vx) {
  return fmt::format(R"([[body]]
name = "body"
shape = {}
joint = "free"
[bed]
law = "{}"
slope = "{} deg"
[initial]
"body.angle" = "{} deg"
"body.rate" = {}
"body.x" = 0
"body.z" = -0.02
"body.vx" = {}
"body.vz" = 1.1
[stop]
time = 0.02
)",
                     shape, law, slope, angle, rate, vx);
}

// What all cells give together, and the moment about the mass centre.
struct Sum {
  Vec force{};
  double moment = 0, area = 0, size = 0;  // size: of the forces
};
template <class E, class W>
Sum sum_of(const System& system, const E& e, const Frames<double>& frames, const W& work, int cells) {
  Sum out;
  const Vec center = frames.origin[e.body] + system.tree().center_arm(frames, e.body);
  for_each_stress(e, system.scene(), frames, work, cells, [&](const StressCell& cell) {
    out.force += cell.force;
    out.moment += moment(cell.at - center, cell.force);
    out.area += cell.area;
    out.size += norm(cell.force);
    EXPECT_NEAR(norm(cell.area * cell.stress() - cell.force), 0, 1e-12 * norm(cell.force));
  });
  return out;
}

// Cells of the same law, cut elsewhere: to the digits of the quadrature. The moment is taken at the middles of the cells, with an
// error ∝ 1/n²; it is compared with n = 400.
template <class E>
void expect_the_forces_of_the_motion(const Played& p, int least) {
  int seen = 0;
  p.each<E>([&](const E& e, const Frames<double>& frames, const auto& work) {
    bool held = false;
    if constexpr (std::is_same_v<E, SpreadSand>)
      held = work.is_held;
    else
      held = work.is_held[0] || work.is_held[1];
    if (!work.is_immersed || held) return;
    const Vec wanted = e.force_on(e.body, p.system().scene(), frames, work);
    if (!(norm(wanted) > 1e-6)) return;
    ++seen;
    for (const int cells : {7, 16}) {
      const Sum sum = sum_of(p.system(), e, frames, work, cells);
      EXPECT_NEAR(norm(sum.force - wanted), 0, 1e-9 * sum.size);
    }
    const double turning = e.observe(0, p.system().scene(), frames, work);
    const Sum fine = sum_of(p.system(), e, frames, work, 400);
    EXPECT_NEAR(fine.moment, turning, 2e-5 * e.length(p.system().scene()) * fine.size);
  });
  EXPECT_GE(seen, least);
}

constexpr const char* rod = "{ kind = \"cylinder\", length = 0.12, diameter = 0.02, mass = 0.1 }";
constexpr const char* disc = "{ kind = \"disc\", diameter = 0.08, thickness = 0.05, mass = 0.3 }";
constexpr const char* hammer =
    "{ kind = \"rod_disc\", length = 0.1, diameter = 0.01, rod_mass = 0.05, disc_mass = 0.2, "
    "disc_diameter = 0.05 }";
constexpr const char* stepped =
    "{ kind = \"stepped\", parts = [{ kind = \"cylinder\", length = 0.05, diameter = 0.02, mass = 0.1 }, "
    "{ kind = \"cylinder\", length = 0.07, diameter = 0.01, mass = 0.1 }] }";

TEST(StressField, cells_of_plates_and_rims_give_the_force_and_the_moment_of_the_motion) {
  for (const char* law : {"rft", "drft"})
    for (const char* shape : {rod, disc, hammer})
      for (const double slope : {0.0, 17.0}) {
        SCOPED_TRACE(fmt::format("{} {} {}", law, shape, slope));
        expect_the_forces_of_the_motion<SpreadSand>(Played(thrown(shape, law, slope, 35, -9, 0.7)), 20);
        expect_the_forces_of_the_motion<SpreadSand>(Played(thrown(shape, law, slope, -70, 25, -0.2)), 20);
      }
}

TEST(StressField, cells_along_an_axis_and_its_bare_ends_give_the_force_and_the_moment_of_the_motion) {
  for (const char* shape : {rod, stepped})
    for (const double slope : {0.0, 17.0}) {
      SCOPED_TRACE(fmt::format("{} {}", shape, slope));
      expect_the_forces_of_the_motion<LeeSpread>(Played(thrown(shape, "lee-spread", slope, 35, -9, 0.7)), 20);
      expect_the_forces_of_the_motion<LeeSpread>(Played(thrown(shape, "lee-spread", slope, -70, 25, -0.2)),
                                                 20);
    }
}

// α of Li, Zhang & Goldman (2013), generic set, at the angles of an element and of its motion; both from the place of the cell
// alone. A disc that does not turn moves as a whole: at the middle of a narrow cell the stress is 10⁶ (α_x, −α_z) z.
TEST(StressField, on_a_rim_is_that_of_the_printed_law) {
  const Played p(thrown(disc, "rft", 0, 0, 0, 0.9));
  int seen = 0;
  p.each<SpreadSand>([&](const SpreadSand& e, const Frames<double>& frames, const SpreadWork<double>& work) {
    const Vec v = frames.origin_rate[0];
    if (!work.is_immersed || work.is_held || norm(v) < 0.05 || std::abs(frames.rate[0]) > 1e-3) return;
    for_each_stress(e, p.system().scene(), frames, work, 2000, [&](const StressCell& cell) {
      const Vec out = cell.at - frames.origin[0];
      double beta = std::atan2(-out.x, out.z), gamma = std::atan2(v.z, -v.x), mirror = 1;
      if (std::abs(gamma) > pi / 2) beta = -beta, gamma = pi - gamma, mirror = -1;
      const double az = .206 + .169 * std::cos(2 * beta) + .212 * std::sin(2 * beta + gamma)
                      + .358 * std::sin(gamma) + .055 * std::sin(-2 * beta + gamma);
      const double ax = -.124 * std::cos(2 * beta + gamma) + .253 * std::cos(gamma)
                      + .007 * std::cos(-2 * beta + gamma) + .088 * std::sin(2 * beta);
      const Vec wanted{1e6 * mirror * ax * cell.at.z, -1e6 * az * cell.at.z};
      // Cells of 0.04 × 2000/π mm are 6e-5 m long: relative to the greatest depth the stress changes by 1e-3 in one, and its
      // mean differs from that at the middle by the square of that; the two that are cut at the ends differ by more.
      if (dot(out, v) > 0.01 * norm(out) * norm(v) && cell.at.z > 1e-3) {
        EXPECT_NEAR(norm(cell.stress() - wanted), 0, 2e-3 * norm(wanted) + 2.0);
        ++seen;
      }
      EXPECT_GE(cell.at.z, -1e-4);
      EXPECT_GE(dot(out, v), -2e-3 * norm(out) * norm(v)) << "it only leads";
    });
  });
  EXPECT_GT(seen, 1000);
}

// What the documents of the web page tell of a stretch: where its cells are, on slopes too.
TEST(StressField, stretches_say_where_their_cells_are) {
  for (const char* shape : {disc, hammer}) {
    const Played p(thrown(shape, "drft", 17, 35, -9, 0.7));
    int seen = 0;
    p.each<SpreadSand>(
        [&](const SpreadSand& e, const Frames<double>& frames, const SpreadWork<double>& work) {
          for (const StressStretch& s : list_stretches(e, 16)) {
            const StressNow now = find_stress(e, s, p.system().scene(), frames, work);
            EXPECT_TRUE(now.cells.empty() || now.cells.size() == static_cast<std::size_t>(s.cells));
            const Vec a = frames.position(e.body, s.a), b = frames.position(e.body, s.b);
            for (std::size_t k = 0; k < now.cells.size(); ++k, ++seen) {
              const double x = now.from + (static_cast<double>(k) + 0.5) / s.cells * (now.to - now.from);
              const Vec at = s.round ? a + s.radius * Vec{std::sin(x), std::cos(x)} : a + x * (b - a);
              EXPECT_NEAR(norm(now.cells[k].at - at), 0, 1e-12);
            }
          }
        });
    EXPECT_GT(seen, 500);
  }
}

// A plate that is driven straight down: ζ 10⁶ z, upwards, on every cell.
TEST(StressField, under_a_flat_plate_is_zeta_times_the_depth) {
  const Played p(R"([[body]]
name = "ram"
shape = { kind = "point", mass = 1 }
joint = { kind = "slider", direction = "vertical" }
[[body]]
name = "plate"
shape = { kind = "cylinder", length = 0.1, diameter = 0.05, mass = 1 }
joint = { kind = "weld", to = "ram", own = 0.05, angle = "90 deg" }
[bed]
law = "rft"
zeta = 0.7
bodies = ["plate"]
[[motion]]
joint = "ram"
position = "=0.01 + 0.05*t"
[stop]
time = 0.4
)");
  int seen = 0;
  p.each<SpreadSand>([&](const SpreadSand& e, const Frames<double>& frames, const SpreadWork<double>& work) {
    double area = 0;
    for_each_stress(e, p.system().scene(), frames, work, 16, [&](const StressCell& cell) {
      EXPECT_NEAR(cell.stress().z, -0.7e6 * cell.at.z, 1e-9 * 0.7e6 * cell.at.z);
      EXPECT_NEAR(cell.stress().x, 0, 1e-9 * 0.7e6 * cell.at.z);
      area += cell.area;
      ++seen;
    });
    EXPECT_NEAR(area, 0.1 * 0.05, 1e-12);
  });
  EXPECT_GE(seen, 16 * 50);
}

// Many distributions have the resultant of a body that is held: none is told.
TEST(StressField, of_what_is_held_is_not_told) {
  const Played p(R"([[body]]
name = "plate"
shape = { kind = "cylinder", length = 0.1, diameter = 0.05, mass = 0.06 }
joint = "free"
[bed]
medium = "poppy-loose"
[initial]
"plate.angle" = "80 deg"
"plate.x" = 0
"plate.z" = 0.08
[stop]
when = "rest"
time = 1
)");
  int held = 0;
  p.each<SpreadSand>([&](const SpreadSand& e, const Frames<double>& frames, const SpreadWork<double>& work) {
    int cells = 0;
    for_each_stress(e, p.system().scene(), frames, work, 16, [&](const StressCell&) { ++cells; });
    EXPECT_EQ(cells > 0, !work.is_held);
    held += work.is_held;
    if (work.is_held) {
      EXPECT_NEAR(work.force().z, -0.06 * 9.81, 1e-9);
    }
  });
  EXPECT_GT(held, 0);
}

}  // namespace
}  // namespace thud
