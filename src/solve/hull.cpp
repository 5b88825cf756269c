#include "thud/solve/hull.hpp"

#include <algorithm>
#include <cmath>

#include "thud/solve/small_systems.hpp"

namespace thud {

namespace {

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Points of the set and their weights, which sum to one.
class Corral {
 public:
  Corral(const std::vector<double>& matrix, const std::vector<double>& offset)
      : matrix_(matrix),
        offset_(offset),
        n_(static_cast<int>(offset.size())) {}

  void add(std::vector<double> point) {
    Entry e;
    e.image.assign(n_, 0);
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) e.image[i] += matrix_[i * n_ + j] * point[j];
    e.cost = product(offset_, point);
    e.point = std::move(point);
    e.weight = entries_.empty() ? 1 : 0;
    entries_.push_back(std::move(e));
  }
  bool has(const std::vector<double>& point) const {
    return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.point == point; });
  }

  /// Weights to the least of their affine hull, or to the first that vanishes on the way, which is dropped.
  void settle() {
    while (entries_.size() > 1) {
      const std::vector<double> wanted = least();
      double step = 1;
      std::size_t first = entries_.size();
      for (std::size_t k = 0; k < entries_.size(); ++k)
        if (wanted[k] < 1e-14) {
          const double share = entries_[k].weight / std::max(entries_[k].weight - wanted[k], 1e-300);
          if (share < step || first == entries_.size()) step = std::min(share, step), first = k;
        }
      for (std::size_t k = 0; k < entries_.size(); ++k)
        entries_[k].weight += step * (wanted[k] - entries_[k].weight);
      if (first == entries_.size()) return;
      entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(first));
    }
    entries_[0].weight = 1;
  }

  void sum(std::vector<double>& force, std::vector<double>& rate) const {
    force.assign(n_, 0);
    rate = offset_;
    for (const Entry& e : entries_)
      for (int i = 0; i < n_; ++i) {
        force[i] += e.weight * e.point[i];
        rate[i] += e.weight * e.image[i];
      }
  }

 private:
  struct Entry {
    std::vector<double> point, image;
    double cost, weight;
  };

  // With the differences to the first point as unknowns.
  std::vector<double> least() const {
    const int k = static_cast<int>(entries_.size()) - 1;
    std::vector<double> g(static_cast<std::size_t>(k) * k), x(k), out(entries_.size());
    double largest = 0;
    const auto pair = [&](int a, int b) { return product(entries_[a].point, entries_[b].image); };
    for (int a = 0; a < k; ++a) {
      for (int b = 0; b < k; ++b)
        g[a * k + b] = pair(a + 1, b + 1) - pair(a + 1, 0) - pair(0, b + 1) + pair(0, 0);
      x[a] = entries_[0].cost - entries_[a + 1].cost - pair(a + 1, 0) + pair(0, 0);
      largest = std::max(largest, g[a * k + a]);
    }
    solve_hold(g.data(), x.data(), k, 1e-15 * largest + 1e-300);
    out[0] = 1;
    for (int a = 0; a < k; ++a) out[a + 1] = x[a], out[0] -= x[a];
    return out;
  }

  const std::vector<double>& matrix_;
  const std::vector<double>& offset_;
  int n_;
  std::vector<Entry> entries_;
};

}  // namespace

HullSolution solve_hull(const std::vector<double>& matrix, const std::vector<double>& offset,
                        const Lowest& lowest) {
  HullSolution out;
  Corral corral(matrix, offset);
  std::vector<double> point(offset.size());
  lowest(offset.data(), point.data());
  corral.add(point);
  // Where the set is curved the points of the corral come so close that rounding ends the progress: the best is kept.
  HullSolution best;
  best.gap = HUGE_VAL;
  double size = 0;
  const int most = 200 + 20 * static_cast<int>(offset.size());
  for (int round = 0, idle = 0; round < most && idle < 10; ++round, ++idle) {
    corral.sum(out.force, out.rate);
    lowest(out.rate.data(), point.data());
    size = 0;
    for (std::size_t i = 0; i < offset.size(); ++i)
      size += std::abs(offset[i]) * std::max(std::abs(out.force[i]), std::abs(point[i]));
    out.gap = product(out.rate, out.force) - product(out.rate, point);
    if (out.gap < best.gap) best = out, idle = 0;
    if (best.gap <= 1e-15 * size || corral.has(point)) break;
    corral.add(point);
    corral.settle();
  }
  best.converged = best.gap <= 1e-10 * size;
  return best;
}

void add_ball(const double* rate, int n, double radius, double* force) {
  double square = 0;
  for (int i = 0; i < n; ++i) square += rate[i] * rate[i];
  if (!(square > 0)) return;
  const double step = radius / std::sqrt(square);
  for (int i = 0; i < n; ++i) force[i] -= step * rate[i];
}

Gauge find_gauge(const std::vector<double>& force, const Lowest& lowest, double accuracy) {
  const int n = static_cast<int>(force.size());
  Gauge out;
  out.normal.assign(n, 0);
  if (std::all_of(force.begin(), force.end(), [](double x) { return x == 0; })) {
    out.converged = true;
    return out;
  }
  // force = Σ y_k p_k with points p_k of the set and the least Σ y_k: a linear programme whose columns the set gives as they
  // are needed. It starts from points next to zero.
  std::vector<double> basis(static_cast<std::size_t>(n) * n), y(n), direction(n), point(n);
  for (int i = 0; i < n; ++i) {
    std::fill(direction.begin(), direction.end(), 0);
    const double side = force[i] < 0 ? -1 : 1;
    direction[i] = -side;
    lowest(direction.data(), point.data());
    const double reach = 1e-9 * std::abs(point[i]);
    if (!(reach > 0)) return out;
    basis[i * n + i] = side * reach;
    y[i] = std::abs(force[i]) / reach;
  }
  std::vector<double> g, x(n);
  for (int round = 0; round < 400; ++round) {
    g = basis;
    std::fill(x.begin(), x.end(), 1);
    solve_general(g.data(), x.data(), n, 0);  // c·p_k = 1; a row of `basis` is a point
    out.normal = x;
    out.value = product(out.normal, force);
    for (int i = 0; i < n; ++i) direction[i] = -x[i];
    lowest(direction.data(), point.data());
    const double reach = product(out.normal, point);
    out.converged = reach <= 1 + accuracy;
    if (out.converged) break;
    // the new point takes the place of the one that vanishes first
    g.assign(g.size(), 0);
    for (int a = 0; a < n; ++a)
      for (int i = 0; i < n; ++i) g[i * n + a] = basis[a * n + i];
    std::vector<double> share = point;
    solve_general(g.data(), share.data(), n, 0);
    int leaves = -1;
    for (int a = 0; a < n; ++a)
      if (share[a] > 1e-13 && (leaves < 0 || y[a] * share[leaves] < y[leaves] * share[a])) leaves = a;
    if (leaves < 0) return out;
    const double step = y[leaves] / share[leaves];
    for (int a = 0; a < n; ++a) y[a] = std::max(0.0, y[a] - step * share[a]);
    y[leaves] = step;
    std::copy(point.begin(), point.end(), basis.begin() + static_cast<std::ptrdiff_t>(leaves) * n);
  }
  return out;
}

}  // namespace thud
