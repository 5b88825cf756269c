#pragma once
// Makes a file that fails as small as it can be while it fails in the same way.

#include <string>
#include <vector>

#include "campaign/workers.hpp"

namespace thud::campaign {

struct Shrunk {
  std::string text;
  Judgement judgement;
  int trials = 0;
};

/// The same for any number of jobs.
Shrunk shrink(const std::string& text, const Judgement& failure, const Limits& limits, int jobs);

/// Ways to make a text smaller, one at a time. They know lines, tables and names, not what the keys mean: what makes no
/// sense is refused by the reader.
std::vector<std::string> without_bodies(const std::string& text);  ///< and without all that names them
std::vector<std::string> without_tables(const std::string& text);  ///< other than bodies
std::vector<std::string> without_lines(const std::string& text);
std::vector<std::string> without_entries(const std::string& text);  ///< of inline tables and lists
std::vector<std::string> with_round_numbers(const std::string& text);

}  // namespace thud::campaign
