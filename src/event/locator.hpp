#pragma once

#include <vector>

#include "event/conditions.hpp"

namespace thud {

struct Guard {
  double value, tolerance;
  GuardId id;
  bool is_violated() const { return value < -tolerance; }
};

/// A crossing inside the current step.
struct Crossing {
  double theta = 2;    ///< place in the step, 2: none
  int guard = -1;      ///< index in the guard list, or
  int condition = -1;  ///< index of the condition

  bool exists() const { return theta <= 1; }
};

/// Finds the first instant of a step at which a guard or a condition goes through zero.
///
/// Guards are looked at in inner stages and at the end of every step. Where one is violated, or a condition has changed
/// its side, roots are sought on the continuous extension. What comes near and goes away again within the step is found
/// by its rate, which changes sign.
class Locator final : public StepProbe {
 public:
  Locator(RunState& state, Conditions& conditions) : s_(state), conditions_(conditions) {}

  /// Before a step is tried.
  void begin_step();
  /// StepProbe: at inner stages; remembers which guards were seen violated.
  void look() override;
  /// After it; `work` must hold an evaluation of its end.
  void end_step();
  /// The first crossing of the step of length h.
  Crossing find(double h);
  /// A step was accepted: what approaches at its end.
  void note_approaches();
  /// What was looked at belongs to another mode.
  void forget() { looked_at_end_.clear(); }

  /// The guard or condition of a crossing, for the state last evaluated.
  double value_of(const Crossing& c, double t, const double* y) const;
  /// Its value at the start of the step.
  double start_value_of(const Crossing& c) const;
  const GuardId& guard_id(const Crossing& c) const { return end_[c.guard].id; }

 private:
  friend class lanes::Rider;

  bool any_violation() const;
  void list_guards(std::vector<Guard>& out) const;
  double guard_at(int k, double theta);
  bool has_hidden_crossing() const;
  double first_violated_sample();
  void note_end(double t, const double* y);
  Crossing locate(double h);
  Crossing between(double end);
  Crossing order(double end);
  Crossing first_crossing(double end);
  std::vector<int> earliest_guards(double end);
  double guard_root(int k, double end);
  double condition_root(std::size_t c, double end);
  template <class F>
  double root(F&& f, double a, double fa, double b, double fb) const;
  Crossing earlier_graze(Crossing first, double h);
  Crossing earlier_touch(Crossing first, double h);
  Crossing find_touch(double end, double h);

  RunState& s_;
  Conditions& conditions_;
  std::vector<Guard> start_, end_, probe_;
  bool has_violation_ = false, has_probe_violation_ = false, crowded_ = false;
  std::vector<char> probe_hit_;
  std::vector<std::vector<double>> looked_;  // guards at the looks inside a step
  std::vector<double> looked_at_end_;        // and at the end of the last; empty when unknown
  std::vector<double> approach_;             // rates at the start of the step, in the order of the elements
  double root_accuracy_ = 0;
};

/// Elements of this type may come near something without touching it.
template <class E>
concept Approaching = requires(const E& e, const Scene& s, const typename E::Mode& m, const Frames<double>& f,
                               const typename E::template Work<double>& w, void (*sink)(double, double)) {
  e.approaches(s, m, f, w, sink);
};

/// Calls sink(distance, rate) for all that may come near something, in the order of the elements.
template <class Sink>
void each_approach(const RunState& s, Sink&& sink) {
  const Scene scene = s.system.scene();
  s.system.each([&]<class E>(const E& e, int k) {
    if constexpr (Approaching<E>)
      e.approaches(scene, s.mode.of<E>()[k], s.work.frames, s.work.of<E>()[k], sink);
  });
}

}  // namespace thud
