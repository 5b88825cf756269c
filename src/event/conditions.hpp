#pragma once

#include <vector>

#include "event/run_state.hpp"

namespace thud {

namespace lanes {
class Rider;
}

/// The conditions of a run: which of them have been met, on which side of their targets the others are.
class Conditions {
 public:
  explicit Conditions(const RunState& state) : state_(state) {}

  /// `watched`: more conditions, which are not for hits; they have the numbers after the others.
  void start(const std::vector<Condition>& conditions, std::vector<Hit>& hits,
             const std::vector<Transition>& watched = {});

  std::size_t size() const { return conditions_.size(); }
  const Condition& operator[](std::size_t c) const { return conditions_[c]; }
  bool is_open(std::size_t c) const { return c < wanted_ ? !(*hits_)[c].found : watched_[c - wanted_] != 0; }
  /// Those for hits.
  std::size_t wanted() const { return wanted_; }
  /// Whether the k-th of the watched ones is waited for.
  void watch(std::size_t k, bool on) { watched_[k] = on ? 1 : 0; }
  /// One of them was met: it is on the other side now.
  void pass(std::size_t c) { sign_[c] = -sign_[c]; }
  bool all_found() const;

  /// Less its target, for the state that was last evaluated.
  double value(std::size_t c, double t, const double* y) const;
  /// Whether the value x has passed the target in the wanted direction.
  bool crosses(std::size_t c, double x) const;
  bool any_crosses(double t, const double* y) const;

  /// Values at the end of the stretch that is looked at, and at its start.
  void note_end(double t, const double* y);
  void note_start(double t, const double* y);
  double start_value(std::size_t c) const { return start_[c]; }
  double end_value(std::size_t c) const { return end_[c]; }
  bool crosses_at_end(std::size_t c) const { return crosses(c, end_[c]); }

  /// After an accepted step without a crossing: remembers the signs.
  void accept(double t, const double* y);
  /// The same where the value is known.
  void accept_value(std::size_t c, double t, double x);
  /// The state has jumped: what lies on the other side now. `meet` may end the run; false then.
  template <class Meet>
  bool jump(double t, const double* y, Meet&& meet);
  /// Conditions that the motion reaches and stays at, within a share of what they were at most.
  bool is_reached(std::size_t c, double t, const double* y, double share) const;

  /// The motion goes on differently from here.
  void forget_past() {
    for (Past& p : past_) p.count = 0;
  }
  /// Time to just after the next condition, extrapolated from the last three steps; `far` when none is near.
  double expected(double t, double far) const;

  /// Steps are chosen to end just after expected crossings.
  static constexpr double overshoot = 1.02;

 private:
  friend class lanes::Rider;

  // The last three values of a condition.
  struct Past {
    double t[3] = {}, x[3] = {};
    int count = 0;
    void add(double time, double value, bool open) {
      t[0] = t[1], t[1] = t[2], t[2] = time;
      x[0] = x[1], x[1] = x[2], x[2] = value;
      count = open ? count + 1 : 0;
    }
  };

  const RunState& state_;
  std::vector<Condition> conditions_;
  std::vector<Hit>* hits_ = nullptr;
  std::size_t wanted_ = 0;
  std::vector<char> watched_;
  std::vector<int> sign_;
  std::vector<double> size_, start_, end_;
  std::vector<Past> past_;
};

template <class Meet>
bool Conditions::jump(double t, const double* y, Meet&& meet) {
  for (std::size_t c = 0; c < conditions_.size(); ++c) {
    const double x = value(c, t, y);
    if (crosses(c, x) && !meet(static_cast<int>(c))) return false;
    if (std::abs(x) > 1e-12 * size_[c]) sign_[c] = x > 0 ? 1 : -1;
    start_[c] = x;
  }
  return true;
}

}  // namespace thud
