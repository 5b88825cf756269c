#include "study/capture_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "scenario/units.hpp"

namespace thud {

namespace {

constexpr std::size_t most_lines = 200;   // that are looked at
constexpr std::size_t most_headings = 6;  // lines with headings

using Cells = std::vector<Cell>;

bool is_any_of(std::string_view text, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* n) { return text == n; });
}

bool is_unit(std::string_view text) {
  if (text.empty()) return false;
  try {
    (void)doc::dimension_of(plain_unit(text));
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

// "X", "y", "Z1": the name of an axis and nothing else.
bool is_axis(std::string_view text) {
  const std::string t = lower(text);
  if (t.empty() || (t[0] != 'x' && t[0] != 'y' && t[0] != 'z')) return false;
  return t.find_first_not_of("0123456789", 1) == std::string::npos;
}

std::size_t count_filled(const Cells& cells) {
  return static_cast<std::size_t>(
      std::count_if(cells.begin(), cells.end(), [](const Cell& c) { return !c.text.empty(); }));
}

bool has_number(std::string_view text) { return read_number(text, '.') || read_number(text, ','); }

bool is_numeric(const Cells& cells) {
  std::size_t numbers = 0;
  for (const Cell& c : cells) {
    if (!is_gap(c.text) && !has_number(c.text)) return false;
    numbers += has_number(c.text) ? 1 : 0;
  }
  return numbers >= 1;
}

class LayoutFinder {
 public:
  LayoutFinder(std::string_view text, const std::string& file, const LayoutRules& rules)
      : file_(file),
        rules_(rules) {
    LineReader reader(text);
    while (lines_.size() < most_lines) {
      const auto line = reader.next();
      if (!line) break;
      lines_.push_back(*line);
    }
    if (lines_.empty()) throw InputError({file, 0, 0}, "there is nothing in this file");
  }

  CaptureLayout find() {
    std::size_t header = 0;
    if (rules_.skip) {
      while (header < lines_.size() && lines_[header].number <= *rules_.skip) ++header;
      if (header == lines_.size())
        throw InputError({file_, 0, 0}, "nothing is left of this file behind the lines to be skipped");
      set_headings(header, header);
    } else if (is_header(0) || !find_block()) {
      set_headings(0, 0);
    }
    find_decimal();
    read_preamble();
    return std::move(out_);
  }

 private:
  // The separator that the line and the one after it agree on.
  char separator_at(std::size_t i) const {
    for (char c : {',', ';', '\t'})
      if (lines_[i].text.find(c) != std::string_view::npos) return c;
    const bool is_spaced =
        i + 1 < lines_.size() && cells(i + 1, ' ').size() > 1 && is_numeric(cells(i + 1, ' '));
    return is_spaced ? ' ' : ',';
  }

  Cells cells(std::size_t i, char separator) const {
    try {
      return split_line(lines_[i], separator, file_);
    } catch (const InputError&) {
      return {};  // told when it is read in earnest
    }
  }

  bool is_header(std::size_t i) const {
    for (const Cell& c : cells(i, separator_at(i))) {
      const std::string name = read_heading(c, 0).name;
      if (is_time_name(name) || is_frame_name(name) || (rules_.is_known && rules_.is_known(name))
          || (rules_.is_known && rules_.is_known(c.text)))
        return true;
    }
    return false;
  }

  // Where two lines of numbers follow each other, the headings stand before them.
  bool find_block() {
    for (std::size_t i = 1; i + 1 < lines_.size(); ++i)
      for (char separator : {'\t', ';', ',', ' '}) {
        const Cells a = cells(i, separator), b = cells(i + 1, separator);
        if (a.size() < 2 || a.size() != b.size() || !is_numeric(a) || !is_numeric(b)) continue;
        const Cells above = cells(i - 1, separator);
        if (count_filled(above) < 2 || is_numeric(above)) continue;
        separator_ = separator;
        std::size_t first = i - 1;
        while (first > 0 && i - first < most_headings && is_heading_line(first - 1, a.size())) --first;
        set_headings(first, i - 1);
        return true;
      }
    return false;
  }

  bool is_heading_line(std::size_t i, std::size_t width) const {
    const Cells c = cells(i, *separator_);
    return !is_numeric(c) && count_filled(c) >= 2 && c.size() + 2 >= width;
  }

  // One line names the columns; or one names the markers, another their axes, and a third units.
  void set_headings(std::size_t first, std::size_t last) {
    out_.separator = separator_.value_or(separator_at(last));
    out_.header_line = lines_[last].number;
    std::vector<Cells> rows;
    for (std::size_t i = first; i <= last; ++i) rows.push_back(split_line(lines_[i], out_.separator, file_));
    std::optional<Cells> units;
    const auto all_units = [](const Cells& row) {
      return std::all_of(row.begin(), row.end(),
                         [](const Cell& c) { return c.text.empty() || is_unit(c.text); });
    };
    if (rows.size() > 1 && all_units(rows.back())) {
      units = rows.back();
      rows.pop_back();
      --last;
    }
    const Cells& names = rows.back();
    if (out_.separator == ' ') return add_spaced(names, lines_[last].number);
    const auto axes =
        std::count_if(names.begin(), names.end(), [](const Cell& c) { return is_axis(c.text); });
    const Cells* markers = axes >= 2 ? find_markers(rows) : nullptr;
    std::string marker;
    for (std::size_t k = 0; k < names.size(); ++k) {
      Heading h = read_heading(names[k], lines_[last].number);
      if (markers && k < markers->size() && !(*markers)[k].text.empty()) marker = (*markers)[k].text;
      if (markers && is_axis(names[k].text)) h.name = marker + " " + lower(names[k].text).substr(0, 1);
      if (units && k < units->size() && !(*units)[k].text.empty()) h.unit = plain_unit((*units)[k].text);
      out_.headings.push_back(std::move(h));
    }
    for (std::size_t i = 0; i < last; ++i) out_.preamble.push_back(lines_[i]);
  }

  // Above the axes: the line that says it has the names, or the nearest whose cells differ.
  static const Cells* find_markers(const std::vector<Cells>& rows) {
    for (const Cells& row : rows)
      if (std::any_of(row.begin(), row.end(), [](const Cell& c) { return lower(c.text) == "name"; }))
        return &row;
    for (std::size_t i = rows.size() - 1; i-- > 0;) {
      const bool is_kind = std::all_of(rows[i].begin(), rows[i].end(), [](const Cell& c) {
        return is_any_of(lower(c.text), {"", "position", "rotation", "marker", "type"});
      });
      if (!is_kind) return &rows[i];
    }
    return nullptr;
  }

  // A unit in brackets belongs to the name before it.
  void add_spaced(const Cells& cells, int line) {
    for (const Cell& c : cells) {
      const bool is_unit = c.text.starts_with('[') || c.text.starts_with('(');
      if (is_unit && !out_.headings.empty())
        out_.headings.back().unit = plain_unit(c.text.substr(1, c.text.size() - 2));
      else
        out_.headings.push_back(read_heading(c, line));
    }
    for (std::size_t i = 0; i < lines_.size() && lines_[i].number < line; ++i)
      out_.preamble.push_back(lines_[i]);
  }

  void find_decimal() {
    out_.decimal = rules_.decimal.value_or('.');
    bool comma = false, point = false;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].number <= out_.header_line) continue;
      for (const Cell& c : cells(i, out_.separator)) {
        if (!has_number(c.text)) continue;
        comma = comma || c.text.find(',') != std::string::npos;
        point = point || c.text.find('.') != std::string::npos;
      }
    }
    out_.has_decimals = comma || point;
    if (!rules_.decimal && comma && !point && out_.separator != ',') out_.decimal = ',';
  }

  // "Frequency: 500", "FREQUENCY <tab> 500", "Export Frame Rate, 240", or names on one line and values on the next.
  void read_preamble() {
    const auto& p = out_.preamble;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const Cells line = loose_cells(p[i].text);
      const Cells below = i + 1 < p.size() ? loose_cells(p[i + 1].text) : Cells{};
      for (std::size_t k = 0; k < line.size(); ++k) {
        const std::string name = lower(line[k].text);
        const bool is_rate =
            is_any_of(name, {"rate", "datarate", "frequency", "fps", "frame rate", "sampling rate",
                             "capture rate", "export frame rate", "capture frame rate"});
        const bool is_length = is_any_of(name, {"units", "unit", "length units"});
        for (const Cell* c :
             {k + 1 < line.size() ? &line[k + 1] : nullptr, k < below.size() ? &below[k] : nullptr}) {
          if (!c) continue;
          const std::string first = c->text.substr(0, c->text.find(' '));
          if (const auto x = read_number(first, out_.decimal); is_rate && x && *x > 0 && !out_.rate)
            out_.rate = x;
          if (is_length && is_unit(c->text) && !out_.unit) out_.unit = plain_unit(c->text);
        }
      }
    }
  }

  static Cells loose_cells(std::string_view text) {
    Cells out;
    std::size_t at = 0;
    while (at <= text.size()) {
      const std::size_t end = std::min(text.find_first_of(",;:\t=", at), text.size());
      out.push_back({std::string(trimmed(text.substr(at, end - at))), 0});
      at = end + 1;
    }
    return out;
  }

  const std::string& file_;
  const LayoutRules& rules_;
  std::vector<TextLine> lines_;
  std::optional<char> separator_;
  CaptureLayout out_;
};

}  // namespace

CaptureLayout find_layout(std::string_view text, const std::string& file, const LayoutRules& rules) {
  return LayoutFinder(text, file, rules).find();
}

Heading read_heading(const Cell& cell, int line) {
  const std::string_view text = cell.text;
  for (const auto& [open, close] : {std::pair{'[', ']'}, std::pair{'(', ')'}}) {
    const auto at = text.find(open);
    if (at == std::string_view::npos || !text.ends_with(close)) continue;
    return {std::string(trimmed(text.substr(0, at))),
            plain_unit(trimmed(text.substr(at + 1, text.size() - at - 2))), cell.text, line, cell.column};
  }
  return {cell.text, std::nullopt, cell.text, line, cell.column};
}

bool is_frame_name(std::string_view name) {
  return is_any_of(lower(name), {"frame", "frame#", "frame number", "frames", "frame no", "frame no."});
}

bool is_time_name(std::string_view name) { return is_any_of(lower(name), {"time", "t"}); }

std::string plain_unit(std::string_view written) {
  const std::string u = lower(written);
  static constexpr std::array<std::pair<const char*, const char*>, 12> names = {{{"millimeters", "mm"},
                                                                                 {"millimetres", "mm"},
                                                                                 {"meters", "m"},
                                                                                 {"metres", "m"},
                                                                                 {"centimeters", "cm"},
                                                                                 {"centimetres", "cm"},
                                                                                 {"seconds", "s"},
                                                                                 {"sec", "s"},
                                                                                 {"milliseconds", "ms"},
                                                                                 {"degrees", "deg"},
                                                                                 {"radians", "rad"},
                                                                                 {"meter", "m"}}};
  for (const auto& [name, unit] : names)
    if (u == name) return unit;
  return std::string(written);
}

}  // namespace thud
