#pragma once
// The table of rates.

#include <array>
#include <string>
#include <vector>

#include "campaign/judge.hpp"

namespace thud::campaign {

struct Row {
  std::string name, about;
  std::array<long, static_cast<std::size_t>(Verdict::count)> counts{};
  double worst = 0;         ///< residual of those that are fine
  double wall_seconds = 0;  ///< is not in the table: it differs from run to run

  void add(const Judgement& j);
  long runs() const;      ///< without what was refused
  long failures() const;  ///< of these
  std::string line() const;
  static std::string heading();
};

Row sum(const std::vector<Row>& rows);
std::string markdown(const std::vector<Row>& rows);

}  // namespace thud::campaign
