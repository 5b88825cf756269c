#pragma once
// Immersion of a bent beam: which part of the deformed axis is under the surface.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "thud/beam/beam.hpp"
#include "thud/math/dual.hpp"

namespace thud {

class DepthProfile;

/// Depth along the deformed axis of a beam below a plane surface:
///
///   δ(x) = a + b x + c w(x),   b = n·u,  c = n·ŵ
///
/// On dual numbers with exact derivatives at the places that its profile finds.
template <class T, class P = double>
struct DepthLine {
  const ElasticBeamOf<P>& beam;
  T a, b, c;
  const T* eta;

  /// The numbers behind the elastic coordinates.
  const double* values() const {
    if constexpr (std::is_same_v<T, double>) {
      return eta;
    } else {
      thread_local std::vector<double> plain;
      plain.resize(beam.size());
      for (int k = 0; k < beam.size(); ++k) plain[k] = value_of(eta[k]);
      return plain.data();
    }
  }
  DepthProfile profile() const;

  template <class X>
  T depth(X x, T& slope) const {
    Deflection<T, P> w(beam, eta);
    return depth(x, slope, w);
  }
  /// The same at one place after the other.
  template <class X>
  T depth(X x, T& slope, Deflection<T, P>& along) const {
    T w, tangent;
    along.at(x, w, tangent);
    slope = b + c * tangent;
    return a + b * x + c * w;
  }
  /// A root of the depth with its derivatives: Newton's step doubles their order.
  T lifted(double x) const {
    if constexpr (std::is_same_v<T, double>) return x;
    T slope, root = T(x);
    for (int i = 0; i < 2; ++i) {
      const T d = depth(root, slope);
      if (value_of(slope) == 0) return root;
      root -= d / slope;
    }
    return root;
  }
};

/// The same in plain numbers, cut at its turning points, so that it is monotone from node to node.
class DepthProfile {
 public:
  struct Node {
    double x, depth;
  };

  explicit DepthProfile(const DepthLine<double>& line) : line_(line) {
    const ElasticBeam& beam = line.beam;
    const double* eta = line.eta;
    const double l = beam.length();
    const int n = beam.size();
    double start = 0, end = 0, steepest = 0;
    for (int k = 0; k < n; ++k) {
      start += beam.start_shapes()[k] * eta[k];
      end += beam.end_shapes()[k] * eta[k];
      steepest += beam.basis().steepest(k) * std::abs(eta[k]);
    }
    first_ = {0, line.a + line.c * start};
    last_ = {l, line.a + line.b * l + line.c * end};
    turns().clear();
    if (std::abs(line.b) <= std::abs(line.c) * steepest) find_turns();
  }

  Node first() const { return first_; }
  Node last() const { return last_; }
  /// Turning points inside, in order.
  const std::vector<Node>& inside() const { return turns(); }

  /// Positive while the ends alone tell what is immersed: all, nothing, or everything on one side of one point.
  /// Negative when a part in between is in, or out, besides; zero when the axis just touches the surface there.
  double simplicity() const { return decisive().value; }
  /// The same, and the turning point it comes from: sign times its depth. Sign 0: the length of the beam.
  struct Decisive {
    double value;
    int sign = 0;
    double x = 0;
  };
  Decisive decisive() const {
    const auto& t = turns();
    Decisive best{line_.beam.length()};
    if (t.empty()) return best;
    const bool start = first_.depth > 0, end = last_.depth > 0;
    if (start == end) {
      const int sign = start ? 1 : -1;
      for (const Node& n : t)
        if (sign * n.depth < best.value) best = {sign * n.depth, sign, n.x};
      return best;
    }
    // From dry to wet: a wet place must not be followed by a dry one. From wet to dry the same backwards.
    Node wettest{0, -std::numeric_limits<double>::infinity()};
    for (std::size_t i = 0; i < t.size(); ++i) {
      const Node& n = end ? t[i] : t[t.size() - 1 - i];
      if (i > 0) {
        const bool later = -wettest.depth < n.depth;
        const Decisive here{later ? n.depth : -wettest.depth, later ? 1 : -1, later ? n.x : wettest.x};
        if (here.value < best.value) best = here;
      }
      if (wettest.depth < n.depth) wettest = n;
    }
    return best;
  }

  /// Where δ = 0 between two nodes on different sides of the surface.
  double crossing(Node lower, Node upper) const {
    double x = lower.x + (upper.x - lower.x) * (-lower.depth / (upper.depth - lower.depth));
    const double length = line_.beam.length();
    Deflection<double> w(line_.beam, line_.eta);
    for (int i = 0; i < 60; ++i) {
      double slope;
      const double d = line_.depth(x, slope, w);
      if (d == 0) return x;
      ((d > 0) == (upper.depth > 0) ? upper : lower) = {x, d};
      const double step = d / slope;
      double next = x - step;
      const bool newton = next > lower.x && next < upper.x;
      if (!newton) next = 0.5 * (lower.x + upper.x);
      const double moved = std::abs(next - x);
      x = next;
      // What Newton's step leaves is of the order of its square.
      if (moved <= (newton ? 1e-9 : 4e-16) * length) break;
    }
    return x;
  }

  /// Where the straight continuation beyond an end meets the surface.
  double beyond(Node end) const {
    double slope;
    line_.depth(end.x, slope);
    return slope != 0 ? end.x - end.depth / slope : end.x;
  }

  /// Calls use(from, to) for every immersed interval.
  template <class Use>
  void for_each_immersed(Use&& use) const {
    Node before = first_;
    double from = before.depth > 0 ? before.x : -1;
    const auto go_to = [&](Node next) {
      if ((before.depth > 0) != (next.depth > 0)) {
        const double x = crossing(before, next);
        if (next.depth > 0)
          from = x;
        else
          use(from, x);
      }
      before = next;
    };
    for (const Node& n : turns()) go_to(n);
    go_to(last_);
    if (last_.depth > 0) use(from, last_.x);
  }

 private:
  // One profile at a time and thread: its memory is kept.
  static std::vector<Node>& turns() {
    thread_local std::vector<Node> nodes;
    return nodes;
  }

  void find_turns() {
    const int n = line_.beam.size();
    const auto slope_at = [&](int j) {
      const double* row = line_.beam.station_slopes(j);
      double s = 0;
      for (int k = 0; k < n; ++k) s += row[k] * line_.eta[k];
      return line_.b + line_.c * s;
    };
    double before = slope_at(0);
    for (int j = 1; j < line_.beam.station_count(); ++j) {
      const double here = slope_at(j);
      if ((before > 0) != (here > 0)) {
        const double x = turn(line_.beam.station(j - 1), before, line_.beam.station(j), here);
        double slope;
        turns().push_back({x, line_.depth(x, slope)});
      }
      before = here;
    }
  }

  // Root of the slope by bisection and secants (Illinois): the depth there does not feel its last digits.
  double turn(double xa, double fa, double xb, double fb) const {
    double x = xa;
    int side = 0;
    Deflection<double> w(line_.beam, line_.eta);
    for (int i = 0; i < 60; ++i) {
      x = (fa * xb - fb * xa) / (fa - fb);
      double f;
      line_.depth(x, f, w);
      if (f == 0 || xb - xa < 1e-14 * line_.beam.length()) break;
      if ((f > 0) == (fa > 0)) {
        xa = x, fa = f;
        if (side == 1) fb *= 0.5;
        side = 1;
      } else {
        xb = x, fb = f;
        if (side == -1) fa *= 0.5;
        side = -1;
      }
      if (std::abs(f) < 1e-15 * (std::abs(line_.b) + std::abs(line_.c))) break;
    }
    return x;
  }

  DepthLine<double> line_;
  Node first_{}, last_{};
};

template <class T, class P>
DepthProfile DepthLine<T, P>::profile() const {
  return DepthProfile({beam.plain(), value_of(a), value_of(b), value_of(c), values()});
}

}  // namespace thud
