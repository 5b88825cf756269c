#pragma once

#include <cstdint>
#include <string>

#include "thud/granular/own_law.hpp"

/// \file
/// Laws in shared libraries: compiled on their own, with the headers of thud alone, and loaded into a program or into
/// Python, where they run as fast as the laws of thud.
///
///   // porous.cpp:  g++ -std=c++20 -O2 -shared -fPIC $(pkg-config --cflags thud) porous.cpp -o porous.so
///   #include <thud/granular/law_plugin.hpp>
///   struct Porous { … };                       // as for make_law()
///   THUD_LAW_PLUGIN(thud::make_law_parts("porous", Porous{}, {{"k", &Porous::k, "N/m", "resistance per depth"}}))

namespace thud {

/// What both sides must have alike: the layout of what they hand each other.
inline constexpr std::uint64_t law_plugin_layout =
    ((1 * 1009ULL + sizeof(Flow<double>)) * 1009 + sizeof(Immersed<double>)) * 1009 * 1009
    + (sizeof(Part) * 1009 + sizeof(Resistance<double>)) * 1009 + sizeof(LawParts);

/// The law in a shared library. It stays loaded. Throws InputError, with the path as its place, when there is none or it
/// was compiled with the headers of another version.
[[nodiscard]] OwnLaw load_law(const std::string& path);

}  // namespace thud

/// Makes a shared library of a law, given as thud::LawParts.
#define THUD_LAW_PLUGIN(...)                                                                         \
  extern "C" __attribute__((visibility("default"))) std::uint64_t thud_law_plugin_layout() {         \
    return thud::law_plugin_layout;                                                                  \
  }                                                                                                  \
  extern "C" __attribute__((visibility("default"))) void thud_law_plugin_make(thud::LawParts& out) { \
    out = __VA_ARGS__;                                                                               \
  }
