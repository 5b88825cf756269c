// Feeds a target with files: fuzz_replay TARGET FOLDER... A file may take 10 s and 2 GB.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "fuzz/targets.hpp"
#include "temp_folder.hpp"

namespace {

using Target = void (*)(std::string_view);

const std::map<std::string, Target> targets = {
    {"scenario", thud::fuzz::scenario}, {"study", thud::fuzz::study}, {"expression", thud::fuzz::expression},
    {"units", thud::fuzz::units},       {"csv", thud::fuzz::csv},     {"json", thud::fuzz::json},
    {"store", thud::fuzz::store}};

constexpr unsigned most_seconds = 10;
constexpr rlim_t most_bytes = rlim_t{2} << 30;

// Addresses are no measure of memory under the sanitizers.
void limit_memory() {
#ifndef __SANITIZE_ADDRESS__
  const rlimit limit{most_bytes, most_bytes};
  ::setrlimit(RLIMIT_AS, &limit);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  const auto target = argc >= 3 ? targets.find(argv[1]) : targets.end();
  if (target == targets.end()) {
    fmt::print(stderr, "usage: fuzz_replay TARGET FOLDER...\n");
    return 2;
  }
  limit_memory();
  std::set<std::filesystem::path> files;
  for (int k = 2; k < argc; ++k)
    for (const auto& file : std::filesystem::directory_iterator(argv[k]))
      if (file.is_regular_file()) files.insert(file.path());
  for (const std::filesystem::path& file : files) {
    fmt::print("{}\n", file.filename().string());
    std::fflush(stdout);
    ::alarm(most_seconds);
    target->second(thud::test::content(file));
  }
  ::alarm(0);
  fmt::print("{} files\n", files.size());
  return files.empty() ? 1 : 0;
}
