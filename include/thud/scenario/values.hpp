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
/// Scenarios to begin a file of one's own with, by kind.
[[nodiscard]] std::vector<LibraryEntry> list_templates();

/// Folder with `scenarios/`, `studies/` and `reference/`: $THUD_DATA, what was set, beside the program, or beside the
/// headers that the program was compiled with.
[[nodiscard]] std::string data_folder();
/// Says where that folder is, for programs that do not lie beside it. Not while something is being loaded.
void set_data_folder(std::string folder);

#ifndef THUD_INSTALL_DATA_DIR  // outside of thud's own build
namespace detail {
void note_header(const char* path);
inline const bool header_is_noted = (note_header(__FILE__), true);
}  // namespace detail
#endif

}  // namespace thud
