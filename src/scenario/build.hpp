#pragma once

#include "scenario/parameters.hpp"
#include "scenario/reader.hpp"
#include "thud/scenario/own_parts.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud::doc {

/// The document of a scenario of the library or of a file. Throws InputError.
[[nodiscard]] Document find_document(const std::string& name_or_path);

/// A knob as the library shows it.
[[nodiscard]] Knob make_knob(const Parameter& parameter);

/// The scenario that a document describes, with knobs set from strings.
[[nodiscard]] Scenario build_scenario(const Document& document, const KnobSettings& set,
                                      const OwnParts& own = {});

}  // namespace thud::doc
