// thud import, as somebody at a terminal meets it.

#include "program.hpp"

namespace thud {
namespace {

using ::testing::HasSubstr;

class ImportCli : public test::ShellTest {
 protected:
  static std::string model(const std::string& file) { return THUD_SOURCE_DATA_DIR "/tests/models/" + file; }
};

TEST_F(ImportCli, writes_a_file_that_runs) {
  const auto made = thud("import " + model("double_pendulum.urdf"));
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.out, "Wrote double_pendulum.toml. Run it with: thud run double_pendulum.toml\n");
  EXPECT_THAT(made.err, HasSubstr("double_pendulum.urdf:4:3: root link \"world\" is the ground"));
  EXPECT_EQ(thud("check double_pendulum.toml").status, 0);
  const auto run = thud("run double_pendulum.toml --no-plot");
  EXPECT_EQ(run.status, 0) << run.err;
  // The same bytes again, and on standard output.
  EXPECT_EQ(thud("import " + model("double_pendulum.urdf") + " -o -").out,
            test::content(folder / "double_pendulum.toml"));
}

TEST_F(ImportCli, never_overwrites_unasked) {
  ASSERT_EQ(thud("import " + model("compass_gait.xml") + " -o gait.toml").status, 0);
  EXPECT_THAT(refusal("import " + model("double_pendulum.xml") + " -o gait.toml"),
              HasSubstr("exists already; --force"));
  EXPECT_THAT(test::content(folder / "gait.toml"), HasSubstr("compass gait"));
  EXPECT_EQ(thud("import " + model("double_pendulum.xml") + " -o gait.toml --force").status, 0);
  EXPECT_THAT(test::content(folder / "gait.toml"), HasSubstr("double pendulum"));
  std::ofstream(folder / "own.urdf") << test::content(model("double_pendulum.urdf"));
  EXPECT_THAT(refusal("import own.urdf -o own.urdf --force"), HasSubstr("is the model itself"));
}

TEST_F(ImportCli, refuses_kindly) {
  EXPECT_THAT(refusal("import nowhere.urdf"), HasSubstr("nowhere.urdf: there is no such file"));
  EXPECT_THAT(refusal("import " + model("double_pendulum.toml")), HasSubstr("holds no XML"));
  EXPECT_THAT(refusal("import " + model("double_pendulum.urdf") + " --base loose"),
              HasSubstr("allowed are auto, free or fixed"));
  EXPECT_THAT(refusal("import " + model("double_pendulum.urdf") + " --floor nan"),
              HasSubstr("must be finite"));
  EXPECT_THAT(refusal("import " + model("double_pendulum.xml") + " --base free"),
              HasSubstr("base is for URDF files only"));
  EXPECT_THAT(thud("import").err, HasSubstr("MODEL is required"));
  EXPECT_FALSE(std::filesystem::exists(folder / "double_pendulum.toml"));
}

}  // namespace
}  // namespace thud
