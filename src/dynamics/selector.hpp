#pragma once

#include <optional>
#include <vector>

#include "thud/dynamics/system.hpp"
#include "thud/solve/complementarity.hpp"
#include "thud/solve/hull.hpp"

namespace thud {

/// solve_hull where γ̇ = (W + beside) λ + b, and `beside` is small or empty.
[[nodiscard]] HullSolution solve_beside(const std::vector<double>& matrix, const std::vector<double>& offset,
                                        const std::vector<double>& beside, const Lowest& lowest);

/// The same of one sole by itself.
[[nodiscard]] HullSolution solve_sole(const std::vector<double>& matrix, const std::vector<double>& offset,
                                      const std::vector<double>& beside, const SoleForces& set);
/// What one body needs to be held, where that is in its set.
[[nodiscard]] std::optional<HullSolution> hold_alone(const std::vector<double>& matrix,
                                                     const std::vector<double>& offset, const Lowest& lowest);

/// Selects the mode that is consistent with a state.
///
/// A sign that is clear at the state is taken from it. What is zero there (a tip on the surface, a velocity that has
/// just vanished, a force at its bound) is decided a tiny step ahead: velocities by the box problem of all vanishing
/// switches together, geometry by its sign after the step. Bounds that vanish at zero depth need that too.
class ModeSelector {
 public:
  explicit ModeSelector(const System& system);

  /// Updates `mode` in place. `ahead` is the length of the look-ahead [s]. On return `work` holds the evaluation of
  /// the state in the new mode and `slope` its dy/dt. Velocities of switches that are held are set to exactly zero
  /// in y (a correction of rounding size). False when the box problem did not converge.
  bool select(double t, double* y, const Scales& scales, double ahead, Mode& mode, Work<double>& work,
              double* slope);

  /// After a failed select: the sliding contact that no force keeps closed (Painlevé), −1 when that is not why.
  int jammed() const { return jammed_; }
  /// Then also: of each contact the accelerations along tangent and normal that no contact force resists.
  std::vector<double> pulls() const;
  /// The sliding contact with two answers (Painlevé), of which its policy has chosen one; −1: none has.
  int two_answers() const { return two_answers_; }

 private:
  void settle_touch(const Work<double>& work, const Scales& scales, Mode& mode) const;
  bool settle_contacts(const Work<double>& work, Mode& mode);
  bool choose_answers(const Mode& mode, ForceSolution& solution);
  bool has_contacts() const;
  bool has(SwitchClass what) const;
  bool settle_hulls(const Scales& scales, const Work<double>& work, Mode& mode);
  std::vector<double> find_beside(const Work<double>& work) const;
  bool give_time(Mode& mode, const Work<double>& work) const;
  void find_start(const Scales& scales, const Work<double>& work, std::vector<double> matrix,
                  const std::vector<double>& rate);
  bool start_released(double* y) const;
  double start_speed(SwitchRef s, const Work<double>& work, const Scales& scales, double usual) const;
  bool starts_sliding(double t, const double* y, const Scales& scales, Mode& mode, Work<double>& work,
                      double* slope) const;
  void ask_slower(const Scales& scales, const Work<double>& work, Mode& mode) const;
  bool settle_geometry(const Work<double>& here, const Work<double>& there, const Scales& scales,
                       Mode& mode) const;
  bool settle_flow(const Work<double>& here, const Work<double>& there, const Scales& scales,
                   Mode& mode) const;
  bool settle_switches(double t, const double* y, const Scales& scales, Mode& mode, Work<double>& work,
                       double* slope);
  void fill_matrix(const Work<double>& work, std::vector<double>& matrix) const;
  void look_far(double t, const double* y, const Scales& scales, const Mode& mode);
  void find_vanishing(const Work<double>& work, const Scales& scales, Mode& mode);
  bool is_constrained(SwitchRef s, const Work<double>& work) const;
  void find_rows(double t, const double* y, const Mode& mode, Work<double>& work, double* slope);
  bool settle_moving_levels(double t, const double* y, const Scales& scales, double ahead, Mode& mode,
                            Work<double>& work, double* slope);
  bool turns_meanwhile(const Work<double>& work, const Scales& scales, Mode& mode) const;
  bool decides_at_once(const Work<double>& work, const Scales& scales, const Mode& mode) const;
  void go_ahead(const double* y, const Work<double>& work, double ahead);
  bool stop_vanishing(double t, double* y, const Scales& scales, Mode mode, Work<double>& work);

  const System& system_;
  std::vector<SwitchRef> active_, vanishing_;
  std::vector<double> ahead_, scratch_;
  Work<double> there_, far_;
  BoxQp problem_;
  ForceProblem forces_;
  int jammed_ = -1, two_answers_ = -1;
  std::vector<double> far_matrix_, far_state_;
  std::vector<double> start_;        // velocities with which what the sand no longer holds sets out
  std::vector<SwitchRef> released_;  // it
  std::vector<std::pair<SwitchRef, double>>
      speeds_;          // of what may be held, before it was stopped, in the scale of speeds
  bool again_ = false;  // what has set out is looked at once more
  Mode decided_;        // that of the last evaluation
};

}  // namespace thud
