#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "scenario/reader.hpp"
#include "thud/dynamics/observable.hpp"
#include "thud/scenario/own_parts.hpp"

namespace thud::doc {

/// A named point of a body with parameters of any scalar.
template <class P>
struct PointWith {
  std::string name;
  int body = 0;
  BodyPointOf<P> point{};
};
template <class P>
using PointOf = std::conditional_t<std::is_same_v<P, double>, NamedPoint, PointWith<P>>;

/// What the tables of a file are read into: a system whose parameters are plain, or dual numbers.
template <class P>
struct AssemblyOf {
  SystemOf<P>& system;
  std::vector<PointOf<P>>& points;
};

/// What the tables of bodies, beds, contacts and elements make.
template <class P>
struct BuiltOf {
  std::unique_ptr<SystemOf<P>> system;
  std::vector<PointOf<P>> points;
  std::vector<std::pair<int, PartOf<P>>> parts;  ///< to be drawn: the body, and its part
  std::vector<std::string> notes;
};

/// On dual numbers, derivatives by what the symbols of the table change with are exact. Where there is none, as where
/// an element only appears once the knob is turned, it throws InputError.
template <class P>
[[nodiscard]] BuiltOf<P> build_system(const Table& root, const OwnParts& own);

}  // namespace thud::doc
