#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "thud/scenario/run.hpp"

namespace thud {

/// How synthetic measurements are made. The defaults are the motion capture of Lee 2009, sec. 6.1: 500 frames per
/// second, and 0.1 mm of noise on positions.
struct SynthOptions {
  double rate = 500;  ///< frames per second
  std::vector<std::pair<std::string, double>> noise{
      {"m", 1e-4}};                      ///< SI unit, standard deviation; "": any unit
  std::vector<std::string> observables;  ///< empty: x and z of the points that the scenario declares
  std::uint64_t seed = 1;
  double until = 0;  ///< [s]; 0: the end of the run
  double start = 0;  ///< what the file's clock shows when the run starts [s]
  RunRequest request;
};

/// A run seen as a measurement would see it: CSV text with a comment that says how it was made, for load_measurement().
/// The noise is normal and independent from value to value. Throws InputError for an unknown name, and OutputError when the run fails.
[[nodiscard]] std::string make_synthetic_csv(const Scenario& scenario, const SynthOptions& options);

/// A run to be measured.
struct SynthSource {
  std::string file;  ///< as [data] of the study calls it; empty for a scenario and for a study without [data]
  std::string scenario;
  KnobSettings set;
  RunRequest request;
  double start = 0;

  /// Without folders; of a scenario, its name with ".csv".
  std::string file_name() const;
};

/// The measurement of a source, with its request and its clock in the place of those of the options.
[[nodiscard]] std::string make_synthetic_csv(const SynthSource& source, SynthOptions options);

/// What a study or a scenario offers to be measured: every file of the study's [data] with its knobs, or the scenario
/// once. `set` comes on top. Throws InputError.
[[nodiscard]] std::vector<SynthSource> find_synth_sources(const std::string& study_or_scenario,
                                                          const KnobSettings& set);

}  // namespace thud
