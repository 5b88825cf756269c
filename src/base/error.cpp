#include "thud/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace thud {
namespace {

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// Three rows suffice: a transposition looks back two.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string to_string(const Place& place) {
  if (place.file.empty() || place.line <= 0) return place.file;
  return place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

InputError::InputError(Place place, std::string message)
    : std::runtime_error(place.file.empty() ? message : to_string(place) + ": " + message),
      place_(std::move(place)),
      message_(std::move(message)) {}

std::string suggest(std::string_view wrong, const std::vector<std::string>& known) {
  // Nobody misspells a name this long, and the table would grow with its square.
  constexpr std::size_t longest = 200;
  if (wrong.empty() || wrong.size() > longest) return {};
  const std::string sought = lower_case(wrong);
  std::size_t nearest = std::max<std::size_t>(1, wrong.size() / 3) + 1;
  std::string best;
  for (const std::string& name : known) {
    if (name.empty() || name.size() > longest) continue;
    const std::size_t distance = edit_distance(sought, lower_case(name));
    // One letter for another is a different name, not a misspelling.
    if (distance >= std::max(sought.size(), name.size())) continue;
    if (distance < nearest) {
      nearest = distance;
      best = name;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known) {
  const std::string near = suggest(wrong, known);
  return near.empty() ? std::string{} : "; did you mean \"" + near + "\"?";
}

std::string one_of(const std::vector<std::string>& names) {
  std::string result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) result += i + 1 == names.size() ? " or " : ", ";
    result += names[i];
  }
  return result;
}

}  // namespace thud
