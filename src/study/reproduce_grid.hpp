// What the terminal and the page of results have in common: a table as columns and lines of text.
#pragma once

#include <string>
#include <vector>

#include "thud/study/reproduce.hpp"

namespace thud {

struct Grid {
  struct Column {
    std::string name, unit;
    bool is_number = true;
  };
  std::string heading;  ///< of a group of rows
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> lines;
};

/// One for a table of published numbers, and one for their effects where it has a counterpart; one for each group of a
/// table of our own.
[[nodiscard]] std::vector<Grid> make_grids(const ReproducedTable& t);

/// "rate1 -1 rad/s, rate2 -1 rad/s": a row by its label, or by what varies.
[[nodiscard]] std::string row_name(const ReferenceTable& table, std::size_t row);
/// A number with the digits of a printed one, or seven.
[[nodiscard]] std::string shown_like(const std::string& printed, double value);

/// "Lee 2009, Table 4.1; ": where the numbers come from.
[[nodiscard]] std::string origin(const ReferenceTable& table);
/// "angle1 = 30 deg, angle2 = 75 deg": knobs that are the same in all rows; may be empty.
[[nodiscard]] std::string fixed_settings(const ReferenceTable& table);
/// Notes of rows, misprints, and why a row did not get where it should.
[[nodiscard]] std::vector<std::string> row_notes(const ReproducedTable& t);
/// What the columns of right options, or the differences of a table of our own, refer to; may be empty.
[[nodiscard]] std::string column_note(const ReproducedTable& t);
/// "9 of 9 within 0.02 %".
[[nodiscard]] std::string agreement(const ReproducedTable& t);
/// "worst 0.0044 %" without the word; empty where differences are not what counts.
[[nodiscard]] std::string worst_difference(const ReproducedTable& t);
/// "7 runs of our own, 1 failed".
[[nodiscard]] std::string own_runs(int runs, int failed);

}  // namespace thud
