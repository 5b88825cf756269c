#pragma once
// Forces out of convex sets that are known by their support alone: what a motion in a given direction meets.

#include <functional>
#include <vector>

namespace thud {

/// Gives the point of a convex set with the least product rate·force: the force that a motion with that rate meets.
using Lowest = std::function<void(const double* rate, double* force)>;

/// A convex set of forces, known in that way. `roughly`: at once, and a point of it that is nearly lowest.
class ForceSet {
 public:
  virtual ~ForceSet() = default;
  virtual void lowest(const double* rate, double* force, bool roughly) const = 0;
};

struct HullSolution {
  std::vector<double> force, rate;  ///< λ, and γ̇ = W λ + b
  double gap = 0;                   ///< by how much ½λᵀWλ + bᵀλ can be too large
  bool converged = false;
};

/// min ½ λᵀWλ + bᵀλ for λ in a convex set: the forces of the set that bring γ̇ = Wλ + b nearest to zero, and where they cannot,
/// oppose it as much as any can. W symmetric and positive semidefinite, `size` numbers in a row. Wolfe's method: points of the
/// set are added where the set is lowest, and those that do not carry are dropped.
[[nodiscard]] HullSolution solve_hull(const std::vector<double>& matrix, const std::vector<double>& offset,
                                      const Lowest& lowest);

/// Adds to the lowest point of a set that of a ball: a set that is flat has an inside then.
void add_ball(const double* rate, int n, double radius, double* force);

struct Gauge {
  double value = 0;            ///< the least s for which the force lies in s times the set
  std::vector<double> normal;  ///< c with c·force = value and c·x ≤ 1 for all x of the set
  bool converged = false;
};

/// Of a set with zero inside. Below 1: the force lies inside. To the given share of itself.
[[nodiscard]] Gauge find_gauge(const std::vector<double>& force, const Lowest& lowest,
                               double accuracy = 1e-12);

}  // namespace thud
