#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "import/planar.hpp"
#include "thud/base/format.hpp"
#include "thud/math/portable.hpp"

namespace thud::imports {

namespace {

std::string show(const Vec3& v) {
  return fmt::format("({} {} {})", show_number(clean(v.x())), show_number(clean(v.y())),
                     show_number(clean(v.z())));
}

// By how much an axis is off a plane [rad].
double off_plane(const Joint& j, const Vec3& normal) {
  const double along = std::min(1.0, std::abs(j.axis.dot(normal)));
  return j.motion == Motion::slide ? portable::asin(along)
                                   : portable::atan2(cross(j.axis, normal).norm(), along);
}

std::vector<Joint*> axes_of(SpatialModel& m) {
  std::vector<Joint*> out;
  for (Link& l : m.links)
    for (Joint& j : l.joints)
      if (j.motion != Motion::ball) out.push_back(&j);
  return out;
}

// Normals that the joints suggest: hinges their axes, sliders what is across two of them, or across one and gravity.
std::vector<Vec3> suggestions(const SpatialModel& m, const std::vector<Joint*>& joints) {
  std::vector<Vec3> out;
  for (const Joint* j : joints)
    if (j->motion == Motion::hinge) out.push_back(j->axis);
  if (!out.empty()) return out;
  std::vector<Vec3> lines;
  for (const Joint* j : joints) lines.push_back(j->axis);
  if (m.gravity.norm() > 0) lines.push_back(m.gravity / m.gravity.norm());
  lines.push_back(Vec3::UnitX());
  lines.push_back(Vec3::UnitZ());
  for (std::size_t a = 0; a < lines.size(); ++a)
    for (std::size_t b = a + 1; b < lines.size(); ++b)
      if (const Vec3 n = cross(lines[a], lines[b]); n.norm() > 1e-2) out.push_back(n / n.norm());
  return out;
}

int count_fitting(const std::vector<Joint*>& joints, const Vec3& normal) {
  return static_cast<int>(std::count_if(
      joints.begin(), joints.end(), [&](const Joint* j) { return off_plane(*j, normal) <= axis_tolerance; }));
}

[[noreturn]] void refuse(const std::vector<Joint*>& joints, const Vec3& normal) {
  const auto fits = [&](const Joint* j) { return off_plane(*j, normal) <= axis_tolerance; };
  const Joint& one = **std::find_if(joints.begin(), joints.end(), fits);
  const Joint& other = **std::find_if_not(joints.begin(), joints.end(), fits);
  const auto does = [](const Joint& j) {
    return fmt::format("{} {}", j.motion == Motion::slide ? "slides along" : "turns about", show(j.axis));
  };
  throw InputError(other.place,
                   fmt::format("the model does not move in one plane: joint \"{}\" {}, joint \"{}\" (line "
                               "{}) {}; at most {} of its {} joints share one",
                               other.name, does(other), one.name, one.place.line, does(one),
                               count_fitting(joints, normal), joints.size()));
}

MotionPlane make_plane(Vec3 normal) {
  MotionPlane p;
  // Down is that of the world, if the plane is not level; a level one is seen from above.
  Vec3 down = -Vec3::UnitZ();
  down -= down.dot(normal) * normal;
  if (down.norm() < 0.1) {
    down = -Vec3::UnitY();
    down -= down.dot(normal) * normal;
  }
  p.down = down / down.norm();
  p.right = cross(normal, p.down);
  // Of the two sides to look from, that on which x grows to the right; y if there is no x.
  const double side = std::abs(p.right.x()) > 1e-6 ? p.right.x()
                    : std::abs(p.right.y()) > 1e-6 ? p.right.y()
                                                   : p.right.z();
  if (side < 0) p.right = -p.right;
  p.normal = cross(p.down, p.right);
  return p;
}

void hold_others(SpatialModel& m, const Vec3& normal) {
  for (Link& l : m.links) {
    std::vector<Joint> kept;
    for (Joint& j : l.joints) {
      if (j.motion == Motion::ball) {
        m.note(j.place,
               fmt::format("joint \"{}\" of \"{}\" is a ball joint: it turns in the plane only, as a pin",
                           j.name, l.name));
        j.motion = Motion::hinge;
        j.axis = normal;
      }
      const double off = off_plane(j, normal);
      if (off > axis_tolerance) {
        m.note(j.place,
               fmt::format("joint \"{}\" of \"{}\" {} {}, out of the plane of motion: it is held{}", j.name,
                           l.name, j.motion == Motion::slide ? "slides along" : "turns about", show(j.axis),
                           j.plain() ? "" : ", and what acts in it is left out"));
        continue;
      }
      if (j.lower && j.upper && !(*j.lower < *j.upper)) {
        if (*j.lower != j.reference)
          throw InputError(
              j.place, fmt::format("joint \"{}\" cannot move between its limits, and is not written where "
                                   "they hold it; make it a fixed joint there",
                                   j.name));
        m.note(j.place, fmt::format("joint \"{}\" cannot move between its limits: it is held", j.name));
        continue;
      }
      if (off > 1e-5)
        m.note(j.place, fmt::format("joint \"{}\" is {} rad off the plane of motion: taken as in it", j.name,
                                    show_number(off, 3)));
      kept.push_back(std::move(j));
    }
    l.joints = std::move(kept);
  }
}

}  // namespace

double clean(double x) { return std::abs(x) < 1e-13 ? 0.0 : x; }

MotionPlane find_plane(SpatialModel& m) {
  const std::vector<Joint*> joints = axes_of(m);
  Vec3 best = Vec3::UnitY();
  int most = -1;
  for (const Vec3& n : suggestions(m, joints))
    if (const int fitting = count_fitting(joints, n); fitting > most) best = n, most = fitting;
  if (!joints.empty() && 2 * most <= static_cast<int>(joints.size())) refuse(joints, best);
  const MotionPlane plane = make_plane(best);
  hold_others(m, plane.normal);
  return plane;
}

}  // namespace thud::imports
