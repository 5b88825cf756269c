#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "scenario/unit_powers.hpp"

namespace thud::doc {

/// What is known of the unit of a part of a formula. `soft`: by way of a number, which may have brought a unit of its own.
struct FormulaUnit {
  enum class Kind : std::uint8_t { number, unknown, known };
  Kind kind = Kind::number;
  UnitPowers powers{};
  bool soft = false;
  std::string text{};

  bool is_known() const { return kind == Kind::known; }
  bool is_hard() const { return is_known() && !soft; }
};

inline FormulaUnit unit_from(std::string_view text) {
  if (text.empty()) return {};
  const auto powers = powers_of(text);
  if (!powers) return {FormulaUnit::Kind::unknown};
  return {FormulaUnit::Kind::known, *powers, false, std::string(text)};
}

/// Radians are counted only where nothing but time stands beside them: N m rad/s are watts.
inline FormulaUnit known_unit(UnitPowers p, bool soft) {
  if (p.metre != 0 || p.kilogram != 0) p.radian = 0;
  if (p == UnitPowers{}) return {};
  return {FormulaUnit::Kind::known, p, soft, unit_with(p)};
}

inline FormulaUnit product(const FormulaUnit& a, const FormulaUnit& b, int sign) {
  if (a.kind == FormulaUnit::Kind::unknown || b.kind == FormulaUnit::Kind::unknown)
    return {FormulaUnit::Kind::unknown};
  if (!a.is_known() && !b.is_known()) return {};
  if (!b.is_known()) {
    FormulaUnit out = a;
    out.soft = true;
    return out;
  }
  UnitPowers p = a.powers;
  p.metre += sign * b.powers.metre;
  p.kilogram += sign * b.powers.kilogram;
  p.second += sign * b.powers.second;
  p.radian += sign * b.powers.radian;
  return known_unit(p, !a.is_known() || a.soft || b.soft);
}

inline FormulaUnit scaled(const FormulaUnit& a, double power) {
  if (!a.is_known()) return a;
  bool whole = true;
  const auto times = [&](int n) {
    const double x = n * power;
    whole = whole && std::abs(x) < 100 && x == std::round(x);
    return whole ? static_cast<int>(x) : 0;
  };
  const UnitPowers p{times(a.powers.metre), times(a.powers.kilogram), times(a.powers.second),
                     times(a.powers.radian)};
  return whole ? known_unit(p, a.soft) : FormulaUnit{FormulaUnit::Kind::unknown};
}

}  // namespace thud::doc
