#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace thud {

/// Takes text piece by piece.
using TextSink = std::function<void(std::string_view)>;

/// A field as RFC 4180 wants it: quoted where it holds a comma, a quote or a line break.
[[nodiscard]] std::string csv_field(std::string_view text);

}  // namespace thud
