#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "thud/import/import.hpp"

/// A model as both formats tell it: bodies in space, each with the joints between it and what carries it.
///
/// Points and directions are those of the world in the reference pose, the one the model is written in. Everything that
/// moves with a body is then placed without a frame of its own.
namespace thud::imports {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

struct Pose {
  Mat3 turn = Mat3::Identity();
  Vec3 at = Vec3::Zero();

  Pose operator*(const Pose& o) const { return {turn * o.turn, turn * o.at + at}; }
  Vec3 operator*(const Vec3& p) const { return turn * p + at; }
};

/// Force or moment along the coordinate of a joint: gain · knob + constant.
struct Drive {
  std::string name;
  double gain = 1, constant = 0;
  std::optional<double> lower, upper;  ///< of the knob
  Place place;
};

struct Spring {
  double stiffness = 0, rest = 0;  ///< rest: value of the joint's coordinate
};

enum class Motion { hinge, slide, ball };

struct Joint {
  std::string name;
  Motion motion = Motion::hinge;
  Vec3 axis = Vec3::UnitZ(), anchor = Vec3::Zero();
  double reference = 0, start = 0;  ///< values of the coordinate in the reference pose and at the start
  std::optional<double> lower, upper;
  double damping = 0, friction = 0, armature = 0;
  std::vector<Spring> springs;
  std::vector<Drive> drives;
  Place place;

  /// Nothing acts in it: it only lets something move.
  bool plain() const {
    return !lower && !upper && damping == 0 && friction == 0 && armature == 0 && springs.empty()
        && drives.empty();
  }
};

enum class Form { sphere, capsule, cylinder, box, ellipsoid, other };

/// Who may touch whom, as MJCF has it.
struct Touch {
  int type = 1, affinity = 1;
  int dimensions = 3;  ///< 1: without friction
  double friction = 0;

  bool meets(const Touch& o) const { return (type & o.affinity) != 0 || (o.type & affinity) != 0; }
};

/// A solid; capsules and cylinders lie along the z axis of their pose.
struct Solid {
  std::string name;
  Form form = Form::sphere;
  Pose pose;
  Vec3 size = Vec3::Zero();  ///< radius; radius and half length; half lengths
  Touch touch;
  Place place;
};

/// Mass, centre and inertia about the centre along the axes of the world.
struct Mass {
  double mass = 0;
  Vec3 center = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
};

struct Link {
  std::string name;
  int parent = -1;  ///< −1: the ground
  std::vector<Joint> joints;
  bool floats = false;
  Mass mass;
  Vec3 origin = Vec3::Zero();
  std::vector<Solid> solids;
  Place place;
};

/// An endless plane of the world.
struct Floor {
  std::string name;
  Vec3 point = Vec3::Zero(), normal = Vec3::UnitZ();
  Touch touch;
  Place place;
};

/// Two bodies held together at a point.
struct PinLoop {
  std::string name;
  int a = -1, b = -1;
  Vec3 point = Vec3::Zero();
  Place place;
};

/// Coordinate of joint a = ratio · that of joint b + offset.
struct GearLoop {
  std::string name, a, b;
  double ratio = 1, offset = 0;
  Place place;
};

struct SpatialModel {
  std::string name, format;
  Vec3 gravity{0, 0, -9.81};
  std::vector<Link> links;  ///< what carries a link stands before it
  std::vector<Solid> ground;
  std::vector<Floor> floors;
  std::vector<PinLoop> pins;
  std::vector<GearLoop> gears;
  std::vector<ImportNote> notes;

  void note(Place place, std::string text) { notes.push_back({std::move(place), std::move(text)}); }
};

/// Volume of a solid; 0 for forms without one.
double volume_of(Form form, const Vec3& size);
/// Of a homogeneous solid.
Mass mass_of(Form form, const Vec3& size, const Pose& pose, double mass);
/// Both together.
Mass sum(const Mass& a, const Mass& b);

/// a × b, without the headers that Eigen has it in.
Vec3 cross(const Vec3& a, const Vec3& b);
Mat3 turn_about(const Vec3& unit_axis, double angle);
/// Of w, x, y, z; need not be a unit.
Mat3 turn_of_quaternion(double w, double x, double y, double z);
/// The shortest turn that takes z there.
Mat3 turn_to(const Vec3& direction);

/// Links without mass are taken up by those that have some, and links that do not move by the ground.
void fold_links(SpatialModel& model);

}  // namespace thud::imports
