#pragma once

#include <vector>

#include "thud/dynamics/system.hpp"

namespace thud {

/// Impulses in the joints at an impact: on each body by the joint that carries it [N s]; zero of free bodies.
///
///   P_i = Σ_j m_j Δv_Cj − Σ_j (impulses of contacts on j),   j: body i and all that it carries
///
/// A joint is a pin, so that it passes no moment on within an impact; friction and damping of joints are finite. With
/// two links it is what Sypniewska-Kamińska et al. 2015 have in eqs 6–9: (H, V) on the first and (−H, −V) on the second.
/// `moved` is m_j Δv_Cj of every body; `pushed` the impulses of the contacts on it.
[[nodiscard]] std::vector<Vec> joint_impulses(const Tree& tree, const std::vector<Vec>& moved,
                                              const std::vector<Vec>& pushed);

/// m_j v_Cj of every body.
[[nodiscard]] std::vector<Vec> momenta(const Tree& tree, const Frames<double>& frames);

/// What the contacts of an impact gave each body; `impulse` in pairs, tangential and normal, one pair per contact.
[[nodiscard]] std::vector<Vec> contact_impulses(const System& system, const std::vector<int>& contacts,
                                                const std::vector<double>& impulse, const Work<double>& work);

}  // namespace thud
