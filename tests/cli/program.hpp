#pragma once
// The program run by a test.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "temp_folder.hpp"

namespace thud::test {

struct Result {
  int status = -1;  // exit status, or minus the signal that ended it
  std::string out, err;
  long memory = 0;  // largest resident size [KB], where it was asked for
};

/// What is said of bad input: status 2, nothing on stdout, one line on stderr.
inline std::string refusal_in(const Result& r) {
  EXPECT_EQ(r.status, 2) << r.err;
  EXPECT_THAT(r.out, ::testing::IsEmpty());
  EXPECT_THAT(r.err, ::testing::StartsWith("thud: "));
  EXPECT_EQ(r.err.find('\n'), r.err.size() - 1) << r.err;
  return r.err;
}

/// Runs the program through the shell, in a folder of its own.
class ShellTest : public ::testing::Test {
 protected:
  /// The arguments are for the shell; it starts in the test's folder.
  Result thud(const std::string& arguments) const {
    const std::string command = "cd " + folder.string()
                              + " && LC_ALL=C.UTF-8 THUD_DATA=" THUD_SOURCE_DATA_DIR " '"
                              + std::string(THUD_PROGRAM) + "' " + arguments + " >out 2>err </dev/null";
    const int state = std::system(command.c_str());
    return {WIFEXITED(state) ? WEXITSTATUS(state) : -1, content(folder / "out"), content(folder / "err")};
  }
  std::string refusal(const std::string& arguments) const {
    SCOPED_TRACE(arguments);
    return refusal_in(thud(arguments));
  }

  const TempFolder temporary{"shell"};
  const std::filesystem::path folder = temporary.path();
};

}  // namespace thud::test
