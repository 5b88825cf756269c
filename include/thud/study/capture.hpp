#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thud/base/format.hpp"

namespace thud {

// A file of measured values, looked at before anything is fitted to it.
//
//   const Capture c = load_capture_view("drop.csv");
//   fmt::print("{}", to_text(c, {}));

/// What is known about the file beforehand; the rest is found out.
struct CaptureHints {
  std::optional<double> rate;
  std::optional<int> skip;
  std::optional<char> decimal;
  std::string unit;  ///< of lengths without a unit of their own
  std::vector<double> missing;
};

/// A number that stands for "not seen".
struct CaptureCode {
  double value = 0;
  std::vector<std::string> columns;
  int cells = 0;
  int first_line = 0;
  bool certain = true;  ///< else it may be a measured value
};

struct CaptureOutlier {
  std::string column;
  int line = 0;
  double time = 0, value = 0;
};

/// A column of values, as the file has them.
struct CaptureColumn {
  std::string name, marker;
  int axis = -1;  ///< 0, 1, 2 for X, Y, Z of a marker
  std::string unit;
  bool is_unit_said = false;  ///< by the file or by a hint; else it is taken for SI
  double factor = 1;          ///< SI per unit
  std::vector<double> value;  ///< NaN for gaps, codes and outliers
  int gaps = 0, longest_gap = 0;
  double low = 0, high = 0, noise = 0;
};

/// Which way an axis points, from what falls before the first touch.
struct CaptureVertical {
  int axis = 2;
  bool is_up = false;
  double acceleration = 0, error = 0;  ///< [m/s²]
};

struct CapturePlane {
  std::array<double, 3> normal{}, x{}, z{};
  double off = 0, extent = 0;  ///< rms [m]
  bool is_line = false;        ///< the points move along a line, so that many planes hold them
};

struct Capture {
  std::string file;
  int preamble = 0, header_line = 0;
  char separator = ',', decimal = '.';
  std::string clock;          ///< "time", "frames" or "rows"
  double rate = 0;            ///< frames per second; 0: not known
  bool is_rate_said = false;  ///< by a hint or the preamble, not by a column of times
  int uneven = 0;             ///< steps of time that differ from the usual one
  std::vector<double> time;   ///< [s], or rows where there is no rate
  std::vector<CaptureColumn> columns;
  std::vector<CaptureCode> codes;
  std::vector<CaptureOutlier> outliers;
  std::optional<CapturePlane> plane;
  std::optional<CaptureVertical> vertical;
  std::optional<std::pair<double, double>> touch;  ///< about when, and how far off that may be [s]
  bool begins_late =
      false;  ///< accelerations jump, but nothing falls freely before: the touch is not in the file

  std::vector<std::string> markers() const;
  /// Lines for a study that says what was seen.
  std::string study_lines() const;
};

/// Throws InputError for a file that cannot be read as a table of numbers.
[[nodiscard]] Capture view_capture(std::string_view text, const std::string& file,
                                   const CaptureHints& hints = {});
[[nodiscard]] Capture load_capture_view(const std::filesystem::path& path, const CaptureHints& hints = {});

[[nodiscard]] std::string to_text(const Capture& capture, const TextStyle& style);
[[nodiscard]] std::string to_json(const Capture& capture);
/// Every column against time, with gaps, outliers and the first touch, as SVG.
[[nodiscard]] std::string make_capture_picture(const Capture& capture);

}  // namespace thud
