#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "thud/report/trajectory.hpp"
#include "thud/scenario/run.hpp"

namespace thud {

/// Takes text piece by piece.
using TextSink = std::function<void(std::string_view)>;

/// A field as RFC 4180 wants it: quoted where it holds a comma, a quote or a line break.
[[nodiscard]] std::string csv_field(std::string_view text);

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
[[nodiscard]] std::string describe_state(const Outcome& outcome, const Event& event, bool after);

}  // namespace thud
