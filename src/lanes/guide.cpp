#include "lanes/guide.hpp"

#include <algorithm>

namespace thud::lanes {

void Guide::help(const Itinerary& itinerary, Ride& r) {
  const Mode before = itinerary.engine_modes[r.mode];
  Mode mode = before;
  const Scales scales{itinerary.plan.length, r.speed, r.rate, r.force, r.moment, r.time, r.reach};
  system_.evaluate(r.t, r.y, mode, work_, slope_.data());
  const double ahead = 1e-6 * std::min(1.0, 10 * r.time);  // see Run::look_ahead
  if (!selector_.select(r.t, r.y, scales, ahead, mode, work_, slope_.data()))
    return ride_take_help(&r, -1, 0);
  const auto& known = itinerary.engine_modes;
  const auto found = std::find(known.begin(), known.end(), mode);
  if (found == known.end()) return ride_take_help(&r, -1, 0);
  ride_take_help(&r, static_cast<int>(found - known.begin()), starts_rough(system_, before, mode));
}

}  // namespace thud::lanes
