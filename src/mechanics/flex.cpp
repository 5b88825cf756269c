#include "thud/mechanics/flex.hpp"

#include <numeric>

namespace thud::mechanics {

template <class P>
FlexOf<P>::FlexOf(const BodyOf<P>& body) : linear_(body.linear) {
  const ElasticBeamOf<P>& beam = *body.beam;
  count_ = beam.size();
  mass_ = beam.modal_mass();
  inverse_mass_ = P(1) / mass_;
  mean_ = beam.mean();
  first_ = beam.first();
  for (int k = 0; k < count_; ++k) {
    mean_share_.push_back(mean_[k] / mass_);
    first_share_.push_back(first_[k] / mass_);
    turn_share_ += first_[k] * first_share_[k];
    cross_share_ += first_[k] * mean_share_[k];
    share_ += mean_[k] * mean_share_[k];
  }
  std::vector<P> value(count_);
  if (const P rotary = beam.basis().data().tip_inertia; !is_zero(rotary)) {
    using std::sqrt;
    tip_.resize(count_);
    beam.shapes_at(beam.length(), value.data(), tip_.data());
    for (P& x : tip_) x *= sqrt(rotary);
  }
  own_slope_.assign(count_, P(0));
  // On rigid parts before the beam there is no slope. A free body has no joint.
  if (!body.free && value_of(beam.start()) < 1e-12 * value_of(beam.length()))
    beam.shapes_at(-beam.start(), value.data(), own_slope_.data());
}

template <class P>
void FlexOf<P>::seat(std::vector<FlexSeatOf<P>*> seats) {
  carries_ = !seats.empty();
  if (!carries_) return;
  std::vector<const std::vector<P>*> spanning{&mean_, &first_};
  for (const FlexSeatOf<P>* s : seats) {
    spanning.push_back(&s->shapes);
    if (s->turns) spanning.push_back(&s->slopes);
  }
  // A few coordinates are done with sooner as they are.
  if (2 * static_cast<int>(spanning.size()) >= count_) {
    rank_ = count_;
  } else {
    for (const std::vector<P>* v : spanning) add_to_basis(*v);
  }
  mean_in_ = into_basis(mean_);
  first_in_ = into_basis(first_);
  for (FlexSeatOf<P>* s : seats) {
    s->shapes_in = into_basis(s->shapes);
    s->slopes_in = into_basis(s->slopes);
  }
}

// Gram and Schmidt, three times over; what is left of a dependent one at first is rounding.
template <class P>
void FlexOf<P>::add_to_basis(std::vector<P> v) {
  const auto size_of = [](const std::vector<P>& x) {
    using std::sqrt;
    return sqrt(std::inner_product(x.begin(), x.end(), x.begin(), P(0)));
  };
  const P whole = size_of(v);
  for (int pass = 0; pass < 3; ++pass) {
    for (int j = 0; j < rank_; ++j) {
      const P* row = basis_.data() + static_cast<std::ptrdiff_t>(j) * count_;
      const P part = row_times(row, v.data(), count_);
      for (int k = 0; k < count_; ++k) v[k] -= part * row[k];
    }
    const P left = size_of(v);
    if (pass == 0 && !(left > 1e-13 * whole)) return;
    for (P& x : v) x = x / left;
  }
  basis_.insert(basis_.end(), v.begin(), v.end());
  ++rank_;
}

template <class P>
std::vector<P> FlexOf<P>::into_basis(const std::vector<P>& x) const {
  if (basis_.empty() || x.empty()) return x;
  std::vector<P> out(rank_);
  gather(x.data(), out.data());
  return out;
}

template class FlexOf<double>;
THUD_WITH_DUALS(template class FlexOf<Dual<double>>;)

}  // namespace thud::mechanics
