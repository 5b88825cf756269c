#include "thud/granular/outline_sand.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "thud/math/portable.hpp"

namespace thud {

void BodyOutline::add_polygon(const std::vector<Vec>& corners, double breadth) {
  const std::size_t n = corners.size();
  double area = 0;
  for (std::size_t k = 0; k < n; ++k) area += moment(corners[(k + 1) % n], corners[k]);
  for (std::size_t k = 0; k < n; ++k) {
    const Vec a = corners[k], b = corners[(k + 1) % n];
    sides.push_back(area > 0 ? Side{a, b, breadth, false} : Side{b, a, breadth, false});
  }
}

void BodyOutline::add_plates(const std::vector<Vec>& points, double breadth) {
  for (std::size_t k = 0; k + 1 < points.size(); ++k)
    sides.push_back({points[k], points[k + 1], breadth, true});
}

BodyOutline BodyOutline::turned_by(double angle) const {
  const double s = portable::sin(angle), c = portable::cos(angle);
  const auto turn = [&](Vec r) { return Vec{c * r.x + s * r.z, c * r.z - s * r.x}; };
  BodyOutline out = *this;
  for (Side& side : out.sides) side.a = turn(side.a), side.b = turn(side.b);
  for (Circle& circle : out.circles) circle.center = turn(circle.center);
  return out;
}

double BodyOutline::size() const {
  double most = 0;
  for (const Side& s : sides) most = std::max({most, norm(s.a), norm(s.b)});
  for (const Circle& c : circles) most = std::max(most, norm(c.center) + c.radius);
  return most;
}

namespace {

double product(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

void normalise(double* x) {
  const double size = std::sqrt(product(x, x));
  for (int i = 0; i < 3; ++i) x[i] /= size;
}

}  // namespace

OutlineHold::OutlineHold(const RftLaw& law, BodyOutline body, double depth)
    : law_(law),
      body_(std::move(body)),
      depth_(depth),
      size_(body_.size()) {
  // Points spread evenly over the sphere of motions.
  constexpr int count = 1500;
  const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
  for (int k = 0; k < count; ++k) {
    Met met;
    const double z = 1 - (2 * k + 1.0) / count, r = std::sqrt(1 - z * z);
    met.motion[0] = r * portable::cos(golden * k), met.motion[1] = r * portable::sin(golden * k),
    met.motion[2] = z;
    meet(met.motion, met.force);
    grid_.push_back(met);
  }
}

// Along the surface, into the bed, and turning times the size.
void OutlineHold::meet(const double* motion, double* force) const {
  const BodyLoad load = load_outline(law_, body_, depth_, {motion[0], motion[1]}, motion[2] / size_);
  force[0] = load.force.x, force[1] = load.force.z, force[2] = load.moment / size_;
}

void OutlineHold::lowest(const double* rate, double* force) const {
  constexpr int starts = 2;  // the support may have several low points
  std::vector<const Met*> order;
  for (const Met& m : grid_) order.push_back(&m);
  std::partial_sort(order.begin(), order.begin() + starts, order.end(), [&](const Met* a, const Met* b) {
    return product(rate, a->force) < product(rate, b->force);
  });
  double best = HUGE_VAL;
  for (int k = 0; k < starts; ++k) {
    Met here = *order[k];
    double value = product(rate, here.force);
    double step = 0.1;
    while (
        step
        > 1e-7) {  // downhill, in the directions of a cross that gets smaller; the value is good to its square
      bool better = false;
      for (int axis = 0; axis < 3; ++axis)
        for (double side : {-1.0, 1.0}) {
          Met there = here;
          there.motion[axis] += side * step;
          normalise(there.motion);
          meet(there.motion, there.force);
          const double low = product(rate, there.force);
          if (low < value) here = there, value = low, better = true;
        }
      if (!better) step *= 0.4;
    }
    if (value < best) {
      best = value;
      std::copy(here.force, here.force + 3, force);
    }
  }
}

Gauge OutlineHold::share(Vec force, double moment) const {
  Gauge out = find_gauge({force.x, force.z, moment / size_},
                         [&](const double* rate, double* met) { lowest(rate, met); });
  out.normal[2] /= size_;
  return out;
}

}  // namespace thud
