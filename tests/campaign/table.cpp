#include "campaign/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace thud::campaign {

namespace {
constexpr int first = static_cast<int>(Verdict::crash), end = static_cast<int>(Verdict::count);
}

void Row::add(const Judgement& j) {
  ++counts[static_cast<std::size_t>(j.verdict)];
  if (j.verdict == Verdict::fine) worst = std::max(worst, j.residual);
}

long Row::runs() const {
  return std::accumulate(counts.begin(), counts.end(), 0L)
       - counts[static_cast<std::size_t>(Verdict::refused)];
}

long Row::failures() const { return runs() - counts[static_cast<std::size_t>(Verdict::fine)]; }

std::string Row::heading() {
  std::string out = fmt::format("{:<16}{:>7}{:>8}", "class", "runs", "failed");
  for (int v = first; v < end; ++v) out += fmt::format("{:>10}", verdict_name(static_cast<Verdict>(v)));
  return out + fmt::format("{:>10}{:>10}", "refused", "residual");
}

std::string Row::line() const {
  std::string out = fmt::format("{:<16}{:>7}{:>8}", name, runs(), failures());
  for (int v = first; v < end; ++v) out += fmt::format("{:>10}", counts[static_cast<std::size_t>(v)]);
  return out + fmt::format("{:>10}{:>10.1e}", counts[static_cast<std::size_t>(Verdict::refused)], worst);
}

Row sum(const std::vector<Row>& rows) {
  Row all{"all", "all"};
  for (const Row& r : rows) {
    for (std::size_t k = 0; k < all.counts.size(); ++k) all.counts[k] += r.counts[k];
    all.worst = std::max(all.worst, r.worst);
  }
  return all;
}

std::string markdown(const std::vector<Row>& rows) {
  std::string out = "| class | runs | failed |", rule = "|---|---|---|";
  for (int v = first; v < end; ++v) {
    out += fmt::format(" {} |", verdict_name(static_cast<Verdict>(v)));
    rule += "---|";
  }
  out += " largest residual |\n" + rule + "---|\n";
  for (const Row& r : rows) {
    out +=
        fmt::format("| {} | {} | {:.2g} % |", r.about, r.runs(),
                    100.0 * static_cast<double>(r.failures()) / static_cast<double>(std::max(1L, r.runs())));
    for (int v = first; v < end; ++v) out += fmt::format(" {} |", r.counts[static_cast<std::size_t>(v)]);
    out += fmt::format(" {:.0e} |\n", r.worst);
  }
  return out;
}

}  // namespace thud::campaign
