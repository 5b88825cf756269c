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

std::optional<std::array<double, 2>> find_push(const RftLaw& law) {
  constexpr double degree = std::numbers::pi / 180;
  for (int b = -90; b < 90; b += 2)
    for (int g = -180; g < 180; g += 2) {
      const Vec stress = rft_stress(law, b * degree, g * degree);
      if (!(stress.x * portable::cos(g * degree) + stress.z * portable::sin(g * degree) > 0))
        return std::array{b * degree, g * degree};
    }
  return {};
}

namespace {
constexpr int spread_count = 1500, brink_count = 48;  // points of the grid: of all motions, of each brink
constexpr double brink_angle = 2 * std::numbers::pi / brink_count;
}  // namespace

MotionHull::Met MotionHull::meet_at_brink(const Brink& brink, double angle) const {
  constexpr double off =
      1e-9;  // what the force is cut by is then known to 1e-7, and its support to the square of that
  const double c = off * portable::cos(angle), s = off * portable::sin(angle);
  Met met;
  for (int i = 0; i < 3; ++i)
    met.motion[i] = brink.motion[i] + c * brink.across[0][i] + s * brink.across[1][i];
  meet_(met.motion, met.force);
  return met;
}

// The best of the grid, and then between its neighbours.
double MotionHull::descend_brink(const double* rate, std::size_t which, Met& here) const {
  const Met* points = grid_.data() + spread_count + which * brink_count;
  int best = 0;
  for (int k = 1; k < brink_count; ++k)
    if (product(rate, points[k].force) < product(rate, points[best].force)) best = k;
  here = points[best];
  double low = product(rate, here.force);
  constexpr double golden = 0.3819660112501051;
  double mid = best * brink_angle, from = mid - brink_angle, to = mid + brink_angle;
  while (to - from > 1e-6) {
    const bool right = to - mid > mid - from;
    const double next = right ? mid + golden * (to - mid) : mid - golden * (mid - from);
    const Met there = meet_at_brink(brinks_[which], next);
    if (const double value = product(rate, there.force); value < low) {
      (right ? from : to) = mid;
      mid = next, low = value, here = there;
    } else {
      (right ? to : from) = next;
    }
  }
  return low;
}

MotionHull::MotionHull(Meet meet, std::vector<Brink> brinks)
    : meet_(std::move(meet)),
      brinks_(std::move(brinks)) {
  // Points spread evenly over the sphere of motions.
  constexpr int count = spread_count;
  const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
  for (int k = 0; k < count; ++k) {
    Met met;
    const double z = 1 - (2 * k + 1.0) / count, r = std::sqrt(1 - z * z);
    met.motion[0] = r * portable::cos(golden * k), met.motion[1] = r * portable::sin(golden * k),
    met.motion[2] = z;
    meet_(met.motion, met.force);
    grid_.push_back(met);
  }
  for (const Brink& brink : brinks_)
    for (int k = 0; k < brink_count; ++k) grid_.push_back(meet_at_brink(brink, k * brink_angle));
}

void MotionHull::lowest(const double* rate, double* force) const {
  constexpr int starts = 2;  // the support may have several low points
  const Met* order[starts] = {};
  for (int k = 0; k < spread_count; ++k) {
    const Met* next = &grid_[k];
    for (const Met*& slot : order)
      if (!slot || product(rate, next->force) < product(rate, slot->force)) {
        std::swap(slot, next);
        if (!next) break;
      }
  }
  double best = HUGE_VAL;
  for (const Met* start : order) {
    Met here = *start;
    const double value = descend(rate, here);
    if (value >= best) continue;
    best = value;
    std::copy(here.force, here.force + 3, force);
  }
  for (std::size_t k = 0; k < brinks_.size(); ++k) {
    Met here;
    const double value = descend_brink(rate, k, here);
    if (value >= best) continue;
    best = value;
    std::copy(here.force, here.force + 3, force);
  }
}

// Downhill on the sphere, in eight directions that get shorter; the value is good to their square.
double MotionHull::descend(const double* rate, Met& here) const {
  static constexpr double way[8][2] = {{1, 0},     {-1, 0},     {0, 1},       {0, -1},
                                       {0.7, 0.7}, {-0.7, 0.7}, {-0.7, -0.7}, {0.7, -0.7}};
  double value = product(rate, here.force);
  constexpr int most = 100;  // rounds; what creeps along a valley gains nothing to speak of
  double step = 0.06;
  for (int round = 0; round < most && step > 3e-6; ++round) {
    const double* x = here.motion;
    double across[2][3];
    const int least = std::abs(x[0]) < std::abs(x[1]) ? (std::abs(x[0]) < std::abs(x[2]) ? 0 : 2)
                                                      : (std::abs(x[1]) < std::abs(x[2]) ? 1 : 2);
    for (int i = 0; i < 3; ++i) across[0][i] = (i == least) - x[least] * x[i];
    normalise(across[0]);
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      across[1][i] = x[j] * across[0][k] - x[k] * across[0][j];
    }
    bool better = false;
    for (int side = 0; side < 8; ++side) {
      Met there = here;
      for (int i = 0; i < 3; ++i)
        there.motion[i] += step * (way[side][0] * across[0][i] + way[side][1] * across[1][i]);
      normalise(there.motion);
      meet_(there.motion, there.force);
      const double low = product(rate, there.force);
      if (low >= value - 0.01 * step * step * std::abs(value)) continue;  // less is not worth the way
      here = there, value = low, better = true;
      break;
    }
    step = better ? std::min(0.06, 2 * step) : 0.3 * step;
  }
  return value;
}

void MotionHull::lowest_on_grid(const double* rate, double* force) const {
  const Met* best = &grid_[0];
  double value = HUGE_VAL;
  for (const Met& m : grid_)
    if (const double x = product(rate, m.force); x < value) best = &m, value = x;
  std::copy(best->force, best->force + 3, force);
}

Gauge MotionHull::share_on_grid(const double* force, double slack) const {
  return find_gauge({force[0], force[1], force[2]}, [&](const double* rate, double* met) {
    lowest_on_grid(rate, met);
    add_ball(rate, 3, slack, met);
  });
}

// The grid leads to the neighbourhood, and what was found there is not sought again.
Gauge MotionHull::share(const double* force, double slack) const {
  constexpr double accuracy = 1e-9;
  std::vector<std::array<double, 3>> found;
  return find_gauge(
      {force[0], force[1], force[2]},
      [&](const double* rate, double* met) {
        lowest_on_grid(rate, met);
        add_ball(rate, 3, slack, met);
        for (const auto& p : found)
          if (product(rate, p.data()) < product(rate, met)) std::copy(p.begin(), p.end(), met);
        if (-product(rate, met) > 1 + accuracy) return;
        lowest(rate, met);
        add_ball(rate, 3, slack, met);
        found.push_back({met[0], met[1], met[2]});
      },
      accuracy);
}

// Along the surface, into the bed, and turning times the size.
OutlineHold::OutlineHold(const RftLaw& law, const BodyOutline& body, double depth)
    : size_(body.size()),
      hull_([law, body, depth, size = body.size()](const double* motion, double* force) {
        const BodyLoad load = load_outline(law, body, depth, {motion[0], motion[1]}, motion[2] / size);
        force[0] = load.force.x, force[1] = load.force.z, force[2] = load.moment / size;
      }) {}

Gauge OutlineHold::share(Vec force, double moment) const {
  const double asked[] = {force.x, force.z, moment / size_};
  Gauge out = hull_.share(asked);
  out.normal[2] /= size_;
  return out;
}

}  // namespace thud
