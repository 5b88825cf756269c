#include <cmath>
#include <numbers>

#include "import/spatial.hpp"
#include "thud/math/portable.hpp"

namespace thud::imports {

namespace {

constexpr double pi = std::numbers::pi;

// Moments of inertia about the centre along the solid's own axes.
Vec3 moments_of(Form form, const Vec3& size, double m) {
  const double r = size.x(), h = size.y();
  switch (form) {
    case Form::sphere: return Vec3::Constant(0.4 * m * r * r);
    case Form::cylinder: {
      const double across = m * (r * r / 4 + h * h / 3);
      return {across, across, m * r * r / 2};
    }
    case Form::capsule: {
      // A cylinder of length 2h and two half balls, whose centres of mass are 3r/8 from their flats.
      const double ball = m * (4 * r / 3) / (2 * h + 4 * r / 3), tube = m - ball;
      const double across = tube * (r * r / 4 + h * h / 3) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
      return {across, across, tube * r * r / 2 + ball * 0.4 * r * r};
    }
    case Form::box:
    case Form::ellipsoid: {
      const Vec3 q = size.cwiseProduct(size) * (m / (form == Form::box ? 3.0 : 5.0));
      return {q.y() + q.z(), q.z() + q.x(), q.x() + q.y()};
    }
    case Form::other: break;
  }
  return Vec3::Zero();
}

}  // namespace

Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y() * b.z() - a.z() * b.y(), a.z() * b.x() - a.x() * b.z(), a.x() * b.y() - a.y() * b.x()};
}

double volume_of(Form form, const Vec3& size) {
  const double r = size.x(), h = size.y();
  switch (form) {
    case Form::sphere: return 4 * pi / 3 * r * r * r;
    case Form::cylinder: return 2 * pi * r * r * h;
    case Form::capsule: return pi * r * r * (2 * h + 4 * r / 3);
    case Form::box: return 8 * size.prod();
    case Form::ellipsoid: return 4 * pi / 3 * size.prod();
    case Form::other: break;
  }
  return 0;
}

Mass mass_of(Form form, const Vec3& size, const Pose& pose, double mass) {
  const Vec3 moments = moments_of(form, size, mass);
  return {mass, pose.at, pose.turn * moments.asDiagonal() * pose.turn.transpose()};
}

Mass sum(const Mass& a, const Mass& b) {
  Mass out;
  out.mass = a.mass + b.mass;
  if (!(out.mass > 0)) return out;
  out.center = (a.mass * a.center + b.mass * b.center) / out.mass;
  for (const Mass* m : {&a, &b}) {
    const Vec3 d = m->center - out.center;
    out.inertia += m->inertia + m->mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  }
  return out;
}

Mat3 turn_about(const Vec3& n, double angle) {
  Mat3 cross;
  cross << 0, -n.z(), n.y(), n.z(), 0, -n.x(), -n.y(), n.x(), 0;
  return portable::cos(angle) * Mat3::Identity() + portable::sin(angle) * cross
       + (1 - portable::cos(angle)) * n * n.transpose();
}

Mat3 turn_of_quaternion(double w, double x, double y, double z) {
  const double size = std::sqrt(w * w + x * x + y * y + z * z);
  w /= size, x /= size, y /= size, z /= size;
  Mat3 out;
  out << 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),  //
      2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),     //
      2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y);
  return out;
}

Mat3 turn_to(const Vec3& direction) {
  const Vec3 d = direction / direction.norm(), axis = cross(Vec3::UnitZ(), d);
  const double sine = axis.norm();
  if (sine < 1e-12) return d.z() > 0 ? Mat3(Mat3::Identity()) : turn_about(Vec3::UnitX(), pi);
  return turn_about(axis / sine, portable::atan2(sine, d.z()));
}

}  // namespace thud::imports
