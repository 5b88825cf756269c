// Files that once failed and must not again: each is run and judged as the campaign does it.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "campaign/judge.hpp"
#include "campaign/workers.hpp"

namespace thud::campaign {
namespace {

TEST(Campaign, cases_that_were_mended_stay_so) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator("tests/campaign/cases"))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  ASSERT_GT(files.size(), 2u);
  for (const auto& file : files) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    const Judgement j = judge_apart(text.str(), {});
    EXPECT_EQ(j.verdict, Verdict::fine) << file << ": " << verdict_name(j.verdict) << ": " << j.message;
  }
}

}  // namespace
}  // namespace thud::campaign
