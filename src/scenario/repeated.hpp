#pragma once

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

}  // namespace thud::doc
