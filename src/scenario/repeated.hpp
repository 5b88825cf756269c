#pragma once

#include <fmt/format.h>

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

/// Of bodies, walls, springs and so on, repetitions included. Far more than can be computed, far less than fills memory.
inline constexpr int most_of_a_kind = 10'000;

/// f of all [[kind]] tables and their repetitions; after(table, how often) each of them. Throws InputError for too many.
template <class F, class After>
void each_table(const Table& root, const char* kind, F&& f, After&& after) {
  int count = 0;
  for (const Table& table : root.tables(kind)) {
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
template <class F>
void each_table(const Table& root, const char* kind, F&& f) {
  each_table(root, kind, f, [](const Table&, int) {});
}

}  // namespace thud::doc
