#pragma once

#include <stdexcept>

namespace thud {

/// What a law or an observable of the user's own gave cannot be computed with. A run that meets it ends as failed, with
/// this as its message.
class LawError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace thud
