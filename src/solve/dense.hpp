#pragma once
// Decompositions of dense matrices. Eigen's take seconds to compile wherever they are used, so they are used here alone.

#include <Eigen/Core>

namespace thud {

/// A v = λ v or K v = λ M v with symmetric matrices; λ ascending, one v per column, of length 1 (in M).
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
[[nodiscard]] SymmetricEigen eigen_of_symmetric(const Eigen::MatrixXd& a);
/// Throws std::runtime_error when M is not positive definite.
[[nodiscard]] SymmetricEigen eigen_of_pair(const Eigen::MatrixXd& k, const Eigen::MatrixXd& m);
/// The λ of that alone.
[[nodiscard]] Eigen::VectorXd eigenvalues_of_pair(const Eigen::MatrixXd& k, const Eigen::MatrixXd& m);

/// A v = λ v for any real square matrix.
struct GeneralEigen {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
};
/// Throws std::runtime_error when the iteration does not converge.
[[nodiscard]] GeneralEigen eigen_of(const Eigen::MatrixXd& a);

/// A = U Σ Vᵀ without U: singular values, largest first, and the right singular vectors as columns.
struct SingularValues {
  Eigen::VectorXd values;
  Eigen::MatrixXd right;
};
[[nodiscard]] SingularValues singular_values(const Eigen::MatrixXd& a);

/// The shortest x among those for which |A x − b| is least. Directions below `threshold` of the strongest count as
/// absent; 0: those that rounding hides.
[[nodiscard]] Eigen::VectorXd least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                                            double threshold = 0);

}  // namespace thud
