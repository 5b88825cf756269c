#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thud/scenario/scenario.hpp"

namespace thud {

/// Values of a knob at even distances [SI], the ends among them.
struct KnobRange {
  double low = 0, high = 0;
  std::int64_t count = 1;

  double at(std::int64_t k) const {
    return count > 1 ? low + static_cast<double>(k) * (high - low) / static_cast<double>(count - 1) : low;
  }
};

/// What `--vary` gives of a knob: a list or FROM:TO:STEP, with the scenario and what else is set. Errors are at `--vary`.
class VariedValues {
 public:
  /// `given`: NAME=VALUES. Throws InputError where the scenario has no such knob or `set` sets it already.
  VariedValues(const std::string& given, const std::string& scenario, const std::vector<Knob>& knobs,
               const KnobSettings& set);

  const Knob& knob() const { return *knob_; }
  bool is_range() const { return values_.find(':') != std::string::npos; }
  KnobRange range() const;
  std::vector<std::string> list() const;

  /// As the scenario reads it: in SI or the index of a choice. Throws InputError where the knob does not take it.
  double value_of(const std::string& text) const;
  InputError error(const std::string& message) const { return {{"--vary " + given_, 0, 0}, message}; }

 private:
  std::string given_, scenario_, values_;
  KnobSettings set_;
  const Knob* knob_ = nullptr;
};

}  // namespace thud
