#pragma once

namespace thud {

/// Every JSON document that the program prints begins with "thud", the version of the program, and "format", this. It grows
/// when a key goes or changes its meaning; keys may be added at any time.
inline constexpr int json_format = 1;

}  // namespace thud
