#include "thud/store/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <system_error>
#include <utility>

namespace thud {

namespace fs = std::filesystem;

namespace {

std::string reason(int error) { return std::generic_category().message(error); }

bool is_special(const fs::path& path) {
  std::error_code ec;
  const fs::file_status status = fs::status(path, ec);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// The names of temporary files where a signal handler can read them: nothing here is ever freed.
struct Slot {
  enum State : int { free, filling, filled };
  std::atomic<int> state{free};
  char name[PATH_MAX];
};
static_assert(std::atomic<int>::is_always_lock_free, "read in a signal handler");
std::array<Slot, 64> slots;

int take_slot(const std::string& name) {
  if (name.size() >= PATH_MAX) return -1;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    int expected = Slot::free;
    if (!slots[i].state.compare_exchange_strong(expected, Slot::filling)) continue;
    std::memcpy(slots[i].name, name.c_str(), name.size() + 1);
    slots[i].state = Slot::filled;
    return static_cast<int>(i);
  }
  return -1;
}

// A name beside the file that nobody else uses.
int open_beside(const fs::path& path, TemporaryName& temporary) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    const fs::path name =
        path.parent_path() / fmt::format(".{}.{}-{}.tmp", path.filename().string(), ::getpid(), attempt);
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) temporary = TemporaryName(name);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

}  // namespace

TemporaryName::TemporaryName(fs::path path) : path_(std::move(path)), slot_(take_slot(path_.string())) {}

TemporaryName::TemporaryName(TemporaryName&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      slot_(std::exchange(other.slot_, -1)) {}

TemporaryName& TemporaryName::operator=(TemporaryName&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(slot_, other.slot_);
  return *this;
}

void TemporaryName::forget() noexcept {
  if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].state = Slot::free;
  slot_ = -1;
  path_.clear();
}

void TemporaryName::remove() noexcept {
  if (!path_.empty()) ::unlink(path_.c_str());
  forget();
}

bool TemporaryName::keep_as(const fs::path& name) {
  if (::rename(path_.c_str(), name.c_str()) != 0) return false;
  forget();
  return true;
}

void remove_temporary_files() noexcept {
  for (const Slot& s : slots)
    if (s.state == Slot::filled) ::unlink(s.name);
}

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {
  std::error_code ec;
  if (path_.filename().empty() || fs::is_directory(path_, ec)) fail(EISDIR);
  if (fs::is_symlink(path_, ec)) {
    const fs::path target = fs::weakly_canonical(path_, ec);
    if (!ec) path_ = target;
  }
  const int fd =
      is_special(path_) ? ::open(path_.c_str(), O_WRONLY | O_CLOEXEC) : open_beside(path_, temporary_);
  if (fd < 0) {
    fail(errno);
  }
  file_ = ::fdopen(fd, "wb");
  if (!file_) {
    const int error = errno;
    ::close(fd);
    fail(error);
  }
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() noexcept {
  if (file_) std::fclose(file_);
  file_ = nullptr;
  temporary_.remove();
}

void AtomicFile::fail(int error) {
  discard();
  throw OutputError(fmt::format("cannot write {}: {}", path_.string(), reason(error)));
}

void AtomicFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail(errno);
}

void AtomicFile::commit() {
  if (std::fflush(file_) != 0) fail(errno);
  const bool is_direct = temporary_.path().empty();
  if (!is_direct && ::fsync(::fileno(file_)) != 0 && errno != EINVAL && errno != ENOSYS) fail(errno);
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail(errno);
  if (!is_direct && !temporary_.keep_as(path_)) fail(errno);
}

void write_file(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

void make_folder(const fs::path& path) {
  std::error_code ec;
  fs::create_directories(path, ec);
  // A trailing slash makes create_directories report success or failure differently; what counts is the folder.
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return;
  const std::string why = ec ? ec.message() : reason(ENOTDIR);
  throw OutputError(fmt::format("cannot make the folder {}: {}", path.string(), why));
}

}  // namespace thud
