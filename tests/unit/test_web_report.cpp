// What the web page is given: frames of a run, the scene, and the page itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "thud/report/html.hpp"
#include "thud/report/scene.hpp"

namespace thud {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

struct Played {
  explicit Played(const std::string& name, const KnobSettings& set = {}, std::size_t count = 800)
      : scenario(load_scenario(name, set)),
        frames(*scenario.system, count) {
    RunRequest request;
    request.observer = &frames;
    result = run(scenario, request);
    frames.finish(result.outcome);
  }
  json frames_json(const std::vector<NamedObservable>& columns = {}) const {
    return json::parse(make_frames_json(scenario, result, frames, columns));
  }

  Scenario scenario;
  FrameRecorder frames;
  RunResult result;
};

TEST(Frames, begin_at_the_start_end_at_the_end_and_never_go_back) {
  const Played p("free_link");
  std::vector<double> time;
  p.frames.read([&](double t, const double*, const Work<double>&) { time.push_back(t); });
  ASSERT_EQ(time.size(), p.frames.frame_count());
  EXPECT_EQ(time.front(), 0);
  EXPECT_EQ(time.back(), p.result.outcome.time);
  EXPECT_TRUE(std::is_sorted(time.begin(), time.end()));
}

TEST(Frames, are_about_as_many_as_wanted_for_short_and_long_runs) {
  // Half are even in time and half over the steps; where both agree there are half as many.
  for (const char* name : {"free_link", "n_link_chain", "elastic_pinned_pendulum"}) {
    const Played p(name, {}, 400);
    EXPECT_GE(p.frames.frame_count(), 180U) << name;
    EXPECT_LE(p.frames.frame_count(), 800U) << name;
  }
}

// A chain falls for most of its run and is stopped within a twentieth of it.
TEST(Frames, are_dense_where_the_solver_takes_small_steps) {
  const Played p("n_link_chain");
  const double end = p.result.outcome.time;
  int late = 0;
  p.frames.read([&](double t, const double*, const Work<double>&) { late += t > 0.85 * end ? 1 : 0; });
  EXPECT_GT(late, static_cast<int>(p.frames.frame_count()) / 3);
}

TEST(Frames, carry_the_poses_that_observables_have) {
  const Played p("double_pendulum");
  const json j =
      p.frames_json({*p.scenario.find_observable("link2.tip.x"), *p.scenario.find_observable("link2.angle")});
  const auto& pose = j["poses"][1];
  for (std::size_t k = 0; k < j["time"].size(); k += 50)
    EXPECT_NEAR(pose["angle"][k].get<double>(), j["columns"]["link2.angle"][k].get<double>(), 1e-6);
  EXPECT_EQ(pose["x"].size(), j["time"].size());
  EXPECT_EQ(j["poses"].size(), 2U);
}

// A ball dropped from h = 1 m: m (1 + e) √(2 g h), then e times as much at every bounce; on the floor, z = 0.
TEST(Frames, impacts_have_their_impulse_and_place) {
  const Played p("bouncing_ball");
  const json j = p.frames_json()["impacts"];
  ASSERT_GE(j["time"].size(), 3U);
  for (const char* key : {"contact", "x", "z", "normal", "tangential"})
    EXPECT_EQ(j[key].size(), j["time"].size()) << key;
  double expected = 0.1 * 1.8 * std::sqrt(2 * 9.81);
  for (std::size_t k = 0; k < 3; ++k, expected *= 0.8) {
    // Six digits are written.
    EXPECT_NEAR(j["normal"][k].get<double>(), expected, 2e-6 * expected);
    EXPECT_EQ(j["contact"][k], "ball@floor");
    EXPECT_NEAR(j["x"][k].get<double>(), 0, 1e-9);
    EXPECT_NEAR(j["z"][k].get<double>(), 0, 1e-6);
  }
  EXPECT_TRUE(Played("free_link").frames_json()["impacts"]["time"].empty());
}

TEST(Frames, forces_are_the_resistance_of_the_body) {
  const Played p("free_link");
  const json j = p.frames_json(
      {*p.scenario.find_observable("link.resistance.x"), *p.scenario.find_observable("link.resistance.z")});
  ASSERT_EQ(j["forces"].size(), 1U);
  for (std::size_t k = 0; k < j["time"].size(); k += 20) {
    // Rounded to six and to seven digits.
    EXPECT_NEAR(j["forces"][0]["fx"][k].get<double>(), j["columns"]["link.resistance.x"][k].get<double>(),
                1e-5);
    EXPECT_NEAR(j["forces"][0]["fz"][k].get<double>(), j["columns"]["link.resistance.z"][k].get<double>(),
                1e-5);
  }
}

// A block that has come to rest on the floor: its contacts carry its weight.
TEST(Frames, forces_of_lasting_contacts_carry_the_weight) {
  const Played p("rocking_block_to_rest");
  const json j = p.frames_json();
  double up = 0;
  for (const json& f : j["forces"]) {
    ASSERT_TRUE(f.contains("contact"));
    up -= f["fz"].back().get<double>();
  }
  const double weight = p.scenario.system->tree().total_mass() * 9.81;
  EXPECT_NEAR(up, weight, 1e-4 * weight);  // six digits each
}

// Both sides of an impact are frames, so that velocities jump and do not slope.
TEST(Frames, keep_both_sides_of_an_impact) {
  const Played p("bouncing_ball");
  const json j = p.frames_json({*p.scenario.find_observable("ball.vz")});
  const double first = p.result.outcome.events.front().time;
  std::vector<double> there;
  for (std::size_t k = 0; k < j["time"].size(); ++k)
    if (std::abs(j["time"][k].get<double>() - first) < 1e-9)
      there.push_back(j["columns"]["ball.vz"][k].get<double>());
  ASSERT_EQ(there.size(), 2U);
  EXPECT_NEAR(there[1], -0.8 * there[0], 1e-5 * there[0]);  // restitution 0.8, seven digits
}

TEST(Frames, elastic_coordinates_and_shapes_give_the_deflection_of_the_tip) {
  const Played p("elastic_free_link");
  const json scene = json::parse(make_scene_json(p.scenario));
  const json j = p.frames_json({*p.scenario.find_observable("link.tip.deflection")});
  const json& shapes = scene["bodies"][0]["lines"].back()["shapes"].back();
  const json& eta = j["elastic"][0]["eta"];
  const std::size_t last = j["time"].size() - 1;
  double w = 0, size = 0;
  for (std::size_t k = 0; k < eta.size(); ++k) {
    w += shapes[k].get<double>() * eta[k][last].get<double>();
    size += std::abs(shapes[k].get<double>() * eta[k][last].get<double>());
  }
  EXPECT_NEAR(w, j["columns"]["link.tip.deflection"][last].get<double>(), 1e-5 * size);
}

// The arrows of the page: mean stress times area of all cells is the force on the wheel. Four digits are written.
TEST(Frames, stress_on_a_rim_sums_up_to_the_force) {
  const Played p("wheel_in_sand");
  const json j = p.frames_json();
  ASSERT_EQ(j["stress"].size(), 1U);
  const json& s = j["stress"][0];
  EXPECT_EQ(s["radius"], 0.13);
  const json& f = j["forces"][0];
  const std::size_t cells = s["sx"].size();
  EXPECT_EQ(cells, 16U);
  EXPECT_EQ(s["body"], f["body"]);
  EXPECT_EQ(s["from"].size(), j["time"].size());
  for (std::size_t k = 1; k < j["time"].size(); k += 10) {
    const double area = (s["to"][k].get<double>() - s["from"][k].get<double>()) * 0.13 * (1.23 * 0.13)
                      / static_cast<double>(cells);
    double fx = 0, fz = 0;
    for (std::size_t i = 0; i < cells; ++i) {
      fx += area * s["sx"][i][k].get<double>();
      fz += area * s["sz"][i][k].get<double>();
    }
    const double size = std::hypot(f["fx"][k].get<double>(), f["fz"][k].get<double>());
    EXPECT_NEAR(fx, f["fx"][k].get<double>(), 1e-3 * size) << k;
    EXPECT_NEAR(fz, f["fz"][k].get<double>(), 1e-3 * size) << k;
  }
  EXPECT_EQ(Played("free_link").frames_json()["stress"].size(), 0U);  // felt at one point
}

// A plate that is held has a resultant and no stress; once it is pulled out it has both.
TEST(Frames, stress_of_what_is_held_is_null) {
  const Played p("anchor");
  const json j = p.frames_json();
  ASSERT_EQ(j["stress"].size(), 1U);
  const json &s = j["stress"][0], &time = j["time"];
  const double broke = *p.result.find("t_break")->value;
  int held = 0, moving = 0, pulled = 0;
  for (std::size_t k = 0; k < time.size(); ++k) {
    const double t = time[k].get<double>();
    if (t < 0.99 * broke) {
      ++held;
      EXPECT_TRUE(s["from"][k].is_null() && s["sx"][3][k].is_null() && s["sz"][3][k].is_null()) << t;
      pulled += j["forces"][0]["fz"][k].get<double>() > 1;
    } else if (t > 1.0001 * broke && t < p.result.outcome.time) {
      ++moving;
      EXPECT_GT(s["sz"][3][k].get<double>(), 0) << t;  // down: it is held back
    }
  }
  EXPECT_GT(held, 10);
  EXPECT_GT(pulled, held / 2);  // by more than 1 N
  EXPECT_GT(moving, 20);
}

TEST(Frames, the_same_run_gives_the_same_bytes_and_no_wall_times) {
  const Played a("two_link_chain"), b("two_link_chain");
  const std::string text = make_frames_json(a.scenario, a.result, a.frames, a.scenario.observables);
  EXPECT_EQ(text, make_frames_json(b.scenario, b.result, b.frames, b.scenario.observables));
  EXPECT_THAT(text, Not(HasSubstr("wall")));
}

TEST(Frames, events_and_account_are_those_of_the_run) {
  const Played p("free_link");
  const json j = p.frames_json();
  EXPECT_EQ(j["events"].size(), p.result.outcome.events.size());
  EXPECT_EQ(j["stop"]["reason"], "condition");
  EXPECT_NEAR(j["account"]["initial"].get<double>(), p.result.outcome.energy.initial, 1e-15);
  EXPECT_EQ(j["results"][0]["name"], "t_z");
}

TEST(Scene, holds_bodies_beds_knobs_and_a_place_for_walls) {
  const Scenario s = load_scenario("free_link", {{"angle", "0.5 rad"}});
  const json j = json::parse(make_scene_json(s));
  EXPECT_EQ(j["bodies"][0]["name"], "link");
  EXPECT_EQ(j["bodies"][0]["lines"][0]["points"].size(), 2U);
  EXPECT_NEAR(j["bodies"][0]["lines"][0]["width"].get<double>(), 0.00635, 1e-9);
  EXPECT_EQ(j["beds"][0]["z"], 0);
  EXPECT_EQ(j["beds"][0]["depth"], nullptr);
  EXPECT_TRUE(j["walls"].is_array());
  const json& angle = j["knobs"][0];
  EXPECT_EQ(angle["unit"], "deg");
  EXPECT_NEAR(angle["value"].get<double>(), 28.6478898, 1e-6);
  EXPECT_NEAR(angle["default"].get<double>(), 32, 1e-6);
  EXPECT_NEAR(angle["range"][1].get<double>(), 80, 1e-6);
  EXPECT_EQ(j["plot"][0], "link.tip.depth");
}

TEST(Scene, walls_are_where_the_scenario_has_them) {
  const json j = json::parse(make_scene_json(load_scenario("bouncing_ball")));
  ASSERT_EQ(j["walls"].size(), 1U);
  EXPECT_EQ(j["walls"][0]["name"], "floor");
  EXPECT_EQ(j["walls"][0]["z"], 0);
}

TEST(Scene, what_hangs_on_a_beam_knows_how_the_beam_bends_there) {
  const Scenario s = parse_scenario(R"(
[[body]]
name  = "arm"
shape = { kind = "beam", length = 0.5, diameter = 0.01, density = 1000, young = 1e9, modes = 2 }
joint = "pin"
[[body]]
name  = "ball"
shape = { kind = "sphere", diameter = 0.05, mass = 0.1 }
joint = { to = "arm", at = "tip" }
)",
                                    "arm.toml");
  const json j = json::parse(make_scene_json(s));
  EXPECT_EQ(j["bodies"][1]["attach_shapes"].size(), 2U);
  EXPECT_EQ(j["bodies"][0]["anchor"].size(), 2U);
}

TEST(Columns, are_all_where_there_is_room_and_else_begin_with_what_is_plotted) {
  const Scenario s = load_scenario("n_link_chain");
  EXPECT_GT(choose_columns(s, 100).size(), s.observables.size() - 10);
  const auto few = choose_columns(s, 1000, 20'000);
  EXPECT_LE(few.size(), 24U);
  const auto has = [&](const char* name) {
    return std::any_of(few.begin(), few.end(), [&](const auto& o) { return o.name == name; });
  };
  EXPECT_TRUE(has("energy.kinetic"));
  EXPECT_TRUE(has("link1.tip.depth"));
}

TEST(Page, nothing_in_its_data_can_end_the_script) {
  const std::string page = make_page("<b> & co", R"({"text":"</script><script>alert(1)</script><!--"})");
  EXPECT_THAT(page, HasSubstr("<title>&lt;b&gt; &amp; co</title>"));
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, HasSubstr("\\u003c/script>"));
}

TEST(Page, a_report_is_one_file_that_loads_nothing) {
  const Played p("free_link");
  const std::string page = make_run_report(p.scenario, p.result, p.frames);
  EXPECT_LT(page.size(), 1'000'000U);
  EXPECT_THAT(page, Not(HasSubstr("<link rel=\"stylesheet\"")));
  EXPECT_THAT(page, Not(HasSubstr("<script src")));
  EXPECT_THAT(page, Not(HasSubstr("type=\"module\" src")));
}

}  // namespace
}  // namespace thud
