#pragma once

#include <functional>

#include "scenario/parameters.hpp"
#include "scenario/reader.hpp"
#include "thud/study/study.hpp"

namespace thud {

/// A study as far as the common sections tell it, for the reader of a command's own sections.
struct OpenStudy {
  const doc::Table& root;        ///< the whole file; table_or_none("fit") asks for a section
  const Study& study;            ///< everything common to all commands
  const Scenario& scenario;      ///< with the knobs of [set]
  const doc::Parameters& knobs;  ///< of the scenario
};

/// load_study(), with a chance to read sections of one's own before unknown ones are refused. The sections of the other
/// commands ([fit], [data], [sensitivity]) are passed over.
[[nodiscard]] Study read_study(const std::string& name_or_path,
                               const std::function<void(const OpenStudy&)>& own_sections = {},
                               const KnobSettings& set = {});

/// The knob of that name. Throws InputError at `key` of the table, with a suggestion.
[[nodiscard]] const doc::Parameter& find_knob(const doc::Parameters& knobs, const std::string& name,
                                              const doc::Table& table, const std::string& key);

/// How a value of a knob is read in a study file: as in the [parameters] of the scenario, where a bare number counts
/// in the unit that was declared for the knob.
[[nodiscard]] doc::Quantity quantity_of(const doc::Parameter& knob);

/// A value of a knob, in SI or the index of a choice. Throws InputError, also when it is out of the knob's range.
[[nodiscard]] double read_knob_value(const doc::Table& table, const std::string& key,
                                     const doc::Parameter& knob);

/// A whole number that may be larger than an int. Throws InputError.
[[nodiscard]] std::int64_t read_count(const doc::Table& table, const std::string& key, std::int64_t least,
                                      std::int64_t most);

}  // namespace thud
