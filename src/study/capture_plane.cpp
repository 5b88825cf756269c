#include "study/capture_plane.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "solve/dense.hpp"
#include "study/capture_signal.hpp"
#include "study/robust.hpp"

namespace thud {

using Eigen::Vector3d;

namespace {

Vector3d median_of(const std::vector<Vector3d>& points) {
  Vector3d out;
  for (int k = 0; k < 3; ++k) {
    std::vector<double> values;
    for (const Vector3d& p : points)
      if (p.allFinite()) values.push_back(p[k]);
    out[k] = median(std::move(values));
  }
  return out;
}

struct Sighting {
  Vector3d at;
  std::size_t marker;
};

// Rows in which a coordinate of a marker jumps, as where it was taken for another.
std::vector<char> jumps(const std::vector<Vector3d>& path) {
  std::vector<char> out(path.size(), 0);
  for (int k = 0; k < 3; ++k) {
    std::vector<double> values;
    for (const Vector3d& p : path) values.push_back(p[k]);
    for (std::size_t i : find_spikes(values)) out[i] = 1;
  }
  return out;
}

// Every place of every marker, but those far from the middle of its own and those that it jumps to.
std::vector<Sighting> usable(const std::vector<std::vector<Vector3d>>& markers) {
  std::vector<Sighting> out;
  for (std::size_t m = 0; m < markers.size(); ++m) {
    const Vector3d middle = median_of(markers[m]);
    std::vector<double> distance;
    for (const Vector3d& p : markers[m])
      if (p.allFinite()) distance.push_back((p - middle).norm());
    const double limit = 10 * median(distance);
    const std::vector<char> is_jump = jumps(markers[m]);
    for (std::size_t i = 0; i < markers[m].size(); ++i) {
      const Vector3d& p = markers[m][i];
      if (p.allFinite() && !is_jump[i] && (p - middle).norm() <= limit) out.push_back({p, m});
    }
  }
  return out;
}

/// What a plane may be: standing upright or askew, one for all markers or one for each, parallel to each other.
struct PlaneKind {
  bool upright, shared;
  int parameters(std::size_t markers) const {
    return (upright ? 1 : 2) + (shared ? 1 : static_cast<int>(markers));
  }
};

/// The plane of one kind nearest to all places, by the squares of the distances from it.
struct NearestPlane {
  Vector3d normal = Vector3d::UnitY();
  std::vector<double> distance;    // of each place
  Eigen::Vector3d sizes, largest;  // rms extents, smallest first; a way across the largest
  double squares = 0;

  NearestPlane(const std::vector<Sighting>& places, std::size_t markers, PlaneKind kind, const Vector3d& up) {
    std::vector<Vector3d> mean(markers, Vector3d::Zero());
    std::vector<double> count(markers, 0);
    const auto group = [&](const Sighting& p) { return kind.shared ? 0 : p.marker; };
    for (const Sighting& p : places) mean[group(p)] += p.at, ++count[group(p)];
    for (std::size_t m = 0; m < markers; ++m) mean[m] /= std::max(count[m], 1.0);
    Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
    for (const Sighting& p : places) {
      Vector3d r = p.at - mean[group(p)];
      if (kind.upright) r -= r.dot(up) * up;
      spread += r * r.transpose() / double(places.size());
    }
    const SymmetricEigen eigen = eigen_of_symmetric(spread);  // smallest first
    sizes = eigen.values.cwiseMax(0).cwiseSqrt();
    largest = eigen.vectors.col(2);
    // Seen from above, the smallest extent is none, along the vertical.
    normal = kind.upright ? Vector3d(up.cross(largest).normalized()) : Vector3d(eigen.vectors.col(0));
    for (const Sighting& p : places) {
      distance.push_back((p.at - mean[group(p)]).dot(normal));
      squares += distance.back() * distance.back();
    }
  }
};

// The plainest kind that the places do not speak against: what a plane need not find out it cannot get wrong. Between
// markers that share a plane lies a long lever; a plane that stands upright needs only its direction.
NearestPlane plainest(const std::vector<Sighting>& places, std::size_t markers, const Vector3d& up) {
  constexpr double significant = 10;  // of the growth of the squares for each parameter saved
  const PlaneKind kinds[] = {{true, true}, {false, true}, {true, false}, {false, false}};
  const NearestPlane any(places, markers, kinds[3], up);
  const int most = kinds[3].parameters(markers);
  const double variance = any.squares / std::max(double(places.size()) - most, 1.0);
  const double rounding = 1e-20 * any.sizes[2] * any.sizes[2] * double(places.size());
  for (const PlaneKind& kind : kinds) {
    NearestPlane plane(places, markers, kind, up);
    const double saved = most - kind.parameters(markers);
    if (plane.squares <= any.squares + significant * saved * variance + rounding) return plane;
  }
  return any;
}

// Leaves out what lies far off a plane; whether anything did.
bool trim(const NearestPlane& plane, std::vector<Sighting>& places) {
  std::vector<double> size;
  for (double d : plane.distance) size.push_back(std::abs(d));
  const double limit = 6 * deviation_per_median * median(size) + 1e-9 * plane.sizes[2];
  std::vector<Sighting> kept;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (size[i] <= limit) kept.push_back(places[i]);
  if (kept.size() == places.size() || kept.size() < 3) return false;
  places = std::move(kept);
  return true;
}

}  // namespace

MotionPlane find_plane(const std::vector<std::vector<Vector3d>>& markers, const Vector3d& up) {
  MotionPlane out;
  std::vector<Sighting> places = usable(markers);
  if (places.size() < 3) return out;
  out.centre = median_of(markers.front());
  NearestPlane plane = plainest(places, markers.size(), up);
  for (int round = 0; round < 4 && trim(plane, places); ++round) plane = plainest(places, markers.size(), up);
  const NearestPlane motion(places, markers.size(), {false, false}, up);
  out.normal = plane.normal;
  out.off = std::sqrt(plane.squares / double(places.size()));
  out.extent = motion.sizes[2];
  out.thickness = out.extent > 0 ? motion.sizes[1] / out.extent : 0;
  const Vector3d down = -(up - up.dot(out.normal) * out.normal);
  out.z = down.norm() > 1e-6 ? Vector3d(down.normalized())
                             : Vector3d(motion.largest.cross(out.normal).normalized());
  out.x = out.normal.cross(out.z);
  Eigen::Index largest = 0;
  out.x.cwiseAbs().maxCoeff(&largest);
  if (out.x[largest] < 0) out.x = -out.x;
  return out;
}

}  // namespace thud
