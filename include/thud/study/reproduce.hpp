#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thud/scenario/run.hpp"

namespace thud {

/// A published number: which result of the scenario it is, its value, and how it is printed.
struct PublishedValue {
  std::string result;
  double value = 0;
  std::string text;
};

/// A row of a published table: knob settings, and what the paper found.
struct ReferenceRow {
  KnobSettings set;
  std::vector<PublishedValue> expect;
  /// What the model gives in the limit of a perfect integrator, where that is known apart from the paper (SI).
  std::vector<std::pair<std::string, double>> converged;
  std::string note;
};

/// How a computed number is held against a published one.
enum class Comparison : std::uint8_t {
  relative,   ///< |computed − published| ≤ tolerance · |published|
  truncated,  ///< the computed number, cut off after as many decimals as are printed, is the published one
};

/// A published table as data.
struct ReferenceTable {
  std::string id;        ///< "lee2009/4.1"
  std::string title;     ///< what the numbers are
  std::string source;    ///< where they stand
  std::string scenario;  ///< of the library
  Comparison comparison = Comparison::relative;
  double tolerance = 0;  ///< relative; 0 when truncated numbers are compared
  std::string note;      ///< which variant of the model reproduces them, and why
  std::vector<ReferenceRow> rows;
  std::string file;  ///< where the data was read from

  int value_count() const;
};

/// Reads tables from the text of a JSON file; `file` is for messages.
/// Throws InputError for anything that is not well-formed, naming the table, the row and the key.
[[nodiscard]] std::vector<ReferenceTable> parse_reference(const std::string& text, const std::string& file);

/// Every table of the data folder's `reference/`, file by file in the order of their names.
[[nodiscard]] std::vector<ReferenceTable> load_reference();

/// The tables with the given ids, or whose ids begin so ("lee2009"), in the order of `all`; all for no ids.
/// Throws InputError for an id that matches nothing.
[[nodiscard]] std::vector<ReferenceTable> select_tables(const std::vector<ReferenceTable>& all,
                                                        const std::vector<std::string>& ids);

enum class Verdict : std::uint8_t { ok, differs, not_reached };
/// "ok", "differs", "not reached".
const char* verdict_name(Verdict verdict);

/// A published number beside ours.
struct ComparedValue {
  PublishedValue published;
  std::string unit;
  std::optional<double> computed;  ///< none when its instant was never reached
  double difference = 0;           ///< computed − published
  double relative_difference = 0;  ///< the same over |published|
  Verdict verdict = Verdict::not_reached;
};

struct ReproducedRow {
  std::vector<ComparedValue> values;
  StopReason stop = StopReason::failed;
  std::string reason;  ///< why the run ended
  double energy_residual = 0;
};

struct ReproducedTable {
  ReferenceTable table;
  std::vector<ReproducedRow> rows;  ///< one per row of the table
  int ok = 0, total = 0;            ///< values
  double worst_difference = 0;      ///< largest |relative difference|
  double worst_residual = 0;        ///< largest |energy residual|
};

struct Reproduction {
  std::vector<ReproducedTable> tables;
  int ok = 0, total = 0;
  bool cancelled = false;

  bool all_ok() const { return ok == total && !cancelled; }
};

struct ReproduceOptions {
  int jobs = 0;                                       ///< threads; 0: as many as there are processors
  RunRequest request;                                 ///< for every run, without its observer
  std::function<void(int done, int total)> progress;  ///< called after each run, from any thread
};

/// Runs every row of the tables and compares. The result does not depend on the number of threads.
/// Throws InputError when a row does not fit its scenario; numerical outcomes are reported.
[[nodiscard]] Reproduction reproduce(const std::vector<ReferenceTable>& tables,
                                     const ReproduceOptions& options = {});

/// For the terminal: a table each, a line of summary each, and a total.
[[nodiscard]] std::string to_text(const Reproduction& reproduction);
/// One JSON document.
[[nodiscard]] std::string to_json(const Reproduction& reproduction);
/// A page for the documentation; the same bytes for the same results.
[[nodiscard]] std::string to_markdown(const Reproduction& reproduction);
/// The tables there are: for the terminal, or as a JSON document.
[[nodiscard]] std::string list_text(const std::vector<ReferenceTable>& tables);
[[nodiscard]] std::string list_json(const std::vector<ReferenceTable>& tables);

}  // namespace thud
