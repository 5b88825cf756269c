#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thud/scenario/own_parts.hpp"
#include "thud/scenario/run.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud {

/// How a knob changes from run to run. All values in SI; of a textual knob the index of the choice.
struct Distribution {
  enum class Kind : std::uint8_t { grid, list, uniform, normal };
  Kind kind = Kind::grid;
  double low = 0, high = 0;  ///< of a grid (both ends included) and of a uniform distribution
  std::int64_t count = 1;    ///< of a grid
  std::vector<double> list;
  double mean = 0, deviation = 0;

  /// How many different values there are; 0 for a continuous distribution.
  std::int64_t size() const;
  /// Value number i of a grid or a list.
  double value(std::int64_t i) const;
};

/// A knob that a study turns.
struct VariedKnob {
  Knob knob;
  Distribution distribution;
  Place place;  ///< of the distribution in the study file
};

/// Which runs a sweep makes.
struct Design {
  enum class Kind : std::uint8_t { grid, random, latin, sobol };
  Kind kind = Kind::grid;
  std::int64_t runs = 0;  ///< of the kinds other than grid; 0: not given
  std::uint64_t seed = 1;
  Place place;
};

/// A picture of a sweep, over its columns: varied knobs and outputs.
struct StudyPlot {
  enum class Kind : std::uint8_t { map, curves };
  Kind kind = Kind::map;
  std::string title, x, y;
  std::string z;   ///< of a map
  std::string by;  ///< of curves; may be empty
  Place place;
};

/// A study file: one scenario, the knobs that stay, the knobs that change, and what is wanted of every run.
struct Study {
  std::string name;  ///< "free_link_map"
  std::string file;  ///< where it was read from
  std::string text;  ///< the file's text
  std::string title, about;
  std::string scenario;       ///< a library name or a path, for load_scenario() and ScenarioFamily; or empty,
                              ///< where a sweep is to read scenario_text
  std::string scenario_text;  ///< the text of its file
  OwnParts own;               ///< for a sweep over scenario_text
  KnobSettings set;           ///< knobs that stay, for load_scenario() and ScenarioFamily
  std::vector<VariedKnob> vary;
  std::vector<std::string> outputs;
  Design design;
  RunRequest request;
  std::vector<StudyPlot> plots;

  std::vector<std::string> varied_names() const;
  const VariedKnob* find_varied(std::string_view name) const;
};

/// Reads a study by library name ("free_link_map") or by path. `set`, as from the command line, comes on top of the
/// file's [set]. Throws InputError for anything that is wrong with it or its scenario.
[[nodiscard]] Study load_study(const std::string& name_or_path, const KnobSettings& set = {});

}  // namespace thud
