#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "thud/base/error.hpp"
#include "thud/study/reproduce.hpp"

namespace thud {

/// Which of the known ids are meant by ids or by what they begin with; all for none.
/// Throws InputError for one that matches nothing; `what` is for the message: "table".
[[nodiscard]] inline std::vector<bool> select_ids(const std::vector<std::string>& known,
                                                  const std::vector<std::string>& ids, const char* what) {
  std::vector<bool> wanted(known.size(), ids.empty());
  for (const std::string& id : ids) {
    const bool exact = std::find(known.begin(), known.end(), id) != known.end();
    bool found = false;
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (!(exact ? known[i] == id : begins_id(id, known[i]))) continue;
      wanted[i] = found = true;
    }
    if (found) continue;
    // "4.1" for "lee2009/4.1" or "lee2009/figure-4.1" is further off than a misspelling, but clear.
    const std::size_t last = id.rfind('/') + 1;
    const std::string with_kind = fmt::format("{}{}-{}", id.substr(0, last), what, id.substr(last));
    const auto inside = std::find_if(known.begin(), known.end(), [&](const std::string& k) {
      return !id.empty() && (k == with_kind || k.ends_with("/" + id) || k.ends_with("/" + with_kind));
    });
    const std::string hint =
        inside != known.end() ? fmt::format("; did you mean \"{}\"?", *inside) : did_you_mean(id, known);
    throw InputError({}, fmt::format("there is no {} \"{}\"{}", what, id,
                                     hint.empty() ? "; `thud reproduce --list` shows them" : hint));
  }
  return wanted;
}

}  // namespace thud
