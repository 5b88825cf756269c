#include "study/sweep_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json_format.hpp"

namespace thud {

namespace {

constexpr std::int64_t block = 65536;

// Calls f(values) for all values of a column that are numbers.
template <class F>
void for_each_value(const SweepFile& file, std::size_t column, F&& f) {
  std::vector<double> values;
  for (std::int64_t first = 0; first < file.runs(); first += block) {
    values.resize(static_cast<std::size_t>(std::min(block, file.runs() - first)));
    file.read(column, first, values);
    for (const double x : values)
      if (!std::isnan(x)) f(x);
  }
}

// Numbers in the order of the doubles they stand for.
std::uint64_t key_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63;
}

double value_of(std::uint64_t key) {
  return std::bit_cast<double>(key >> 63 ? key & ~(std::uint64_t{1} << 63) : ~key);
}

// The value with `rank` smaller ones, 16 bits of its key at a time: four passes over the file, and no sorting.
double select(const SweepFile& file, std::size_t column, std::int64_t rank) {
  std::uint64_t prefix = 0;
  std::vector<std::int64_t> counts(65536);
  for (int shift = 48; shift >= 0; shift -= 16) {
    std::fill(counts.begin(), counts.end(), 0);
    const std::uint64_t mask = shift == 48 ? 0 : ~std::uint64_t{0} << (shift + 16);
    for_each_value(file, column, [&](double x) {
      const std::uint64_t key = key_of(x);
      if ((key & mask) == prefix) ++counts[key >> shift & 0xffff];
    });
    std::uint64_t digit = 0;
    while (rank >= counts[digit]) rank -= counts[digit++];
    prefix |= digit << shift;
  }
  return value_of(prefix);
}

ColumnSummary summarise_column(const SweepFile& file, std::size_t column) {
  ColumnSummary s{file.columns()[column].name, file.columns()[column].unit};
  s.least = HUGE_VAL;
  s.largest = -HUGE_VAL;
  for_each_value(file, column, [&](double x) {
    ++s.count;
    s.least = std::min(s.least, x);
    s.largest = std::max(s.largest, x);
  });
  if (s.count == 0) return s;
  const double lower = select(file, column, (s.count - 1) / 2);
  s.median = s.count % 2 == 1 ? lower : 0.5 * (lower + select(file, column, s.count / 2));
  return s;
}

// The message with its numbers taken out: what failed at other times failed for the same reason.
std::string kind_of(const std::string& message) {
  std::string out;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const bool in_word =
        i > 0 && (std::isalpha(static_cast<unsigned char>(message[i - 1])) || message[i - 1] == '_');
    if (!std::isdigit(static_cast<unsigned char>(message[i])) || in_word) {
      out += message[i];
      continue;
    }
    while (i + 1 < message.size()
           && std::string_view("0123456789.e+-").find(message[i + 1]) != std::string_view::npos)
      ++i;
    out += '#';
  }
  return out;
}

std::vector<SweepFailure> group_failures(const SweepFile& file) {
  constexpr std::size_t most = 50;
  std::map<std::string, std::size_t> places;
  std::vector<SweepFailure> out;
  file.read_messages([&](std::int64_t run, const std::string& message) {
    std::string kind = kind_of(message);
    if (out.size() >= most && !places.contains(kind)) kind = "others";
    const auto [at, is_new] = places.emplace(kind, out.size());
    if (is_new) {
      SweepFailure f{SweepStatus::failed, 0, run, message};
      file.read_status(run, std::span(&f.status, 1));
      out.push_back(std::move(f));
    }
    ++out[at->second].count;
  });
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  return out;
}

}  // namespace

void summarise(const SweepFile& file, SweepReport& report) {
  for (std::size_t c = 0; c < file.columns().size(); ++c)
    if (!file.columns()[c].is_knob) report.columns.push_back(summarise_column(file, c));
  report.failures = group_failures(file);
  for (const SweepFailure& f : report.failures) report.unreached += f.count;
}

// ---- for people and machines ---------------------------------------------------------------------------------------

namespace {

std::string grouped(std::int64_t n) {
  std::string digits = fmt::format("{}", n);
  for (std::size_t i = digits.size(); i > 3 && digits.size() > 4; i -= 3) digits.insert(i - 3, " ");
  return digits;
}

std::string table_of(const std::vector<ColumnSummary>& columns, const TextStyle& style) {
  std::size_t width = 6;
  for (const ColumnSummary& c : columns) width = std::max(width, c.name.size());
  std::string out = style.paint(
      "dim", fmt::format("  {:<{}}{:>15}{:>15}{:>15}\n", "", width, "least", "median", "largest"));
  for (const ColumnSummary& c : columns) {
    const double size = std::max(std::abs(c.least), std::abs(c.largest));
    const ShownUnit u = c.count > 0 ? suit_unit(size, c.unit) : ShownUnit{1, c.unit};
    const auto show = [&](double x) { return c.count > 0 ? show_number(x * u.factor) : std::string("-"); };
    out += fmt::format("  {:<{}}{:>15}{:>15}{:>15}  {}\n", c.name, width, show(c.least), show(c.median),
                       show(c.largest), style.unit(u.unit));
  }
  return out;
}

std::string list_failures(const SweepReport& r, const TextStyle& style) {
  constexpr std::size_t most = 8;
  std::string out =
      fmt::format("\n{} of {} runs did not reach what was asked\n", grouped(r.unreached), grouped(r.runs));
  for (std::size_t i = 0; i < std::min(most, r.failures.size()); ++i) {
    const SweepFailure& f = r.failures[i];
    out += hang(fmt::format("  {:>8}  {:<10}  ", grouped(f.count), status_name(f.status)),
                fmt::format("{} (run {})", f.message, f.first), style);
  }
  if (r.failures.size() > most) out += fmt::format("  and {} other reasons\n", r.failures.size() - most);
  return out;
}

}  // namespace

std::string to_text(const Study& study, const SweepReport& r, const TextStyle& style) {
  std::string out = style.paint("bold", study.title) + "\n";
  std::string machines = r.workers == 1 ? "one thread" : fmt::format("{} threads", r.workers);
  if (r.device_steps > 0)
    machines += fmt::format(", {:.4g} % of the steps on the device", 100 * r.on_device());
  else if (r.lane_steps > 0)
    machines += fmt::format(", {:.4g} % of the steps in lanes", 100 * r.in_lanes());
  if (r.already_complete || r.computed == 0)
    out += fmt::format("{} runs, all of them done before\n", grouped(r.runs));
  else if (r.computed < r.runs)
    out += fmt::format("{} runs, {} of them now, in {:.3g} s ({:.3g} runs/s, {})\n", grouped(r.runs),
                       grouped(r.computed), r.seconds, r.rate(), machines);
  else
    out += fmt::format("{} runs in {:.3g} s ({:.3g} runs/s, {})\n", grouped(r.runs), r.seconds, r.rate(),
                       machines);
  if (!r.columns.empty()) out += "\n" + table_of(r.columns, style);
  if (r.unreached > 0) out += list_failures(r, style);
  return out + fmt::format("\nResults in {}\n", r.out);
}

std::string to_json(const Study& study, const SweepReport& r) {
  using nlohmann::ordered_json;
  ordered_json outputs = ordered_json::object(), failures = ordered_json::array();
  for (const ColumnSummary& c : r.columns) {
    const auto number = [&](double x) { return c.count > 0 ? ordered_json(x) : ordered_json(nullptr); };
    outputs[c.name] = {{"unit", c.unit},
                       {"count", c.count},
                       {"min", number(c.least)},
                       {"median", number(c.median)},
                       {"max", number(c.largest)}};
  }
  for (const SweepFailure& f : r.failures)
    failures.push_back({{"status", status_name(f.status)},
                        {"count", f.count},
                        {"first_run", f.first},
                        {"message", f.message}});
  const ordered_json j = {{"thud", THUD_VERSION},
                          {"format", json_format},
                          {"study", study.name},
                          {"title", study.title},
                          {"runs", r.runs},
                          {"done", r.done},
                          {"computed", r.computed},
                          {"complete", !r.cancelled},
                          {"unreached", r.unreached},
                          {"file", r.cancelled ? ordered_json(nullptr) : ordered_json(r.out)},
                          {"journal", r.cancelled ? ordered_json(r.journal) : ordered_json(nullptr)},
                          {"outputs", outputs},
                          {"failures", failures},
                          {"seconds", r.seconds},
                          {"threads", r.workers},
                          {"steps_in_lanes", r.lane_steps},
                          {"single_steps", r.single_steps},
                          {"steps_on_device", r.device_steps},
                          {"device_seconds", r.device_seconds}};
  return j.dump(2) + "\n";
}

}  // namespace thud
