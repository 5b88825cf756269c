#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "thud/event/solver.hpp"

namespace thud {

/// At which instants a trajectory has rows.
struct Sampling {
  enum class Kind : std::uint8_t {
    automatic,  ///< every 1, 2 or 5 · 10^k s, so that there are 500 to 1250 rows, and both sides of every impact
    uniform,  ///< every `interval`
    steps,    ///< the solver's own steps, with both sides of every impact and change of mode
  };
  Kind kind = Kind::automatic;
  double interval = 0;  ///< [s]
};

/// Columns of numbers against time.
struct Trajectory {
  std::vector<NamedObservable> columns;
  std::vector<double> time;
  std::vector<double> values;  ///< row by row

  std::size_t row_count() const { return time.size(); }
  double at(std::size_t row, std::size_t column) const { return values[row * columns.size() + column]; }
};

/// The largest value of an observable.
struct Peak {
  double time = 0;
  double value = 0;
};

/// Keeps the states of a run at the wanted instants, taken from the continuous extension of the solver's steps.
///
/// States are kept, not observables, so that any columns can be read off afterwards. Memory is bounded: automatic
/// sampling thins itself out as the run goes on; the others stop at `max_bytes` and say so.
class TrajectoryRecorder final : public StepObserver {
 public:
  explicit TrajectoryRecorder(const System& system, Sampling sampling = {},
                              std::size_t max_bytes = std::size_t{512} << 20);

  /// Tells the coordinates and velocities of the start, which an impact there would hide.
  void begin_at(const std::vector<double>& q, const std::vector<double>& v);
  void on_step(StepView& step) override;
  /// Adds the instant at which the run ended.
  void finish(const Outcome& outcome);

  /// Calls sink(t, values) for every row, with one value per column.
  void read(const std::vector<NamedObservable>& columns,
            const std::function<void(double, const std::vector<double>&)>& sink) const;
  [[nodiscard]] Trajectory table(const std::vector<NamedObservable>& columns) const;
  /// Calls sink(t, state) for every row, with the state as System has it: (q, v, …).
  void read_states(const std::function<void(double, const double*)>& sink) const;
  /// Calls sink(t, work) for the rows with these numbers, in order, with the system evaluated there.
  void read_work(const std::vector<std::size_t>& rows,
                 const std::function<void(double, const Work<double>&)>& sink) const;
  /// The largest value of each, over all recorded instants and not only the rows.
  [[nodiscard]] std::vector<Peak> peaks(const std::vector<Observable>& what) const;

  std::size_t row_count() const;
  /// True when rows are missing at the end because there was no room for them.
  bool is_truncated() const { return truncated_; }
  /// Where a truncated trajectory ends [s].
  double recorded_until() const { return rows_.empty() ? 0 : rows_.back().time; }

 private:
  struct Row {
    double time;
    std::shared_ptr<const Mode> mode;
  };

  double sample_time(long k) const;
  const std::shared_ptr<const Mode>& current_mode(const Mode& mode);
  void record(StepView& step, double t);
  void note_jump(StepView& step);
  bool differ(const std::vector<double>& a, const std::vector<double>& b);  // in their velocities
  void record_samples(StepView& step);
  void record_step(StepView& step);
  void thin_out();
  std::size_t stride() const;
  void go_to(const Row& row, const double* state, Work<double>& work, std::vector<double>& slope) const;
  // Rows and jumps in the order of time: f(row, state).
  template <class F>
  void for_each(std::size_t stride, F&& f) const;

  const System& system_;
  Sampling sampling_;
  std::size_t width_, limit_;
  std::vector<Row> rows_;
  std::vector<double> states_;
  // Both sides of impacts, in pairs, where the rows are samples that do not meet them.
  std::vector<Row> jumps_;
  std::vector<double> jump_states_;
  bool watches_jumps_ = false;
  double fastest_ = 0;              // velocity so far
  std::vector<double> last_, now_;  // states at the end of the last step and at the beginning of this one
  std::shared_ptr<const Mode> last_mode_;
  std::shared_ptr<const Mode> mode_;
  double start_ = 0;
  double per_second_ = 0;  // samples per second where that is a whole number
  long next_ = 0;          // number of the next sample
  bool started_ = false, ended_ = false, truncated_ = false;
};

}  // namespace thud
