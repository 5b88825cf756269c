#pragma once

#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "lanes/program.hpp"

namespace thud::lanes {

/// A computation that several modes and systems share, but for constants.
struct Shape {
  Recording first;            ///< as it was met first
  std::vector<char> varying;  ///< per constant: it has been met with another value
  Program program;
  Rows rows;  ///< of the program
};

/// A mode of a system as lanes compute it.
struct Fitting {
  Shape* shape = nullptr;  ///< null: it is not for lanes
  std::vector<double> constants;
};

/// The shapes that have been met so far. One per thread.
class Shapes {
 public:
  /// `recording` must be usable.
  Fitting fit(Recording recording);

 private:
  std::deque<Shape> shapes_;
  std::unordered_multimap<std::size_t, Shape*> by_hash_;
};

}  // namespace thud::lanes
