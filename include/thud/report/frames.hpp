#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "thud/event/solver.hpp"

namespace thud {

/// Keeps the states of a run at instants that suit an animation.
///
/// Half of the frames are even in time, half are even over the steps of the solver, so that an impact of a millisecond
/// in a run of ten seconds can be watched at 1/1000 of its speed; where the mode changes both sides are kept. Memory is
/// bounded: while the run goes on, states are thinned out.
class FrameRecorder final : public StepObserver {
 public:
  explicit FrameRecorder(const System& system, std::size_t frames = 800);

  void on_step(StepView& step) override;
  /// Adds the instant at which the run ended, and chooses the frames.
  void finish(const Outcome& outcome);

  std::size_t frame_count() const { return chosen_.size(); }
  /// Calls sink(t, state, work) for every frame, with the system evaluated there.
  void read(const std::function<void(double, const double*, const Work<double>&)>& sink) const;

 private:
  struct Row {
    double time = 0;
    double step = 0;      // place among the steps of the solver
    bool corner = false;  // a change of mode or a jump of the state
    std::shared_ptr<const Mode> mode;
  };

  void add(double time, double place, bool corner, const double* state);
  bool is_corner(const Mode& mode) const;
  void thin_out();

  const System& system_;
  std::size_t wanted_, width_;
  std::vector<Row> rows_;
  std::vector<double> states_, here_;
  std::vector<std::size_t> chosen_;
  std::shared_ptr<const Mode> mode_;
  long steps_ = 0;
  int per_step_ = 64;  // rows of one step
  long stride_ = 1;    // or steps for one row
  std::size_t corners_ = 0;
};

}  // namespace thud
