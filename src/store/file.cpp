#include "thud/store/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
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

// A name beside the file that nobody else uses.
int open_beside(const fs::path& path, fs::path& temporary) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary =
        path.parent_path() / fmt::format(".{}.{}-{}.tmp", path.filename().string(), ::getpid(), attempt);
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

}  // namespace

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
    const int error = errno;
    temporary_.clear();
    fail(error);
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
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
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
  if (!temporary_.empty() && ::fsync(::fileno(file_)) != 0 && errno != EINVAL && errno != ENOSYS) fail(errno);
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail(errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  temporary_.clear();
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
