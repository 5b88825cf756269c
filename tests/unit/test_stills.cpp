// Stills: well-formed, on the page, as many poses and curves as asked for, the same bytes each time.
#include "thud/draw/stills.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "svg_reader.hpp"

namespace {

using namespace thud;
using namespace thud::test;
using ::testing::HasSubstr;
using ::testing::Not;

struct Drawn {
  Scenario scenario;
  RunResult result;
  std::unique_ptr<TrajectoryRecorder> trajectory;
  StillRun run() const { return {scenario, result, *trajectory}; }
};

Drawn run_text(const std::string& text, const KnobSettings& set = {}, bool until_rest = false) {
  Drawn d{parse_scenario(text, "test.toml", set), {}, {}};
  d.trajectory = std::make_unique<TrajectoryRecorder>(*d.scenario.system);
  RunRequest request;
  request.observer = d.trajectory.get();
  request.until_rest = until_rest;
  d.result = run(d.scenario, request);
  d.trajectory->finish(d.result.outcome);
  return d;
}

const char* const link = R"(
title = "A <link> & sand"
[parameters]
angle = { value = "32 deg", unit = "deg" }
speed = { value = 1.26, unit = "m/s" }
[[body]]
name = "link"
shape = { kind = "cylinder", length = 0.15, diameter = 0.006, density = 7700 }
joint = "free"
[bed]
medium = "play-sand"
[initial]
"link.angle" = "=angle"
"link.tip.x" = 0
"link.tip.z" = 0
"link.vz" = "=speed"
[stop]
when = "link.tip.vz falls through 0"
[results]
t_z = "time when link.tip.vz falls through 0"
)";

std::size_t count_class(const std::vector<Element>& all, const std::string& name) {
  std::size_t n = 0;
  for (const Element& e : all) n += e.attribute.count("class") && e.attribute.at("class") == name;
  return n;
}

std::vector<std::pair<double, double>> points_of(const Element& e) {
  std::vector<std::pair<double, double>> out;
  const char* at = e.attribute.at("points").c_str();
  while (*at) {
    char* end = nullptr;
    const double x = std::strtod(at, &end), y = std::strtod(end + 1, &end);
    out.emplace_back(x, y);
    for (at = end; *at == ' ';) ++at;
  }
  return out;
}

std::string draw(const std::vector<StillRun>& runs, const StillOptions& options) {
  return time_figure(make_still(runs, options));
}

TEST(Still, one_run_has_poses_panels_and_the_mark_of_its_result) {
  const Drawn d = run_text(link);
  const std::string svg = draw({d.run()}, {{"link.tip.depth", "link.tip.vz"}, {}, 8});
  const auto all = check(svg);
  EXPECT_EQ(count_class(all, "pose"), 8u);
  EXPECT_EQ(count_class(all, "curve"), 2u);
  EXPECT_THAT(svg, HasSubstr("A &lt;link&gt; &amp; sand"));
  EXPECT_THAT(svg, HasSubstr(">t_z</text>"));
  EXPECT_THAT(svg, HasSubstr(">link.tip.depth (mm)</text>"));
  EXPECT_THAT(svg, HasSubstr(">link.tip.vz (m/s)</text>"));
  EXPECT_THAT(svg, HasSubstr(">time (ms)</text>"));
}

TEST(Still, the_same_run_gives_the_same_bytes) {
  const StillOptions options{{"link.tip.depth", "link.angle"}, {}, 6};
  EXPECT_EQ(draw({run_text(link).run()}, options), draw({run_text(link).run()}, options));
}

TEST(Still, poses_lie_in_their_frames) {
  for (const int poses : {1, 2, 5, 7, 24}) {
    const Drawn d = run_text(link, {}, true);
    const auto all = check(draw({d.run()}, {{}, {}, poses}));
    EXPECT_EQ(count_class(all, "pose"), static_cast<std::size_t>(poses));
    // A frame is drawn as a rectangle before its pose.
    std::pair<double, double> x, y;
    for (const Element& e : all) {
      if (e.name == "rect") {
        x = {number(e, "x"), number(e, "x") + number(e, "width")};
        y = {number(e, "y"), number(e, "y") + number(e, "height")};
      }
      if (e.name != "polyline" && e.name != "polygon") continue;
      for (const auto& [px, py] : points_of(e)) {
        EXPECT_TRUE(px >= x.first - 0.01 && px <= x.second + 0.01) << px;
        EXPECT_TRUE(py >= y.first - 0.01 && py <= y.second + 0.01) << py;
      }
    }
  }
}

// A plate thrown into sand that is felt along it: arrows while it moves, in their frames, and what the largest means.
TEST(Still, stress_along_the_surface_is_drawn) {
  const std::string text = R"(
[[body]]
name = "plate"
shape = { kind = "cylinder", length = 0.12, diameter = 0.02, mass = 0.1 }
joint = "free"
[bed]
medium = "poppy-loose"
[initial]
"plate.angle" = "60 deg"
"plate.x" = 0
"plate.z" = -0.05
"plate.vz" = 1.1
[stop]
time = 0.06
)";
  const Drawn d = run_text(text);
  const std::string svg = draw({d.run()}, {{}, {}, 4});
  const auto all = check(svg);
  EXPECT_THAT(svg, HasSubstr("arrows: stress of the sand, at most "));
  EXPECT_GE(count_class(all, "stress"), 3U * 5);
  std::pair<double, double> x, y;
  for (const Element& e : all) {
    if (e.name == "rect") {
      x = {number(e, "x"), number(e, "x") + number(e, "width")};
      y = {number(e, "y"), number(e, "y") + number(e, "height")};
    }
    if (e.name != "line" || e.attribute.at("stroke") != "#86117a") continue;
    for (const char* end : {"1", "2"}) {
      EXPECT_GE(number(e, std::string("x") + end), x.first);
      EXPECT_LE(number(e, std::string("x") + end), x.second);
      EXPECT_GE(number(e, std::string("y") + end), y.first);
      EXPECT_LE(number(e, std::string("y") + end), y.second);
    }
  }
  EXPECT_THAT(draw({run_text(link).run()}, {{}, {}, 4}), Not(HasSubstr("stress")));
}

// Drawn to scale: a rigid link is as long in every frame.
TEST(Still, poses_are_to_one_scale) {
  const Drawn d = run_text(link, {}, true);
  double length = 0;
  for (const Element& e : check(draw({d.run()}, {{}, {}, 8}))) {
    if (e.name != "polyline") continue;
    const auto p = points_of(e);
    const double own = std::hypot(p.back().first - p.front().first, p.back().second - p.front().second);
    if (length == 0) length = own;
    EXPECT_NEAR(own, length, 0.03);  // two ends, rounded to 0.01 each
  }
  EXPECT_GT(length, 40);
}

TEST(Still, a_family_has_a_curve_per_run_and_a_key) {
  const Drawn a = run_text(link), b = run_text(link, {{"speed", "2"}}), c = run_text(link, {{"speed", "3"}});
  const std::string svg =
      draw({a.run(), b.run(), c.run()}, {{"link.tip.depth", "link.tip.vz"}, {"speed"}, 4});
  const auto all = check(svg);
  EXPECT_EQ(count_class(all, "pose"), 4u);
  EXPECT_EQ(count_class(all, "curve"), 6u);
  for (const char* text : {">speed</text>", ">1.26 m/s</text>", ">2 m/s</text>", ">3 m/s</text>"})
    EXPECT_THAT(svg, HasSubstr(text));
  EXPECT_THAT(svg, HasSubstr(">angle 32°</text>"));
}

TEST(Still, runs_are_named_by_their_knobs) {
  const Drawn d = run_text(link, {{"angle", "-12 deg"}});
  EXPECT_EQ(name_by_knobs(d.scenario, {"speed"}), "1.26 m/s");
  EXPECT_EQ(name_by_knobs(d.scenario, {"angle", "speed"}), "angle −12°, speed 1.26 m/s");
}

TEST(Still, what_is_held_is_shaded) {
  const Drawn d = run_text(link, {}, true);
  const std::vector<TimeSpan> held = find_held(d.result.outcome);
  ASSERT_FALSE(held.empty());
  for (std::size_t i = 0; i < held.size(); ++i) {
    EXPECT_LT(held[i].begin, held[i].end);
    EXPECT_LE(held[i].end, d.result.outcome.time);
    EXPECT_GT(held[i].begin, i ? held[i - 1].end : 0);
  }
  EXPECT_THAT(draw({d.run()}, {{"link.angle"}, {}, 0}), HasSubstr("held (link"));
}

// A joint that friction holds in flight is not what one looks for.
TEST(Still, held_joints_count_where_there_are_no_contacts) {
  Outcome outcome;
  outcome.time = 3;
  outcome.events = {{1, EventKind::stick, switch_of<JointFriction>(0), slip::forward, slip::stuck}};
  ASSERT_EQ(find_held(outcome).size(), 1u);
  EXPECT_EQ(find_held(outcome)[0].begin, 1);
  EXPECT_EQ(find_held(outcome)[0].end, 3);
  outcome.events.push_back({2, EventKind::stick, switch_of<SandPiece>(0), slip::forward, slip::stuck});
  outcome.events.push_back({2.5, EventKind::release, switch_of<SandPiece>(0), slip::stuck, slip::forward});
  ASSERT_EQ(find_held(outcome).size(), 1u);
  EXPECT_EQ(find_held(outcome)[0].begin, 2);
  EXPECT_EQ(find_held(outcome)[0].end, 2.5);
}

TEST(Still, sloping_layers_and_pins_and_beams_are_drawn) {
  const Drawn d = run_text(R"(
[[body]]
name = "rod"
shape = { kind = "beam", length = 0.3, diameter = 0.004, density = 1150, young = "3 GPa", modes = 2, damping = 0.05 }
joint = "pin"
[[body]]
name = "foot"
shape = { kind = "disc", diameter = 0.04, thickness = 0.01, density = 1000 }
joint = { to = "rod", at = "tip", friction = 0.001 }
[bed]
medium = "play-sand"
surface = 0.25
slope = "10 deg"
depth = 0.2
at_bottom = "report"
[initial]
"rod.angle" = "40 deg"
[stop]
time = 0.3
)");
  const auto all = check(draw({d.run()}, {{"rod.tip.depth"}, {}, 5}));
  EXPECT_EQ(count_class(all, "pose"), 5u);
  EXPECT_GT(count(all, "polygon"), 10u);  // sand twice per frame, and the disc
}

// ---- panels without a run ------------------------------------------------------------------------------------------

TimeFigure example() {
  TimeFigure f;
  f.title = "Title";
  f.names = {"a", "b"};
  TimePanel panel{"depth", "m", {}};
  for (int k = 0; k < 2; ++k) {
    TimeCurve c;
    for (int i = 0; i <= 500; ++i) {
      c.time.push_back(i * 1e-4);
      c.value.push_back(1e-3 * std::sin(0.02 * i + k));
    }
    panel.curves.push_back(std::move(c));
  }
  f.panels = {panel, panel};
  return f;
}

TEST(TimeFigure, sizes_that_do_not_fit_are_refused) {
  TimeFigure f = example();
  f.panels[1].curves.pop_back();
  EXPECT_THROW((void)time_figure(f), std::invalid_argument);
  f = example();
  f.panels[0].curves[0].time.pop_back();
  EXPECT_THROW((void)time_figure(f), std::invalid_argument);
  f = example();
  f.panels[0].points.push_back({2, 0, 0});
  EXPECT_THROW((void)time_figure(f), std::invalid_argument);
}

TEST(TimeFigure, smooth_curves_take_few_points) {
  for (const Element& e : check(time_figure(example()))) {
    if (e.name != "polyline") continue;
    EXPECT_LT(points_of(e).size(), 160u);
  }
}

TEST(TimeFigure, panels_stand_above_one_another) {
  TimeFigure f = example();
  for (double& v : f.panels[1].curves[0].value) v *= 1e7;  // wide numbers beside narrow ones
  std::vector<double> left;
  for (const Element& e : check(time_figure(f)))
    if (e.name == "polyline") left.push_back(points_of(e).front().first);
  ASSERT_EQ(left.size(), 4u);
  for (const double x : left) EXPECT_EQ(x, left.front());
}

TEST(TimeFigure, odd_data_are_drawn) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  TimeFigure f = example();
  f.panels[0].curves[0].value[100] = nan;        // a gap
  f.panels[0].curves[1].value.assign(501, 2.5);  // constant
  f.panels[1].curves[0] = {};                    // nothing
  f.panels[1].curves[1].value.assign(501, nan);  // nothing finite
  f.panels[1].label = "a name as long as that of an observable of a body with a long name";
  EXPECT_EQ(count_class(check(time_figure(f)), "curve"), 3u);
  (void)check(time_figure({}));
  f = example();
  f.names.clear();
  f.panels[0].curves.resize(1);
  (void)check(time_figure(f));
}

TEST(TimeFigure, many_names_and_marks_stay_on_the_page) {
  TimeFigure f = example();
  f.by = "the heading of the names";
  f.names.clear();
  for (int k = 0; k < 12; ++k) f.names.push_back("rate1 −1.25 rad/s, rate2 −3.75 rad/s");
  for (TimePanel& p : f.panels) p.curves.assign(12, p.curves[0]);
  for (int k = 0; k < 30; ++k) f.marks.push_back({0.05 * k / 29, "something happens"});
  f.marks.push_back({-1, "before"});
  f.marks.push_back({7, "after"});
  f.held = {{0.01, 0.02}, {0.045, 0.09}};
  f.panels[0].points = {{3, 0.03, 0}};
  f.points_name = "published";
  f.note = std::string(400, 'x')
         + " and more words of a note that goes over several lines of the page, as notes do";
  const std::string svg = time_figure(f);
  EXPECT_THAT(svg, HasSubstr(">published</text>"));
  EXPECT_THAT(svg, Not(HasSubstr(">after</text>")));
  f.note =
      "a note that goes over several lines of the page, as notes do now and then when there is something to "
      "say";
  (void)check(time_figure(f));
}

TEST(Still, walls_stand_beside_beds) {
  const Drawn d = run_text(link);
  d.scenario.system->add_wall({"floor", Plane::make({0, 0.05}, 0.1)});
  const PoseStrip strip = make_pose_strip(d.scenario, *d.trajectory, 3);
  ASSERT_EQ(strip.obstacles.size(), 2u);
  EXPECT_FALSE(strip.obstacles[0].is_wall);
  EXPECT_TRUE(strip.obstacles[1].is_wall);
  EXPECT_EQ(strip.obstacles[1].plane.point.z, 0.05);
}

TEST(TimeFigure, walls_are_drawn_like_beds) {
  TimeFigure f = example();
  f.strip.poses = {{0, {{{{0, 0}, {0, 1}}, 0.1, false}}, {}, {}},
                   {0.1, {{{{0.2, 0}, {0.2, 1}}, 0.1, false}}, {}, {}}};
  f.strip.obstacles = {{Plane::make({0, 1}, 0), 0, true}, {Plane{{0.5, 0}, {1, 0}, {0, 1}}, 0.1, true}};
  EXPECT_GE(count(check(time_figure(f)), "polygon"), 4u);
}

}  // namespace
