#pragma once

#include <hdf5.h>

#include <string>
#include <utility>
#include <vector>

namespace thud::h5 {

/// An HDF5 identifier that is closed when it is no longer needed.
class Id {
 public:
  Id() = default;
  Id(hid_t id, herr_t (*closer)(hid_t)) : id_(id), close_(closer) {}
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Id& operator=(Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Id() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  /// Closes it now; false when that failed.
  bool close() { return close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

/// Failures are thrown, not printed. Call before anything else.
void be_quiet();

/// Why the last call failed, as well as HDF5 can tell: "No space left on device".
[[nodiscard]] std::string last_error();

/// Throws std::runtime_error with last_error() when a result says that a call failed.
hid_t check(hid_t result);

/// Variable-length UTF-8 text.
[[nodiscard]] Id text_type();
void put_attribute(hid_t where, const char* name, const std::string& text);
void put_attribute(hid_t where, const char* name, std::int64_t value);
void put_attribute(hid_t where, const char* name, const std::vector<std::string>& texts);
void put_text(hid_t where, const char* name, const std::string& text);

/// "" or nothing when there is none.
[[nodiscard]] std::string get_attribute(hid_t where, const char* name);
[[nodiscard]] std::vector<std::string> get_attributes(hid_t where, const char* name);
[[nodiscard]] std::string get_text(hid_t where, const char* name);

}  // namespace thud::h5
