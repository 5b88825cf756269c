// What became of the published numbers: reproduced, misprinted, not reproduced, each with its rows.
#pragma once

#include <string>
#include <vector>

#include "thud/study/reproduce.hpp"

namespace thud {

/// A group of the count: so many numbers, and where they stand.
struct CountGroup {
  std::string name;   ///< "reproduced"
  std::string about;  ///< what it means, in a clause
  int count = 0;
  struct Entry {
    std::string id;     ///< of the table
    int count = 0;      ///< of its numbers
    std::string about;  ///< how closely, or why not
    std::vector<std::string> rows;
  };
  std::vector<Entry> entries;
};

/// Reproduced, misprinted, not reproduced, and measured and not run where there are any; of published numbers only.
[[nodiscard]] std::vector<CountGroup> count_groups(const Reproduction& all);

/// "175 reproduced, 3 misprinted, 18 not reproduced".
[[nodiscard]] std::string count_line(const Reproduction& all);

}  // namespace thud
