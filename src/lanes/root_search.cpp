#include "lanes/root_search.hpp"

#include <algorithm>

namespace thud::lanes {

void RootSearch::start(int count, const double* at_start, const double* at_end) {
  count_ = count;
  rounds_ = kept_ = 0;
  a_ = 0, b_ = 1;
  std::copy_n(at_start, count, at_a_);
  std::copy_n(at_end, count, at_b_);
  std::fill_n(crossed_, count, true);
}

void RootSearch::narrow(double a, double at_a, double b, double at_b) {
  start(1, &at_a, &at_b);
  a_ = a, b_ = b;
}

double RootSearch::propose(double accuracy) {
  place_ = b_;
  for (int k = 0; k < count_; ++k)
    if (crossed_[k]) place_ = std::min(place_, a_ + (b_ - a_) * at_a_[k] / (at_a_[k] - at_b_[k]));
  place_ = std::clamp(place_, a_, b_);
  // Close to an end: a little beyond it, so that the bracket closes.
  if (place_ - a_ < 0.25 * accuracy) place_ = std::min(a_ + 0.25 * accuracy, b_);
  if (b_ - place_ < 0.25 * accuracy) place_ = std::max(b_ - 0.25 * accuracy, a_);
  if (++rounds_ > 30) place_ = 0.5 * (a_ + b_);
  return place_;
}

void RootSearch::take(const double* values) {
  bool any = false;
  for (int k = 0; k < count_; ++k) any = any || (crossed_[k] && (values[k] > 0) != (at_a_[k] > 0));
  for (int k = 0; k < count_; ++k) {
    if (!crossed_[k]) continue;
    double& stays = any ? at_a_[k] : at_b_[k];
    const double leaves = any ? at_b_[k] : at_a_[k];
    if (kept_ == (any ? -1 : 1)) {
      const double less = 1 - values[k] / leaves;
      stays *= less > 0 ? less : 0.5;
    }
    if (any) {
      crossed_[k] = (values[k] > 0) != (at_a_[k] > 0);
      at_b_[k] = values[k];
    } else {
      at_a_[k] = values[k];
    }
  }
  (any ? b_ : a_) = place_;
  kept_ = any ? -1 : 1;
}

int RootSearch::crossed_count() const {
  return static_cast<int>(std::count(crossed_, crossed_ + count_, true));
}

}  // namespace thud::lanes
