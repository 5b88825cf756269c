#include "study/capture_plane.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "solve/dense.hpp"
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

// The places of all markers, each from the middle of its own. A marker may be glued on in front of the plane.
std::vector<Vector3d> centred(const std::vector<std::vector<Vector3d>>& markers) {
  std::vector<Vector3d> out;
  for (const std::vector<Vector3d>& places : markers) {
    const Vector3d middle = median_of(places);
    std::vector<double> distance;
    for (const Vector3d& p : places)
      if (p.allFinite()) distance.push_back((p - middle).norm());
    const double limit = 10 * median(distance);
    for (const Vector3d& p : places)
      if (p.allFinite() && (p - middle).norm() <= limit) out.push_back(p - middle);
  }
  return out;
}

}  // namespace

MotionPlane find_plane(const std::vector<std::vector<Vector3d>>& markers, const Vector3d& up) {
  MotionPlane out;
  const std::vector<Vector3d> points = centred(markers);
  if (points.size() < 3) return out;
  if (!markers.empty()) out.centre = median_of(markers.front());
  Vector3d mean = Vector3d::Zero();
  for (const Vector3d& p : points) mean += p / double(points.size());
  Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
  for (const Vector3d& p : points) spread += (p - mean) * (p - mean).transpose() / double(points.size());
  const SymmetricEigen eigen = eigen_of_symmetric(spread);  // smallest first
  const Vector3d size = eigen.values.cwiseMax(0).cwiseSqrt();
  out.normal = eigen.vectors.col(0);
  out.off = size[0];
  out.extent = size[2];
  out.thickness = size[2] > 0 ? size[1] / size[2] : 0;
  const Vector3d down = -(up - up.dot(out.normal) * out.normal);
  out.z = down.norm() > 1e-6 ? Vector3d(down.normalized()) : Vector3d(eigen.vectors.col(1));
  out.x = out.normal.cross(out.z);
  Eigen::Index largest = 0;
  out.x.cwiseAbs().maxCoeff(&largest);
  if (out.x[largest] < 0) out.x = -out.x;
  return out;
}

}  // namespace thud
