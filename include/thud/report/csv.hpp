#pragma once

#include <string>

#include "thud/draw/trajectory.hpp"
#include "thud/scenario/run.hpp"
#include "thud/store/csv.hpp"

namespace thud {

/// Header "time [s],link.angle [rad],...", then one line per row; numbers as short as they can be and still be read
/// back to the same bits, nothing where there is no finite number.
void write_trajectory_csv(const TrajectoryRecorder& trajectory, const std::vector<NamedObservable>& columns,
                          const TextSink& sink);

/// "time [s],kind,subject,before,after".
[[nodiscard]] std::string make_events_csv(const Scenario& scenario, const Outcome& outcome);

/// What an event happened to: a part, a switch, the contacts of an impact, or the text of a condition.
[[nodiscard]] std::string describe_subject(const Scenario& scenario, const Outcome& outcome,
                                           const Event& event);
/// What was before or after it: a state, or the case of an impact.
[[nodiscard]] std::string describe_state(const Scenario& scenario, const Outcome& outcome, const Event& event,
                                         bool after);

}  // namespace thud
