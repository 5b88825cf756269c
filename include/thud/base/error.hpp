#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace thud {

/// Where in an input something stands. Lines and columns count from 1, columns in characters.
struct Place {
  std::string file;
  int line = 0;  ///< 0: no position, e.g. a whole file or the command line
  int column = 0;
};

/// "file:line:column", "file" when there is no position, "" when there is no file.
[[nodiscard]] std::string to_string(const Place& place);

/// The input is wrong, and the person who wrote it can mend it.
/// what() reads "file:line:column: message", "file: message" or just "message".
class InputError : public std::runtime_error {
 public:
  InputError(Place place, std::string message);

  [[nodiscard]] Place place() const { return place_; }
  [[nodiscard]] std::string message() const { return message_; }

 private:
  Place place_;
  std::string message_;
};

/// Work was given up because it was asked to be: nothing is wrong with the input.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("given up") {}
};

/// The known name nearest to a misspelt one; "" when none is near.
///
/// Nearness is the Damerau-Levenshtein distance (optimal string alignment), blind to case;
/// near means at most max(1, length/3). Of equally near names the first known one wins.
[[nodiscard]] std::string suggest(std::string_view wrong, const std::vector<std::string>& known);

/// `; did you mean "x"?`, or "" when no known name is near.
[[nodiscard]] std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known);

/// "a", "a or b", "a, b or c".
[[nodiscard]] std::string one_of(const std::vector<std::string>& names);

}  // namespace thud
