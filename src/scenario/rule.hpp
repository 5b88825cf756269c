#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "scenario/reader.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud::doc {

/// A rule of [results] or [stop] and the place it was written at, for its errors; no table: in a program.
struct Rule {
  const Table* table;
  std::string key;
  std::string text;

  InputError error(const std::string& message) const {
    return table ? table->error(key, message) : InputError({}, fmt::format("{}: {}", key, message));
  }
  /// At a part of the text, where the file shows it as it is.
  InputError error(const std::string& message, std::string_view part, std::size_t offset) const;
  SymbolTable symbols() const { return table ? table->symbols() : SymbolTable(); }
};

/// The words of a rule; what stands in parentheses is one with what they touch.
[[nodiscard]] std::vector<std::string> words_of(const std::string& text);
/// words[from .. to) with single blanks between them.
[[nodiscard]] std::string join(const std::vector<std::string>& words, std::size_t from, std::size_t to);
/// words[from .. to) made one word.
void merge(std::vector<std::string>& words, std::size_t from, std::size_t to);

/// An observable by its name, or an expression of observables.
[[nodiscard]] NamedObservable need_quantity(const Rule& rule, const Scenario& s, const std::string& text);

/// "mean X", "rms X", "integral X", "impulse of X", "work of X", each "from A to B". False: nothing of the kind.
[[nodiscard]] bool read_stretch_result(const Rule& rule, const std::vector<std::string>& words,
                                       const Scenario& s, ResultSpec& r);
/// Reads "=…" of results, and the instants that stretches begin and end at, now that all names are known: results from
/// `first` on. Refuses results that depend on themselves.
void link_results(const std::vector<Rule>& rules, std::size_t first, Scenario& s);

}  // namespace thud::doc
