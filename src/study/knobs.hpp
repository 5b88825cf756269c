#pragma once

#include <algorithm>
#include <string>

#include "thud/scenario/scenario.hpp"

namespace thud {

/// `base` with the settings of `over` in place of its own or after them.
[[nodiscard]] inline KnobSettings merge_settings(KnobSettings base, const KnobSettings& over) {
  for (const auto& wanted : over) {
    const auto same = [&](const auto& setting) { return setting.first == wanted.first; };
    const auto found = std::find_if(base.begin(), base.end(), same);
    if (found == base.end())
      base.push_back(wanted);
    else
      found->second = wanted.second;
  }
  return base;
}

/// What a knob is set to; empty where it is not set.
[[nodiscard]] inline std::string setting_of(const KnobSettings& set, const std::string& knob) {
  for (const auto& [name, value] : set)
    if (name == knob) return value;
  return "";
}

}  // namespace thud
