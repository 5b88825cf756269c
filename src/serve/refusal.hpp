#pragma once

#include <stdexcept>
#include <string>

namespace thud::serve {

/// A request that is not served: a status, and a reason that helps.
class Refusal : public std::runtime_error {
 public:
  Refusal(int status, const std::string& message, int line = 0, int column = 0)
      : std::runtime_error(message),
        status_(status),
        line_(line),
        column_(column) {}

  int status() const { return status_; }
  /// {"error": {"message", "line", "column"}}, without a place when there is none.
  std::string json() const;

 private:
  int status_, line_, column_;
};

}  // namespace thud::serve
