#pragma once

#include <string>
#include <vector>

#include "thud/base/format.hpp"
#include "thud/draw/impact_plane.hpp"
#include "thud/scenario/run.hpp"

namespace thud {

/// The impulse on a body by the joint that carries it.
struct JointImpulse {
  std::string name;  ///< "rod1.joint.impulse"
  Vec impulse;       ///< [N s]
};
/// Of all bodies that are carried by a joint.
[[nodiscard]] std::vector<JointImpulse> list_joint_impulses(const System& system, const ImpactRecord& impact);

/// For a CSV file, each with a comma before it: a header of the columns "rod1.joint.impulse.x [N s]", and what stands there
/// at an impact; none: empty cells.
[[nodiscard]] std::string make_joint_impulse_header(const System& system);
[[nodiscard]] std::string make_joint_impulse_cells(const System& system, const ImpactRecord* impact);

/// A table of the first impacts, or of all, and a line about the rest; "" when there was none.
[[nodiscard]] std::string make_impacts_text(const Scenario& scenario, const Outcome& outcome,
                                            const TextStyle& style, bool all = false);

/// A table of the impulses in all joints at all impacts; "" when there was none.
[[nodiscard]] std::string make_joint_impulses_text(const Scenario& scenario, const Outcome& outcome,
                                                   const TextStyle& style);

/// What a user should know of the impacts, each kind of note once.
[[nodiscard]] std::vector<std::string> list_impact_notes(const Outcome& outcome);

/// One line per impact and contact.
[[nodiscard]] std::string make_impacts_csv(const Scenario& scenario, const Outcome& outcome);

}  // namespace thud
