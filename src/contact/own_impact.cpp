#include <fmt/format.h>

#include <cmath>

#include "contact/impact_parts.hpp"

namespace thud::impact_parts {

namespace {

// What is wrong with the impulse; empty: nothing.
std::string fault_of(const ImpactProblem& p, const ImpactResult& r) {
  const double tangent = r.impulse[0], normal = r.impulse[1], speed = std::abs(p.velocity[1]);
  if (!std::isfinite(tangent) || !std::isfinite(normal))
    return fmt::format("gives an impulse that is not finite ({} along, {} across the contact)", tangent,
                       normal);
  if (normal < 0) return fmt::format("gives a normal impulse of {:.6g} N s; it must not pull", normal);
  if (r.velocity[1] < -1e-9 * speed)
    return fmt::format("leaves the contact closing with {:.6g} m/s of {:.6g} m/s", -r.velocity[1], speed);
  if (r.gains()) return fmt::format("gains {:.6g} J of energy", r.energy_change);
  return {};
}

ImpactPoint corner_of(ImpactCorner corner, const std::vector<double>& impulse,
                      const std::vector<double>& velocity) {
  return {corner, 0, 0, impulse, velocity};
}

}  // namespace

ImpactResult solve_own(const ImpactProblem& p) {
  ImpactResult out = make_untouched(p);
  const ContactImpulse given = p.own(p);
  out.impulse = {given.tangent, given.normal};
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b) out.velocity[a] += p.matrix[2 * a + b] * out.impulse[b];
  set_energy(p, out);
  if (const std::string fault = fault_of(p, out); !fault.empty()) {
    out = make_untouched(p);
    out.solved = false;
    out.name = "unsolved";
    out.note = "the impact law " + fault;
    return out;
  }
  out.name = "own law";
  out.work_normal = {0.5 * (p.velocity[1] + out.velocity[1]) * given.normal};
  out.work_friction = {0.5 * (p.velocity[0] + out.velocity[0]) * given.tangent};
  out.path = {corner_of(ImpactCorner::start, {0, 0}, p.velocity),
              corner_of(ImpactCorner::end, out.impulse, out.velocity)};
  return out;
}

}  // namespace thud::impact_parts
