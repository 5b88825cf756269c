#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thud/base/error.hpp"

namespace thud {

/// Something of an imported model that is not in the scenario as it was in the model, and what became of it.
struct ImportNote {
  Place place;
  std::string text;
};

struct ImportOptions {
  /// Of the root link of a URDF file: "free", "fixed", or "auto": fixed if it has no mass or is called "world".
  std::string base = "auto";
  /// Height of a floor to add [m], in the model's coordinates, in which z points up. URDF files have none.
  std::optional<double> floor{};
};

struct ImportedModel {
  std::string text;               ///< a scenario file; the same model gives the same bytes
  std::vector<ImportNote> notes;  ///< in the order of the model's file; also comments at the top of the text
};

/// Reads a model in URDF or MJCF (MuJoCo's XML) and writes it as a scenario, laid into the plane in which it moves.
///
/// Throws InputError, with the place, when the file cannot be read or no planar mechanism is left of it.
[[nodiscard]] ImportedModel import_model(const std::string& path, const ImportOptions& options = {});

}  // namespace thud
