#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "study/fit_parameters.hpp"
#include "thud/scenario/family.hpp"

namespace thud {

/// The rule that says how noisy an observable is; none when there is no such rule. The last one that fits counts.
[[nodiscard]] const NoiseRule* find_noise(const FitStudy& study, const NamedObservable& what);

/// The model as a function of the parameters: values at the measured instants, and their derivatives.
///
/// Measured values are numbered file by file, column by column, row by row, gaps left out.
class FitModel {
 public:
  FitModel(const FitStudy& study, const std::vector<FitData>& data, const FitOptions& options);

  const std::vector<FitParameter>& parameters() const { return parameters_; }
  Eigen::Index value_count() const { return measured_.size(); }
  const Eigen::VectorXd& measured() const { return measured_; }
  /// The unit of every measured value, as an index in units().
  const std::vector<int>& unit_of() const { return unit_of_; }
  const std::vector<std::string>& units() const { return units_; }

  /// Where a measured value stands.
  struct Source {
    std::size_t file, column, row;
  };
  const std::vector<Source>& sources() const { return sources_; }
  const MeasuredColumn& column(const Source& s) const { return data_[s.file].measurement.columns[s.column]; }
  /// False for values that lie before the start of the run for some of the starts that are allowed.
  bool is_usable(Eigen::Index i) const { return usable_[static_cast<std::size_t>(i)]; }

  /// Turns the axes of a file round.
  void set_sign(std::size_t file, FitAxis axis, double sign);

  /// The model at the measured instants. False when a run failed.
  bool predict(const Eigen::VectorXd& parameters, Eigen::VectorXd& values);
  /// Its derivatives, by differences of second order; `values` is predict() there. False when too many runs failed.
  bool differentiate(const Eigen::VectorXd& parameters, const Eigen::VectorXd& values,
                     Eigen::MatrixXd& slopes);
  /// How the values of all files change when their runs start later.
  bool differentiate_starts(const Eigen::VectorXd& parameters, Eigen::VectorXd& slopes);

  /// What a reader of the fit wants to see of every column of every file, of the values that are used.
  std::vector<FitResidual> residuals(const Eigen::VectorXd& parameters, const std::vector<char>& used,
                                     std::vector<std::string>& notes);

  /// What the runs to come are for, in words, for the progress.
  void enter(std::string stage) { stage_ = std::move(stage); }

  long runs() const { return runs_; }
  long failed_runs() const { return failed_; }
  const std::string& failure() const { return failure_; }
  bool is_cancelled() const { return cancel_ && cancel_->load(std::memory_order_relaxed); }

 private:
  struct File {
    const FitData* data;
    std::vector<Observable> columns;
    std::vector<FitAxis> axes;  // of the columns
    Eigen::Index first, count;  // among the measured values
    double delay_step;          // for derivatives with respect to the start
    std::array<double, 4> sign{1, 1, 1, 1};
  };
  // How a file sees the scenario: measured = offset + scale · observable((time − delay)/clock).
  struct View {
    double delay = 0, clock = 1;
    std::array<double, 4> offset{0, 0, 0, 0}, scale{1, 1, 1, 1};
  };
  struct Task {
    std::size_t file;
    Eigen::VectorXd parameters;
    double delay = 0;  // more than the parameters say
    Eigen::VectorXd values{};
    bool ok = false;
    std::string message{};
  };

  void add_file(const FitData& data, std::vector<double>& measured);
  void add_local(const FitData& data, std::size_t file);
  void add_nuisance(const Measurement& measurement, std::size_t file);
  void mark_unusable();
  void run_all(std::vector<Task>& tasks);
  void run_one(Task& task);
  std::vector<double> settings(std::size_t file, const Eigen::VectorXd& parameters) const;
  static std::vector<double> run_times(const std::vector<double>& times, const View& view);
  View view(std::size_t file, const Eigen::VectorXd& parameters) const;
  RunRequest request(const File& file, const View& view) const;
  double step_of(std::size_t k, double value) const;
  void differentiate_axes(const Eigen::VectorXd& parameters, const Eigen::VectorXd& values,
                          Eigen::MatrixXd& slopes) const;
  void note_failures(const std::vector<Task>& tasks);

  const FitStudy& study_;
  const std::vector<FitData>& data_;
  const std::atomic<bool>* cancel_;
  std::function<void(std::string_view, long)> progress_;
  std::string stage_ = "start";
  std::vector<FitParameter> parameters_;
  std::vector<File> files_;
  std::vector<std::string> varied_, units_;
  std::vector<int> unit_of_;
  std::vector<Source> sources_;
  std::vector<char> usable_;
  Eigen::VectorXd measured_;
  double relative_step_ = 1e-3;
  int jobs_;
  std::vector<std::string> measured_names_;
  tbb::enumerable_thread_specific<ScenarioFamily> families_;
  long runs_ = 0, failed_ = 0;
  std::string failure_;
};

}  // namespace thud
