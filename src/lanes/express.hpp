#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "lanes/batch.hpp"
#include "lanes/itinerary.hpp"

namespace thud::lanes {

/// What a run along an itinerary has come to.
struct Arrival {
  int status = ride_left;  ///< a RideStatus; ride_left: the engine must make the run
  int stopped_by = -1;     ///< the condition
  double time = 0, residual = 0;
  long steps = 0;
  const int* found = nullptr;         ///< per condition
  const double* hit_times = nullptr;  ///< likewise
  const double* reports = nullptr;    ///< per report; of a condition that was not found: nothing
};

/// Makes whole runs in lanes of this processor, along an itinerary. One per thread. What a run gives does not depend on the
/// others.
class Express {
 public:
  Express(const Kernel& kernel, std::unique_ptr<Itinerary> itinerary);

  using Fill = std::function<void(std::int64_t, std::span<double>)>;
  using Take = std::function<bool(std::int64_t, const Arrival&)>;
  /// Finds the next mode of a ride that needs help (phase_help).
  using Help = std::function<void(std::int64_t, Ride&)>;
  /// Runs `count` points; `take` may say that it is enough. False when it did, or was cancelled.
  bool run(std::int64_t count, const Fill& fill, const Take& take, const Help& help,
           const std::atomic<bool>* cancel);
  const Itinerary& itinerary() const { return *plan_; }
  long steps() const { return steps_; }

 private:
  struct Passenger {
    Ride ride;
    std::int64_t index = 0;
    double numbers[RIDE_NUMBERS + RIDE_STATES];
    std::vector<double> reports;
  };
  // Those that want the same of the same program.
  struct Queue {
    Shape* shape;
    bool steps;  // or evaluations
    std::vector<int> waiting;
  };

  void board(std::int64_t first, int count, const Fill& fill);
  void queue_up(int who);
  void take_members(Queue& queue);
  void load(Shape& shape, bool at);
  void step(Queue& queue);
  void look(Queue& queue);
  void report(int lane, Shape& shape);
  Queue& queue_of(Shape* shape, bool steps);

  std::unique_ptr<Itinerary> plan_;
  Batch b_;
  Rows start_rows_, early_, late_, pose_scales_;
  alignas(64) double starts_[RIDE_CONDITIONS * width];
  const double* scales_[RIDE_STATES];
  std::vector<std::unique_ptr<Passenger>> passengers_;
  std::vector<int> idle_, members_, done_, stuck_;
  std::vector<Queue> queues_;
  std::vector<std::vector<Follow>> lane_constants_;  // per mode
  std::vector<std::pair<int, int>> queue_of_mode_;   // for steps, for evaluations
  long steps_ = 0;
};

}  // namespace thud::lanes
