#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thud/scenario/run.hpp"

namespace thud {

/// A published number, or one that follows from published equations: which result of the scenario it is, its value,
/// and how it is printed.
struct PublishedValue {
  std::string result;
  double value = 0;
  std::string text;
  std::string correction{};  ///< what should be printed, where `text` is a misprint

  /// What ours is held against: the correction where there is one, else what is printed.
  const std::string& target_text() const { return correction.empty() ? text : correction; }
  double target() const;
};

/// A row of a table: knob settings, and what the paper found, or what the row is to a table of our own.
struct ReferenceRow {
  KnobSettings set;  ///< with those of the table that the row does not set itself
  std::vector<PublishedValue> expect;
  /// What the model gives in the limit of a perfect integrator, where that is known apart from the paper (SI).
  std::vector<std::pair<std::string, double>> converged;
  std::string note;

  // In tables of our own:
  std::string group{};             ///< rows of a group are shown under its heading
  std::string label{};             ///< names the row, beside its knobs
  bool is_reference = false;       ///< the other rows are held against it
  std::optional<double> within{};  ///< largest relative difference to the reference row; none: not judged
};

/// Settings with which every row is run once more where the published variant of a model is not the right one.
struct RightOptions {
  KnobSettings set;  ///< over those of the row
  std::string why;
};

/// How a computed number is held against a published one.
enum class Comparison : std::uint8_t {
  relative,   ///< |computed − published| ≤ tolerance · |published|
  truncated,  ///< the computed number, cut off after as many decimals as are printed, is the published one
  digits,     ///< the computed number, rounded to as many decimals as are printed, is the published one
  /// Published is γ = |q_E − q_S|/q_E in per cent, with a measured position q_E that is not printed; computed is q_S.
  /// Nothing can be judged: the two q_E that γ leaves possible are shown.
  measured,
};

/// A table of the same rows for the model without what the published numbers are about: a rigid link beside an elastic one.
/// What has to be met then is the printed effect, the difference of the two, and not only the number.
struct Counterpart {
  std::string id;        ///< of the table
  std::string scenario;  ///< of it, with its rows: filled by load_reference
  std::vector<ReferenceRow> rows;
};

/// How the results of a group of rows go on from row to row, where a text says so and prints no numbers.
enum class Trend : std::uint8_t { none, falling, rising };

/// A table as data: published numbers, or runs of our own that are held against one of them.
struct ReferenceTable {
  std::string id;        ///< "lee2009/4.1"
  std::string title;     ///< what the numbers are
  std::string source;    ///< where they stand; empty in tables of our own
  std::string scenario;  ///< of the library
  Comparison comparison = Comparison::relative;
  double tolerance = 0;  ///< of Comparison::relative
  std::string note;      ///< which variant of the model reproduces them, and why
  std::vector<ReferenceRow> rows;
  std::string file;                     ///< where the data was read from
  KnobSettings set{};                   ///< common to all rows, and contained in theirs
  std::optional<RightOptions> right{};  ///< in tables of published numbers
  bool own = false;                     ///< no published numbers
  bool derived =
      false;  ///< the source prints no numbers; these were computed from its equations by other means
  std::vector<std::string> results{};  ///< what the rows of a table of our own are run for
  std::string
      not_reproduced{};  ///< why, where the numbers are known not to be; they have to stay as close as they are
  std::optional<Counterpart> without{};
  /// Results besides those of the scenario: name and rule, as under [results].
  std::vector<std::pair<std::string, std::string>> rules{};
  /// Of measurements: the knob that is the position at the impact. What moves away from it cannot stop on its other side.
  std::string start{};
  Trend trend = Trend::none;  ///< of a table of our own: judged against the row before, in each group

  /// Published numbers in it.
  int value_count() const;
  /// The row of a table of our own that the others are held against: the marked one, or else the last.
  std::size_t reference_row() const;
};

/// Reads tables from the text of a JSON file; `file` is for messages.
/// Throws InputError for anything that is not well-formed, naming the table, the row and the key.
[[nodiscard]] std::vector<ReferenceTable> parse_reference(const std::string& text, const std::string& file);

/// Every table of the data folder's `reference/`, in the order of their ids.
[[nodiscard]] std::vector<ReferenceTable> load_reference();

/// The tables with the given ids, or whose ids begin so ("lee2009"), in the order of `all`; all for no ids.
/// Throws InputError for an id that matches nothing.
[[nodiscard]] std::vector<ReferenceTable> select_tables(const std::vector<ReferenceTable>& all,
                                                        const std::vector<std::string>& ids);

/// Whether an id is `begin` or begins so, without cutting a number: "lee2009/figure-4" begins "lee2009/figure-4.1", which
/// does not begin "lee2009/figure-4.10".
[[nodiscard]] bool begins_id(const std::string& begin, const std::string& id);

enum class Verdict : std::uint8_t { ok, differs, not_reached, not_judged, not_reproduced, measured, not_run };
/// "ok", "differs", "not reached", "not judged", "not reproduced", "measured", "not run".
const char* verdict_name(Verdict verdict);

/// A published number beside ours.
struct ComparedValue {
  PublishedValue published;
  std::string unit;
  std::optional<double> computed;  ///< none when its instant was never reached
  double difference = 0;           ///< computed − published; to the correction of a misprint
  double relative_difference = 0;  ///< the same over |published|; 0 for a published 0
  Verdict verdict = Verdict::not_run;

  std::optional<double> right{};  ///< with the right options of the table, where it has them; never judged
  double right_relative_difference = 0;  ///< (right − published)/|published|

  std::optional<double> effect_published{}, effect_computed{};  ///< less the counterpart of the table
  /// Number and effect are both nearer to the printed ones than the printed effect is large.
  bool meets_effect() const;
  /// The printed effect is one unit of the last printed digit, or less: rounding could have made it.
  bool has_unprintable_effect() const;

  std::optional<double> start{};  ///< of measurements: the position at the impact, where the table tells it

  std::string reason{};  ///< why a single number of a table is not reproduced
  bool is_misprint() const { return !published.correction.empty(); }
};
/// Positions that may have been measured where γ = |q_E − q_S|/q_E is known, in fractions: q_S/(1 + γ) and q_S/(1 − γ).
[[nodiscard]] std::array<double, 2> implied_measurements(double simulated, double gamma);

/// Whether a position can have been measured where the simulation went from `start` to `simulated`: on the same side.
[[nodiscard]] bool is_possible_measurement(double measured, double simulated,
                                           const std::optional<double>& start);
/// The position at the impact in a scenario, where the table tells its knob. Throws InputError when there is no such knob, or
/// when it is not of the kind of the measured positions.
[[nodiscard]] std::optional<double> start_position(const ReferenceTable& table, const Scenario& scenario);

/// A number of our own beside that of the reference row.
struct OwnValue {
  std::string result, unit;
  std::optional<double> computed;
  std::optional<double> difference;           ///< computed − reference, where both were reached
  std::optional<double> relative_difference;  ///< the same over |reference|
  Verdict verdict = Verdict::not_run;         ///< not_judged without a bound, or without a reference
};

struct ReproducedRow {
  std::vector<ComparedValue> values;  ///< of a table of published numbers
  std::vector<OwnValue> own;          ///< of a table of our own
  StopReason stop = StopReason::cancelled;
  std::string reason = "not run";  ///< why the run ended
  double energy_residual = 0;

  // Of the run with the right options, where the table has them:
  std::string right_reason;
  double right_energy_residual = 0;
};

struct ReproducedTable {
  ReferenceTable table;
  std::vector<ReproducedRow> rows;  ///< one per row of the table
  int ok = 0, total = 0;            ///< published or derived values; without those of measurements
  int misprinted = 0;               ///< of the ok ones
  int not_reproduced = 0;           ///< known not to be
  int measured = 0;                 ///< γ of measurements, beside the total
  int not_run = 0;                  ///< values, or rows of our own, that an interrupt has left out
  int runs = 0, failed = 0;         ///< of our own: rows, and those that missed a result or their bound
  double worst_difference = 0;      ///< largest |relative difference| to a published value
  double worst_residual = 0;        ///< largest |energy residual|, of all runs
};

struct Reproduction {
  std::vector<ReproducedTable> tables;
  int ok = 0, total = 0;                  ///< published values; without those of measurements
  int misprinted = 0;                     ///< of the ok ones: held against what should stand there
  int not_reproduced = 0;                 ///< known not to be, and why is told
  int measured = 0;                       ///< γ of measurements, which cannot be checked
  int not_run = 0;                        ///< published values that an interrupt has left out
  int derived_ok = 0, derived_total = 0;  ///< values that follow from published equations
  int runs = 0, failed = 0;               ///< of our own
  bool cancelled = false;

  int reproduced() const { return ok - misprinted; }
  /// Everything came out as it is known to.
  bool all_ok() const {
    return ok + not_reproduced == total && derived_ok == derived_total && failed == 0 && !cancelled;
  }
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
