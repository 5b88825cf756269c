#pragma once

#include "study/journal.hpp"
#include "thud/scenario/family.hpp"
#include "thud/study/design.hpp"
#include "thud/study/sweep_file.hpp"

namespace thud {

/// The columns of a sweep: its varied knobs, then its outputs.
[[nodiscard]] std::vector<SweepColumn> columns_of(const Study& study,
                                                  const std::vector<FamilyOutput>& outputs);

/// Writes the HDF5 file of a sweep from its complete journal; memory does not grow with the number of runs.
/// There must be no file of that name. Throws OutputError.
void write_sweep_file(const std::filesystem::path& path, const Study& study, const SweepIdentity& identity,
                      const std::vector<SweepColumn>& columns, DesignPoints& points, Journal& journal);

}  // namespace thud
