// Models in URDF and MJCF become scenarios.
// Sources of truth: the same mechanisms written by hand (tests/models/*.toml), mass properties by integration over slices,
// conservation of momentum, and that a mechanism does not care which way its plane faces.

#include "thud/import/import.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <toml++/toml.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <regex>
#include <set>

#include "import/spatial.hpp"
#include "temp_folder.hpp"
#include "thud/scenario/scenario.hpp"
#include "thud/scenario/schema.hpp"
#include "thud/thud.hpp"

namespace thud {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double pi = std::numbers::pi;

const std::string folder = std::string(THUD_SOURCE_DATA_DIR) + "/tests/models/";

std::string model_text(const std::string& file) { return test::content(folder + file); }

ImportedModel import_text(const std::string& text, const ImportOptions& options = {}) {
  const test::TempFolder temporary("import");
  const std::string path = (temporary.path() / "model.xml").string();
  std::ofstream(path, std::ios::binary) << text;
  return import_model(path, options);
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

std::string refusal(const std::string& text, const ImportOptions& options = {}) {
  try {
    (void)import_text(text, options);
  } catch (const InputError& e) {
    EXPECT_THAT(e.place().file, ::testing::EndsWith("model.xml")) << e.what();
    return fmt::format("{}:{}: {}", e.place().line, e.place().column, e.message());
  }
  ADD_FAILURE() << "was taken";
  return "";
}

std::string all_notes(const ImportedModel& m) {
  std::string out;
  for (const ImportNote& n : m.notes) out += fmt::format("{}:{}: {}\n", n.place.line, n.place.column, n.text);
  return out;
}

// ---- keys that files may have ------------------------------------------------------------------

// Limits, loops and inertia of drives are written in any case; a library that does not know one of them yet runs both files
// without it, and says so.
std::string as_known(std::string text) {
  static const auto schema = nlohmann::json::parse(make_scenario_schema());
  const auto leave_out = [&](const std::string& what, const std::string& pattern, const std::string& by) {
    const std::string without = std::regex_replace(text, std::regex(pattern), by);
    static std::set<std::string> told;
    if (without != text && told.insert(what).second)
      std::cout << "[ NOTE     ] files are run without " << what
                << ", which this library does not know yet\n";
    text = without;
  };
  for (const std::string table : {"limit", "loop"})
    if (!schema["properties"].contains(table))
      leave_out("[[" + table + "]]", "\\[\\[" + table + "\\]\\]\n([^\\[\n][^\n]*\n)*", "");
  if (!schema["definitions"]["joint"]["properties"].contains("inertia"))
    leave_out("inertia of joints", "(\njoint[^\n]*), inertia = [^,}]*([,}])", "$1$2");
  return text;
}

using Settings = std::vector<std::pair<std::string, double>>;

Result play(const std::string& text, double time, const Settings& settings = {}) {
  Model m = parse(as_known(text), "test.toml");
  for (const auto& [knob, value] : settings) m.set(knob, value);
  RunOptions options;
  options.tolerance = 1e-12;
  options.time_limit = time;
  options.sample = time / 50;
  return m.run(options);
}

std::vector<std::string> bodies_of(const Result& r) {
  std::vector<std::string> out;
  for (const ColumnInfo& c : r.columns())
    if (c.name.ends_with(".alpha")) out.push_back(c.name.substr(0, c.name.size() - 6));
  return out;
}

// The mass centres move alike and the bodies turn alike, at all times; `mirror` is −1 where left and right are exchanged.
void expect_same_motion(const Result& a, const Result& b, double mirror = 1, double tolerance = 1e-9) {
  ASSERT_EQ(a.row_count(), b.row_count());
  ASSERT_GE(a.row_count(), 50u);
  ASSERT_EQ(bodies_of(a), bodies_of(b));
  ASSERT_FALSE(bodies_of(a).empty());
  double moved = 0;
  for (const std::string& body : bodies_of(a))
    for (const std::string quantity : {".x", ".z", ".vx", ".vz", ".rate"}) {
      const double sign = quantity == ".x" || quantity == ".vx" || quantity == ".rate" ? mirror : 1;
      const auto x = a.column(body + quantity), y = b.column(body + quantity);
      double worst = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        worst = std::max(worst, std::abs(x[i] - sign * y[i]));
        moved = std::max(moved, std::abs(x[i] - x[0]));
      }
      EXPECT_LT(worst, tolerance) << body << quantity;
    }
  EXPECT_GT(moved, 0.1);  // something happened
}

// ---- models by hand ----------------------------------------------------------------------------

TEST(Import, double_pendulum_as_by_hand) {
  const Result by_hand = play(model_text("double_pendulum.toml"), 1.5);
  for (const char* file : {"double_pendulum.urdf", "double_pendulum.xml"}) {
    SCOPED_TRACE(file);
    expect_same_motion(play(import_model(folder + file).text, 1.5), by_hand);
  }
}

// Falls onto the slope, both legs in turn: impacts and lasting contact.
TEST(Import, compass_gait_as_by_hand) {
  const Result by_hand = play(model_text("compass_gait.toml"), 0.6);
  EXPECT_GE(by_hand.impacts().size(), 1u);
  for (const char* file : {"compass_gait.urdf", "compass_gait.xml"}) {
    SCOPED_TRACE(file);
    const Result imported = play(import_model(folder + file).text, 0.6);
    EXPECT_EQ(imported.impacts().size(), by_hand.impacts().size());
    expect_same_motion(imported, by_hand);
  }
}

TEST(Import, hopper_with_stops_and_motors_as_by_hand) {
  const Result mjcf = play(import_model(folder + "hopper.xml").text, 0.25,
                           {{"hip_drive", -0.1}, {"leg_joint_drive", -0.05}, {"ankle_drive", 0.3}});
  EXPECT_GE(mjcf.impacts().size(), 1u);
  expect_same_motion(mjcf, play(model_text("hopper.toml"), 0.25,
                                {{"hip_drive", -0.1}, {"leg_joint_drive", -0.05}, {"ankle_drive", 0.3}}));
  const Result urdf = play(import_model(folder + "hopper.urdf").text, 0.25,
                           {{"thigh_joint_drive", -20}, {"leg_joint_drive", -10}, {"foot_joint_drive", 6}});
  expect_same_motion(urdf, play(model_text("hopper.toml"), 0.25,
                                {{"hip_drive", -0.1},
                                 {"leg_joint_drive", -0.05},
                                 {"ankle_drive", 0.3},
                                 {"armature", 0},
                                 {"spring", 0},
                                 {"servo", 0},
                                 {"ankle_damping", 1},
                                 {"rough", 0},
                                 {"foot_rough", 0},
                                 {"g", 9.81}}));
}

TEST(Import, five_bar_as_by_hand) {
  const Settings drives{{"left_drive", 0.4}, {"right_drive", -0.1}};
  expect_same_motion(play(import_model(folder + "five_bar.xml").text, 0.4, drives),
                     play(model_text("five_bar.toml"), 0.4, drives));
}

TEST(Import, leg_on_a_rail_with_a_gear_as_by_hand) {
  const Result by_hand = play(model_text("geared_leg.toml"), 0.3, {{"rail_drive", 5}});
  for (const char* file : {"geared_leg.urdf", "geared_leg.xml"}) {
    SCOPED_TRACE(file);
    expect_same_motion(play(import_model(folder + file).text, 0.3, {{"rail_drive", 5}}), by_hand);
  }
}

TEST(Import, writes_limits_loops_and_inertia_of_drives) {
  for (const char* file : {"hopper.xml", "hopper.urdf"})
    EXPECT_THAT(import_model(folder + file).text,
                AllOf(HasSubstr("[[limit]]\njoint = \"thigh\"\nmin   = \"-150 deg\"\nmax   = \"0 deg\"\n"),
                      HasSubstr("[[limit]]\njoint = \"foot\"\nmin   = \"45 deg\"\nmax   = \"135 deg\"\n")));
  const std::string hopper = import_model(folder + "hopper.xml").text;
  EXPECT_THAT(hopper, HasSubstr("damping = 1, inertia = 0.1, torque = \"=200*hip_drive\""));
  EXPECT_THAT(hopper, HasSubstr("hip_drive = { value = 0, range = [-1, 1], "));
  EXPECT_THAT(
      import_model(folder + "five_bar.xml").text,
      AllOf(
          HasSubstr("[[loop]]\nname  = \"foot\"\nkind  = \"pin\"\na     = \"foot_a\"\nb     = \"foot_b\"\n"),
          HasSubstr("foot_a = { body = \"left_calf\", s = 0.35 }")));
  for (const char* file : {"geared_leg.xml", "geared_leg.urdf"})
    EXPECT_THAT(import_model(folder + file).text,
                AllOf(HasSubstr("kind  = \"gear\"\na     = \"thigh\"\nb     = \"shank\"\nratio = -2\n"),
                      HasSubstr("[[limit]]\njoint = \"carriage\"\nmin   = -0.6\nmax   = 0.3\n")));
}

TEST(Import, the_same_model_gives_the_same_bytes) {
  for (const char* file :
       {"double_pendulum.urdf", "compass_gait.xml", "hopper.urdf", "hopper.xml", "five_bar.xml"}) {
    const std::string once = import_model(folder + file).text;
    EXPECT_EQ(import_model(folder + file).text, once);
    EXPECT_NO_THROW((void)toml::parse(once));
    EXPECT_NO_THROW((void)parse_scenario(as_known(once), "test.toml"));
  }
}

// ---- planes ------------------------------------------------------------------------------------

std::string mounted(const std::string& frame, const std::string& more = "") {
  std::string text =
      replaced(model_text("double_pendulum.xml"), "<worldbody>", more + "<worldbody><frame " + frame + ">");
  return replaced(text, "</worldbody>", "</frame></worldbody>");
}

TEST(Import, any_vertical_plane_gives_the_same_motion) {
  const Result straight = play(import_text(model_text("double_pendulum.xml")).text, 1);
  // Seen from the side on which x (or y) grows to the right: half of all planes show the mirror image.
  for (const auto& [angle, mirror] : std::vector<std::pair<double, int>>{
           {0.3, 1}, {pi / 2, 1}, {1.5, 1}, {2.0, -1}, {pi, -1}, {-0.7, 1}, {-2.5, -1}}) {
    SCOPED_TRACE(angle);
    expect_same_motion(play(import_text(mounted(fmt::format("euler=\"0 0 {}\"", angle))).text, 1), straight,
                       mirror);
  }
}

TEST(Import, a_mount_across_the_plane_changes_nothing) {
  const Result straight = play(import_text(model_text("double_pendulum.xml")).text, 1);
  expect_same_motion(play(import_text(mounted("pos=\"0 0.7 0\"")).text, 1), straight);
}

// Mirrored in the file: axes and places of the other hand.
TEST(Import, a_mirrored_model_moves_as_in_a_mirror) {
  std::string text = model_text("double_pendulum.xml");
  text = replaced(text, "pos=\"0.2 0 1\"", "pos=\"-0.2 0 1\"");
  text = replaced(text, "euler=\"0 0.5 0\"", "euler=\"0 -0.5 0\"");
  text = replaced(text, "pos=\"0.01 0 -0.1\"", "pos=\"-0.01 0 -0.1\"");
  expect_same_motion(play(import_text(text).text, 1),
                     play(import_text(model_text("double_pendulum.xml")).text, 1), -1);
}

// Mount and gravity turned alike in the plane: the same motion, turned.
TEST(Import, a_turned_mount_under_turned_gravity_turns_the_motion) {
  const double a = 0.35, g = 9.81;
  const Result straight = play(import_text(model_text("double_pendulum.xml")).text, 1);
  const Result turned = play(
      import_text(mounted(fmt::format("euler=\"0 {} 0\"", a),
                          fmt::format("<option gravity=\"{} 0 {}\"/>", -g * std::sin(a), -g * std::cos(a))))
          .text,
      1);
  for (const std::string body : {"upper", "lower"}) {
    const auto x = straight.column(body + ".x"), z = straight.column(body + ".z");
    const auto tx = turned.column(body + ".x"), tz = turned.column(body + ".z");
    for (std::size_t i = 0; i < x.size(); ++i) {  // about +y of the model, away from the reader
      EXPECT_NEAR(tx[i], std::cos(a) * x[i] - std::sin(a) * z[i], 1e-9);
      EXPECT_NEAR(tz[i], std::sin(a) * x[i] + std::cos(a) * z[i], 1e-9);
    }
  }
}

// A plane tilted back by 30°: the part of gravity in it acts, and that is told.
TEST(Import, a_tilted_plane_has_part_of_gravity) {
  const ImportedModel m = import_text(mounted(fmt::format("euler=\"{} 0 0\"", pi / 6)));
  EXPECT_THAT(all_notes(m),
              HasSubstr("the plane of motion is not vertical: 4.905 m/s2 of gravity across it"));
  const std::string by_hand =
      fmt::format("gravity = {:.17g}\n", 9.81 * std::cos(pi / 6)) + model_text("double_pendulum.toml");
  const Result a = play(m.text, 1), b = play(by_hand, 1);
  for (const std::string body : {"upper", "lower"})
    EXPECT_NEAR(a.column(body + ".rate").back(), b.column(body + ".rate").back(), 1e-9);
}

TEST(Import, level_planes_have_no_gravity) {
  const ImportedModel m = import_text(mounted(fmt::format("euler=\"{} 0 0\"", pi / 2)));
  EXPECT_THAT(m.text, HasSubstr("\ngravity = 0\n"));
}

// ---- mass properties ---------------------------------------------------------------------------

// Volume, and moments about the centre, by slices across z: Gauss's rule of five points is exact for these polynomials.
struct Slices {
  double volume = 0;
  Eigen::Vector3d moments = Eigen::Vector3d::Zero();

  // Half sizes a and b of the slice at z, squared; `round`: an ellipse, else a rectangle.
  template <class Squares>
  void add(double from, double to, bool round, Squares squares) {
    const double x1 = std::sqrt(5 - 2 * std::sqrt(10.0 / 7)) / 3,
                 x2 = std::sqrt(5 + 2 * std::sqrt(10.0 / 7)) / 3;
    const double w1 = (322 + 13 * std::sqrt(70.0)) / 900, w2 = (322 - 13 * std::sqrt(70.0)) / 900;
    for (const auto& [x, w] :
         std::vector<std::pair<double, double>>{{0, 128.0 / 225}, {x1, w1}, {-x1, w1}, {x2, w2}, {-x2, w2}}) {
      const double z = (from + to) / 2 + x * (to - from) / 2;
      const auto [aa, bb] = squares(z);
      const double v = (round ? pi : 4.0) * std::sqrt(aa * bb) * w * (to - from) / 2, k = round ? 4 : 3;
      volume += v;
      moments += v * Eigen::Vector3d(bb / k + z * z, aa / k + z * z, (aa + bb) / k);
    }
  }
};

void expect_mass(imports::Form form, const Eigen::Vector3d& size, const Slices& s) {
  const double density = 700;
  const double mass = density * imports::volume_of(form, size);
  EXPECT_NEAR(mass, density * s.volume, 1e-13 * mass);
  const imports::Mass m = imports::mass_of(form, size, {}, mass);
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(m.inertia(k, k), density * s.moments[k], 1e-13 * m.inertia.trace()) << k;
}

TEST(ImportMass, solids_by_integration) {
  const double r = 0.07, h = 0.2, a = 0.3, b = 0.2, c = 0.5;
  const auto ball = [&](double z) { return std::pair(r * r - z * z, r * r - z * z); };
  Slices sphere, cylinder, capsule, box, ellipsoid;
  sphere.add(-r, r, true, ball);
  cylinder.add(-h, h, true, [&](double) { return std::pair(r * r, r * r); });
  capsule.add(-h - r, -h, true, [&](double z) { return ball(z + h); });
  capsule.add(-h, h, true, [&](double) { return std::pair(r * r, r * r); });
  capsule.add(h, h + r, true, [&](double z) { return ball(z - h); });
  box.add(-c, c, false, [&](double) { return std::pair(a * a, b * b); });
  ellipsoid.add(-c, c, true, [&](double z) {
    const double f = 1 - z * z / (c * c);
    return std::pair(a * a * f, b * b * f);
  });
  expect_mass(imports::Form::sphere, {r, 0, 0}, sphere);
  expect_mass(imports::Form::cylinder, {r, h, 0}, cylinder);
  expect_mass(imports::Form::capsule, {r, h, 0}, capsule);
  expect_mass(imports::Form::box, {a, b, c}, box);
  expect_mass(imports::Form::ellipsoid, {a, b, c}, ellipsoid);
}

// Two halves of a turned box are the box.
TEST(ImportMass, halves_make_a_whole) {
  using namespace imports;
  const Pose pose{turn_of_quaternion(0.3, -0.5, 0.8, 0.1), {0.4, -0.2, 0.9}};
  const Vec3 size{0.3, 0.2, 0.5}, half{0.15, 0.2, 0.5};
  const Mass whole = mass_of(Form::box, size, pose, 6);
  const Mass both = sum(mass_of(Form::box, half, pose * Pose{Mat3::Identity(), {0.15, 0, 0}}, 3),
                        mass_of(Form::box, half, pose * Pose{Mat3::Identity(), {-0.15, 0, 0}}, 3));
  EXPECT_NEAR((whole.center - both.center).norm(), 0, 1e-15);
  EXPECT_NEAR((whole.inertia - both.inertia).norm(), 0, 1e-14);
}

// What MuJoCo itself (3.x) computes for these capsules, the hopper of the usual suites.
TEST(ImportMass, hopper_as_mujoco_has_it) {
  const std::string text = import_model(folder + "hopper.xml").text;
  for (const double mass : {3.6651914291880923, 4.057890510886818, 2.7813566959781637, 5.31557476987393})
    EXPECT_THAT(text, HasSubstr(fmt::format("mass = {:.14g},", mass)));
}

// Products of inertia: a rod that leans across the plane has less inertia in it.
TEST(ImportMass, inertia_is_about_the_normal_of_the_plane) {
  const double lean = 0.6;
  const ImportedModel m = import_text(fmt::format(R"(<robot name="r"><link name="world"/>
<joint name="j" type="continuous"><parent link="world"/><child link="rod"/><axis xyz="0 1 0"/></joint>
<link name="rod"><inertial><origin xyz="0 0 -0.5" rpy="{} 0 0"/><mass value="3"/>
<inertia ixx="0.25" iyy="0.25" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>)",
                                                  lean));
  // Of a slender rod ∫ρ z² with z = s cos(lean) alone.
  EXPECT_THAT(m.text, HasSubstr(fmt::format("inertia = {:.14g}", 0.25 * std::cos(lean) * std::cos(lean))));
}

// ---- MJCF --------------------------------------------------------------------------------------

std::string mjcf(const std::string& bodies, const std::string& before = "", const std::string& after = "") {
  return "<mujoco>\n" + before + "<worldbody>\n" + bodies + "</worldbody>\n" + after + "</mujoco>\n";
}

TEST(ImportMjcf, poses_of_the_world_as_old_files_have_them) {
  std::string text = model_text("hopper.xml");
  text = replaced(text, "angle=\"degree\"", "angle=\"degree\" coordinate=\"global\"");
  text = replaced(text, "type=\"hinge\" axis=\"0 1 0\"", "type=\"hinge\" pos=\"0 0 1.25\" axis=\"0 1 0\"");
  text = replaced(text, "0 0 0.2 0 0 -0.2", "0 0 1.45 0 0 1.05");
  text = replaced(text, "pos=\"0 0 -0.2\"", "pos=\"0 0 1.05\"");
  text = replaced(text, "name=\"thigh_joint\"", "name=\"thigh_joint\" pos=\"0 0 1.05\"");
  text = replaced(text, "0 0 0 0 0 -0.45", "0 0 1.05 0 0 0.6");
  text = replaced(text, "pos=\"0 0 -0.7\"", "pos=\"0 0 0.35\"");
  text = replaced(text, "pos=\"0 0 0.25\"", "pos=\"0 0 0.6\"");
  text = replaced(text, "0 0 0.25 0 0 -0.25", "0 0 0.6 0 0 0.1");
  text = replaced(text, "pos=\"0.065 0 -0.25\"", "pos=\"0.065 0 0.1\"");
  text = replaced(text, "pos=\"-0.065 0 0\"", "pos=\"0 0 0.1\"");
  text = replaced(text, "-0.195 0 0 0.195 0 0", "-0.13 0 0.1 0.26 0 0.1");
  EXPECT_EQ(import_text(text).text, import_text(model_text("hopper.xml")).text);
}

TEST(ImportMjcf, classes_inherit) {
  const std::string defaults = R"(<default><joint damping="1" armature="2"/><geom size="0.1" density="500"/>
<default class="a"><joint damping="3"/><default class="b"><joint frictionloss="4"/></default></default></default>
)";
  const auto joint = [&](const std::string& body, const std::string& attributes) {
    return import_text(mjcf("<body " + body + "><joint axis=\"0 1 0\" " + attributes
                                + "/><geom pos=\"0 0 -1\"/></body>\n",
                            defaults))
        .text;
  };
  EXPECT_THAT(joint("", ""), HasSubstr("damping = 1, inertia = 2 }"));
  EXPECT_THAT(joint("childclass=\"b\"", ""), HasSubstr("damping = 3, friction = 4, inertia = 2 }"));
  EXPECT_THAT(joint("childclass=\"b\"", "class=\"a\""), HasSubstr("damping = 3, inertia = 2 }"));
  EXPECT_THAT(joint("childclass=\"b\"", "damping=\"7\""),
              HasSubstr("damping = 7, friction = 4, inertia = 2 }"));
  EXPECT_THAT(joint("", ""), HasSubstr(fmt::format("mass = {:.14g}", 500 * 4 / 3.0 * pi * 1e-3)));
  EXPECT_THAT(refusal(mjcf("<body><joint class=\"bb\"/><geom size=\"1\"/></body>", defaults)),
              AllOf(HasSubstr("there is no default class \"bb\""), HasSubstr("did you mean \"b\"?")));
}

TEST(ImportMjcf, orientations) {
  // All of them turn a rod that hangs to point along +x: the angle is 90°, from the downward vertical.
  for (const char* turn : {"euler=\"0 -90 0\"", "axisangle=\"0 1 0 -90\"", "quat=\"1 0 -1 0\"",
                           "zaxis=\"-1 0 0\"", "xyaxes=\"0 0 1 0 1 0\""})
    EXPECT_THAT(
        import_text(mjcf(fmt::format("<body {}><joint axis=\"0 1 0\"/><geom type=\"capsule\" size=\".01\" "
                                     "fromto=\"0 0 0 0 0 -1\"/></body>\n",
                                     turn)))
            .text,
        HasSubstr("\"body1.angle\" = \"90 deg\"\n"));
}

TEST(ImportMjcf, start_and_limits_by_ref) {
  // ref is what the coordinate is in the pose of the file.
  const std::string text =
      import_text(
          mjcf("<body><joint axis=\"0 -1 0\" ref=\"30\" range=\"10 50\" stiffness=\"2\" springref=\"20\"/>"
               "<geom size=\".1\" pos=\"0 0 -1\"/></body>\n"))
          .text;
  EXPECT_THAT(text, AllOf(HasSubstr("min   = \"-20 deg\"\nmax   = \"20 deg\""),
                          HasSubstr("rest      = \"-10 deg\"")));
}

// A cart without mass on a smooth rail carries a pendulum: its centre of mass moves up and down only.
TEST(ImportMjcf, slide_and_hinge_in_one_body) {
  const ImportedModel m = import_text(mjcf(R"(<body><joint name="rail" type="slide" axis="1 0 0"/>
<joint name="pin" axis="0 1 0"/><geom type="capsule" size=".05" fromto="0 0 0 0.4 0 -0.3"/></body>
)"));
  EXPECT_THAT(all_notes(m),
              HasSubstr("has several joints: \"rail\" is a body of its own here, \"body1_rail\""));
  const Result r = play(m.text, 1);
  const auto x = r.column("body1.x");
  for (const double at : x) EXPECT_NEAR(at, x[0], 1e-8);
  EXPECT_GT(std::abs(r.column("body1_rail.travel").back()), 1e-3);
}

// The other way round: a bead on a spoke that swings. The account closes.
TEST(ImportMjcf, hinge_and_slide_in_one_body) {
  const Result r = play(import_text(mjcf(R"(<body><joint name="pin" axis="0 1 0"/>
<joint name="spoke" type="slide" axis="1 0 0" stiffness="50"/><geom size=".05" pos="0.3 0 0"/></body>
)"))
                            .text,
                        0.5);
  EXPECT_LT(std::abs(r.energy().residual), 1e-9);
  EXPECT_GT(std::abs(r.column("body1.travel").back()), 1e-3);
  EXPECT_GT(std::abs(r.column("body1_pin.angle").back()), 1e-1);
}

TEST(ImportMjcf, free_bodies_are_lifted_out_of_the_floor) {
  const ImportedModel m =
      import_text(mjcf("<geom type=\"plane\" size=\"1 1 1\"/><body pos=\"0 0 0.05\"><freejoint/>"
                       "<geom name=\"ball\" size=\".1\"/></body>\n"));
  EXPECT_THAT(all_notes(m),
              HasSubstr("\"ball\" starts 0.05 m inside the floor: the model is lifted out of it"));
  EXPECT_THAT(m.text, HasSubstr("start.z\" = -0.1\n"));
}

TEST(ImportMjcf, actuators_as_their_law_says) {
  const std::string arm =
      "<body><joint name=\"j\" axis=\"0 -1 0\" damping=\"1\"/><geom size=\".1\" pos=\"0 0 -1\"/></body>\n";
  const auto with = [&](const std::string& actuator) {
    return import_text(mjcf(arm, "", "<actuator>" + actuator + "</actuator>")).text;
  };
  EXPECT_THAT(with("<velocity joint=\"j\" kv=\"3\" gear=\"2\"/>"),
              HasSubstr("damping = 13, torque = \"=6*j_drive\""));
  EXPECT_THAT(
      with("<general joint=\"j\" gainprm=\"5\" biastype=\"affine\" biasprm=\"1 -2 -3\" gear=\"-2\"/>"),
      AllOf(HasSubstr("damping = 13, torque = \"=-10*j_drive-2\""), HasSubstr("stiffness = 8\n")));
  EXPECT_THAT(with("<motor joint=\"j\"/><motor name=\"m\" joint=\"j\" gear=\"3\" ctrlrange=\"1 2\"/>"),
              AllOf(HasSubstr("torque = \"=j_drive+3*m_drive\""),
                    HasSubstr("m_drive = { value = 1, range = [1, 2]")));
}

TEST(ImportMjcf, loops_by_sites_and_to_the_world) {
  const auto with = [](const std::string& equality) {
    return import_text(mjcf(
        "<site name=\"hook\" pos=\"0 0 -1\"/><body name=\"arm\"><joint axis=\"0 1 0\"/><geom size=\".1\" "
        "pos=\"0 0 -1\"/><site name=\"eye\" pos=\"0 0 -1\"/></body>\n",
        "", "<equality>" + equality + "</equality>"));
  };
  for (const char* loop :
       {"<connect site1=\"eye\" site2=\"hook\"/>", "<connect body1=\"arm\" anchor=\"0 0 -1\"/>"})
    EXPECT_THAT(with(loop).text, AllOf(HasSubstr("a     = \"loop1_a\"\nb     = [0, 1]\n"),
                                       HasSubstr("loop1_a = { body = \"arm\", s = 1 }")));
  EXPECT_THAT(all_notes(with("<joint joint1=\"arm_joint1\"/>")),
              HasSubstr("only two joints in a fixed ratio"));
}

TEST(ImportMjcf, tells_what_is_left_out) {
  const ImportedModel m = import_text(mjcf(R"(<light/>
<body name="arm" gravcomp="1"><joint name="swing" axis="0 1 0"/>
<joint name="twist" axis="0 0 1" damping="1"/>
<geom size=".1" pos="0 0 -1"/>
<geom type="mesh" mesh="shell"/>
<body name="hand" pos="0 0 -1"><joint name="bend" axis="0 1 0"/><geom size=".1" pos="0 0 -.2"/></body><body name="lamp" pos="0 0 -1"><joint name="wrist" type="ball"/><geom size=".1" pos="0 0 -.2"/>
<composite/></body></body>
)",
                                           "<option timestep=\"1\" wind=\"1 0 0\"/>\n",
                                           R"(<tendon><spatial name="rope"/></tendon>
<equality><weld body1="arm"/><connect name="off" active="false" body1="arm" anchor="0 0 0"/></equality>
<actuator><muscle name="flexor" joint="swing"/></actuator>
<keyframe><key name="home"/></keyframe><plugin_unknown/>
)"));
  const std::string notes = all_notes(m);
  for (const char* part :
       {"2:1: option: what is for MuJoCo's solver is left out: timestep",
        "option: wind = \"1 0 0\" is left out", "4:1: light: nothing",
        "5:18: body \"arm\": gravcomp is left out",
        "6:1: joint \"twist\" of \"arm\" turns about (0 0 1), out of the plane of "
        "motion: it is held, and what acts in it is left out",
        "8:1: geom: a mesh cannot be written here: left out, with its mass",
        "joint \"wrist\" of \"lamp\" is a ball joint: it turns in the plane only",
        "10:1: composite: cannot be written", "12:9: spatial \"rope\" in tendon: cannot be written",
        "weld: cannot be written", "connect \"off\" is not active: left out",
        "muscle \"flexor\": this kind of actuator cannot be written",
        "key \"home\": the start is the pose of the model", "plugin_unknown: cannot be written",
        "there is no floor, so what could touch one is left out"})
    EXPECT_THAT(notes, HasSubstr(part));
  // All of it stands at the top of the file as well.
  for (const ImportNote& n : m.notes)
    EXPECT_THAT(std::regex_replace(m.text, std::regex("\n# "), " "), HasSubstr(n.text));
}

// ---- URDF --------------------------------------------------------------------------------------

TEST(ImportUrdf, root_is_free_or_fixed) {
  std::string text =
      R"(<robot name="r"><link name="base"><inertial><mass value="2"/><inertia iyy="1"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
<link name="rod"><inertial><origin xyz="0 0 -1"/><mass value="1"/><inertia iyy="1"/></inertial></link></robot>)";
  EXPECT_THAT(import_text(text).text,
              AllOf(HasSubstr("joint = \"free\""), HasSubstr("root link \"base\" is a free body")));
  EXPECT_THAT(import_text(text, {"fixed", {}}).text, Not(HasSubstr("joint = \"free\"")));
  text = replaced(text, "<mass value=\"2\"/>", "<mass value=\"0\"/>");
  EXPECT_THAT(import_text(text).text, HasSubstr("root link \"base\" is the ground"));
}

// As files in the wild have it: a world that is not listed, endless limits, loops of two links, feet of no size.
TEST(ImportUrdf, usual_extras) {
  const auto rod = [](const std::string& name) {
    return "<link name=\"" + name
         + "\"><inertial><origin xyz=\"0 0 -0.5\"/><mass value=\"1\"/></inertial></link>\n";
  };
  const std::string text =
      "<robot name=\"r\">" + rod("left") + rod("right")
      + R"(<joint name="a" type="revolute"><parent link="world"/><child link="left"/><axis xyz="0 1 0"/>
<limit lower="-Inf" upper="1.5" effort="inf"/></joint>
<joint name="b" type="continuous"><parent link="world"/><child link="right"/><axis xyz="0 1 0"/></joint>
<loop_joint name="tie" type="continuous"><link1 link="left"><origin xyz="0 0 -1"/></link1><link2 link="right"><origin xyz="0 0 -1"/></link2></loop_joint>
</robot>)";
  EXPECT_THAT(import_text(text).text, AllOf(HasSubstr("min   = \"-85.9436692696"), Not(HasSubstr("max   =")),
                                            HasSubstr("a_drive = { value = 0, about"),
                                            HasSubstr("[[loop]]\nname  = \"tie\"\nkind  = \"pin\"")));
}

TEST(ImportUrdf, a_floor_can_be_added) {
  const std::string text =
      R"(<robot name="r"><link name="ball"><inertial><origin xyz="0 0 1"/><mass value="2"/></inertial>
<collision name="skin"><origin xyz="0 0 1"/><geometry><sphere radius="0.25"/></geometry></collision></link></robot>)";
  EXPECT_THAT(import_text(text).text,
              AllOf(HasSubstr("--floor HEIGHT adds one"), HasSubstr("turns and has no inertia")));
  const std::string made = import_text(text, {"auto", 0.5}).text;
  EXPECT_THAT(made, AllOf(HasSubstr("at       = [0, -0.5]"), HasSubstr("touches  = [\"skin\"]")));
  EXPECT_EQ(play(made, 1).impacts().size(), 1u);
}

// Two rods in an L: fixed to each other in URDF, one body in MJCF.
TEST(ImportUrdf, fixed_joints_are_welds) {
  const auto rod = [](const std::string& name) {
    return fmt::format(
        "<link name=\"{}\"><inertial><origin xyz=\"0 0 -0.2\"/><mass value=\"0.5\"/>"
        "<inertia ixx=\"{:.17g}\" iyy=\"{:.17g}\"/></inertial></link>\n",
        name, 0.5 * 0.16 / 12, 0.5 * 0.16 / 12);
  };
  const std::string
      urdf = "<robot name=\"L\"><link name=\"world\"/>" + rod("long") + rod("short")
           + "<joint name=\"pin\" type=\"continuous\"><parent link=\"world\"/><child link=\"long\"/>"
             "<origin rpy=\"0 0.5 0\"/><axis xyz=\"0 1 0\"/></joint>"
             "<joint name=\"elbow\" type=\"fixed\"><parent link=\"long\"/><child link=\"short\"/>"
             "<origin xyz=\"0 0 -0.4\" rpy=\"0 -1 0\"/></joint></robot>";
  const Result welded = play(import_text(urdf).text, 1);
  // Both as one: mass 1, the centre halfway, the inertia of two slender rods about it.
  const double x = 0.2 * std::sin(1.0), z = -0.4 - 0.2 * std::cos(1.0), dx = x / 2, dz = (z + 0.2) / 2;
  const double inertia = 2 * (0.5 * 0.16 / 12) + 2 * 0.5 * (dx * dx + dz * dz);
  const Result one = play(
      import_text(mjcf(fmt::format(
                      "<body name=\"long\" euler=\"0 {:.17g} 0\"><joint name=\"pin\" axis=\"0 1 0\"/>"
                      "<inertial pos=\"{:.17g} 0 {:.17g}\" mass=\"1\" diaginertia=\"1 {:.17g} 1\"/></body>\n",
                      0.5 * 180 / pi, dx, -0.2 + dz, inertia)))
          .text,
      1);
  const auto a = welded.column("long.rate"), b = one.column("long.rate");
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9);
  EXPECT_GT(std::abs(a.back()), 0.1);
}

TEST(ImportUrdf, massless_links_are_taken_up) {
  // Between two joints of a chain, and as a frame at its end.
  const std::string text = import_model(folder + "compass_gait.urdf").text;
  EXPECT_THAT(text, Not(HasSubstr("x_slide")));
  EXPECT_THAT(text, HasSubstr("name  = \"stance\""));
}

// ---- refusals ----------------------------------------------------------------------------------

TEST(ImportRefusal, files_that_are_no_models) {
  EXPECT_THAT(refusal(""), HasSubstr("holds no XML"));
  EXPECT_THAT(refusal("title = 3\n"), HasSubstr("holds no XML"));
  EXPECT_THAT(refusal("<robot>\n  <link name=\"a\">\n</robot>"),
              ::testing::MatchesRegex("3:[0-9]+: is no XML: .*"));
  EXPECT_THAT(refusal("<?xml version=\"1.0\"?>\n<html/>"), HasSubstr("2:1: <html> is neither URDF"));
  EXPECT_THAT(refusal("<sdf/>"), HasSubstr("SDF is not read"));
  EXPECT_THAT(refusal("<robot name=\"r\"/>"), HasSubstr("1:1: the robot has no links"));
  EXPECT_THAT(refusal("<mujoco/>"), HasSubstr("the model has no bodies"));
  EXPECT_THAT(refusal(std::string(17 << 20, ' ')), HasSubstr("larger than 16 MiB"));
  std::string wide = "<mujoco><worldbody>";
  for (int i = 0; i < 300000; ++i) wide += "<body/>";
  EXPECT_THAT(refusal(wide + "</worldbody></mujoco>"), HasSubstr("there are more than 10000 elements"));
  std::string deep;
  for (int i = 0; i < 300000; ++i) deep += "<body>";
  EXPECT_THAT(refusal("<mujoco><worldbody>" + deep), HasSubstr("is no XML"));
  for (int i = 0; i < 300000; ++i) deep += "</body>";
  EXPECT_THAT(refusal("<mujoco><worldbody>" + deep + "</worldbody></mujoco>"),
              HasSubstr("nested more than 256 deep"));
  EXPECT_THAT(refusal("<mujoco><include file=\"model.xml\"/></mujoco>"),
              HasSubstr("1:9: this file includes \"model.xml\""));
  EXPECT_THAT(refusal("<robot><xacro:macro/></robot>"), HasSubstr("this is a xacro file"));
  EXPECT_THROW((void)import_model("/nowhere/model.urdf"), InputError);
  EXPECT_THROW((void)import_model(folder), InputError);
}

TEST(ImportRefusal, models_that_move_in_several_planes) {
  EXPECT_THAT(
      refusal(mjcf(R"(<body><joint name="a" axis="0 1 0"/><geom size="1" pos="0 0 1"/>
<body><joint name="b" axis="1 0 0"/><geom size="1" pos="0 0 1"/></body></body>
)")),
      HasSubstr(
          "4:7: the model does not move in one plane: joint \"b\" turns about (1 0 0), joint \"a\" (line 3) "
          "turns about (0 1 0); at most 1 of its 2 joints share one"));
}

TEST(ImportRefusal, urdf) {
  const std::string links =
      "<robot name=\"r\"><link name=\"a\"/>\n<link name=\"b\"><inertial><mass "
      "value=\"1\"/></inertial></link>\n";
  const auto joint = [&](const std::string& parent, const std::string& child, const std::string& more = "",
                         const std::string& type = "revolute") {
    return fmt::format("<joint name=\"j\" type=\"{}\"><parent link=\"{}\"/><child link=\"{}\"/>{}</joint>\n",
                       type, parent, child, more);
  };
  EXPECT_THAT(refusal(links + "</robot>"), HasSubstr("both carried by no joint"));
  EXPECT_THAT(refusal(links + joint("a", "c") + "</robot>"), HasSubstr("there is no link \"c\""));
  EXPECT_THAT(refusal(links + joint("b", "b") + "</robot>"), HasSubstr("hangs in a cycle"));
  EXPECT_THAT(refusal(links + joint("a", "b", "", "revolut") + "</robot>"),
              HasSubstr("did you mean \"revolute\"?"));
  EXPECT_THAT(refusal(links + joint("a", "b", "<limit lower=\"1\" upper=\"0\"/>") + "</robot>"),
              HasSubstr("wrong way round"));
  EXPECT_THAT(refusal(links + joint("a", "b", "<axis xyz=\"0 0 0\"/>") + "</robot>"),
              HasSubstr("is no direction"));
  EXPECT_THAT(refusal(links + joint("a", "b", "<origin xyz=\"0 0\"/>") + "</robot>"),
              HasSubstr("3:76: \"xyz\" of origin: \"0 0\" has 2 numbers; 3 are needed"));
  EXPECT_THAT(refusal(links + joint("a", "b", "<dynamics damping=\"1e999\"/>") + "</robot>"),
              HasSubstr("is not a finite number"));
  EXPECT_THAT(refusal(links + joint("a", "b", "<dynamics damping=\"-1\"/>") + "</robot>"),
              HasSubstr("must not be negative"));
  EXPECT_THAT(refusal(links + joint("a", "b", "<mimic joint=\"k\"/>") + "</robot>"),
              HasSubstr("there is no joint \"k\""));
  EXPECT_THAT(refusal("<robot name=\"r\"><link name=\"world\"/></robot>"),
              HasSubstr("nothing in the model moves"));
}

TEST(ImportRefusal, mjcf) {
  EXPECT_THAT(refusal(mjcf("<body><joint type=\"hinges\"/></body>")),
              HasSubstr("the types are hinge, slide, ball or free"));
  EXPECT_THAT(refusal(mjcf("<body><joint range=\"2 1\"/></body>")), HasSubstr("the smaller first"));
  EXPECT_THAT(refusal(mjcf("<body><joint/><geom type=\"capsule\" size=\"1\"/></body>")),
              HasSubstr("too few numbers"));
  EXPECT_THAT(refusal(mjcf("<body><joint/><geom size=\"-1\"/></body>")), HasSubstr("must be greater than 0"));
  EXPECT_THAT(refusal(mjcf("<body><joint damping=\"-1\"/></body>")), HasSubstr("must not be negative"));
  EXPECT_THAT(refusal(mjcf("<body name=\"a\"><joint name=\"j\"/><geom size=\"1\"/></body>", "",
                           "<actuator><motor joint=\"jj\"/></actuator>")),
              HasSubstr("there is no joint \"jj\"; did you mean \"j\"?"));
  EXPECT_THAT(refusal(mjcf("<body/>", "<compiler angle=\"grad\"/>")), HasSubstr("must be degree or radian"));
}

// Whatever a file holds, it is imported or refused, and what is imported is TOML.
TEST(ImportRefusal, broken_files_do_no_harm) {
  std::uint64_t seed = 1;
  const auto next = [&](std::size_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(seed >> 33) % below;
  };
  const test::TempFolder temporary("import");
  const std::string path = (temporary.path() / "model.xml").string();
  int taken = 0, refused = 0;
  const std::string pieces[] = {"\"", "<", ">",    "/>",   "nan", "-1", "1e308", "0",
                                "",   " ", "body", "\xff", "\n",  "'",  "$"};
  for (const char* file : {"hopper.xml", "hopper.urdf", "five_bar.xml", "geared_leg.urdf"}) {
    const std::string good = model_text(file);
    for (int k = 0; k < 400; ++k) {
      std::string text = good;
      for (std::size_t n = 0; n <= next(3); ++n)
        text.replace(next(text.size()), next(8), pieces[next(std::size(pieces))]);
      std::ofstream(path, std::ios::binary) << text;
      try {
        const std::string made = import_model(path).text;
        EXPECT_NO_THROW((void)toml::parse(made)) << made;
        EXPECT_THAT(made, Not(::testing::ContainsRegex("= -?(nan|inf)"))) << text;
        ++taken;
      } catch (const InputError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(taken, 100);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace thud
