#pragma once

#include <string_view>

namespace thud {

/// The web page of viewer and playground (web/dist/thud.html), as it was when the program was built.
std::string_view web_bundle();

}  // namespace thud
