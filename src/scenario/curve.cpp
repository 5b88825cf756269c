#include "scenario/curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "scenario/units.hpp"
#include "thud/base/error.hpp"

namespace thud::doc {

std::size_t Curve::right_of(double x) const {
  return static_cast<std::size_t>(std::upper_bound(x_.begin(), x_.end(), x) - x_.begin());
}

double Curve::operator()(double x) const {
  const std::size_t k = right_of(x);
  if (k == 0) return y_.front();
  if (k == x_.size()) return y_.back();
  const double share = (x - x_[k - 1]) / (x_[k] - x_[k - 1]);
  return y_[k - 1] + share * (y_[k] - y_[k - 1]);
}

double Curve::slope(double x) const {
  const std::size_t k = right_of(x);
  return k == 0 || k == x_.size() ? 0.0 : (y_[k] - y_[k - 1]) / (x_[k] - x_[k - 1]);
}

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string> split(std::string_view line, char separator) {
  std::vector<std::string> out;
  bool quoted = false, after = true;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    const bool ends = !quoted && (separator == ' ' ? c == ' ' || c == '\t' : c == separator);
    if (ends) {
      if (after && separator != ' ') out.emplace_back();  // an empty cell
      after = true;
      continue;
    }
    if (after) out.emplace_back();
    after = false;
    if (c != '"') out.back() += c;
  }
  for (std::string& cell : out) cell = std::string(trimmed(cell));
  return out;
}

std::optional<double> number_in(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double x = 0;
  const auto [end, status] = std::from_chars(cell.data(), cell.data() + cell.size(), x);
  if (status != std::errc{} || end != cell.data() + cell.size()) return std::nullopt;
  return x;
}

class CurveReader {
 public:
  CurveReader(const std::string& file, std::string_view column) : file_(file), wanted_(column) {}

  Curve read(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      take(trimmed(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (x_.size() < 2)
      throw std::invalid_argument(
          fmt::format("{}: a table needs at least two rows of numbers; it has {}", file_, x_.size()));
    return Curve(std::move(x_), std::move(y_));
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw std::invalid_argument(fmt::format("{}:{}: {}", file_, line_, message));
  }

  void take(std::string_view line) {
    if (line.empty() || line.front() == '#') return;
    if (!separator_)
      for (const char c : {',', ';', '\t', ' '})
        if (line.find(c) != std::string_view::npos && !separator_) separator_ = c;
    const std::vector<std::string> cells = split(line, separator_.value_or(','));
    if (width_ == 0) {
      width_ = cells.size();
      const bool names = std::none_of(cells.begin(), cells.end(),
                                      [](const std::string& cell) { return number_in(cell).has_value(); });
      if (names) return take_names(cells);
      choose({});
    }
    if (cells.size() != width_)
      fail(fmt::format("{} values, where the first line has {}", cells.size(), width_));
    const double x = value(cells[0], scale_x_), y = value(cells[column_], scale_y_);
    if (!x_.empty() && !(x > x_.back()))
      fail(fmt::format("the first column must increase: {} does not come after the {} before it", cells[0],
                       show(x_.back() / scale_x_)));
    x_.push_back(x);
    y_.push_back(y);
  }
  double value(const std::string& cell, double scale) const {
    const auto x = number_in(cell);
    if (!x || !std::isfinite(*x)) fail(fmt::format("\"{}\" is not a number", cell));
    if (!(std::abs(scale * *x) <= largest_number))
      fail(fmt::format("\"{}\" is too large: {} is the most", cell, show(largest_number)));
    return scale * *x;
  }

  // The name of a column without its unit, and the size of that.
  struct Heading {
    std::string name;
    double scale = 1;
  };
  Heading heading_of(const std::string& cell) const {
    const std::size_t open = cell.find('[');
    if (open == std::string::npos || !cell.ends_with(']')) return {cell, 1};
    const std::string unit = cell.substr(open + 1, cell.size() - open - 2);
    try {
      return {std::string(trimmed(std::string_view(cell).substr(0, open))),
              trimmed(unit).empty() ? 1.0 : to_si(1, unit, Dimension::any)};
    } catch (const std::invalid_argument& e) {
      fail(e.what());
    }
  }
  void take_names(const std::vector<std::string>& cells) {
    std::vector<Heading> headings;
    for (const std::string& cell : cells) headings.push_back(heading_of(cell));
    std::vector<std::string> names;
    for (std::size_t k = 1; k < headings.size(); ++k) names.push_back(headings[k].name);
    choose(names);
    scale_x_ = headings[0].scale;
    scale_y_ = headings[column_].scale;
  }
  void choose(const std::vector<std::string>& names) {
    if (width_ < 2) fail("a table needs two columns");
    if (wanted_.empty()) {
      if (width_ > 2)
        fail(fmt::format("the table has {} columns: name the one that is meant, interp(t, \"{}\", \"{}\")",
                         width_, file_, names.empty() ? "name" : names.front()));
      column_ = 1;
      return;
    }
    const auto found = std::find(names.begin(), names.end(), wanted_);
    if (found == names.end())
      fail(names.empty() ? fmt::format("there is no line of names, and so no column \"{}\"", wanted_)
                         : fmt::format("there is no column \"{}\"{} (known: {})", wanted_,
                                       did_you_mean(wanted_, names), one_of(names)));
    column_ = static_cast<std::size_t>(found - names.begin()) + 1;
  }

  const std::string& file_;
  std::string wanted_;
  std::optional<char> separator_;
  std::size_t width_ = 0, column_ = 1;
  double scale_x_ = 1, scale_y_ = 1;
  std::vector<double> x_, y_;
  int line_ = 0;
};

}  // namespace

Curve read_curve(std::string_view text, const std::string& file, std::string_view column) {
  return CurveReader(file, column).read(text);
}

}  // namespace thud::doc
