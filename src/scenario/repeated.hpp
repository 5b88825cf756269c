#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "scenario/reader.hpp"

namespace thud::doc {

/// f(table), or f for each of its repetitions, with `i` = 1, 2, … in its expressions. Returns how often.
template <class F>
int each_repeated(const Table& t, F&& f) {
  if (!t.has("repeat")) {
    f(t);
    return 1;
  }
  const int count = t.integer("repeat", Range::between(0, 10000));
  for (int i = 1; i <= count; ++i) {
    SymbolTable symbols = t.symbols().child();
    symbols.set("i", i);
    f(t.with_symbols(symbols));
  }
  return count;
}

/// By name, numbers in it by their value: disc2 before disc10. What a run adds up, and which of equals it takes first, goes
/// by this order and not by that of the file.
inline bool comes_before(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto number = [&](std::string_view text, std::size_t& at) {
    while (at < text.size() && text[at] == '0') ++at;
    const std::size_t from = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return text.substr(from, at - from);
  };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view x = number(a, i), y = number(b, j);
      if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i, ++j;
    }
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;
}

/// [[kind]] tables by what names them, where all are named; limits also by the joint that they act in.
inline std::vector<Table> tables_by_name(const Table& root, const char* kind) {
  std::vector<Table> out = root.tables(kind);
  const bool by_joint = std::string_view(kind) == "limit";
  const auto name = [&](const Table& t) {
    if (t.has("name")) return t.kind_of("name") == ValueKind::text ? t.raw_text("name") : std::string();
    return by_joint && t.has("joint") && t.kind_of("joint") == ValueKind::text ? t.raw_text("joint")
                                                                               : std::string();
  };
  if (std::any_of(out.begin(), out.end(), [&](const Table& t) { return name(t).empty(); })) return out;
  std::stable_sort(out.begin(), out.end(),
                   [&](const Table& a, const Table& b) { return comes_before(name(a), name(b)); });
  return out;
}

/// Of bodies, walls, springs and so on, repetitions included. Far more than can be computed, far less than fills memory.
inline constexpr int most_of_a_kind = 10'000;

/// f of all [[kind]] tables and their repetitions; after(table, how often) each of them. Throws InputError for too many.
template <class F, class After>
void each_of(const std::vector<Table>& tables, const char* kind, F&& f, After&& after) {
  int count = 0;
  for (const Table& table : tables) {
    const int here = each_repeated(table, [&](const Table& t) {
      if (++count > most_of_a_kind)
        throw InputError(
            table.place(),
            fmt::format("there are more than {} [[{}]]; that is the most of a kind", most_of_a_kind, kind));
      f(t);
    });
    after(table, here);
  }
}
template <class F, class After>
void each_table(const Table& root, const char* kind, F&& f, After&& after) {
  each_of(root.tables(kind), kind, f, after);
}
template <class F>
void each_table(const Table& root, const char* kind, F&& f) {
  each_table(root, kind, f, [](const Table&, int) {});
}

}  // namespace thud::doc
