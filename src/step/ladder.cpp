#include "step/ladder.hpp"

#include <algorithm>
#include <cmath>

namespace thud {

namespace {

constexpr int series_terms = 14;   // of e^{As} for |A s| up to `resolved`
constexpr double resolved = 0.25;  // |A| h₀, of the fastest mode
constexpr int most_rungs = 40;

// Gauss-Legendre on [0, 1], exact to degree 11.
constexpr int nodes = 6;
constexpr double node_place[nodes] = {0.0337652428984239861, 0.1693953067668677432, 0.3806904069584015456,
                                      0.6193095930415984544, 0.8306046932331322568, 0.9662347571015760139};
constexpr double node_weight[nodes] = {0.0856622461895851725, 0.1803807865240693038, 0.2339569672863455237,
                                       0.2339569672863455237, 0.1803807865240693038, 0.0856622461895851725};

}  // namespace

Ladder::Ladder(const Matrix& by_q, const Matrix& by_v, const std::vector<Matrix>& forms, double longest)
    : n_(static_cast<int>(by_q.rows())),
      by_q_(by_q),
      by_v_(by_v),
      forms_(forms) {
  const int m = 2 * n_;
  Matrix a = Matrix::Zero(m, m);
  a.topRightCorner(n_, n_).setIdentity();
  a.bottomLeftCorner(n_, n_) = by_q;
  a.bottomRightCorner(n_, n_) = by_v;
  // The fastest rate: of vibration or of decay. A few powers tell it better than a norm, which units would spoil.
  double fastest = 1e-300;
  for (const auto& value : a.eigenvalues()) fastest = std::max(fastest, std::abs(value));
  first_ = std::min(resolved / fastest, longest);

  Rung base;
  Matrix term = Matrix::Identity(m, m) * first_;
  base.change = term;
  for (int j = 1; j <= series_terms; ++j) {
    term = (a * term).eval() * (first_ / (j + 1));
    base.change += term;
  }
  for (const Matrix& q : forms) {
    Matrix power = Matrix::Zero(m, m), next = power, sum;
    power.topLeftCorner(n_, n_) = q;
    power *= first_;
    sum = power;
    for (int j = 1; j <= series_terms + 4; ++j) {
      next.noalias() = power * a;
      power = (next + next.transpose()) * (first_ / (j + 1));
      sum += power;
    }
    base.works.push_back(sum);
  }
  rungs_.push_back(std::move(base));
  for (double h = first_; h < longest && rung_count() < most_rungs; h *= 2) {
    const Rung& last = rungs_.back();
    const Matrix e = Matrix::Identity(m, m) + a * last.change;
    Rung next;
    next.change = last.change + last.change * e;
    for (const Matrix& p : last.works) next.works.push_back(p + e.transpose() * p * e);
    rungs_.push_back(std::move(next));
  }
}

double Ladder::rung(int k) const { return std::ldexp(first_, k); }

Ladder::Vector Ladder::derivative(const Vector& w) const {
  Vector out(2 * n_);
  out.head(n_) = w.tail(n_);
  out.tail(n_).noalias() = by_q_ * w.head(n_);
  out.tail(n_).noalias() += by_v_ * w.tail(n_);
  return out;
}

void Ladder::apply(Vector& w, Vector& dx) const { w += derivative(dx); }

void Ladder::advance(double h, Vector& w, Vector& dx, double* works) const {
  Vector change;
  for (int k = rung_count() - 1; k >= 0; --k) {
    const double length = rung(k);
    while (h >= length * (1 - 1e-15)) {
      const Rung& r = rungs_[k];
      for (std::size_t c = 0; works && c < r.works.size(); ++c) {
        change.noalias() = r.works[c] * w;
        works[c] += w.dot(change);
      }
      change.noalias() = r.change * w;
      dx += change;
      apply(w, change);
      h -= length;
    }
  }
  if (h > 1e-15 * first_) advance_rest(h, w, dx, works);
}

// x and the works over less than h₀, from the series.
void Ladder::advance_rest(double h, Vector& w, Vector& dx, double* works) const {
  // Derivatives of w, scaled with hʲ/j!.
  std::vector<Vector> terms{w};
  const double share = h / first_ * resolved;
  double size = 1;
  for (int j = 1; j <= series_terms && size > 1e-19; ++j) {
    terms.push_back(derivative(terms.back()) * (h / j));
    size *= share / j;
  }
  const int last = static_cast<int>(terms.size()) - 1;
  for (std::size_t c = 0; works && c < forms_.size(); ++c)
    for (int i = 0; i < nodes; ++i) {
      Vector v = terms.back().head(n_);
      for (int j = last - 1; j >= 0; --j) v = v * node_place[i] + terms[j].head(n_);
      works[c] += h * node_weight[i] * v.dot(forms_[c] * v);
    }
  Vector change = Vector::Zero(2 * n_);
  for (int j = last; j >= 0; --j) change += terms[j] * (h / (j + 1));
  dx += change;
  apply(w, change);
}

}  // namespace thud
