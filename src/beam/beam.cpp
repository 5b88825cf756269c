#include "thud/beam/beam.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace thud {

template <class P>
ElasticBeamOf<P>::ElasticBeamOf(BeamBasisOf<P> basis, P start, BeamGravity gravity)
    : basis_(std::move(basis)),
      start_(start),
      station_count_(6 * basis_.size() + 9) {
  const int n = size();
  const P l = length(), m = modal_mass();
  damping_.assign(n, P(0));
  ends_.resize(2 * static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) {
    mean_.push_back(basis_.mean(k));
    first_.push_back(basis_.first(k) + start * basis_.mean(k));
    const P tip = basis_.data().tip_mass * basis_.value(k, l);
    weight_.push_back(gravity == BeamGravity::midspan       ? m * basis_.value(k, l / 2) + tip
                      : gravity == BeamGravity::distributed ? basis_.mean(k)
                                                            : P(0));
    stiffness_.push_back(m * basis_.frequency(k) * basis_.frequency(k));
    ends_[k] = basis_.value(k, P(0));
    ends_[n + k] = basis_.value(k, l);
  }
  for (int j = 0; j < station_count_; ++j)
    for (int k = 0; k < n; ++k) station_slopes_.push_back(basis_.value(k, station(j), 1));
  keep_plain();
}

template <class P>
template <class Q>
ElasticBeamOf<P>::ElasticBeamOf(const ElasticBeamOf<Q>& o)
    : basis_(o.basis_),
      start_(value_of(o.start_)),
      mean_(values_of(o.mean_)),
      first_(values_of(o.first_)),
      weight_(values_of(o.weight_)),
      stiffness_(values_of(o.stiffness_)),
      damping_(values_of(o.damping_)),
      held_damping_(values_of(o.held_damping_)),
      ends_(values_of(o.ends_)),
      station_count_(o.station_count_),
      station_slopes_(values_of(o.station_slopes_)) {}

template <class P>
void ElasticBeamOf<P>::keep_plain() {
  if constexpr (!std::is_same_v<P, double>)
    plain_ = std::shared_ptr<const ElasticBeamOf<double>>(new ElasticBeamOf<double>(*this));
}

template <class P>
bool ElasticBeamOf<P>::is_damped() const {
  return std::any_of(damping_.begin(), damping_.end(), [](const P& c) { return value_of(c) != 0; });
}

template <class P>
P ElasticBeamOf<P>::frequency(int k) const {
  using std::sqrt;
  return sqrt(stiffness_[k] / modal_mass());
}

template <class P>
void ElasticBeamOf<P>::set_damping_ratios(const std::vector<P>& ratios) {
  if (ratios.empty()) throw std::invalid_argument("no damping ratio is given");
  for (int k = 0; k < size(); ++k) {
    const P ratio = k < static_cast<int>(ratios.size()) ? ratios[k] : ratios.back();
    if (!(value_of(ratio) >= 0) || !std::isfinite(value_of(ratio)))
      throw std::invalid_argument(fmt::format("damping ratio {} must not be negative", value_of(ratio)));
    damping_[k] = 2 * ratio * frequency(k) * modal_mass();
  }
  keep_plain();
}

template <class P>
void ElasticBeamOf<P>::set_rayleigh_damping(P alpha, P beta) {
  for (int k = 0; k < size(); ++k) damping_[k] = alpha * modal_mass() + beta * stiffness_[k];
  keep_plain();
}

template <class P>
void ElasticBeamOf<P>::set_damping_when_held(P alpha, P beta) {
  held_damping_.resize(size());
  for (int k = 0; k < size(); ++k) held_damping_[k] = alpha * modal_mass() + beta * stiffness_[k];
  keep_plain();
}

template <class P>
void ElasticBeamOf<P>::scale_stiffness(int k, P factor) {
  stiffness_[k] *= factor;
  keep_plain();
}

template class ElasticBeamOf<double>;
THUD_WITH_DUALS(template class ElasticBeamOf<Dual<double>>;)

}  // namespace thud
