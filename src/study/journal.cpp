#include "study/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <system_error>

#include "thud/store/file.hpp"

namespace thud {

namespace fs = std::filesystem;

// ---- identity ----------------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view magic = "thud sweep journal 1\n";

std::string reason(int error) { return std::generic_category().message(error); }

std::uint32_t checksum_of(std::string_view bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The lines between what two texts have in common at their beginnings and ends.
std::string describe_lines(const std::string& what, const std::string& before, const std::string& now) {
  const std::vector<std::string> a = lines_of(before), b = lines_of(now);
  std::size_t head = 0, tail = 0;
  while (head < std::min(a.size(), b.size()) && a[head] == b[head]) ++head;
  while (tail < std::min(a.size(), b.size()) - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  std::string out = fmt::format("\n  {}, from line {} on:", what, head + 1);
  constexpr std::size_t most = 5;
  const auto list = [&](const std::vector<std::string>& lines, char sign) {
    const std::size_t end = lines.size() - tail;
    for (std::size_t i = head; i < std::min(end, head + most); ++i)
      out += fmt::format("\n    {} {}", sign, lines[i]);
    if (end > head + most) out += fmt::format("\n    {} ... ({} lines more)", sign, end - head - most);
  };
  list(a, '-');
  list(b, '+');
  return out;
}

void put_text(std::string& out, const std::string& text) {
  const auto size = static_cast<std::uint64_t>(text.size());
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out += text;
}

bool take_text(std::string_view& in, std::string& text) {
  std::uint64_t size = 0;
  if (in.size() < sizeof size) return false;
  std::memcpy(&size, in.data(), sizeof size);
  in.remove_prefix(sizeof size);
  if (in.size() < size) return false;
  text = in.substr(0, size);
  in.remove_prefix(size);
  return true;
}

}  // namespace

SweepIdentity identity_of(const Study& study) {
  std::string settings;
  for (const auto& [name, value] : study.set) settings += fmt::format("{} = {}\n", name, value);
  return {THUD_VERSION, settings, study.text, study.scenario_text};
}

std::string encode(const SweepIdentity& identity) {
  std::string body;
  for (const std::string* text : {&identity.version, &identity.settings, &identity.study, &identity.scenario})
    put_text(body, *text);
  std::string out(magic);
  const std::uint64_t size = body.size(), checksum = checksum_of(body);
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  return out + body;
}

std::string describe_difference(const SweepIdentity& before, const SweepIdentity& now) {
  std::string out;
  if (before.version != now.version)
    out += fmt::format("\n  program: it was version {}, this is {}", before.version, now.version);
  if (before.settings != now.settings) out += describe_lines("knobs set", before.settings, now.settings);
  if (before.study != now.study) out += describe_lines("study", before.study, now.study);
  if (before.scenario != now.scenario) out += describe_lines("scenario", before.scenario, now.scenario);
  return out;
}

// ---- the file ----------------------------------------------------------------------------------------------------

namespace {

// Not what a link of that name points to: a journal is truncated and removed.
int open_itself(const fs::path& path, int flags) {
  std::error_code ec;
  if (fs::is_symlink(path, ec))
    throw InputError({path.string()}, "is a symbolic link, which is not followed");
  return ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0666);
}

void lock(int file, const fs::path& path) {
  if (::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(file);
  throw InputError({path.string()}, "another sweep is writing it");
}

// Reads as many bytes as there are, up to `size`.
std::string read_at(int file, std::int64_t offset, std::size_t size) {
  std::string out(size, '\0');
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n = ::pread(file, out.data() + got, size - got, offset + static_cast<std::int64_t>(got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  out.resize(got);
  return out;
}

std::optional<SweepIdentity> read_identity(int file, std::int64_t& end) {
  const std::string head = read_at(file, 0, magic.size() + 16);
  if (head.size() < magic.size() + 16 || !head.starts_with(magic)) return std::nullopt;
  std::uint64_t size = 0, checksum = 0;
  std::memcpy(&size, head.data() + magic.size(), 8);
  std::memcpy(&checksum, head.data() + magic.size() + 8, 8);
  if (size > (std::uint64_t{1} << 28)) return std::nullopt;
  const std::string body = read_at(file, static_cast<std::int64_t>(head.size()), size);
  if (body.size() != size || checksum_of(body) != checksum) return std::nullopt;
  end = static_cast<std::int64_t>(head.size() + size);
  SweepIdentity identity;
  std::string_view rest = body;
  for (std::string* text : {&identity.version, &identity.settings, &identity.study, &identity.scenario})
    if (!take_text(rest, *text)) return std::nullopt;
  return identity;
}

}  // namespace

Journal Journal::create(const fs::path& path, const SweepIdentity& identity) {
  const int file = open_itself(path, O_CREAT);
  if (file < 0) throw InputError({}, fmt::format("cannot write {}: {}", path.string(), reason(errno)));
  lock(file, path);
  Journal journal(path, file);
  if (::ftruncate(file, 0) != 0)
    throw OutputError(fmt::format("cannot write {}: {}", path.string(), reason(errno)));
  journal.write(encode(identity));
  return journal;
}

Journal Journal::open(const fs::path& path, const SweepIdentity& identity) {
  const int file = open_itself(path, 0);
  if (file < 0) throw InputError({}, fmt::format("cannot open {}: {}", path.string(), reason(errno)));
  lock(file, path);
  Journal journal(path, file);
  const std::optional<SweepIdentity> before = read_identity(file, journal.end_);
  if (!before) {
    // Killed before the first chunk: nothing is lost.
    const std::string start = encode(identity);
    const std::string found = read_at(file, 0, start.size());
    if (!start.starts_with(found))
      throw InputError({path.string()},
                       "is not the journal of a sweep, or its head is damaged; --restart begins anew");
    if (::ftruncate(file, 0) != 0)
      throw OutputError(fmt::format("cannot write {}: {}", path.string(), reason(errno)));
    journal.write(start);
    return journal;
  }
  if (*before != identity)
    throw InputError({path.string()},
                     fmt::format("belongs to another sweep; --restart throws its {} away. What differs:{}",
                                 "results", describe_difference(*before, identity)));
  journal.scan();
  return journal;
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      records_(std::move(other.records_)),
      end_(other.end_),
      done_(other.done_),
      dropped_(other.dropped_),
      synced_(other.synced_) {}

Journal::~Journal() {
  if (file_ >= 0) ::close(file_);
}

// Everything up to the first chunk that is torn or damaged counts.
void Journal::scan() {
  const std::int64_t size = ::lseek(file_, 0, SEEK_END);
  while (end_ < size) {
    const std::size_t announced = announced_size(read_at(file_, end_, chunk_head));
    if (announced == 0 || end_ + static_cast<std::int64_t>(announced) > size) break;
    const std::string bytes = read_at(file_, end_, announced);
    if (encoded_size(bytes) == 0) break;
    SweepChunk chunk;
    try {
      chunk = decode(bytes);
    } catch (const std::runtime_error&) {
      break;
    }
    records_.push_back({{chunk.first, chunk.count()}, end_, announced});
    done_ += chunk.count();
    end_ += static_cast<std::int64_t>(announced);
  }
  dropped_ = size - end_;
  if (dropped_ > 0 && ::ftruncate(file_, end_) != 0)
    throw OutputError(fmt::format("cannot write {}: {}", path_.string(), reason(errno)));
}

void Journal::write(std::string_view bytes) {
  std::int64_t at = end_;
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(file_, bytes.data(), bytes.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int error = n < 0 ? errno : ENOSPC;
      (void)!::ftruncate(file_, end_);
      throw OutputError(fmt::format("cannot write {}: {}", path_.string(), reason(error)));
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
    at += n;
  }
  end_ = at;
}

void Journal::append(std::string_view encoded, RunRange runs) {
  const std::int64_t offset = end_;
  write(encoded);
  records_.push_back({runs, offset, encoded.size()});
  done_ += runs.count;
  // Against a power cut; the end of the program alone loses nothing.
  using namespace std::chrono_literals;
  if (std::chrono::steady_clock::now() - synced_ > 5s) sync();
}

void Journal::sync() {
  if (::fdatasync(file_) != 0 && errno != EINVAL && errno != ENOSYS)
    throw OutputError(fmt::format("cannot write {}: {}", path_.string(), reason(errno)));
  synced_ = std::chrono::steady_clock::now();
}

void Journal::remove() { ::unlink(path_.c_str()); }

void Journal::sort() {
  std::sort(records_.begin(), records_.end(),
            [](const Record& a, const Record& b) { return a.runs.first < b.runs.first; });
}

std::vector<RunRange> Journal::missing(std::int64_t size) {
  sort();
  std::vector<RunRange> out;
  std::int64_t at = 0;
  for (const Record& r : records_) {
    if (r.runs.first < at || r.runs.end() > size)
      throw InputError({path_.string()},
                       "holds runs that do not belong to this sweep; --restart begins anew");
    if (r.runs.first > at) out.push_back({at, r.runs.first - at});
    at = r.runs.end();
  }
  if (at < size) out.push_back({at, size - at});
  return out;
}

void Journal::read(const std::function<void(const SweepChunk&)>& sink) {
  sort();
  for (const Record& r : records_) {
    const std::string bytes = read_at(file_, r.offset, r.size);
    if (bytes.size() != r.size || encoded_size(bytes) != r.size)
      throw OutputError(
          fmt::format("cannot read back {}: it is damaged; --resume computes what is lost", path_.string()));
    sink(decode(bytes));
  }
}

}  // namespace thud
