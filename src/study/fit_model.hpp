#pragma once

#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "thud/scenario/family.hpp"
#include "thud/study/fit.hpp"

namespace thud {

/// The rule that says how noisy an observable is; none when there is no such rule. The last one that fits counts.
[[nodiscard]] const NoiseRule* find_noise(const FitStudy& study, const NamedObservable& what);

/// Reads observables off a run at given instants. After the end of the run its final state stands.
class Sampler final : public StepObserver {
 public:
  /// `times` must not fall; `columns[k]` is wanted at all of them.
  Sampler(const System& system, const std::vector<double>& times, const std::vector<Observable>& columns);

  void on_step(StepView& step) override;
  void finish(const Outcome& outcome);
  double at(std::size_t row, std::size_t column) const { return values_[row * columns_.size() + column]; }
  /// How many instants lie after the end of the run.
  std::size_t held() const { return held_; }

 private:
  void read(double t, const double* y, const Mode& mode);

  const System& system_;
  const std::vector<double>& times_;
  const std::vector<Observable>& columns_;
  Work<double> work_;
  std::vector<double> y_, slope_, values_;
  std::size_t next_ = 0, held_ = 0;
};

/// A parameter of the fit: a knob of all files, or a local knob of one.
struct FitParameter {
  const FitKnob* knob;
  int file;          // −1: all
  std::size_t slot;  // where its value goes among the varied knobs
  double start;
  double size;  // typical, for scaling

  bool concerns(std::size_t f) const { return file < 0 || static_cast<std::size_t>(file) == f; }
};

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

  /// The model at the measured instants. False when a run failed.
  bool predict(const Eigen::VectorXd& parameters, Eigen::VectorXd& values);
  /// Its derivatives, by differences of second order; `values` is predict() there. False when too many runs failed.
  bool differentiate(const Eigen::VectorXd& parameters, const Eigen::VectorXd& values,
                     Eigen::MatrixXd& slopes);

  /// What a reader of the fit wants to see of every column of every file.
  std::vector<FitResidual> residuals(const Eigen::VectorXd& parameters, std::vector<std::string>& notes);

  long runs() const { return runs_; }
  long failed_runs() const { return failed_; }
  const std::string& failure() const { return failure_; }
  bool is_cancelled() const { return cancel_ && cancel_->load(std::memory_order_relaxed); }

 private:
  struct File {
    const FitData* data;
    std::vector<Observable> columns;
    Eigen::Index first, count;  // among the measured values
  };
  struct Task {
    std::size_t file;
    Eigen::VectorXd parameters;
    Eigen::VectorXd values;
    bool ok = false;
    std::string message{};
  };

  void run_all(std::vector<Task>& tasks);
  void run_one(Task& task);
  std::vector<double> settings(std::size_t file, const Eigen::VectorXd& parameters) const;
  RunRequest request(const File& file) const;
  double step_of(std::size_t k, double value) const;
  void note_failures(const std::vector<Task>& tasks);

  const FitStudy& study_;
  const std::vector<FitData>& data_;
  const std::atomic<bool>* cancel_;
  std::vector<FitParameter> parameters_;
  std::vector<File> files_;
  std::vector<std::string> varied_, units_;
  std::vector<int> unit_of_;
  Eigen::VectorXd measured_;
  double relative_step_ = 1e-3;
  std::optional<tbb::global_control> threads_;
  tbb::task_arena arena_;
  std::vector<std::string> measured_names_;
  tbb::enumerable_thread_specific<ScenarioFamily> families_;
  long runs_ = 0, failed_ = 0;
  std::string failure_;
};

}  // namespace thud
