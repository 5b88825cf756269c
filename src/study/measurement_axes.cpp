#include "study/measurement_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "study/capture_plane.hpp"
#include "thud/base/error.hpp"
#include "thud/base/format.hpp"
#include "thud/math/portable.hpp"

namespace thud {

namespace {

Eigen::Vector3d direction(const FileAxis& a) { return a.sign * Eigen::Vector3d::Unit(a.axis); }

MotionPlane plane_of(const MarkerPaths& points, const MeasurementRules& rules, const std::string& file,
                     Measurement& out) {
  MotionPlane plane;
  if (!rules.find_plane) {
    if (rules.x) plane.x = direction(*rules.x);
    plane.z = rules.z ? direction(*rules.z) : Eigen::Vector3d::UnitZ();
    return plane;
  }
  plane = find_plane(points, direction(rules.up));
  if (plane.thickness < 0.02)
    throw InputError({file, 0, 0},
                     "the points move along a line, which lies in many planes: give axes = { x = "
                     "..., z = ... } under [fit.capture] in place of plane = \"find\"");
  const double tilt = portable::asin(std::min(1.0, std::abs(plane.normal.dot(direction(rules.up)))));
  out.notes.push_back(
      fmt::format("the points move within {} of a plane; x points along ({:.3f}, {:.3f}, {:.3f}) of the "
                  "file, z along ({:.3f}, "
                  "{:.3f}, {:.3f}); the plane leans by {:.2f} deg",
                  show_quantity(plane.off, "m", {.unicode = false}, 3), plane.x[0], plane.x[1], plane.x[2],
                  plane.z[0], plane.z[1], plane.z[2], tilt * 180 / M_PI));
  return plane;
}

// A point that lacks a coordinate lacks what needs it: a NaN times zero must not spread.
double along(const Eigen::Vector3d& axis, const Eigen::Vector3d& p) {
  double sum = 0;
  for (int k = 0; k < 3; ++k)
    if (axis[k] != 0) sum += axis[k] * p[k];
  return sum;
}

}  // namespace

void add_points(const MarkerPaths& points, const MeasurementRules& rules,
                const std::vector<NamedObservable>& observables, const std::string& file, Measurement& out) {
  if (points.empty()) return;
  const MotionPlane plane = plane_of(points, rules, file, out);
  for (std::size_t k = 0; k < points.size(); ++k)
    for (const auto& [name, axis, origin] :
         {std::tuple{".x", plane.x, rules.origin_x}, std::tuple{".z", plane.z, rules.origin_z}}) {
      const std::string wanted = rules.points[k].point + name;
      const auto what = std::find_if(observables.begin(), observables.end(),
                                     [&](const NamedObservable& o) { return o.name == wanted; });
      if (what == observables.end())
        throw InputError({file, 0, 0}, fmt::format("the scenario has no observable \"{}\"", wanted));
      MeasuredColumn column{*what, {}};
      for (const Eigen::Vector3d& p : points[k]) column.value.push_back(along(axis, p) - origin);
      out.columns.push_back(std::move(column));
    }
}

void turn_columns(const MeasurementRules& rules, Measurement& out) {
  for (MeasuredColumn& c : out.columns) {
    const bool is_x = c.what.name.ends_with(".x"), is_z = c.what.name.ends_with(".z");
    const bool is_rate = c.what.name.ends_with(".vx") || c.what.name.ends_with(".vz");
    if (!is_x && !is_z && !is_rate) continue;
    const auto& axis = is_x || c.what.name.ends_with(".vx") ? rules.x : rules.z;
    const double origin = is_x ? rules.origin_x : is_z ? rules.origin_z : 0;
    for (double& value : c.value) value = (axis ? axis->sign : 1) * value - origin;
  }
}

}  // namespace thud
