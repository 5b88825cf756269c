#pragma once

#include <algorithm>

#include "thud/scenario/scenario.hpp"

namespace thud {

/// `base` with the settings of `over` in place of its own or after them.
[[nodiscard]] inline KnobSettings merge_settings(KnobSettings base, const KnobSettings& over) {
  for (const auto& [name, value] : over) {
    const auto same = [&](const auto& setting) { return setting.first == name; };
    const auto found = std::find_if(base.begin(), base.end(), same);
    if (found == base.end())
      base.emplace_back(name, value);
    else
      found->second = value;
  }
  return base;
}

}  // namespace thud
