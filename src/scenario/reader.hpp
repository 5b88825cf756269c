#pragma once

#include "expression.hpp"
#include "schema.hpp"
#include "units.hpp"

#include "thud/base/error.hpp"

#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thud::doc {

enum class ValueKind { absent, table, array, text, integer, real, flag, date };

/// How a number is to be read. A bare number counts in `bare_unit` (SI when empty), a text
/// brings its own unit, a text "=..." is an expression with a result in SI.
struct Quantity {
  Dimension dimension = Dimension::any;
  Range range = {};
  std::string bare_unit = {};
};

struct Node;
class Table;

/// A parsed TOML file. Copies are cheap and share what has been read of it.
class Document {
 public:
  /// Throws InputError, with line and column, for anything that is not a TOML document, and
  /// for one with nothing in it.
  /// Every read of a value throws Cancelled once `cancel` is set.
  static Document parse(std::string text, std::string file, const std::atomic<bool>* cancel = nullptr);

  /// With a description, every table below it is held to that: reading a key that is not described, or as something
  /// else than it is described as, throws std::logic_error.
  [[nodiscard]] Table root(const TableSpec* description = nullptr) const;
  [[nodiscard]] const std::string& file() const;
  /// With all files that it includes or names: a text that gives the same document wherever it is read.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] const std::shared_ptr<Files>& files() const;

  /// The same with the files that it includes, as scenarios may; relative to `folder`, none: only those that it carries.
  [[nodiscard]] Document with_parts(std::optional<std::filesystem::path> folder) &&;

  struct Data;

 private:
  friend class Table;
  explicit Document(std::shared_ptr<Data> data) : data_(std::move(data)) {}

  std::shared_ptr<Data> data_;
};

/// Reads and parses a file. Throws InputError also when there is no such file (naming a
/// neighbour with a similar name), when it is a folder, unreadable or larger than 10 MB.
[[nodiscard]] Document load_document(const std::filesystem::path& path);

/// One table of a document: typed access, every violation an InputError at the value's place.
///
/// The table remembers, for all views of it together, which keys were asked for; finish()
/// refuses the others. Every accessor counts as asking, also when the key is absent.
class Table {
 public:
  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] ValueKind kind_of(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> keys() const;  ///< in file order; asks for none
  /// Every word in the texts and keys below a key that could be the name of a symbol; asks for nothing.
  [[nodiscard]] std::vector<std::string> words_below(std::string_view key) const;

  /// The place of a value; of the table itself when it has no such key.
  [[nodiscard]] Place place_of(std::string_view key) const;
  [[nodiscard]] Place place_of_key(std::string_view key) const;
  [[nodiscard]] Place place() const;
  /// For messages: `body "link" > shape`; "" for the whole file.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// The value as it stands in the file, cut short when long.
  [[nodiscard]] std::string written(std::string_view key) const;
  /// `"key" in body "link": message` at the place of the value, for checks of the caller's own.
  [[nodiscard]] InputError error(std::string_view key, std::string_view message) const;

  Reading number(std::string_view key, Dimension dimension, Range range = {}) const;
  Reading number(std::string_view key, const Quantity& quantity) const;
  template <class P>
  auto number_or(std::string_view key, P fallback, Dimension dimension, Range range = {}) const {
    using Scalar = std::conditional_t<std::is_arithmetic_v<P>, double, P>;  // 0 is a plain number too
    return static_cast<Scalar>(number_or_reading(key, reading_of(Scalar(fallback)), dimension, range));
  }
  std::optional<Reading> number_or_none(std::string_view key, Dimension dimension, Range range = {}) const;
  std::optional<Reading> number_or_none(std::string_view key, const Quantity& quantity) const;
  /// An array of two numbers, each written as for number().
  std::optional<std::array<Reading, 2>> pair(std::string_view key, Dimension dimension) const;
  std::optional<std::array<Reading, 2>> pair(std::string_view key, const Quantity& quantity) const;
  /// An array of numbers; an array of pairs. Absent: none.
  std::optional<std::vector<double>> numbers(std::string_view key, Dimension dimension,
                                             Range range = {}) const;
  std::optional<std::vector<double>> numbers(std::string_view key, const Quantity& quantity) const;
  /// The numbers with their rates.
  std::optional<std::vector<Reading>> readings(std::string_view key, Dimension dimension,
                                               Range range = {}) const;
  std::optional<std::vector<std::array<double, 2>>> pairs(std::string_view key, Dimension dimension) const;
  /// The pairs with their rates.
  std::vector<std::array<Reading, 2>> points(std::string_view key, Dimension dimension) const;
  /// A number as above, or an expression of t (or of another variable): "=0.1*sin(2*pi*t)". Absent: none.
  std::optional<TimeExpression> time_expression(std::string_view key, Dimension dimension,
                                                const char* variable = "t") const;

  /// The text of an expression without its "="; none where there is none, or no expression.
  std::optional<std::string> formula_text(std::string_view key) const;
  /// The key is read as a formula of that dimension, by the caller himself.
  void check_formula(std::string_view key, Dimension dimension) const;
  /// What is wrong with the expression of a key.
  [[nodiscard]] InputError error_in(std::string_view key, const ExpressionError& error) const;

  /// A whole number, also as 3.0 or as an expression.
  int integer(std::string_view key, Range range = {}) const;
  int integer_or(std::string_view key, int fallback, Range range = {}) const;

  bool flag_or(std::string_view key, bool fallback) const;

  /// A text with its $names replaced. `filled_text` also fills {expressions}, for names in
  /// repeated tables; `raw_text` does neither.
  std::string text(std::string_view key) const;
  std::string text_or(std::string_view key, std::string fallback) const;
  std::string filled_text(std::string_view key) const;
  std::string filled_text_or(std::string_view key, std::string fallback) const;
  std::string raw_text(std::string_view key) const;
  /// A text or an array of texts.
  std::vector<std::string> texts_or(std::string_view key, std::vector<std::string> fallback = {}) const;
  /// The same with {expressions} filled.
  std::vector<std::string> filled_texts_or(std::string_view key,
                                           std::vector<std::string> fallback = {}) const;

  std::string choice(std::string_view key, const std::vector<std::string>& allowed) const;
  std::string choice_or(std::string_view key, std::string fallback,
                        const std::vector<std::string>& allowed) const;

  Table table(std::string_view key) const;
  std::optional<Table> table_or_none(std::string_view key) const;
  /// [[key]] tables, or a single [key] as one; none when absent.
  std::vector<Table> tables(std::string_view key) const;

  /// The same table, held to what is described of a variant of it.
  [[nodiscard]] Table variant(std::string_view kind) const;

  /// The same table with other symbols for expressions, $names and {holes}; its sub-tables
  /// inherit them.
  [[nodiscard]] Table with_symbols(const SymbolTable& symbols) const;
  [[nodiscard]] const SymbolTable& symbols() const { return *symbols_; }

  /// The same without a copy of the symbols, which must live as long as the view.
  [[nodiscard]] Table seen_with(const SymbolTable& symbols) const;

  /// Throws Cancelled when the reading is to be given up; for loops that ask for nothing.
  void check_cancel() const;

  /// Counts a key as known although this reader does not need it.
  void allow(std::string_view key) const;
  /// Throws InputError for the first key in the file that nobody asked for.
  void finish() const;

 private:
  friend class Document;
  Table(Document document, const Node& node, std::string path, std::shared_ptr<const SymbolTable> symbols,
        const TableSpec* description);

  const Node* ask(std::string_view key) const;
  const Node& need(std::string_view key, const std::string& what) const;
  [[noreturn]] void fail_missing(std::string_view key, const std::string& what) const;
  [[noreturn]] void fail_type(std::string_view key, const Node& node, const std::string& expected) const;
  [[noreturn]] void fail_value(std::string_view key, const Node& node, const std::string& message,
                               std::size_t offset = 0) const;
  InputError expression_error(std::string_view key, const Node& node, const ExpressionError& error,
                              int lead) const;
  std::string where(std::string_view key) const;
  Place place_of(const Node& node) const;
  std::string written(const Node& node) const;

  Reading number_or_reading(std::string_view key, Reading fallback, Dimension dimension, Range range) const;
  std::optional<std::vector<Reading>> read_numbers(std::string_view key, const Quantity& quantity) const;
  Reading read_number(std::string_view key, const Node& node, const Quantity& quantity) const;
  Reading read_unranged(std::string_view key, const Node& node, const Quantity& quantity) const;
  SymbolTable symbols_for(const Node& node) const;
  Reading read_formula(std::string_view key, const Node& node) const;
  void check_range(std::string_view key, const Node& node, double value, const Range& range,
                   const char* unit) const;
  std::array<Reading, 2> read_pair(std::string_view key, const Node& node, const Quantity& quantity) const;
  int read_integer(std::string_view key, const Node& node, const Range& range) const;
  std::string read_text(std::string_view key, const Node& node, bool filled) const;
  std::vector<std::string> read_texts(std::string_view key, std::vector<std::string> fallback,
                                      bool filled) const;
  std::string read_choice(std::string_view key, const Node& node,
                          const std::vector<std::string>& allowed) const;
  Table sub_table(std::string_view key, const Node& node, const std::string& label) const;

  const KeySpec* described(std::string_view key) const;
  const ValueSpec* described_as(std::string_view key, Form form) const;
  void check_described(std::string_view key, Form form, Dimension dimension, const Range& range) const;
  void check_described(std::string_view key, const std::vector<std::string>& choices) const;
  void check_default(std::string_view key, const std::string& fallback) const;

  Document document_;
  const Node* node_;
  std::string path_;
  std::shared_ptr<const SymbolTable> symbols_;
  const TableSpec* description_;
};

}  // namespace thud::doc
