#pragma once

#include <functional>

#include "study/capture_text.hpp"

namespace thud {

/// A column as its heading has it.
struct Heading {
  std::string name;  ///< "M1 X" where one line names the markers and another their axes
  std::optional<std::string> unit;
  std::string written;  ///< with its unit, as it stands in the file
  int line = 0, column = 0;
};

/// How a file of measured values is laid out: what stands before the values.
struct CaptureLayout {
  char separator = ',', decimal = '.';
  std::vector<TextLine> preamble;  ///< before the headings
  std::vector<Heading> headings;
  int header_line = 0;              ///< the last line with headings; values follow
  bool has_decimals = false;        ///< some value tells what the decimal mark is
  std::optional<double> rate;       ///< frames per second, as the preamble says
  std::optional<std::string> unit;  ///< of lengths, as the preamble says
};

struct LayoutRules {
  std::optional<int> skip;  ///< lines before the headings
  std::optional<char> decimal;
  /// Whether a name is one that headings are expected to have; a first line with such a name is taken for the headings.
  std::function<bool(const std::string&)> is_known;
};

/// Looks at the first lines. Throws InputError when there is nothing in the file.
[[nodiscard]] CaptureLayout find_layout(std::string_view text, const std::string& file,
                                        const LayoutRules& rules);

/// "link.tip.z [mm]" or "link.tip.z (mm)" into name and unit.
[[nodiscard]] Heading read_heading(const Cell& cell, int line);

/// Names of columns that count frames, and of those that tell the time.
[[nodiscard]] bool is_frame_name(std::string_view name);
[[nodiscard]] bool is_time_name(std::string_view name);

/// What a unit is called in files of measurements, as thud calls it: "mm" for "Millimeters".
[[nodiscard]] std::string plain_unit(std::string_view written);

}  // namespace thud
