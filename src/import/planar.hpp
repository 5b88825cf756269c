#pragma once

#include <map>
#include <set>

#include "import/spatial.hpp"
#include "thud/math/vec2.hpp"

/// A model laid into the plane of motion: x to the right, z downwards, angles from the downward vertical.
namespace thud::imports {

/// The plane in which a mechanism moves. normal = down × right points to the reader, so hinges along it turn as angles do.
struct MotionPlane {
  Vec3 right = Vec3::UnitX(), down = -Vec3::UnitZ(), normal = -Vec3::UnitY();

  Vec lay(const Vec3& v) const { return {v.dot(right), v.dot(down)}; }
};

/// How far an axis may be off the plane and still be taken as of it [rad]: files round 90° to 1.5708.
constexpr double axis_tolerance = 1e-3;

/// Finds the plane by the axes of the joints, and holds those that do not fit. Throws InputError when there is none.
MotionPlane find_plane(SpatialModel& model);

enum class Hold { free, pin, slider, weld };

struct PlanarBody {
  std::string name;
  int parent = -1;  ///< −1: the ground
  Hold hold = Hold::free;
  bool carrier = false;  ///< has no counterpart in the model: between two joints of one body
  Joint joint;           ///< of pins and sliders
  double sign = 1;       ///< of a pin: its angle per coordinate of the joint
  double direction = 0;  ///< of a slider: angle against the axis of what carries it

  // In the reference pose of the model.
  Vec origin;
  double angle = 0, relative = 0;  ///< of its axis: absolute, and against what carries it, within half a turn

  double length = 0, diameter = 0;
  double mass = 0, inertia = 0;
  Vec center;
  Place place;

  // At the start.
  Vec start;
  double start_angle = 0;

  /// Along the axis (s) and beside it (n), as x and z, of a point of the reference pose.
  Vec local(Vec p) const;
  /// Where such a point is at the start.
  Vec at_start(Vec local) const;
  /// Angle in the joint for a value of the coordinate.
  double joint_angle(double coordinate) const { return relative + sign * (coordinate - joint.reference); }
};

struct PlanarPoint {
  std::string name;
  int body = -1;
  Vec at;  ///< as `local`
  double radius = 0;
};

struct PlanarWall {
  std::string name;
  Vec at;
  double slope = 0, friction = 0;
  std::vector<std::string> touches;
  Place place;
};

struct PlanarLoop {
  std::string name;
  bool gear = false;
  PlanarPoint a, b;  ///< of a pin; body −1: a place of the world. Of a gear the bodies alone
  double ratio = 1;  ///< rate in joint b over rate in joint a
  Place place;
};

struct PlanarModel {
  MotionPlane plane;
  Vec gravity;
  std::vector<PlanarBody> bodies;
  std::vector<PlanarPoint> points;
  std::vector<PlanarWall> walls;
  std::vector<PlanarLoop> loops;
};

/// Names that a scenario can have, none twice.
class Names {
 public:
  std::string make(const std::string& wanted, const std::string& fallback);
  /// For knobs: no hyphens, no names of functions.
  std::string make_knob(const std::string& wanted);

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> copies_;  // of a name that was wanted several times
};

/// Lays bodies and loops into the plane; tells in `model` what does not fit.
PlanarModel lay_out(SpatialModel& model, Names& names);
/// Adds walls and what touches them.
void add_touches(SpatialModel& model, const std::vector<int>& body_of_link, PlanarModel& out, Names& names);
/// The scenario file. Throws std::overflow_error when a number is not finite.
std::string write_scenario(const SpatialModel& model, const PlanarModel& planar, const std::string& file,
                           Names& names);

/// Rounding noise becomes zero: lengths and angles below 1e-13.
double clean(double x);
/// Into (−π, π].
double half_turn(double angle);

}  // namespace thud::imports
