#pragma once

#include <string>
#include <vector>

#include "thud/scenario/scenario.hpp"

namespace thud {

/// What a user may have meant by a name that is no observable, to go behind it: `; did you mean "x"?`, or that an impulse is
/// of an instant, with the rule to write; "" when nothing is near.
[[nodiscard]] std::string observable_hint(const Scenario& scenario, const std::string& name);

/// Results that exist at impacts only, as rules: "rod1.joint.impulse at impact N"; none without contacts or joints.
[[nodiscard]] std::vector<NamedObservable> list_impact_results(const Scenario& scenario);

}  // namespace thud
