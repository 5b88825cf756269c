#include "thud/beam/beam.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace thud {

ElasticBeam::ElasticBeam(BeamBasis basis, double start, BeamGravity gravity)
    : basis_(std::move(basis)),
      start_(start),
      station_count_(6 * basis_.size() + 9) {
  const int n = size();
  const double l = length(), m = modal_mass();
  damping_.assign(n, 0.0);
  ends_.resize(2 * static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) {
    mean_.push_back(basis_.mean(k));
    first_.push_back(basis_.first(k) + start * basis_.mean(k));
    const double tip = basis_.data().tip_mass * basis_.value(k, l);
    weight_.push_back(gravity == BeamGravity::midspan       ? m * basis_.value(k, l / 2) + tip
                      : gravity == BeamGravity::distributed ? basis_.mean(k)
                                                            : 0.0);
    stiffness_.push_back(m * basis_.frequency(k) * basis_.frequency(k));
    ends_[k] = basis_.value(k, 0);
    ends_[n + k] = basis_.value(k, l);
  }
  for (int j = 0; j < station_count_; ++j)
    for (int k = 0; k < n; ++k) station_slopes_.push_back(basis_.value(k, station(j), 1));
}

bool ElasticBeam::is_damped() const {
  return std::any_of(damping_.begin(), damping_.end(), [](double c) { return c != 0; });
}

double ElasticBeam::frequency(int k) const { return std::sqrt(stiffness_[k] / modal_mass()); }

void ElasticBeam::set_damping_ratios(const std::vector<double>& ratios) {
  if (ratios.empty()) throw std::invalid_argument("no damping ratio is given");
  for (int k = 0; k < size(); ++k) {
    const double ratio = k < static_cast<int>(ratios.size()) ? ratios[k] : ratios.back();
    if (!(ratio >= 0) || !std::isfinite(ratio))
      throw std::invalid_argument(fmt::format("damping ratio {} must not be negative", ratio));
    damping_[k] = 2 * ratio * frequency(k) * modal_mass();
  }
}

void ElasticBeam::set_rayleigh_damping(double alpha, double beta) {
  for (int k = 0; k < size(); ++k) damping_[k] = alpha * modal_mass() + beta * stiffness_[k];
}

void ElasticBeam::set_damping_when_held(double alpha, double beta) {
  held_damping_.resize(size());
  for (int k = 0; k < size(); ++k) held_damping_[k] = alpha * modal_mass() + beta * stiffness_[k];
}

void ElasticBeam::scale_stiffness(int k, double factor) { stiffness_[k] *= factor; }

}  // namespace thud
