#include "units.hpp"

#include "scenario/unit_powers.hpp"
#include "thud/base/error.hpp"

#include <fmt/format.h>
#include <udunits2.h>

#include <array>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <vector>

namespace thud::doc {
namespace {

// Powers of metre, kilogram, second and radian. UDUNITS calls the radian dimensionless but keeps
// it as a basic unit of its own in every product, which is what lets us tell angles apart.
struct Powers {
  int metre = 0, kilogram = 0, second = 0, radian = 0;
  std::string others;  // amperes, kelvins, ... : nothing we measure, yet not all the same

  bool operator==(const Powers&) const = default;
};

struct Unit {
  Powers powers;
  double scale = 1.0;   // value in SI = value · scale
  bool plain = true;    // false: with an offset (°C), a logarithm or a date; not a ratio scale
  bool cycles = false;  // counts cycles (Hz): never to be taken for radians per second
};

struct Entry {
  Dimension dimension;
  const char* name;
  const char* si_unit;
  Powers powers;
  const char* units;  // a few to name in messages
  const char* example;
};

const std::array entries{
    Entry{Dimension::none, "plain number", "", {}, "", "0.5"},
    Entry{Dimension::any, "number", "", {}, "", "0.5"},
    Entry{Dimension::length, "length", "m", {1, 0, 0, 0, {}}, "m, mm, in, ...", "200 mm"},
    Entry{Dimension::mass, "mass", "kg", {0, 1, 0, 0, {}}, "kg, g, lb, ...", "0.5 kg"},
    Entry{Dimension::time, "time", "s", {0, 0, 1, 0, {}}, "s, ms, min, ...", "0.5 s"},
    Entry{Dimension::angle, "angle", "rad", {0, 0, 0, 1, {}}, "deg, rad or rev", "30 deg"},
    Entry{Dimension::angular_rate,
          "angular rate",
          "rad/s",
          {0, 0, -1, 1, {}},
          "rad/s, deg/s, rpm or 1/s",
          "90 deg/s"},
    Entry{Dimension::speed, "speed", "m/s", {1, 0, -1, 0, {}}, "m/s, mm/s, km/h, ...", "0.5 m/s"},
    Entry{Dimension::acceleration,
          "acceleration",
          "m/s^2",
          {1, 0, -2, 0, {}},
          "m/s^2, cm/s^2, gravity, ...",
          "9.81 m/s^2"},
    Entry{Dimension::density, "density", "kg/m^3", {-3, 1, 0, 0, {}}, "kg/m^3, g/cm^3, ...", "1500 kg/m^3"},
    Entry{Dimension::force, "force", "N", {1, 1, -2, 0, {}}, "N, kN, lbf, ...", "10 N"},
    Entry{Dimension::torque, "torque", "N m", {2, 1, -2, 0, {}}, "N m, mN m, ...", "0.5 N m"},
    Entry{Dimension::inertia,
          "moment of inertia",
          "kg m^2",
          {2, 1, 0, 0, {}},
          "kg m^2, g cm^2, ...",
          "0.01 kg m^2"},
    Entry{Dimension::stiffness, "stiffness", "N/m", {0, 1, -2, 0, {}}, "N/m, N/mm, ...", "100 N/m"},
    Entry{Dimension::rotational_stiffness,
          "rotational stiffness",
          "N m/rad",
          {2, 1, -2, -1, {}},
          "N m/rad, N m/deg, ...",
          "2 N m/rad"},
    Entry{Dimension::damping_torque,
          "rotational damping",
          "N m s/rad",
          {2, 1, -1, -1, {}},
          "N m s/rad, N m s, ...",
          "0.01 N m s/rad"},
    Entry{Dimension::damping_force, "damping", "N s/m", {0, 1, -1, 0, {}}, "N s/m, kg/s, ...", "5 N s/m"},
    Entry{Dimension::quadratic_drag,
          "quadratic drag",
          "N s^2/m^2",
          {-1, 1, 0, 0, {}},
          "N s^2/m^2, kg/m, ...",
          "5 N s^2/m^2"},
    Entry{Dimension::area, "area", "m^2", {2, 0, 0, 0, {}}, "m^2, cm^2, ...", "10 cm^2"},
    Entry{Dimension::volume, "volume", "m^3", {3, 0, 0, 0, {}}, "m^3, cm^3, L, ...", "10 cm^3"},
    Entry{Dimension::energy, "energy", "J", {2, 1, -2, 0, {}}, "J, mJ, N m, ...", "2 J"},
    Entry{Dimension::frequency, "frequency", "Hz", {0, 0, -1, 0, {}}, "Hz, kHz, 1/s, ...", "50 Hz"},
    Entry{Dimension::pressure, "pressure", "Pa", {-1, 1, -2, 0, {}}, "Pa, GPa, N/mm^2, ...", "210 GPa"},
    Entry{Dimension::flexural_rigidity,
          "flexural rigidity",
          "N m^2",
          {3, 1, -2, 0, {}},
          "N m^2, N mm^2, ...",
          "15 N m^2"},
    Entry{Dimension::force_density,
          "force per volume",
          "N/m^3",
          {-2, 1, -2, 0, {}},
          "N/m^3, N/cm^3, ...",
          "1.2e5 N/m^3"},
};

const Entry& entry_of(Dimension dimension) {
  for (const Entry& entry : entries)
    if (entry.dimension == dimension) return entry;
  throw std::logic_error("a Dimension without an entry in units.cpp");
}

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// ---- UDUNITS: one system, one lock (its parser and its status are global) --------------------

struct UnitDeleter {
  void operator()(ut_unit* unit) const { ut_free(unit); }
};
using UnitHandle = std::unique_ptr<ut_unit, UnitDeleter>;

ut_status visit_basic(const ut_unit* unit, void* arg);
ut_status visit_product(const ut_unit*, int count, const ut_unit* const* basic, const int* powers, void* arg);
ut_status visit_scaled(const ut_unit*, double scale, const ut_unit* inner, double offset, void* arg);

ut_status visit_date(const ut_unit*, const ut_unit*, double, void* arg) {
  static_cast<Unit*>(arg)->plain = false;
  return UT_SUCCESS;
}

ut_status visit_logarithm(const ut_unit*, double, const ut_unit*, void* arg) {
  static_cast<Unit*>(arg)->plain = false;
  return UT_SUCCESS;
}

constexpr ut_visitor visitor{visit_basic, visit_product, visit_scaled, visit_date, visit_logarithm};

void add_basic(Unit& unit, const ut_unit* basic, int power) {
  const char* symbol = ut_get_symbol(basic, UT_ASCII);
  const std::string_view s = symbol ? symbol : "";
  if (s == "m")
    unit.powers.metre += power;
  else if (s == "kg")
    unit.powers.kilogram += power;
  else if (s == "s")
    unit.powers.second += power;
  else if (s == "rad")
    unit.powers.radian += power;
  else
    unit.powers.others += fmt::format("{}^{} ", s, power);
}

ut_status visit_basic(const ut_unit* basic, void* arg) {
  add_basic(*static_cast<Unit*>(arg), basic, 1);
  return UT_SUCCESS;
}

ut_status visit_product(const ut_unit*, int count, const ut_unit* const* basic, const int* powers,
                        void* arg) {
  for (int i = 0; i < count; ++i) add_basic(*static_cast<Unit*>(arg), basic[i], powers[i]);
  return UT_SUCCESS;
}

ut_status visit_scaled(const ut_unit*, double scale, const ut_unit* inner, double offset, void* arg) {
  auto& unit = *static_cast<Unit*>(arg);
  unit.scale *= scale;
  if (offset != 0.0) unit.plain = false;
  return ut_accept_visitor(inner, &visitor, arg);
}

// UDUNITS multiplies its way to a scale and may end an ulp beside the decimal it means
// (an inch as 0.025400000000000002); irrational scales (deg) stay as they are.
double tidy(double scale) {
  const std::string digits = fmt::format("{:.13e}", scale);
  double decimal = scale;
  std::from_chars(digits.data(), digits.data() + digits.size(), decimal);
  return std::abs(decimal - scale) <= 4e-16 * std::abs(scale) ? decimal : scale;
}

// UDUNITS reads numbers as the locale of the thread writes them, and means points.
class PointLocale {
 public:
  PointLocale() : locale_(::newlocale(LC_ALL_MASK, "C", nullptr)), before_(::uselocale(locale_)) {}
  ~PointLocale() {
    ::uselocale(before_);
    ::freelocale(locale_);
  }
  PointLocale(const PointLocale&) = delete;
  PointLocale& operator=(const PointLocale&) = delete;

 private:
  locale_t locale_, before_;
};

class UnitSystem {
 public:
  static UnitSystem& instance() {
    static UnitSystem system;
    return system;
  }

  // Empty: no such unit.
  std::optional<Unit> parse(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (const auto known = cache_.find(text); known != cache_.end()) return known->second;
    const PointLocale points;
    std::optional<Unit> result;
    if (const UnitHandle handle{ut_parse(system_, text.c_str(), UT_UTF8)}) {
      result.emplace();
      ut_accept_visitor(handle.get(), &visitor, &*result);
      result->scale = tidy(result->scale);
      result->cycles = counts_cycles(text);
    }
    if (cache_.size() < max_cached) cache_.emplace(text, result);
    return result;
  }

 private:
  static constexpr std::size_t max_cached = 1000;

  UnitSystem() {
    const PointLocale points;
    ut_set_error_message_handler(ut_ignore);
    system_ = ut_read_xml(nullptr);
    if (!system_)
      throw std::runtime_error(
          "the UDUNITS-2 unit database could not be read; install libudunits2-data or set "
          "UDUNITS2_XML_PATH");
    add("deg", "degree");
    add("rev", "revolution");
    add("revs", "revolution");
    add("Nm", "N m");
    add("Nms", "N m s");
    add("Ns", "N s");
    // To UDUNITS these are thousandths and thousands of a phot.
    add("mph", "mile/hour");
    add("kph", "km/hour");
  }

  void add(const char* symbol, const char* definition) {
    if (const UnitHandle unit{ut_parse(system_, definition, UT_UTF8)})
      ut_map_symbol_to_unit(symbol, UT_UTF8, unit.get());
  }

  static bool counts_cycles(const std::string& text) {
    return text.find("Hz") != std::string::npos || text.find("ertz") != std::string::npos
        || text.find("HERTZ") != std::string::npos;
  }

  ut_system* system_ = nullptr;  // lives as long as the program
  std::mutex mutex_;
  std::map<std::string, std::optional<Unit>> cache_;
};

// ---- from text to Unit -------------------------------------------------------------------------

// UDUNITS reads "m²" but not "s⁻²" nor a typographic minus.
std::string to_plain_spelling(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> spellings{
      {{"⁻", "-"}, {"−", "-"}, {"¹", "1"}, {"²", "2"}, {"³", "3"}, {"⁴", "4"}, {"·", "."}, {"⋅", "."}}};
  std::string result;
  while (!text.empty()) {
    bool replaced = false;
    for (const auto& [from, to] : spellings) {
      if (!text.starts_with(from)) continue;
      result += to;
      text.remove_prefix(from.size());
      replaced = true;
      break;
    }
    if (replaced) continue;
    result += text.front();
    text.remove_prefix(1);
  }
  return result;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "3 4 m" would otherwise be twelve metres.
bool starts_like_a_unit(std::string_view unit) {
  if (unit.starts_with("1/") || unit.starts_with("1 /") || unit == "1") return true;
  const char c = unit.front();
  return !is_digit(c) && c != '.' && c != '+' && c != '-' && c != ',' && c != '_';
}

const std::vector<std::string>& common_units() {
  static const std::vector<std::string> units{
      "m",     "mm",   "cm",    "km",        "in",     "ft",     "metre",  "meter",  "kg",     "g",   "lb",
      "s",     "ms",   "min",   "second",    "rad",    "deg",    "rev",    "degree", "radian", "rpm", "rad/s",
      "deg/s", "m/s",  "mm/s",  "km/h",      "m/s^2",  "kg/m^3", "g/cm^3", "N",      "kN",     "mN",  "N m",
      "N/m",   "N/mm", "N s/m", "N m s/rad", "kg m^2", "J",      "Hz",     "kHz"};
  return units;
}

Unit find_unit(std::string_view text) {
  constexpr std::size_t longest = 100;
  const std::string_view unit = trim(text);
  if (unit.empty()) return {};
  if (unit.find('\0') != std::string_view::npos) refuse("a unit with a zero byte is not a unit");
  if (unit.size() > longest) refuse(fmt::format("\"{}...\" is not a unit", unit.substr(0, 20)));
  if (!starts_like_a_unit(unit))
    refuse(fmt::format("\"{}\" is not a unit: a unit does not begin with a number", unit));
  const auto found = UnitSystem::instance().parse(to_plain_spelling(unit));
  if (!found) refuse(fmt::format("unknown unit \"{}\"{}", unit, did_you_mean(unit, common_units())));
  if (!found->plain || !std::isfinite(found->scale) || found->scale == 0.0)
    refuse(fmt::format("\"{}\" cannot be used here: it is not a plain multiple of an SI unit", unit));
  return *found;
}

bool measures(const Unit& unit, Dimension dimension) {
  if (dimension == Dimension::any) return true;
  const Powers& expected = entry_of(dimension).powers;
  if (unit.powers == expected) return true;
  // N m s for N m s/rad, and 1/s for rad/s; but an angle is never left out of "deg".
  const bool radian_may_be_left_out = dimension == Dimension::angular_rate
                                   || dimension == Dimension::damping_torque
                                   || dimension == Dimension::rotational_stiffness;
  if (!radian_may_be_left_out || unit.cycles) return false;
  Powers without_radian = expected;
  without_radian.radian = 0;
  return unit.powers == without_radian;
}

Dimension classify(const Unit& unit, std::string_view text) {
  if (unit.powers == Powers{}) return Dimension::none;
  // Torque and energy share their powers; who means a torque multiplies a force by an arm.
  if (unit.powers == entry_of(Dimension::torque).powers) {
    const bool arm = text.find_first_of(" .*") != std::string_view::npos
                  || text.find("Nm") != std::string_view::npos || text.find("·") != std::string_view::npos;
    return arm ? Dimension::torque : Dimension::energy;
  }
  for (const Entry& entry : entries)
    if (entry.dimension != Dimension::any && entry.powers == unit.powers) return entry.dimension;
  if (unit.powers == Powers{2, 1, -1, 0, {}}) return Dimension::damping_torque;
  return Dimension::any;
}

[[noreturn]] void refuse_dimension(std::string_view text, const Unit& unit, Dimension expected) {
  const std::string_view shown = trim(text);
  const Dimension actual = classify(unit, shown);
  const std::string is = actual == Dimension::any ? fmt::format("\"{}\" is no unit of that kind", shown)
                       : actual == Dimension::none
                           ? fmt::format("\"{}\" has no dimension", shown)
                           : fmt::format("\"{}\" is {} unit", shown, with_article(actual));
  if (expected == Dimension::none) refuse(is + "; a plain number without unit is expected");
  std::string hint;
  if (expected == Dimension::acceleration && shown == "g")
    hint = "; g is the gram: for standard gravity write \"gravity\"";
  if (expected == Dimension::angular_rate && unit.cycles) hint = "; for cycles per second write \"rev/s\"";
  refuse(
      fmt::format("{}; {} is expected ({}){}", is, with_article(expected), entry_of(expected).units, hint));
}

double scaled(double value, double scale) {
  // 3 mm is 3/1000 m to the last bit, which 3·0.001 need not be.
  const double inverse = std::round(1.0 / scale);
  if (inverse > 1.0 && inverse < 1e15 && 1.0 / inverse == scale) return value / inverse;
  return value * scale;
}

double checked(double value) {
  if (!std::isfinite(value)) refuse("the value is not a finite number");
  return value;
}

// ---- from text to number and unit ------------------------------------------------------------

struct Split {
  double value = 0.0;
  std::string_view unit;
};

bool begins_with_number(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  if (!text.empty() && text.front() == '.') text.remove_prefix(1);
  return !text.empty() && is_digit(text.front());
}

Split split_quantity(std::string_view raw) {
  std::string_view text = trim(raw);
  if (!begins_with_number(text))
    refuse(fmt::format("\"{}\" is not a number with a unit, such as \"0.2 m\"{}", raw,
                       text.starts_with('=') ? "; a formula cannot stand here" : ""));
  const std::string_view digits = text.front() == '+' ? text.substr(1) : text;
  Split result;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), result.value);
  if (error != std::errc{})
    refuse(fmt::format("the number in \"{}\" is too large or too small to compute with", raw));
  result.unit = trim(digits.substr(static_cast<std::size_t>(end - digits.data())));
  if (result.unit.starts_with(',') && result.unit.size() > 1 && is_digit(result.unit[1]))
    refuse(fmt::format("\"{}\": write the decimals after a point, not a comma", raw));
  return result;
}

}  // namespace

const char* si_unit(Dimension dimension) { return entry_of(dimension).si_unit; }

const char* name(Dimension dimension) { return entry_of(dimension).name; }

const char* example(Dimension dimension) { return entry_of(dimension).example; }

std::string with_article(Dimension dimension) {
  const std::string noun = name(dimension);
  const bool vowel = std::strchr("aeiou", noun.front()) != nullptr;
  return (vowel ? "an " : "a ") + noun;
}

double to_si(double value, std::string_view unit, Dimension expected) {
  checked(value);
  if (trim(unit).empty() && expected != Dimension::none && expected != Dimension::any)
    refuse(fmt::format("{} needs a unit ({})", with_article(expected), entry_of(expected).units));
  const Unit found = find_unit(unit);
  if (!measures(found, expected)) refuse_dimension(unit, found, expected);
  return checked(scaled(value, found.scale));
}

double from_si(double in_si, std::string_view unit) {
  const double scale = find_unit(unit).scale;
  const double inverse = std::round(1.0 / scale);
  if (inverse > 1.0 && inverse < 1e15 && 1.0 / inverse == scale) return in_si * inverse;
  return in_si / scale;
}

double parse_quantity(std::string_view text, Dimension expected) {
  const Split split = split_quantity(text);
  if (!split.unit.empty()) return to_si(split.value, split.unit, expected);
  if (expected == Dimension::none || expected == Dimension::any)
    refuse(fmt::format("\"{}\" is text; drop the quotes to make it a number", text));
  refuse(fmt::format("\"{}\" has no unit; drop the quotes to mean {}, or add a unit ({})", text,
                     si_unit(expected), entry_of(expected).units));
}

double parse_quantity_like(std::string_view text, std::string_view model_unit) {
  const Split split = split_quantity(text);
  const Unit model = find_unit(model_unit);
  if (split.unit.empty())
    refuse(
        fmt::format("\"{}\" has no unit; drop the quotes, or add a unit such as \"{}\"", text, model_unit));
  const Unit unit = find_unit(split.unit);
  if (unit.powers != model.powers)
    refuse(fmt::format("\"{}\" does not measure the same as \"{}\"", split.unit, model_unit));
  return checked(scaled(split.value, unit.scale));
}

std::optional<std::string_view> unit_of(std::string_view text) {
  if (!begins_with_number(trim(text))) return std::nullopt;
  return split_quantity(text).unit;
}

Dimension dimension_of(std::string_view unit) {
  const std::string_view text = trim(unit);
  return classify(find_unit(text), text);
}

std::optional<UnitPowers> powers_of(std::string_view unit) {
  try {
    const Powers p = find_unit(unit).powers;
    if (p.others.empty()) return UnitPowers{p.metre, p.kilogram, p.second, p.radian};
  } catch (const std::invalid_argument&) {
  }
  return std::nullopt;
}

std::string unit_with(const UnitPowers& powers) {
  static const std::vector<std::pair<const char*, UnitPowers>> named = [] {
    std::vector<std::pair<const char*, UnitPowers>> all;
    for (const char* unit : {"N", "J", "W", "N s", "J s", "N m s", "N/m", "N s/m", "Pa"})
      all.emplace_back(unit, *powers_of(unit));
    return all;
  }();
  for (const auto& [unit, p] : named)
    if (p == powers) return unit;
  const auto side = [&](int sign) {
    std::string out;
    const std::pair<const char*, int> parts[] = {
        {"kg", powers.kilogram}, {"m", powers.metre}, {"rad", powers.radian}, {"s", powers.second}};
    for (const auto& [symbol, power] : parts)
      if (sign * power > 0)
        out += (out.empty() ? "" : " ") + std::string(symbol)
             + (sign * power > 1 ? std::to_string(sign * power) : "");
    return out;
  };
  const std::string above = side(1), below = side(-1);
  if (below.empty()) return above;
  return (above.empty() ? "1" : above) + "/"
       + (below.find(' ') == std::string::npos ? below : "(" + below + ")");
}

std::string show(double value) {
  return fmt::format("{:.6g}", value == 0.0 ? 0.0 : value);  // never "-0"
}

}  // namespace thud::doc
