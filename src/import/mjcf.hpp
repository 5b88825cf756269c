#pragma once

#include <map>

#include "import/formats.hpp"

namespace thud::imports {

/// What holds for a whole MJCF file: units of angles, default classes.
class MjcfSettings {
 public:
  MjcfSettings(const XmlFile& file, SpatialModel& out);

  /// A value as written, or as its default class has it. `tag` names the element among the defaults.
  std::optional<Value> get(pugi::xml_node node, const char* tag, const char* name,
                           const std::string& child_class) const;
  /// Where a frame stands against the one it is written in.
  Pose pose(pugi::xml_node node, const char* tag, const std::string& child_class) const;
  double angle(double written) const { return written * angle_unit_; }
  /// `limited` and `range`: whether a range holds.
  bool limited(pugi::xml_node node, const char* tag, const char* flag, const char* range,
               const std::string& child_class) const;

  bool global = false;           ///< poses are those of the world (old files)
  std::string inertia = "auto";  ///< whether the solids give the mass: auto, true, false
  double total_mass = -1, least_mass = 0, least_inertia = 0;

 private:
  void read_compiler(pugi::xml_node n, SpatialModel& out);
  void add_defaults(pugi::xml_node n, const std::string& parent);
  Mat3 turn(pugi::xml_node node, const char* tag, const std::string& child_class) const;

  struct Class {
    pugi::xml_node node;
    std::string parent;
  };
  const XmlFile& file_;
  std::multimap<std::string, Class> classes_;
  double angle_unit_;
  bool auto_limits_ = true;
  std::string euler_ = "xyz";
};

/// Where bodies and sites are, by which equalities name places.
struct MjcfMarks {
  std::map<int, Pose> bodies;
  std::map<std::string, std::pair<int, Vec3>> sites;  ///< link and place
};

/// Once the bodies are there.
void read_actuators(const XmlFile& file, const MjcfSettings& settings, SpatialModel& out);
void read_equalities(const XmlFile& file, const MjcfSettings& settings, const MjcfMarks& marks,
                     SpatialModel& out);
/// The joint that a value names; refused when there is none.
Joint& joint_named(const Value& name, SpatialModel& model);

}  // namespace thud::imports
