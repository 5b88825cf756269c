#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "thud/store/csv.hpp"
#include "thud/study/sweep.hpp"

namespace thud {

/// A column of the results of a sweep: a varied knob or an output.
struct SweepColumn {
  std::string name, unit, about;     ///< unit: SI
  std::string shown_in;              ///< of a knob: the unit in which its scenario declares it
  std::vector<std::string> choices;  ///< of a textual knob, whose values are indices of these
  bool is_knob = false;
};

/// The HDF5 file of a sweep, for reading.
///
///   /                 attributes: schema, schema_version, thud_version, title, about, scenario_name, design, seed, runs,
///                     columns (their names, in order)
///   /knobs/NAME       float64 [runs]   attributes: unit, description, shown_in, choices
///   /outputs/NAME     float64 [runs]   attributes: unit, description; NaN where a run has no such value
///   /status           uint8 enum [runs]
///   /messages/run     int64 [m], in order;   /messages/text  UTF-8 [m]: why a run did not reach what was asked
///   /study, /scenario the texts of the files;   /settings    the knobs that stay
///
/// Behind it stands a line with a checksum of all this; a file that does not agree with its own is refused.
class SweepFile {
 public:
  /// Throws InputError when there is no such file or it is not the result of a sweep.
  explicit SweepFile(const std::filesystem::path& path);
  ~SweepFile();
  SweepFile(SweepFile&&) noexcept;

  std::int64_t runs() const;
  const std::vector<SweepColumn>& columns() const;  ///< knobs, then outputs
  /// The place of a column in columns(); −1: there is none of that name.
  int find(std::string_view name) const;

  /// Values of a column from run `first` on.
  void read(std::size_t column, std::int64_t first, std::span<double> values) const;
  void read_status(std::int64_t first, std::span<SweepStatus> status) const;
  /// Calls sink(run, text) for all messages, in order of the runs.
  void read_messages(const std::function<void(std::int64_t, const std::string&)>& sink) const;

  /// A text at the root: "study", "scenario", "settings" or an attribute such as "thud_version".
  std::string text(const std::string& name) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Header "run,angle [rad],...,status,message", then one line per run.
void write_sweep_csv(const SweepFile& file, const TextSink& sink);

}  // namespace thud
