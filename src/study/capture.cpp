#include "thud/study/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "scenario/units.hpp"
#include "study/capture_file.hpp"
#include "study/capture_layout.hpp"
#include "study/capture_plane.hpp"
#include "study/capture_signal.hpp"
#include "study/robust.hpp"

namespace thud {

namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();
constexpr double gravity = 9.81;
constexpr std::size_t most_rows = 4000;  // that a guess at the first touch is made from

class Viewer {
 public:
  Viewer(std::string_view text, const std::string& file, const CaptureHints& hints)
      : text_(text),
        file_(file),
        hints_(hints),
        layout_(find_layout(text, file, {hints.skip, hints.decimal, {}})) {}

  Capture view() {
    out_.file = file_;
    out_.preamble = static_cast<int>(layout_.preamble.size());
    out_.header_line = layout_.header_line;
    out_.separator = layout_.separator;
    out_.decimal = layout_.decimal;
    read_headings();
    read_rows();
    set_clock();
    find_zero_codes();
    find_repeated_codes();
    for (CaptureColumn& c : out_.columns) describe(c);
    if (out_.rate > 0) find_motion();
    return std::move(out_);
  }

 private:
  // ---- reading --------------------------------------------------------------------------------------------------

  void read_headings() {
    for (std::size_t k = 0; k < layout_.headings.size(); ++k) {
      const Heading& h = layout_.headings[k];
      slots_.push_back(-1);
      if (is_time_name(h.name) && time_ < 0) {
        time_ = static_cast<int>(k);
        time_factor_ = factor_of(h, h.unit.value_or(""), "s");
      } else if (is_frame_name(h.name) && frame_ < 0) {
        frame_ = static_cast<int>(k);
      } else if (!h.name.empty()) {
        slots_.back() = static_cast<int>(out_.columns.size());
        CaptureColumn c;
        c.name = h.name;
        if (const MarkerHeading m = split_marker(h.name); m.is_sure) c.marker = m.marker, c.axis = m.axis;
        set_unit(h, c);
        out_.columns.push_back(std::move(c));
      }
    }
    if (out_.columns.empty())
      throw InputError({file_, layout_.header_line, 1},
                       "no column of measured values is seen here: a line of "
                       "headings and lines of numbers below it are wanted");
  }

  // `kind`: a unit of the dimension that is wanted.
  double factor_of(const Heading& h, const std::string& unit, const std::string& kind) const {
    if (unit.empty()) return 1;
    try {
      return doc::to_si(1, unit, doc::dimension_of(kind));
    } catch (const std::invalid_argument& e) {
      throw InputError({file_, h.line, h.column}, fmt::format("column \"{}\": {}", h.name, e.what()));
    }
  }

  void set_unit(const Heading& h, CaptureColumn& c) const {
    const std::optional<std::string> said = h.unit               ? h.unit
                                          : !hints_.unit.empty() ? hints_.unit
                                                                 : layout_.unit;
    c.is_unit_said = said.has_value();
    c.unit = said.value_or("");
    c.factor = factor_of(h, c.unit, c.unit);
  }

  void read_rows() {
    LineReader lines(text_);
    while (const auto line = lines.next()) {
      if (line->number <= layout_.header_line) continue;
      const std::vector<Cell> cells = split_line(*line, layout_.separator, file_);
      if (cells.size() != slots_.size())
        throw InputError({file_, line->number, cells.back().column},
                         fmt::format("{} value{}, but there are headings of {} columns", cells.size(),
                                     cells.size() == 1 ? "" : "s", slots_.size()));
      lines_.push_back(line->number);
      double time = gap, frame = gap;
      for (std::size_t k = 0; k < cells.size(); ++k) {
        const double x = read_cell(cells[k], layout_.headings[k].name, line->number);
        if (int(k) == time_) time = x * time_factor_;
        if (int(k) == frame_) frame = x;
        if (slots_[k] >= 0) add_value(out_.columns[std::size_t(slots_[k])], x, line->number);
      }
      times_.push_back(time);
      frames_.push_back(frame);
    }
    if (lines_.empty()) throw InputError({file_, 0, 0}, "there is not one line of values in this file");
  }

  double read_cell(const Cell& cell, const std::string& name, int line) const {
    if (is_gap(cell.text)) return gap;
    if (const auto x = read_number(cell.text, layout_.decimal)) return *x;
    throw InputError({file_, line, cell.column},
                     fmt::format("\"{}\" in column \"{}\" is not a number", cell.text, name));
  }

  void add_value(CaptureColumn& c, double x, int line) {
    if (is_code(x, hints_.missing)) {
      note_code(c.name, x, 1, line, true);
      x = gap;
    }
    c.value.push_back(x);
  }

  void note_code(const std::string& column, double value, int cells, int line, bool certain) {
    auto at = std::find_if(out_.codes.begin(), out_.codes.end(),
                           [&](const CaptureCode& k) { return k.value == value && k.certain == certain; });
    if (at == out_.codes.end()) at = out_.codes.insert(at, {value, {}, 0, line, certain});
    if (std::find(at->columns.begin(), at->columns.end(), column) == at->columns.end())
      at->columns.push_back(column);
    at->cells += cells;
    at->first_line = std::min(at->first_line, line);
  }

  // ---- the clock ------------------------------------------------------------------------------------------------

  void set_clock() {
    const std::size_t n = lines_.size();
    const std::optional<double> said = hints_.rate ? hints_.rate : layout_.rate;
    out_.clock = time_ >= 0 ? "time" : frame_ >= 0 ? "frames" : "rows";
    if (time_ >= 0) {
      out_.time = times_;
      std::vector<double> steps;
      for (std::size_t i = 1; i < n; ++i) steps.push_back(times_[i] - times_[i - 1]);
      const double usual = median(steps);
      if (usual > 0) out_.rate = 1 / usual;
      for (double s : steps) out_.uneven += !(std::abs(s - usual) <= 0.01 * usual) ? 1 : 0;
      return;
    }
    out_.rate = said.value_or(0);
    out_.is_rate_said = said.has_value();
    for (std::size_t i = 0; i < n; ++i) {
      const double frame = frame_ >= 0 ? frames_[i] - frames_.front() : double(i);
      out_.time.push_back(out_.rate > 0 ? frame / out_.rate : frame);
      if (i > 0) out_.uneven += frame_ >= 0 && frames_[i] - frames_[i - 1] != 1 ? 1 : 0;
    }
  }

  // ---- codes ----------------------------------------------------------------------------------------------------

  // All coordinates of a marker exactly 0 in several rows, and not in most.
  void find_zero_codes() {
    for (const std::string& marker : out_.markers()) {
      std::vector<CaptureColumn*> own;
      for (CaptureColumn& c : out_.columns)
        if (c.marker == marker) own.push_back(&c);
      if (own.size() < 2) continue;
      std::vector<std::size_t> rows;
      for (std::size_t i = 0; i < lines_.size(); ++i)
        if (std::all_of(own.begin(), own.end(), [&](const CaptureColumn* c) { return c->value[i] == 0; }))
          rows.push_back(i);
      if (rows.size() < 2 || 2 * rows.size() > lines_.size()) continue;
      for (CaptureColumn* c : own) {
        note_code(c->name, 0, static_cast<int>(rows.size()), lines_[rows.front()], false);
        for (std::size_t i : rows) c->value[i] = gap;
      }
    }
  }

  // The same number again and again, far from all others of its column.
  void find_repeated_codes() {
    for (CaptureColumn& c : out_.columns) {
      for (const auto& [value, count] : find_codes(c.value)) {
        int line = 0;
        for (std::size_t i = c.value.size(); i-- > 0;)
          if (c.value[i] == value) c.value[i] = gap, line = lines_[i];
        note_code(c.name, value, count, line, true);
      }
    }
  }

  // ---- columns --------------------------------------------------------------------------------------------------

  void describe(CaptureColumn& c) {
    for (std::size_t i : find_spikes(c.value)) {
      out_.outliers.push_back({c.name, lines_[i], out_.time[i], c.value[i]});
      c.value[i] = gap;
    }
    int run = 0;
    c.low = HUGE_VAL, c.high = -HUGE_VAL;
    for (double x : c.value) {
      run = std::isfinite(x) ? 0 : run + 1;
      c.gaps += std::isfinite(x) ? 0 : 1;
      c.longest_gap = std::max(c.longest_gap, run);
      if (std::isfinite(x)) c.low = std::min(c.low, x), c.high = std::max(c.high, x);
    }
    c.noise = noise_of(c.value);
  }

  // ---- motion ---------------------------------------------------------------------------------------------------

  void find_motion() {
    const std::size_t stride = 1 + lines_.size() / most_rows;
    std::vector<double> time;
    for (std::size_t i = 0; i < out_.time.size(); i += stride) time.push_back(out_.time[i]);
    std::vector<std::vector<double>> signals;
    for (const CaptureColumn& c : out_.columns) {
      std::vector<double> y;
      for (std::size_t i = 0; i < c.value.size(); i += stride) y.push_back(c.value[i]);
      signals.push_back(std::move(y));
    }
    const auto row = find_touch(time, signals);
    if (!row) {
      find_vertical(lines_.size());
    } else {
      const auto [early, late] = find_departure(time, signals, *row);
      std::size_t before = 0;
      while (before < lines_.size() && out_.time[before] < std::max(early, time[*row / 2])) ++before;
      find_vertical(before);
      // Without a flight before it, what jumps is something else.
      out_.begins_late = !out_.vertical;
      if (out_.vertical) out_.touch = {0.5 * (early + late), 0.5 * (late - early)};
    }
    set_plane();
  }

  // What falls freely before the first touch tells which axis is vertical, and which way it points: all markers get
  // faster along it by g, and hardly along the others.
  void find_vertical(std::size_t before) {
    std::optional<CaptureVertical> found;
    for (int axis = 0; axis < 3; ++axis) {
      const auto falls = acceleration_along(axis, before);
      if (!falls) continue;
      const double off = std::abs(std::abs(falls->acceleration) - gravity);
      if (off > 0.1 * gravity || off > 0.02 * gravity + 4 * falls->error) {
        if (std::abs(falls->acceleration) > 0.3 * gravity + 4 * falls->error) return;
        continue;
      }
      if (found) return;
      found = falls;
    }
    out_.vertical = found;
  }

  // The mean of all markers; none when it is not known to a tenth of g, or the markers differ.
  std::optional<CaptureVertical> acceleration_along(int axis, std::size_t before) const {
    double sum = 0, weight = 0, low = HUGE_VAL, high = -HUGE_VAL, largest = 0;
    for (const CaptureColumn& c : out_.columns) {
      if (c.axis != axis) continue;
      const auto a = find_acceleration(out_.time, c.value, 0, before);
      if (!a) return std::nullopt;
      const double value = a->first * c.factor, error = std::max(a->second * c.factor, 1e-6);
      sum += value / (error * error), weight += 1 / (error * error);
      low = std::min(low, value), high = std::max(high, value), largest = std::max(largest, error);
    }
    if (!(weight > 0)) return std::nullopt;
    const double mean = sum / weight, error = 1 / std::sqrt(weight);
    if (error > 0.1 * gravity || high - low > 0.1 * gravity + 6 * largest) return std::nullopt;
    return CaptureVertical{axis, mean < 0, mean, error};
  }

  void set_plane() {
    std::vector<std::vector<Eigen::Vector3d>> markers;
    for (const std::string& marker : out_.markers()) {
      const CaptureColumn* own[3] = {nullptr, nullptr, nullptr};
      for (const CaptureColumn& c : out_.columns)
        if (c.marker == marker && c.axis >= 0) own[c.axis] = &c;
      if (!own[0] || !own[1] || !own[2]) continue;
      std::vector<Eigen::Vector3d>& places = markers.emplace_back();
      for (std::size_t i = 0; i < lines_.size(); ++i)
        places.emplace_back(own[0]->value[i] * own[0]->factor, own[1]->value[i] * own[1]->factor,
                            own[2]->value[i] * own[2]->factor);
    }
    if (markers.empty()) return;
    Eigen::Vector3d up = Eigen::Vector3d::UnitZ();
    if (out_.vertical) up = (out_.vertical->is_up ? 1 : -1) * Eigen::Vector3d::Unit(out_.vertical->axis);
    const MotionPlane p = find_plane(markers, up);
    const auto list = [](const Eigen::Vector3d& v) { return std::array{v[0], v[1], v[2]}; };
    out_.plane = CapturePlane{list(p.normal), list(p.x), list(p.z), p.off, p.extent, p.thickness < 0.02};
  }

  std::string_view text_;
  const std::string& file_;
  const CaptureHints& hints_;
  CaptureLayout layout_;
  Capture out_;
  std::vector<int> slots_, lines_;  // a column of the file's place among ours; the number of every line
  std::vector<double> times_, frames_;
  int time_ = -1, frame_ = -1;
  double time_factor_ = 1;
};

}  // namespace

std::vector<std::string> Capture::markers() const {
  std::vector<std::string> out;
  for (const CaptureColumn& c : columns)
    if (c.axis >= 0 && std::find(out.begin(), out.end(), c.marker) == out.end()) out.push_back(c.marker);
  return out;
}

Capture view_capture(std::string_view text, const std::string& file, const CaptureHints& hints) {
  return Viewer(text, file, hints).view();
}

Capture load_capture_view(const std::filesystem::path& path, const CaptureHints& hints) {
  return view_capture(load_capture(path), path.string(), hints);
}

}  // namespace thud
