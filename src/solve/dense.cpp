#include "solve/dense.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <stdexcept>

namespace thud {

using Eigen::MatrixXd;
using Eigen::VectorXd;

SymmetricEigen eigen_of_symmetric(const MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(a);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

SymmetricEigen eigen_of_pair(const MatrixXd& k, const MatrixXd& m) {
  if (m.llt().info() != Eigen::Success) throw std::runtime_error("the mass matrix is not positive definite");
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(k, m);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

VectorXd eigenvalues_of_pair(const MatrixXd& k, const MatrixXd& m) {
  return Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd>(k, m, Eigen::EigenvaluesOnly).eigenvalues();
}

GeneralEigen eigen_of(const MatrixXd& a) {
  const Eigen::EigenSolver<MatrixXd> eigen(a);
  if (eigen.info() != Eigen::Success) throw std::runtime_error("the eigenvalues did not converge");
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

SingularValues singular_values(const MatrixXd& a) {
  const Eigen::JacobiSVD<MatrixXd> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {svd.singularValues(), svd.matrixV()};
}

VectorXd least_squares(const MatrixXd& a, const VectorXd& b, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
  if (threshold > 0) solver.setThreshold(threshold);
  return solver.compute(a).solve(b);
}

}  // namespace thud
