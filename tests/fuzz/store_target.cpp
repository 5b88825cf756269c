// Files of results: those of sweeps in HDF5, and their journals.
#include <boost/crc.hpp>
#include <cmath>
#include <cstring>

#include "fuzz/targets.hpp"
#include "study/journal.hpp"
#include "temp_folder.hpp"
#include "thud/store/file.hpp"
#include "thud/study/sweep_file.hpp"

namespace thud::fuzz {

namespace {

const SweepIdentity identity{"1", "a = 1\n", "study", "scenario"};

std::uint32_t checksum_of(std::string_view bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

// Gives chunks the checksums that they ought to have: or else nothing behind them would ever be read.
void mend_checksums(std::string& bytes, std::size_t at) {
  while (at < bytes.size()) {
    const std::string_view rest = std::string_view(bytes).substr(at);
    const std::size_t size = announced_size(rest);
    if (size == 0 || size > rest.size()) return;
    const std::uint32_t checksum = checksum_of(rest.substr(8, size - 8));
    std::memcpy(bytes.data() + at + 4, &checksum, sizeof checksum);
    at += size;
  }
}

void read_journal(const std::filesystem::path& file) {
  try {
    Journal journal = Journal::open(file, identity);
    std::int64_t runs = 0;
    for (const RunRange& r : journal.missing(1000)) demand(r.count > 0 && r.end() <= 1000, "gaps are gaps");
    journal.read([&](const SweepChunk& chunk) { runs += chunk.count(); });
    demand(runs == journal.done() && runs <= 1000, "runs are counted");
  } catch (const InputError& e) {
    demand(!e.message().empty(), "a refusal has a message");
  }
}

void read_results(const std::filesystem::path& file) {
  try {
    const SweepFile results(file);
    std::size_t size = 0;
    write_sweep_csv(results, [&](std::string_view text) { size += text.size(); });
    demand(size > 0, "there is a table");
  } catch (const InputError& e) {
    demand(!e.message().empty(), "a refusal has a message");
  }
}

}  // namespace

// The first byte tells what the others are: results, a journal, or the chunks of one whose checksums are mended.
void store(std::string_view bytes) {
  if (bytes.empty()) return;
  static const test::TempFolder folder("fuzz");
  const std::filesystem::path file = folder.path() / "file";
  const int kind = bytes.front() % 3;
  std::string content(bytes.substr(1));
  if (kind == 2) {
    const std::string head = encode(identity);
    content = head + content;
    mend_checksums(content, head.size());
  }
  std::ofstream(file, std::ios::binary) << content;
  if (kind == 0)
    read_results(file);
  else
    read_journal(file);
}

}  // namespace thud::fuzz
