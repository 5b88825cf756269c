#include "thud/mechanics/flex.hpp"

#include <numeric>

namespace thud::mechanics {

Flex::Flex(const Body& body) : linear_(body.linear) {
  const ElasticBeam& beam = *body.beam;
  count_ = beam.size();
  mass_ = beam.modal_mass();
  inverse_mass_ = 1 / mass_;
  mean_ = beam.mean();
  first_ = beam.first();
  for (int k = 0; k < count_; ++k) {
    mean_share_.push_back(mean_[k] / mass_);
    first_share_.push_back(first_[k] / mass_);
    turn_share_ += first_[k] * first_share_[k];
    cross_share_ += first_[k] * mean_share_[k];
    share_ += mean_[k] * mean_share_[k];
  }
  std::vector<double> value(count_);
  if (const double rotary = beam.basis().data().tip_inertia; rotary > 0) {
    tip_.resize(count_);
    beam.shapes_at(beam.length(), value.data(), tip_.data());
    for (double& x : tip_) x *= std::sqrt(rotary);
  }
  own_slope_.assign(count_, 0.0);
  // On rigid parts before the beam there is no slope. A free body has no joint.
  if (!body.free && -beam.start() > -1e-12 * beam.length())
    beam.shapes_at(-beam.start(), value.data(), own_slope_.data());
}

void Flex::seat(std::vector<FlexSeat*> seats) {
  carries_ = !seats.empty();
  if (!carries_) return;
  std::vector<const std::vector<double>*> spanning{&mean_, &first_};
  for (const FlexSeat* s : seats) {
    spanning.push_back(&s->shapes);
    if (s->turns) spanning.push_back(&s->slopes);
  }
  // A few coordinates are done with sooner as they are.
  if (2 * static_cast<int>(spanning.size()) >= count_) {
    rank_ = count_;
  } else {
    for (const std::vector<double>* v : spanning) add_to_basis(*v);
  }
  mean_in_ = into_basis(mean_);
  first_in_ = into_basis(first_);
  for (FlexSeat* s : seats) {
    s->shapes_in = into_basis(s->shapes);
    s->slopes_in = into_basis(s->slopes);
  }
}

// Gram and Schmidt, three times over; what is left of a dependent one at first is rounding.
void Flex::add_to_basis(std::vector<double> v) {
  const auto size_of = [](const std::vector<double>& x) {
    return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
  };
  const double whole = size_of(v);
  for (int pass = 0; pass < 3; ++pass) {
    for (int j = 0; j < rank_; ++j) {
      const double* row = basis_.data() + static_cast<std::ptrdiff_t>(j) * count_;
      const double part = row_times(row, v.data(), count_);
      for (int k = 0; k < count_; ++k) v[k] -= part * row[k];
    }
    const double left = size_of(v);
    if (pass == 0 && !(left > 1e-13 * whole)) return;
    for (double& x : v) x /= left;
  }
  basis_.insert(basis_.end(), v.begin(), v.end());
  ++rank_;
}

std::vector<double> Flex::into_basis(const std::vector<double>& x) const {
  if (basis_.empty() || x.empty()) return x;
  std::vector<double> out(rank_);
  gather(x.data(), out.data());
  return out;
}

}  // namespace thud::mechanics
