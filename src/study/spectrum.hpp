#pragma once
// Eigenproblems of small motions, for stiffnesses of very different sizes.

#include <Eigen/Core>
#include <complex>
#include <vector>

namespace thud {

/// K φ = λ M φ with φᵀMφ = 1.
struct Spectrum {
  Eigen::VectorXd values;   ///< λ, ascending; exactly 0 where it is lost in rounding
  Eigen::MatrixXd shapes;   ///< φ, one per column
  std::vector<int> motion;  ///< sign of λ
};

/// Soft and stiff coordinates may differ by any factor: a pendulum of 1 Hz keeps its digits beside bending at 1 MHz.
[[nodiscard]] Spectrum find_spectrum(const Eigen::MatrixXd& stiffness, const Eigen::MatrixXd& mass);

/// (s² M + s C + K) x = 0.
struct DampedRoot {
  std::complex<double> root;  ///< s, imaginary part ≥ 0; exactly 0 for free motions
  Eigen::VectorXcd shape;     ///< x
};

/// All roots in the upper half plane and on the real axis; of the pairs ±s of undamped growth only the growing one,
/// of the two roots of a direction without stiffness the one that is not zero. C must be symmetric and positive semidefinite.
[[nodiscard]] std::vector<DampedRoot> find_roots(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& damping,
                                                 const Eigen::MatrixXd& stiffness);

}  // namespace thud
