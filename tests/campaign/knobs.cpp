// Files of the scenario library with their knobs turned within their ranges.

#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "campaign/random.hpp"
#include "campaign/scenarios.hpp"
#include "thud/scenario/values.hpp"

namespace thud::campaign {

namespace {

// "40 deg" or 0.2
struct Bound {
  double number = 0;
  std::string unit;
};
Bound read_bound(std::string text) {
  const bool quoted = text.front() == '"';
  if (quoted) text = text.substr(1, text.size() - 2);
  std::size_t end = 0;
  const double number = std::stod(text, &end);
  return {number, quoted ? text.substr(end) : ""};
}

std::string draw_number(Random& r, const std::string& low, const std::string& high, bool integer) {
  const Bound a = read_bound(low), b = read_bound(high);
  double x = 0;
  if (integer)
    x = a.number + std::floor(r.uniform(0, 1) * (b.number - a.number + 1));
  else if (r.coin(0.05))
    x = r.coin() ? a.number : b.number;
  else if (a.number > 0 && b.number > 100 * a.number)
    x = r.spread(a.number, b.number);
  else
    x = r.uniform(a.number, b.number);
  if (!integer) x = std::clamp(rounded(x), a.number, b.number);
  const std::string text = fmt::format("{:.17g}", x);
  return b.unit.empty() ? text : "\"" + text + b.unit + "\"";
}

// A line such as: friction = { value = 0.3, range = [0, 10], about = "of walls and discs" }
std::string turned(const std::string& line, Random& r) {
  static const std::regex value(R"(value = ("[^"]*"|[^,}]+))"), range(R"(range = \[([^,]+), *([^\]]+)\])"),
      choices(R"(choices = \[([^\]]+)\])"), word(R"("([^"]*)\")");
  std::smatch m;
  std::string drawn;
  if (std::regex_search(line, m, choices)) {
    const std::string list = m[1];
    std::vector<std::string> words;
    for (std::sregex_iterator i(list.begin(), list.end(), word), end; i != end; ++i) words.push_back((*i)[0]);
    drawn = r.pick(words);
  } else if (std::regex_search(line, m, range)) {
    drawn = draw_number(r, m[1], m[2], line.find("integer = true") != std::string::npos);
  } else {
    return line;
  }
  return std::regex_replace(line, value, "value = " + drawn, std::regex_constants::format_first_only);
}

}  // namespace

std::string make_turned(std::uint64_t seed) {
  static const std::vector<LibraryEntry> library = list_library();
  Random r(seed);
  if (library.empty()) throw std::runtime_error("the library of scenarios was not found");
  std::ifstream file(library[seed % library.size()].path);
  const double share = r.pick<double>({0.2, 0.5, 1});
  std::string out, line;
  bool among = false;  // the parameters
  while (std::getline(file, line)) {
    if (line.starts_with("[")) among = line.starts_with("[parameters]");
    if (among && r.coin(share)) line = turned(line, r);
    out += line + "\n";
  }
  return out;
}

}  // namespace thud::campaign
