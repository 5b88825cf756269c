#include "thud/elements/joint_friction.hpp"

namespace thud {

// Held still, the hub needs the moment Σ ∫sΨ_k dm η̈_k; the bending alone gives η̈_k = −ω_k² η_k, without the damping.
double JointFriction::load_of(const Scene& s, const Frames<double>& f) const {
  const ElasticBeam& beam = *s.tree.body(body).beam;
  const double* eta = f.eta.data() + s.tree.elastic_begin(body);
  double moment = 0;
  for (int k = 0; k < beam.size(); ++k)
    moment -= beam.first()[k] * beam.stiffness()[k] / beam.modal_mass() * eta[k];
  return moment / (moment > 0 ? rule.static_negative : rule.static_positive);
}

double JointFriction::margin(const Scene& s, const Frames<double>& f) const {
  const ElasticBeam& beam = *s.tree.body(body).beam;
  const double* rate_ = f.eta_rate.data() + s.tree.elastic_begin(body);
  double kinetic = 0;
  for (int k = 0; k < beam.size(); ++k) kinetic += 0.5 * beam.modal_mass() * rate_[k] * rate_[k];
  // A little inside the band that lets go: where the load is the last to come down, it must be seen to be inside.
  constexpr double inside = 1 + 1e-6;
  return std::max({std::abs(s.tree.joint_rate(f, body)) / rule.rate, kinetic / rule.energy,
                   inside * std::abs(load_of(s, f))})
       - 1;
}

bool JointFriction::update_clamp(const Scene& s, const Frames<double>& f, Mode& m) const {
  if (!rule.is_on()) return false;
  constexpr double small = 1e-9;
  const double load = std::abs(load_of(s, f));
  if (m.clamped) {
    m.clamped = load < 1 - small;
    return false;
  }
  if (!(margin(s, f) <= small && load < 1 - 10 * small)) return false;
  m.clamped = true;
  m.slip = slip::stuck;
  return true;
}

}  // namespace thud
