#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thud/dynamics/observable.hpp"

namespace thud {

/// What was measured of one observable. Values are SI.
struct MeasuredColumn {
  NamedObservable what;
  std::vector<double> value;  ///< one per row; NaN where nothing was measured
};

/// A measured trajectory: one file, one run of the experiment.
struct Measurement {
  std::string file;          ///< for messages
  std::vector<double> time;  ///< [s], never falling
  std::vector<MeasuredColumn> columns;
  int left_out = 0;  ///< rows outside the wanted times

  /// How many values there are, gaps not counted.
  std::size_t count() const;
  /// The time of the last row [s]; 0 when there is none.
  double last() const { return time.empty() ? 0 : time.back(); }
};

/// How the columns of a file are to be understood.
struct MeasurementRules {
  std::vector<std::pair<std::string, std::string>> rename;  ///< heading in the file, observable
  std::vector<std::string> ignore;                          ///< headings of columns that are not wanted
  double from = -1e300, to = 1e300;  ///< rows outside these times of the file are left out [s]
  double start = 0;                  ///< time of the file at which the run starts [s]
};

/// Reads measured values from comma-separated text (semicolons and tabs will do too):
///
///     # anything behind a hash is a comment
///     time [s], link.marker1.x [mm], link.marker1.z [mm]
///     0.000, 76.2, -123.4
///     0.002, , -121.0
///
/// The first line names observables with their units (SI when there is none); an empty cell, or nan, is a gap.
/// Throws InputError with file, line, column and the value for whatever is wrong.
[[nodiscard]] Measurement read_measurement(std::string_view text, const std::string& file,
                                           const std::vector<NamedObservable>& observables,
                                           const MeasurementRules& rules = {});

/// The same from a file.
[[nodiscard]] Measurement load_measurement(const std::filesystem::path& path,
                                           const std::vector<NamedObservable>& observables,
                                           const MeasurementRules& rules = {});

}  // namespace thud
