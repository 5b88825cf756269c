#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "thud/store/file.hpp"
#include "thud/study/study.hpp"

/// A sweep of free links over 25-60 deg x 1-2.5 m/s, a Sobol design: the same points for everybody.
inline thud::Study make_free_link_study(const std::filesystem::path& folder, int runs) {
  const std::string path = (folder / "bench.toml").string();
  thud::write_file(path, fmt::format("scenario = \"free_link\"\noutputs = [\"t_z\"]\n[vary]\n"
                                     "angle = {{ uniform = [\"25 deg\", \"60 deg\"] }}\n"
                                     "speed = {{ uniform = [1, 2.5] }}\n"
                                     "[design]\nkind = \"sobol\"\nruns = {}\n",
                                     runs));
  return thud::load_study(path);
}

inline double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<long>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

inline double time_of(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
