// Summary, JSON, CSV and pictures of impacts, and trajectories with jumps.
// Source of truth: impacts made by hand; the central impact of a disc on a wall.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "thud/draw/plot.hpp"
#include "thud/draw/trajectory.hpp"
#include "thud/report/csv.hpp"
#include "thud/report/impacts.hpp"
#include "thud/report/json.hpp"
#include "thud/report/summary.hpp"

namespace thud {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Each;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

Scenario three_discs() {
  return parse_scenario(R"(
title = "Discs & <walls>"
gravity = 0
[[body]]
repeat = 3
name = "disc{i}"
shape = { kind = "disc", diameter = 0.1, thickness = 0.01, mass = 1 }
joint = "free"
[contact]
friction = 0.5
restitution = 0.5
[[wall]]
name = "floor"
bodies = ["disc1"]
[[pair]]
repeat = 2
bodies = ["disc{i}", "disc{i+1}"]
[initial]
repeat = 3
"disc{i}.x" = "=i"
"disc{i}.z" = -1
)",
                        "discs.toml");
}

// A disc of mass 1 that strikes a rough wall: W = diag(1/m + r²/I, 1/m) = diag(3, 1). It comes with c = −2, s = 1.5 and
// μ = 0.5: it sticks at F = 1, is compressed until F = 2 and leaves at F = 3 for e = 0.5.
ImpactRecord single(double time) {
  ImpactRecord r;
  r.time = time;
  r.contacts = {0};
  r.problem.count = 1;
  r.problem.matrix = {3, 0, 0, 1};
  r.problem.velocity = {1.5, -2};
  r.problem.friction = {0.5};
  r.problem.restitution = {0.5};
  r.problem.law = RestitutionLaw::poisson;
  r.result.impulse = {-0.5, 3};
  r.result.velocity = {0, 1};
  r.result.name = "stick in compression";
  r.result.path = {{ImpactCorner::start, 0, 0, {0, 0}, {1.5, -2}},
                   {ImpactCorner::stick, 0, 0, {-0.5, 1}, {0, -1}},
                   {ImpactCorner::compression, 0, 0, {-0.5, 2}, {0, 0}},
                   {ImpactCorner::end, 0, 0, {-0.5, 3}, {0, 1}}};
  r.result.work_normal = {-1.5};
  r.result.work_friction = {-0.375};
  r.result.energy_change = -1.875;
  r.energy_before = 2.375;
  r.energy_after = 0.5;
  return r;
}

// Disc 1 strikes 2, which touches 3: all of mass 1, e = 1, one turn each.
ImpactRecord chain(double time) {
  ImpactRecord r;
  r.time = time;
  r.contacts = {1, 2};
  r.problem.count = 2;
  r.problem.matrix.assign(16, 0.0);
  r.problem.velocity = {0, -1, 0, 0};
  r.problem.friction = {0, 0};
  r.problem.restitution = {1, 1};
  r.problem.correlation = 0;
  r.result.impulse = {0, 1, 0, 1};
  r.result.velocity = {0, 0, 0, 1};
  r.result.name = "two turns";
  r.result.path = {{ImpactCorner::start, 0, 0, {0, 0, 0, 0}, {0, -1, 0, 0}},
                   {ImpactCorner::compression, 0, 0, {0, 0.5, 0, 0}, {0, 0, 0, -0.5}},
                   {ImpactCorner::end, 0, 0, {0, 1, 0, 0}, {0, 1, 0, -1}},
                   {ImpactCorner::compression, 1, 1, {0, 1, 0, 0.5}, {0, 0.5, 0, 0}},
                   {ImpactCorner::end, 1, 1, {0, 1, 0, 1}, {0, 0, 0, 1}}};
  r.result.work_normal = {0, 0};
  r.result.work_friction = {0, 0};
  r.energy_before = r.energy_after = 0.5;
  return r;
}

RunResult with(const Scenario& s, std::vector<ImpactRecord> impacts) {
  RunResult run;
  run.outcome.impacts = std::move(impacts);
  run.outcome.impact_count = static_cast<long>(run.outcome.impacts.size());
  for (std::size_t k = 0; k < run.outcome.impacts.size(); ++k)
    run.outcome.events.push_back(
        {run.outcome.impacts[k].time, EventKind::impact, switch_of<ContactForce>(static_cast<int>(k)), 0, 0});
  run.outcome.reason = StopReason::time_limit;
  run.outcome.time = 5;
  run.outcome.mode = s.system->make_mode();
  run.outcome.state.assign(static_cast<std::size_t>(s.system->state_size()), 0.0);
  run.outcome.energy.lost.assign(s.system->channels().size(), 0.0);
  run.reached = true;
  return run;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// Every element closed in its order, and every attribute quoted.
bool is_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (std::count(tag.begin(), tag.end(), '"') % 2) return false;
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
  }
  return open.empty();
}

// ---- text ------------------------------------------------------------------------------------------------------

TEST(ImpactText, one_contact_is_named_in_the_head) {
  const Scenario s = three_discs();
  const std::string text = make_impacts_text(s, with(s, {single(0.25)}).outcome, {});
  EXPECT_THAT(
      text, AllOf(HasSubstr("Impacts (1) of disc1@floor"), HasSubstr("0.250000"), HasSubstr("2.000 → 1.000"),
                  HasSubstr("-0.5000"), HasSubstr("1.875"), HasSubstr("stick in compress")));
}

TEST(ImpactText, several_contacts_have_a_line_each) {
  const Scenario s = three_discs();
  const std::string text = make_impacts_text(s, with(s, {single(0.25), chain(0.5)}).outcome, {});
  EXPECT_THAT(text, AllOf(HasSubstr("Impacts (2)\n"), HasSubstr("disc1@floor"), HasSubstr("disc1@disc2"),
                          HasSubstr("disc2@disc3")));
  for (const std::string& line : lines_of(text)) EXPECT_LE(text_width(line), 80u) << line;
}

TEST(ImpactText, ascii_is_ascii_and_long_lists_are_cut) {
  const Scenario s = three_discs();
  std::vector<ImpactRecord> many;
  for (int k = 0; k < 40; ++k) many.push_back(single(0.01 * k));
  RunResult run = with(s, many);
  run.outcome.impact_count = 1000;
  TextStyle plain;
  plain.unicode = false;
  const std::string text = make_impacts_text(s, run.outcome, plain);
  EXPECT_TRUE(
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 128; }));
  EXPECT_THAT(text, AllOf(HasSubstr("Impacts (1000)"), HasSubstr("... and 988 more (--events)")));
  EXPECT_THAT(lines_of(text), SizeIs(1 + 1 + 1 + 12 + 1));
  EXPECT_THAT(make_impacts_text(s, run.outcome, plain, true), HasSubstr("... and 960 more;"));
  EXPECT_EQ(make_impacts_text(s, with(s, {}).outcome, plain), "");
}

TEST(ImpactText, accumulation_and_the_sum_of_losses) {
  const Scenario s = three_discs();
  RunResult run = with(s, {single(0.25), single(0.5)});
  run.outcome.events.push_back({1.5, EventKind::settle, switch_of<ContactForce>(0), 0, 0});
  for (std::size_t k = 0; k < s.system->channels().size(); ++k)
    if (s.system->channels()[k] == channel_of<ContactForce>(ContactForce::impact_loss))
      run.outcome.energy.lost[k] = 3.75;
  EXPECT_THAT(
      make_impacts_text(s, run.outcome, {}),
      AllOf(HasSubstr("3.75 J lost in all"), HasSubstr("accumulate at t = 1.5 s, disc1@floor stays closed")));
}

TEST(ImpactText, notes_of_one_kind_come_once) {
  const Scenario s = three_discs();
  ImpactRecord a = single(0.1), b = single(0.2), c = chain(0.3);
  a.result.note = "Newton's law gains energy here: 0.25 J; Poisson's and Stronge's do not";
  b.result.note = "Newton's law gains energy here: 1e-05 J; Poisson's and Stronge's do not";
  c.result.note = "the contacts would take turns for ever, and are closed plastically";
  const RunResult run = with(s, {a, b, c});
  const std::vector<std::string> notes = list_notes(s, run);
  ASSERT_THAT(notes, SizeIs(2));
  EXPECT_EQ(notes[0],
            "impact at t = 0.1 s and 1 like it: Newton's law gains energy here: 0.25 J; Poisson's and "
            "Stronge's do not");
  EXPECT_THAT(notes[1], HasSubstr("take turns for ever"));
}

TEST(ImpactText, is_part_of_the_summary_with_its_events) {
  const Scenario s = three_discs();
  const std::string text = make_summary(s, with(s, {single(0.25), chain(0.5)}), {});
  EXPECT_THAT(text, AllOf(HasSubstr("Impacts (2)"), HasSubstr("disc2@disc3"), Not(HasSubstr("Events"))));
  for (const std::string& line : lines_of(text)) EXPECT_LE(text_width(line), 80u) << line;
  SummaryOptions all;
  all.all_events = true;
  EXPECT_THAT(make_summary(s, with(s, {single(0.25), chain(0.5)}), {}, all),
              AllOf(HasSubstr("Events (2)"), HasSubstr("disc1@disc2 + disc2@disc3  two turns")));
}

// ---- events, CSV and JSON --------------------------------------------------------------------------------------

TEST(ImpactEvents, name_contacts_and_case) {
  const Scenario s = three_discs();
  RunResult run = with(s, {chain(0.5)});
  run.outcome.events.push_back(
      {0.6, EventKind::impact, switch_of<ContactForce>(12345), 0, 0});  // the log was full
  run.outcome.events.push_back({0.7, EventKind::lift, switch_of<ContactForce>(2), 0, 0});
  const auto lines = lines_of(make_events_csv(s, run.outcome));
  EXPECT_EQ(lines[1], "0.5,impact,disc1@disc2 + disc2@disc3,,two turns");
  EXPECT_EQ(lines[2], "0.6,impact,,,");
  EXPECT_EQ(lines[3], "0.7,lift,disc2@disc3,closed,open");
}

TEST(ImpactCsv, one_line_per_impact_and_contact) {
  const Scenario s = three_discs();
  const auto lines = lines_of(make_impacts_csv(s, with(s, {single(0.25), chain(0.5)}).outcome));
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_EQ(lines[1],
            "1,0.25,disc1@floor,stick in compression,poisson,0.5,0.5,2,1,1.5,0,3,-0.5,-1.5,-0.375,2.375,0.5");
  EXPECT_EQ(lines[2], "2,0.5,disc1@disc2,two turns,correlation,0,1,1,0,0,0,1,0,0,0,0.5,0.5");
  const auto commas = [](const std::string& l) { return std::count(l.begin(), l.end(), ','); };
  for (const std::string& l : lines) EXPECT_EQ(commas(l), commas(lines[0])) << l;
}

TEST(ImpactJson, holds_all_of_it) {
  const Scenario s = three_discs();
  const json j = json::parse(make_run_json(s, with(s, {single(0.25), chain(0.5)})));
  EXPECT_EQ(j["impact_count"], 2);
  ASSERT_EQ(j["impacts"].size(), 2u);
  const json& a = j["impacts"][0];
  EXPECT_EQ(a["time"], 0.25);
  EXPECT_EQ(a["contacts"], json({"disc1@floor"}));
  EXPECT_EQ(a["law"], "poisson");
  EXPECT_EQ(a["case"], "stick in compression");
  EXPECT_EQ(a["impulse"], json({-0.5, 3.0}));
  EXPECT_EQ(a["velocity_before"], json({1.5, -2.0}));
  EXPECT_EQ(a["energy_before"], 2.375);
  EXPECT_EQ(a["gain"], false);
  ASSERT_EQ(a["path"].size(), 4u);
  EXPECT_EQ(a["path"][1]["corner"], "stick");
  EXPECT_EQ(a["path"][1]["leader"], "disc1@floor");
  const json& b = j["impacts"][1];
  EXPECT_EQ(b["contacts"], json({"disc1@disc2", "disc2@disc3"}));
  EXPECT_EQ(b["law"], "correlation");
  EXPECT_EQ(b["path"][3]["leader"], "disc2@disc3");
  EXPECT_EQ(json::parse(make_run_json(s, with(s, {})))["impacts"], json::array());
}

// ---- impulses in joints ----

TEST(JointImpulses, are_in_csv_json_and_the_list_of_events) {
  const Scenario s = load_scenario("rough_obstacle", {{"duration", "0.6 s"}});
  const RunResult r = run(s);
  ASSERT_EQ(r.outcome.impacts.size(), 1u);
  const Vec on1 = r.outcome.impacts[0].joints[0], on2 = r.outcome.impacts[0].joints[1];
  const json j = json::parse(make_run_json(s, r))["impacts"][0]["joint_impulse"];
  EXPECT_EQ(j["rod1.joint.impulse"], json({on1.x, on1.z}));
  EXPECT_EQ(j["rod2.joint.impulse"], json({on2.x, on2.z}));
  const auto lines = lines_of(make_impacts_csv(s, r.outcome));
  EXPECT_THAT(lines[0],
              HasSubstr(",rod1.joint.impulse.x [N s],rod1.joint.impulse.z [N s],rod2.joint.impulse.x [N s]"));
  EXPECT_THAT(lines[1], HasSubstr(fmt::format(",{},{},{},{}", on1.x, on1.z, on2.x, on2.z)));
  const auto events = lines_of(make_events_csv(s, r.outcome));
  EXPECT_THAT(events[0],
              HasSubstr("after,rod1.joint.impulse.x [N s],rod1.joint.impulse.z [N s],rod2.joint."));
  for (std::size_t k = 1; k < events.size(); ++k)
    EXPECT_THAT(events[k], EndsWith(events[k].find(",impact,") == std::string::npos
                                        ? ",,,,"
                                        : fmt::format(",{},{},{},{}", on1.x, on1.z, on2.x, on2.z)));
  const std::string text = make_joint_impulses_text(s, r.outcome, TextStyle{});
  EXPECT_THAT(text, HasSubstr("rod1.joint.impulse   -0.778    2.004"));
  EXPECT_EQ(make_joint_impulses_text(three_discs(), with(three_discs(), {single(0.25)}).outcome, TextStyle{}),
            "");
}

// ---- pictures --------------------------------------------------------------------------------------------------

TEST(ImpactSvg, impulse_plane_is_well_formed_and_says_what_it_is) {
  const Scenario s = three_discs();
  const std::string svg = make_impact_svg(s, single(0.25), 3);
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_THAT(svg, AllOf(HasSubstr("Discs &amp; &lt;walls&gt;: impact 3, stick in compression"),
                         HasSubstr("disc1@floor · t = 0.25 s · poisson, e = 0.5, μ = 0.5 · 1.875 J lost"),
                         HasSubstr("sticking, s = 0"), HasSubstr("friction, T = ±μF"), Not(HasSubstr("nan")),
                         Not(HasSubstr("inf"))));
  EXPECT_EQ(svg, make_impact_svg(s, single(0.25), 3));
}

TEST(ImpactSvg, several_contacts) {
  const std::string svg = make_impact_svg(three_discs(), chain(0.5), 1);
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_THAT(svg, AllOf(HasSubstr("normal impulse"), HasSubstr("normal velocity"),
                         HasSubstr("disc2@disc3 leads"), Not(HasSubstr("nan"))));
}

TEST(ImpactSvg, odd_impacts_do_not_break_it) {
  const Scenario s = three_discs();
  ImpactRecord smooth = single(0);
  smooth.problem.friction = {0};
  for (ImpactPoint& p : smooth.result.path) p.impulse[0] = 0;
  ImpactRecord empty = single(0);
  empty.result.path.clear();
  ImpactRecord nothing = single(0);
  nothing.result.path.resize(1);
  ImpactRecord long_chain = chain(0);
  long_chain.result.path.insert(long_chain.result.path.end(), 300, long_chain.result.path.back());
  for (const ImpactRecord& r : {smooth, empty, nothing, long_chain}) {
    const std::string svg = make_impact_svg(s, r, 1);
    EXPECT_TRUE(is_well_formed(svg));
    EXPECT_THAT(svg, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("\"inf"))));
  }
}

// ---- trajectories ----------------------------------------------------------------------------------------------

// Steps by hand, with straight motion inside: a ball that falls, and is thrown back at t = 1.
class HandStep final : public StepView {
 public:
  HandStep(const System& system, double begin, double end, double z, double vz)
      : mode_(system.make_mode()),
        begin_(begin),
        end_(end),
        z_(z),
        vz_(vz),
        size_(static_cast<std::size_t>(system.state_size())),
        n_(static_cast<std::size_t>(system.dof_count())) {}

  double begin() const override { return begin_; }
  double end() const override { return end_; }
  const Mode& mode() const override { return mode_; }
  void state(double t, double* y) override {
    std::fill(y, y + size_, 0.0);
    y[1] = z_ + vz_ * (t - begin_);
    y[n_ + 1] = vz_;
  }

 private:
  Mode mode_;
  double begin_, end_, z_, vz_;
  std::size_t size_, n_;
};

Scenario one_disc() {
  return parse_scenario(
      "gravity = 0\n[[body]]\nname = \"disc\"\nshape = { kind = \"disc\", diameter = 0.1, thickness = "
      "0.01, mass = 1 }\njoint = \"free\"\n[[wall]]\nname = \"floor\"\n[initial]\n\"disc.z\" = "
      "-2.05\n\"disc.vz\" = 2\n",
      "disc.toml");
}

Trajectory bounce(const Scenario& s, Sampling sampling, double second_end, bool at_the_start = false) {
  TrajectoryRecorder recorder(*s.system, sampling);
  recorder.begin_at({0, -2.05, 0}, {0, 2, 0});
  if (!at_the_start) {
    HandStep first(*s.system, 0, 0.5, -2.05, 2), second(*s.system, 0.5, 1, -1.05, 2);
    recorder.on_step(first);
    recorder.on_step(second);
  }
  const double t = at_the_start ? 0 : 1;
  HandStep third(*s.system, t, second_end, -0.05, -1);
  if (second_end > t) recorder.on_step(third);
  Outcome outcome;
  outcome.time = second_end;
  outcome.mode = s.system->make_mode();
  outcome.state.assign(static_cast<std::size_t>(s.system->state_size()), 0.0);
  third.state(second_end, outcome.state.data());
  recorder.finish(outcome);
  return recorder.table({*s.find_observable("disc.vz"), *s.find_observable("disc.z")});
}

// Rows at an instant: the velocities there.
std::vector<double> at_time(const Trajectory& t, double time) {
  std::vector<double> out;
  for (std::size_t r = 0; r < t.row_count(); ++r)
    if (t.time[r] == time) out.push_back(t.at(r, 0));
  return out;
}

TEST(Jumps, both_sides_of_an_impact_have_a_row) {
  const Scenario s = one_disc();
  for (const auto kind : {Sampling::Kind::automatic, Sampling::Kind::steps}) {
    const Trajectory t = bounce(s, {kind, 0}, 1.7);
    EXPECT_THAT(at_time(t, 1), testing::ElementsAre(2, -1));
    EXPECT_TRUE(std::is_sorted(t.time.begin(), t.time.end()));
    EXPECT_THAT(at_time(t, 0), testing::ElementsAre(2));
    EXPECT_THAT(at_time(t, 1.7), testing::ElementsAre(-1));
    EXPECT_THAT(at_time(t, 0.5), SizeIs(1)) << "no impact there";
  }
}

TEST(Jumps, also_at_the_start_and_at_the_end) {
  const Scenario s = one_disc();
  for (const auto kind : {Sampling::Kind::automatic, Sampling::Kind::steps}) {
    EXPECT_THAT(at_time(bounce(s, {kind, 0}, 0.3, true), 0), testing::ElementsAre(2, -1));
    EXPECT_THAT(at_time(bounce(s, {kind, 0}, 1), 1), testing::ElementsAre(2, -1));
  }
}

TEST(Jumps, uniform_samples_stay_uniform) {
  const Trajectory t = bounce(one_disc(), {Sampling::Kind::uniform, 0.1}, 1.7);
  EXPECT_THAT(t.time, SizeIs(18));
}

TEST(Jumps, plots_show_them_as_a_vertical_line) {
  const Trajectory t = bounce(one_disc(), {}, 2);
  PlotCurve curve{"disc.vz", "m/s", t.time, {}};
  for (std::size_t r = 0; r < t.row_count(); ++r) curve.value.push_back(t.at(r, 0));
  TextStyle plain;
  plain.unicode = false;
  std::size_t column = std::string::npos;
  int rows = 0;
  for (const std::string& line : lines_of(make_plot(curve, plain))) {
    const std::size_t first = line.find('*');
    if (first == std::string::npos || line.find('*', first + 1) != std::string::npos) continue;
    if (column == std::string::npos) column = first;
    EXPECT_EQ(first, column);
    ++rows;
  }
  EXPECT_GE(rows, 5);
}

}  // namespace
}  // namespace thud
