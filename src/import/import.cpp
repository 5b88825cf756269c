#include "thud/import/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "import/formats.hpp"
#include "import/planar.hpp"

namespace thud {

namespace imports {

namespace {

SpatialModel read_model(const XmlFile& file, const ImportOptions& options) {
  const std::string root = file.root().name();
  if (root == "robot") return read_urdf(file, options);
  if (root != "mujoco")
    throw InputError(
        file.place(file.root()),
        fmt::format("<{}> is neither URDF (<robot>) nor MJCF (<mujoco>){}", root,
                    root == "sdf" ? "; SDF is not read" : did_you_mean(root, {"robot", "mujoco"})));
  if (options.base != "auto")
    throw InputError(file.place(file.root()),
                     "the base of an MJCF model is as its joints say; base is for URDF files only");
  return read_mjcf(file);
}

void tell_softness(const PlanarModel& planar, SpatialModel& model) {
  const bool stops = std::any_of(planar.bodies.begin(), planar.bodies.end(),
                                 [](const PlanarBody& b) { return b.joint.lower || b.joint.upper; });
  if (model.format == "MJCF" && (stops || !planar.walls.empty()))
    model.note(
        {},
        "contacts and limits, soft in MuJoCo (solref, solimp, margin), are rigid here and do not rebound");
}

}  // namespace

std::string Names::make(const std::string& wanted, const std::string& fallback) {
  std::string name;
  for (const char c : wanted) {
    const bool good =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    name += good ? c : '_';
  }
  if (name.size() > 60) name.resize(60);
  if (name.find_first_not_of("_-") == std::string::npos) name = fallback;
  const std::string stem = name;
  while (!taken_.insert(name).second) name = fmt::format("{}_{}", stem, ++copies_[stem] + 1);
  return name;
}

std::string Names::make_knob(const std::string& wanted) {
  std::string name = wanted;
  std::replace(name.begin(), name.end(), '-', '_');
  if (!name.empty() && name.front() >= '0' && name.front() <= '9') name = "u" + name;
  return make(name, "drive");
}

}  // namespace imports

ImportedModel import_model(const std::string& path, const ImportOptions& options) {
  using namespace imports;
  if (options.base != "auto" && options.base != "free" && options.base != "fixed")
    throw InputError({}, fmt::format("base is \"{}\"; allowed are auto, free or fixed{}", options.base,
                                     did_you_mean(options.base, {"auto", "free", "fixed"})));
  if (options.floor && !std::isfinite(*options.floor))
    throw InputError({}, "the height of the floor must be finite");
  const XmlFile file(path);
  SpatialModel model = read_model(file, options);
  if (options.floor)
    model.floors.push_back({"floor", {0, 0, *options.floor}, Vec3::UnitZ(), {}, {path, 0, 0}});
  fold_links(model);
  if (model.links.empty())
    throw InputError(file.place(file.root()), "nothing in the model moves and has mass");
  Names names;
  const PlanarModel planar = lay_out(model, names);
  tell_softness(planar, model);
  std::stable_sort(model.notes.begin(), model.notes.end(), [](const ImportNote& a, const ImportNote& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  ImportedModel out;
  try {
    out.text = write_scenario(model, planar, std::filesystem::path(path).filename().string(), names);
  } catch (const std::overflow_error& e) {
    throw InputError({path, 0, 0}, e.what());
  }
  out.notes = std::move(model.notes);
  return out;
}

}  // namespace thud
