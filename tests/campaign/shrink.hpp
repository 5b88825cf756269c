#pragma once
// Makes a file that fails as small as it can be while it fails in the same way.

#include <string>

#include "campaign/workers.hpp"

namespace thud::campaign {

struct Shrunk {
  std::string text;
  Judgement judgement;
  int trials = 0;
};

Shrunk shrink(const std::string& text, const Judgement& failure, const Limits& limits);

}  // namespace thud::campaign
