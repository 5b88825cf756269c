#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thud/base/format.hpp"
#include "thud/study/measurement.hpp"
#include "thud/study/study.hpp"

namespace thud {

// Knobs of a scenario fitted to measured trajectories (docs/theory/fits.md has the statistics).
//
//   const FitStudy study = load_fit_study("fit_free_link");
//   const FitResult result = fit(study, load_fit_data(study, {"run1.csv", "run2.csv"}));

enum class FitLoss : std::uint8_t { none, huber, cauchy };

/// Where 95 % intervals come from: s² (JᵀJ)⁻¹, the profile of the sum of squares, or refits to resampled residuals.
enum class FitIntervals : std::uint8_t { linear, profile, bootstrap };

/// A knob that is fitted: where it starts and where it may go (SI; infinite where nothing bounds it).
struct FitKnob {
  Knob knob;
  double start = 0, low = 0, high = 0;
  Place place;
};

/// A knob with a value of its own in every file: an initial condition.
struct LocalKnob {
  FitKnob fit;
  bool free = false;      ///< fitted for every file; else as given
  bool required = false;  ///< every file must give it
};

/// A property of the measurement, not of the scenario, fitted for every file: its clock, which shows `start` when the run
/// starts and then `clock` seconds a second, and its axes, as in measured = offset + scale · observable.
struct NuisanceKnob {
  enum class Kind : std::uint8_t { start, clock, offset, scale };
  Kind kind = Kind::start;
  std::string axis;              ///< "x", "z" or "angle"; none of a clock
  std::optional<double> within;  ///< how far it may go from what is stated (SI)
};

/// What is known about one file of measured values.
struct FitFile {
  std::string name;                                    ///< as the study has it
  std::vector<std::pair<std::string, double>> values;  ///< of local knobs (SI, or the index of a choice)
  MeasurementRules rules;
  Place place;
};

/// Standard deviation of the measured values of the observables that a pattern names (SI).
struct NoiseRule {
  std::string pattern;  ///< "*", "link.marker1.*"
  double deviation = 0;
  std::string unit;  ///< SI; only observables in it are meant, all when it is empty
  Place place;
};

/// The sections [fit] and [data] of a study.
struct FitStudy {
  Study study;
  std::vector<FitKnob> knobs;      ///< with one value for all files
  std::vector<LocalKnob> initial;  ///< with a value per file
  std::vector<NuisanceKnob> nuisance;
  bool start_known =
      false;  ///< else the start of every file is fitted, within a frame where nothing else is said
  bool find_signs = false;     ///< of the axes of every file, by what the model does at the start
  bool keep_outliers = false;  ///< let them count like other values
  FitIntervals intervals = FitIntervals::profile;
  int samples = 200;  ///< of a bootstrap
  FitLoss loss = FitLoss::none;
  double loss_scale = 1;         ///< in standard deviations
  std::vector<NoiseRule> noise;  ///< empty: estimated from the residuals
  int starts = 1;
  std::uint64_t seed = 1;
  int iterations = 100;
  std::vector<FitFile> files;
  std::vector<NamedObservable> observables;  ///< of the scenario
  std::string scenario_title;
};

/// Reads a study with its [fit] and [data]. Throws InputError.
[[nodiscard]] FitStudy load_fit_study(const std::string& name_or_path, const KnobSettings& set = {});

/// A measured trajectory with the values of the local knobs for it, one per FitStudy::initial.
struct FitData {
  std::string name;  ///< of the file, for reports
  Measurement measurement;
  std::vector<double> local;
};

/// Reads the files given on the command line, or all of [data] when none is given. Throws InputError for anything that
/// is wrong with them, also when there are fewer values than fitted knobs.
[[nodiscard]] std::vector<FitData> load_fit_data(const FitStudy& study,
                                                 const std::vector<std::string>& files);

struct FitOptions {
  int jobs = 0;  ///< threads; 0: one per processor. The result does not depend on it.
  const std::atomic<bool>* cancel = nullptr;
  /// Called after every batch of runs; `stage`: "iteration 4", "interval 2 of 9".
  std::function<void(std::string_view stage, long runs)> progress;
};

/// One fitted knob.
struct FitEstimate {
  enum class Status : std::uint8_t { determined, at_bound, undetermined, no_effect };
  Knob knob;
  std::string file;       ///< of a local knob; empty for a knob of all files
  bool nuisance = false;  ///< of the clock or the axes of the file
  double value = 0, start = 0, low = 0, high = 0;
  double size = 0;  ///< typical, where neither value nor start tell
  Status status = Status::determined;
  std::optional<double> error;                        ///< standard error
  std::optional<std::pair<double, double>> interval;  ///< 95 %
  std::optional<double> limit;  ///< of a knob at a bound: how far from it the data let it be (95 %)

  /// "eta_d", or "speed (run1.csv)".
  std::string name() const;
};
const char* fit_status_name(FitEstimate::Status status);
const char* fit_intervals_name(FitIntervals intervals);

/// How one column of one file is met.
struct FitResidual {
  std::string file, observable, unit;
  std::vector<double> time, measured, fitted;
  double rms = 0;
  double end_value = 0;             ///< the last measured value
  std::optional<double> end_error;  ///< γ of Lee 2009, eq. 6.1, as a fraction, of the last measured value
  double lag_one = 0;               ///< autocorrelation of successive residuals
  std::vector<double> curve_time, curve;  ///< the fitted run between the measured instants
};

/// The noise of all observables of one unit.
struct FitNoise {
  std::string unit;  ///< SI
  std::optional<double> given;
  double found = 0;  ///< from the residuals
};

/// A measured value that is too far from the model and from its fellows to be noise; the fit does without it.
struct FitOutlier {
  std::string file, observable, unit;
  double time = 0, measured = 0, fitted = 0;
};

/// Where one of several starts led.
struct FitStart {
  std::vector<double> start, end;
  double cost = 0;
  bool converged = false;
};

struct FitResult {
  std::string title, scenario, file, loss;
  bool converged = false, cancelled = false;
  std::string message;  ///< why not
  std::vector<FitEstimate> estimates;
  std::vector<std::size_t> correlated;  ///< estimates that the correlation matrix is about
  Eigen::MatrixXd correlation;
  double condition = 1;  ///< of the Jacobian with columns of equal length
  long values = 0, degrees = 0;
  double scale = 0;  ///< s: standard deviation of the residuals in units of the stated noise, or 1
  std::optional<double> chi_square, chi_square_probability;  ///< when the noise was given
  std::vector<FitNoise> noise;
  std::vector<FitResidual> residuals;
  std::vector<FitStart> starts;
  int iterations = 0;
  long runs = 0, failed_runs = 0;
  std::string failure;                            ///< the first run that failed
  FitIntervals intervals = FitIntervals::linear;  ///< what the intervals are
  std::vector<FitOutlier> outliers;
  std::vector<std::string> undetermined;  ///< combinations of knobs that the data leave open, in words
  std::vector<std::string> failures;      ///< why the estimates are not to be trusted, in words
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  ///< what was done to the data

  /// Converged, every knob is determined, none at a bound, and the model meets the data.
  bool is_sound() const { return converged && undetermined.empty() && failures.empty(); }
};

/// Fits. Numerical outcomes are reported, never thrown. The same input gives the same bits for any number of threads.
[[nodiscard]] FitResult fit(const FitStudy& study, const std::vector<FitData>& data,
                            const FitOptions& options = {});

[[nodiscard]] std::string to_text(const FitResult& result, const TextStyle& style);
[[nodiscard]] std::string to_json(const FitResult& result);

/// Pictures as (file name, SVG): for every observable the measured points with the fitted curves, and the residuals.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> make_fit_pictures(const FitResult& result);

}  // namespace thud
