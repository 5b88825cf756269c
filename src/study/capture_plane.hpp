#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace thud {

/// A plane through points in space.
struct MotionPlane {
  Eigen::Vector3d centre = Eigen::Vector3d::Zero(), normal = Eigen::Vector3d::UnitY();
  Eigen::Vector3d x = Eigen::Vector3d::UnitX(),
                  z = -Eigen::Vector3d::UnitZ();  ///< the scenario's, in the file
  double off = 0;                                 ///< rms distance of the points from it
  double extent = 0;                              ///< rms distance of the points from their centre
  double thickness =
      0;  ///< second extent over the first: 0 when the points lie on a line, which has no plane
};

/// The plane that points move in, upright and shared by all markers unless the places speak against it; then it may lean,
/// and each marker may move in one of its own, parallel to the others. `markers`: the places of each marker, NaN for what
/// was not seen. `up`: the way up, which gives z its sign; x is the horizontal in the
/// plane that points along the axes of the file rather than against them. Points far off do not count.
[[nodiscard]] MotionPlane find_plane(const std::vector<std::vector<Eigen::Vector3d>>& markers,
                                     const Eigen::Vector3d& up);

}  // namespace thud
