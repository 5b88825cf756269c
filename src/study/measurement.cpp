#include "thud/study/measurement.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "scenario/units.hpp"
#include "study/capture_file.hpp"
#include "study/capture_layout.hpp"
#include "study/capture_signal.hpp"
#include "study/measurement_axes.hpp"
#include "study/robust.hpp"
#include "thud/base/error.hpp"
#include "thud/base/format.hpp"

namespace thud {

std::size_t Measurement::count() const {
  std::size_t n = 0;
  for (const MeasuredColumn& c : columns)
    for (double x : c.value) n += std::isfinite(x) ? 1 : 0;
  return n;
}

double Measurement::frame() const {
  std::vector<double> steps;
  for (std::size_t i = 1; i < time.size(); ++i)
    if (time[i] > time[i - 1]) steps.push_back(time[i] - time[i - 1]);
  return median(std::move(steps));
}

namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();

// ---- headings into observables ---------------------------------------------------------------------------------

struct Target {
  enum class Kind { time, frame, observable, point, ignored, blank } kind = Kind::ignored;
  std::size_t column = 0;  // in the measurement, or the number of the point
  int axis = 0;            // of a point
  double factor = 1;
  std::string name{};
};

// The axis of a marker that a heading names; −1 when it is another's.
int axis_of_marker(const std::string& heading, const std::string& marker) {
  const MarkerHeading m = split_marker(heading);
  return m.axis >= 0 && lower(m.marker) == lower(split_marker(marker + " x").marker) ? m.axis : -1;
}

class HeaderReader {
 public:
  HeaderReader(const std::string& file, const CaptureLayout& layout,
               const std::vector<NamedObservable>& observables, const MeasurementRules& rules,
               Measurement& out)
      : file_(file),
        layout_(layout),
        observables_(observables),
        rules_(rules),
        out_(out) {}

  std::vector<Target> read() {
    std::vector<Target> targets;
    const Heading& first = layout_.headings.front();
    check_points(first);
    for (const Heading& h : layout_.headings) targets.push_back(read(h));
    if (!has_time_ && !has_frame_ && !rules_.rate)
      throw error(first,
                  "the first line must name the columns, and one of them must be \"time\", as in "
                  "\"time [s], link.tip.z [mm]\"");
    if (!has_time_ && !rules_.rate && !layout_.rate)
      throw error(first,
                  "frames are counted, but nothing says how many there are in a second: rate = ... under "
                  "[fit.capture] does");
    if (out_.columns.empty() && rules_.points.empty())
      throw error(first, "there is no column besides the time");
    return targets;
  }

  bool has_time() const { return has_time_; }

 private:
  InputError error(const Heading& h, const std::string& message) const {
    return {{file_, h.line, h.column}, message};
  }

  Target read(const Heading& written) {
    Heading h = written;
    for (const std::string& name : rules_.ignore)
      if (name == h.name || name == h.written || ::fnmatch(name.c_str(), h.name.c_str(), 0) == 0) return {};
    for (const auto& [from, to] : rules_.rename)
      if (from == h.name || from == h.written) h.name = to;
    if (h.name.empty()) {  // lines that end with a separator
      if (&written == &layout_.headings.back() && layout_.headings.size() > 1)
        return {.kind = Target::Kind::blank};
      throw error(h, "a column without a name");
    }
    if (is_time_name(h.name)) {
      if (std::exchange(has_time_, true)) throw error(h, "there is a time column already");
      return {Target::Kind::time, 0, 0, factor(h, "s"), "time"};
    }
    if (is_frame_name(h.name)) {
      if (std::exchange(has_frame_, true)) throw error(h, "there is a column of frames already");
      return {Target::Kind::frame, 0, 0, 1, h.name};
    }
    for (std::size_t k = 0; k < rules_.points.size(); ++k)
      if (const int axis = axis_of_marker(h.name, rules_.points[k].marker); axis >= 0)
        return {Target::Kind::point, k, axis, factor(h, "m"), h.name};
    for (const MeasuredColumn& c : out_.columns)
      if (c.what.name == h.name) throw error(h, fmt::format("there is a column \"{}\" already", h.name));
    const NamedObservable& o = find(h);
    out_.columns.push_back({o, {}});
    return {Target::Kind::observable, out_.columns.size() - 1, 0, factor(h, o.unit), o.name};
  }

  void check_points(const Heading& first) const {
    for (const MeasuredPoint& p : rules_.points) {
      bool seen[3] = {false, false, false};
      std::vector<std::string> known;
      for (const Heading& h : layout_.headings) {
        if (const int axis = axis_of_marker(h.name, p.marker); axis >= 0) seen[axis] = true;
        known.push_back(h.name);
      }
      if (!seen[0] && !seen[1] && !seen[2])
        throw error(first, fmt::format("there are no columns of a marker \"{}\" (columns: {})", p.marker,
                                       fmt::join(known, ", ")));
      const auto need = [&](int axis) {
        if (!seen[axis])
          throw error(first, fmt::format("marker \"{}\" has no column {}", p.marker, "XYZ"[axis]));
      };
      if (rules_.find_plane) need(0), need(1), need(2);
      if (rules_.x && !rules_.find_plane) need(rules_.x->axis);
      if (rules_.z && !rules_.find_plane) need(rules_.z->axis);
    }
  }

  const NamedObservable& find(const Heading& h) const {
    std::vector<std::string> known;
    for (const NamedObservable& o : observables_) {
      if (o.name == h.name) return o;
      known.push_back(o.name);
    }
    throw error(h, fmt::format("the scenario has no observable \"{}\"{} (thud run SCENARIO "
                               "--list-observables shows them all)",
                               h.name, did_you_mean(h.name, known)));
  }

  double factor(const Heading& h, const std::string& si) const {
    std::optional<std::string> unit = h.unit;
    if (!unit && si == "m") unit = !rules_.unit.empty() ? rules_.unit : layout_.unit;
    if (!unit || *unit == si) return 1;
    try {
      return doc::to_si(1, *unit, si.empty() ? doc::Dimension::none : doc::dimension_of(si));
    } catch (const std::invalid_argument& e) {
      throw error(h, fmt::format("column \"{}\": {}", h.name, e.what()));
    }
  }

  const std::string& file_;
  const CaptureLayout& layout_;
  const std::vector<NamedObservable>& observables_;
  const MeasurementRules& rules_;
  Measurement& out_;
  bool has_time_ = false, has_frame_ = false;
};

// ---- cells into values -----------------------------------------------------------------------------------------

// Conversions of units may end an ulp away.
bool is_before(double a, double b) { return a < b - 1e-12 * std::max(1.0, std::abs(b)); }

class RowReader {
 public:
  RowReader(const std::string& file, const CaptureLayout& layout, const MeasurementRules& rules,
            const std::vector<Target>& targets, bool has_time, Measurement& out)
      : file_(file),
        layout_(layout),
        rules_(rules),
        targets_(targets),
        has_time_(has_time),
        out_(out),
        points_(rules.points.size()) {}

  void read(const TextLine& line) {
    const std::vector<Cell> cells = split_line(line, layout_.separator, file_);
    check_width(line, cells);
    Row row{line.number,
            gap,
            gap,
            1,
            std::vector<double>(out_.columns.size(), gap),
            std::vector<Eigen::Vector3d>(points_.size(), Eigen::Vector3d::Constant(gap))};
    for (std::size_t k = 0; k < cells.size(); ++k) read(cells[k], targets_[k], row);
    set_time(row);
    if (row.time < last_)
      throw error(row, row.column,
                  fmt::format("the time goes back, from {} s to {} s", show_number(last_, 9),
                              show_number(row.time, 9)));
    last_ = row.time;
    ++rows_;
    if (is_before(row.time, rules_.from) || is_before(rules_.to, row.time)) {
      ++out_.left_out;
      return;
    }
    check_start(row);
    out_.time.push_back(std::max(0.0, row.time - rules_.start));
    for (std::size_t c = 0; c < row.values.size(); ++c) out_.columns[c].value.push_back(row.values[c]);
    for (std::size_t p = 0; p < points_.size(); ++p) points_[p].push_back(row.points[p]);
  }

  const MarkerPaths& points() const { return points_; }
  const std::vector<std::pair<double, int>>& codes() const { return codes_; }
  /// The values of every column, as they are written.
  const std::map<std::string, std::vector<double>>& written() const { return written_; }

 private:
  struct Row {
    int line;
    double time, frame;
    int column;  // where the time stands
    std::vector<double> values;
    std::vector<Eigen::Vector3d> points;
  };

  InputError error(const Row& row, int column, const std::string& message) const {
    return {{file_, row.line, column}, message};
  }

  void check_width(const TextLine& line, const std::vector<Cell>& cells) const {
    if (cells.size() == targets_.size()) return;
    if (cells.size() + 1 == targets_.size() && targets_.back().kind == Target::Kind::blank) return;
    const Cell& at = cells.size() > targets_.size() ? cells[targets_.size()] : cells.back();
    throw InputError({file_, line.number, at.column},
                     fmt::format("{} value{}, but the first line names {} columns", cells.size(),
                                 cells.size() == 1 ? "" : "s", targets_.size()));
  }

  void read(const Cell& cell, const Target& target, Row& row) {
    using Kind = Target::Kind;
    if (target.kind == Kind::ignored) return;
    if (target.kind == Kind::blank) {
      if (!cell.text.empty())
        throw error(row, cell.column, fmt::format("\"{}\" stands in a column without a name", cell.text));
      return;
    }
    const bool is_clock = target.kind == Kind::time || target.kind == Kind::frame;
    double value = gap;
    if (!is_gap(cell.text)) {
      const auto number = read_number(cell.text, layout_.decimal);
      if (!number) throw not_a_number(row, cell, target);
      value = *number;
      if (!is_clock && is_code(value, rules_.missing)) {
        count_code(value);
        value = gap;
      }
    }
    if (!is_clock) written_[target.name].push_back(value);
    value *= target.factor;
    if (target.kind == Kind::time || (target.kind == Kind::frame && !has_time_)) row.column = cell.column;
    if (target.kind == Kind::time) row.time = value;
    if (target.kind == Kind::frame) row.frame = value;
    if (target.kind == Kind::observable) row.values[target.column] = value;
    if (target.kind == Kind::point) row.points[target.column][target.axis] = value;
  }

  InputError not_a_number(const Row& row, const Cell& cell, const Target& target) const {
    std::string hint;
    if (layout_.decimal == ',' && cell.text.find('.') != std::string::npos)
      hint = "; decimals are written with a comma elsewhere in this file";
    else if (layout_.separator != ',' && cell.text.find(',') != std::string::npos)
      hint = "; decimals are written with a point";
    return error(row, cell.column,
                 fmt::format("\"{}\" in column \"{}\" is not a number{}", cell.text, target.name, hint));
  }

  void count_code(double value) {
    for (auto& [code, count] : codes_)
      if (code == value) {
        ++count;
        return;
      }
    codes_.emplace_back(value, 1);
  }

  void set_time(Row& row) {
    if (has_time_) {
      if (!std::isfinite(row.time)) throw error(row, row.column, "this row has no time");
      return;
    }
    const bool counts = std::any_of(targets_.begin(), targets_.end(),
                                    [](const Target& t) { return t.kind == Target::Kind::frame; });
    if (counts && !std::isfinite(row.frame)) throw error(row, row.column, "this row has no frame number");
    const double frame = counts ? row.frame : rows_;
    if (rows_ == 0) first_frame_ = frame;
    row.time = (frame - first_frame_) / rules_.rate.value_or(layout_.rate.value_or(1));
  }

  void check_start(const Row& row) const {
    if (!is_before(row.time, rules_.start)) return;
    throw error(row, row.column,
                fmt::format("the time {} s lies before the start of the run at {} s; from = ... under "
                            "[data] leaves such rows out, start = ... moves the start",
                            show_number(row.time, 9), show_number(rules_.start, 9)));
  }

  const std::string& file_;
  const CaptureLayout& layout_;
  const MeasurementRules& rules_;
  const std::vector<Target>& targets_;
  bool has_time_;
  Measurement& out_;
  MarkerPaths points_;
  std::vector<std::pair<double, int>> codes_;
  std::map<std::string, std::vector<double>> written_;
  double last_ = -HUGE_VAL, first_frame_ = 0, rows_ = 0;
};

// ---- what was made of it ---------------------------------------------------------------------------------------

void note_codes(const std::vector<std::pair<double, int>>& codes, Measurement& out) {
  for (const auto& [code, count] : codes)
    out.notes.push_back(fmt::format("{} cell{} hold{} {}, the code of something not seen: a gap", count,
                                    count == 1 ? "" : "s", count == 1 ? "s" : "", show_number(code, 7)));
}

// Codes that nobody declared are measured values until somebody does.
void note_suspected_codes(const std::map<std::string, std::vector<double>>& written, Measurement& out) {
  std::map<double, std::pair<int, std::string>> found;  // cells, a column
  for (const auto& [column, values] : written)
    for (const auto& [code, count] : find_codes(values)) {
      found[code].first += count;
      if (found[code].second.empty()) found[code].second = column;
    }
  for (const auto& [code, where] : found)
    out.notes.push_back(fmt::format(
        "{0} cells hold {1}, as in column \"{2}\", far from all other values: if it means \"not seen\", "
        "missing = [{1}] under [fit.capture] declares it",
        where.first, show_number(code, 9), where.second));
}

}  // namespace

Measurement read_measurement(std::string_view text, const std::string& file,
                             const std::vector<NamedObservable>& observables, const MeasurementRules& rules) {
  const auto is_known = [&](const std::string& name) {
    const auto same = [&](const auto& x) { return x.name == name; };
    const auto renamed = [&](const auto& x) { return x.first == name; };
    return std::any_of(observables.begin(), observables.end(), same)
        || std::any_of(rules.rename.begin(), rules.rename.end(), renamed);
  };
  const CaptureLayout layout = find_layout(text, file, {rules.skip, rules.decimal, is_known});
  Measurement out;
  out.file = file;
  out.start = rules.start;
  HeaderReader header(file, layout, observables, rules, out);
  const std::vector<Target> targets = header.read();
  RowReader rows(file, layout, rules, targets, header.has_time(), out);
  LineReader lines(text);
  while (const auto line = lines.next())
    if (line->number > layout.header_line) rows.read(*line);
  turn_columns(rules, out);
  add_points(rows.points(), rules, observables, file, out);
  note_codes(rows.codes(), out);
  note_suspected_codes(rows.written(), out);
  if (out.count() == 0)
    throw InputError({file, 0, 0}, out.left_out > 0 ? "no measured value lies between the wanted times"
                                                    : "there is not one measured value in this file");
  return out;
}

Measurement load_measurement(const std::filesystem::path& path,
                             const std::vector<NamedObservable>& observables, const MeasurementRules& rules) {
  return read_measurement(load_capture(path), path.string(), observables, rules);
}

}  // namespace thud
