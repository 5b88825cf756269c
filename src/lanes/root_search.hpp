#pragma once

namespace thud::lanes {

/// The first root of several functions in a step, from values at places that it chooses: for lanes that evaluate many such
/// searches at once.
///
/// Between a and b at least one function has changed its sign; the bracket shrinks by the secant of the function that seems to be
/// first, with the values at an end that stays taken smaller (Anderson & Björck, BIT 13, 1973).
class RootSearch {
 public:
  static constexpr int most = 12;

  /// So many functions, with their values at 0 and at 1; every one of them has changed its sign there.
  void start(int count, const double* at_start, const double* at_end);
  /// One function, known at other places than the ends.
  void narrow(double a, double at_a, double b, double at_b);

  /// Where the functions are wanted next, when the root is wanted to `accuracy`.
  double propose(double accuracy);
  /// Their values there.
  void take(const double* values);

  double width() const { return b_ - a_; }
  double middle() const { return 0.5 * (a_ + b_); }
  /// How many have changed their sign at b, and whether this one has.
  int crossed_count() const;
  bool is_crossed(int k) const { return crossed_[k]; }

 private:
  int count_ = 0, rounds_ = 0;
  double a_ = 0, b_ = 1, place_ = 0;
  double at_a_[most], at_b_[most];
  bool crossed_[most];
  int kept_ = 0;  // which end stayed at the last round: −1 a, +1 b
};

}  // namespace thud::lanes
