#pragma once

#include <cmath>
#include <vector>

namespace thud {

/// A Cholesky factor A = L Lᵀ that grows row by row: rows are kept while those before them stay.
class GrowingCholesky {
 public:
  int size() const { return static_cast<int>(rows_.size()); }
  void cut(int size) { rows_.resize(static_cast<std::size_t>(size)); }

  /// L⁻¹ x for the first entries of x, in place: as many as x has, at most size().
  void reduce(std::vector<double>& x) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) x[i] -= rows_[i][j] * x[j];
      x[i] /= rows_[i][i];
    }
  }
  /// Adds the row of A whose entries before the diagonal are given. The square of the new pivot is at least `least`.
  void add(std::vector<double> row, double diagonal, double least) {
    reduce(row);
    for (double c : row) diagonal -= c * c;
    row.push_back(std::sqrt(diagonal > least ? diagonal : least));
    rows_.push_back(std::move(row));
  }
  /// A⁻¹ x in place.
  void solve(std::vector<double>& x) const {
    reduce(x);
    for (std::size_t i = x.size(); i-- > 0;) {
      for (std::size_t j = i + 1; j < x.size(); ++j) x[i] -= rows_[j][i] * x[j];
      x[i] /= rows_[i][i];
    }
  }

 private:
  std::vector<std::vector<double>> rows_;
};

}  // namespace thud
