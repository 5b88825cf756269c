#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace thud {

/// A knob of a scenario, as its file declares it under [parameters]. Values are SI; `unit` is for showing.
struct Knob {
  std::string name;
  double value = 0, default_value = 0;
  std::string unit;
  std::optional<std::pair<double, double>> range;
  std::string about;
  bool integer = false;
  std::vector<std::string> choices;  ///< a textual knob
  std::string text, default_text;
};

/// Knobs set from strings: {"angle", "40 deg"}. A bare number is in SI.
using KnobSettings = std::vector<std::pair<std::string, std::string>>;

/// A named result of a run; without a value when its instant was never reached.
struct ResultValue {
  std::string name;
  std::optional<double> value;
  std::string unit;
  std::string rule;  ///< as the scenario states it
};

/// A scenario that can be run by its name.
struct LibraryEntry {
  std::string name, path, title, about;
};
/// The scenarios that can be run by name.
[[nodiscard]] std::vector<LibraryEntry> list_library();

/// Folder with `scenarios/`, `studies/` and `reference/`: $THUD_DATA, what was set, beside the program, or where the
/// package that the program was built with has them.
[[nodiscard]] std::string data_folder();
/// Says where that folder is, for programs that do not lie beside it. Not while something is being loaded.
void set_data_folder(std::string folder);

#ifdef THUD_PACKAGE_DATA  // given by the CMake and pkg-config packages
namespace detail {
void set_package_data(const char* folder);
inline const bool package_data_is_known = (set_package_data(THUD_PACKAGE_DATA), true);
}  // namespace detail
#endif

}  // namespace thud
