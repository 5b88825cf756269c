#pragma once

#include <string>
#include <vector>

namespace thud::serve {

/// A scenario that the page can be asked for by name.
struct ServedScenario {
  std::string name, title, about, text;

  /// {name, title, about, text}
  std::string json() const;
};

/// What the server knows by name: read once, so that no request ever opens a file.
class Library {
 public:
  /// The scenarios of these files, then those of the library. Throws InputError for a file that cannot be read.
  explicit Library(const std::vector<std::string>& files = {});
  explicit Library(std::vector<ServedScenario> list) : list_(std::move(list)) {}

  const std::vector<ServedScenario>& scenarios() const { return list_; }

  const ServedScenario* find(const std::string& name) const;
  /// {"scenarios": [{name, title, about}]}
  std::string json() const;

 private:
  std::vector<ServedScenario> list_;
};

}  // namespace thud::serve
