#pragma once

#include <filesystem>
#include <optional>
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
  double start = 0;                ///< what the file's clock showed at time 0 [s]
  int left_out = 0;                ///< rows outside the wanted times
  std::vector<std::string> notes;  ///< what was made of the file, in words: codes, the rate, the plane

  /// How many values there are, gaps not counted.
  std::size_t count() const;
  /// The time of the last row [s]; 0 when there is none.
  double last() const { return time.empty() ? 0 : time.back(); }
  /// The median distance of two rows [s]; 0 when there are fewer.
  double frame() const;
};

/// A point that a file has under a name of its own, with the axes of the file: columns "M1 X", "M1_y", "M1.Z".
struct MeasuredPoint {
  std::string point;   ///< of the scenario: "link.marker1"
  std::string marker;  ///< in the file: "M1"
};

/// Which way an axis of the scenario points in the file: "-Z" is axis 2 with sign −1.
struct FileAxis {
  int axis = 0;
  double sign = 1;
};

/// How the columns of a file are to be understood.
struct MeasurementRules {
  std::vector<std::pair<std::string, std::string>> rename;  ///< heading in the file, observable
  std::vector<std::string> ignore;   ///< headings of columns that are not wanted; patterns will do
  double from = -1e300, to = 1e300;  ///< rows outside these times of the file are left out [s]
  double start = 0;                  ///< time of the file at which the run starts [s]
  std::optional<double> rate;  ///< frames per second, for files that count frames instead of telling the time
  std::optional<int> skip;     ///< lines before the headings; found out when not given
  std::optional<char> decimal;  ///< '.' or ','; found out when not given
  std::string unit;             ///< of lengths without a unit of their own; empty: SI
  std::vector<double> missing;  ///< numbers that mean "not seen", as they stand in the file
  std::vector<MeasuredPoint> points;
  std::optional<FileAxis> x, z;       ///< where the axes of the scenario point in the file
  bool find_plane = false;            ///< lay the points into the plane that they move in
  FileAxis up{2, 1};                  ///< the way up in the file, for that
  double origin_x = 0, origin_z = 0;  ///< where the file has the origin of the scenario, along its axes [m]
};

/// A number beyond this, in whatever unit, is no measurement but the code of a missing one.
inline constexpr double largest_measurement = 1e15;

/// Reads measured values from comma-separated text (semicolons and tabs will do too):
///
///     # anything behind a hash is a comment
///     time [s], link.marker1.x [mm], link.marker1.z [mm]
///     0.000, 76.2, -123.4
///     0.002, , -121.0
///
/// The first line names observables with their units (SI when there is none); an empty cell, or nan, is a gap. Lines of
/// preamble, decimal commas, several lines of headings and frame numbers are recognised (docs/guide/fits.md).
/// Throws InputError with file, line, column and the value for whatever is wrong.
[[nodiscard]] Measurement read_measurement(std::string_view text, const std::string& file,
                                           const std::vector<NamedObservable>& observables,
                                           const MeasurementRules& rules = {});

/// The same from a file.
[[nodiscard]] Measurement load_measurement(const std::filesystem::path& path,
                                           const std::vector<NamedObservable>& observables,
                                           const MeasurementRules& rules = {});

}  // namespace thud
