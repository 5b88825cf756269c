// What is seen in a file of measured values, for people and for machines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_format.hpp"
#include "thud/study/capture.hpp"

namespace thud {

namespace {

constexpr const char* axis_names[3] = {"X", "Y", "Z"};

std::string counted(std::size_t n, const char* noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string separator_name(char c) {
  switch (c) {
    case '\t': return "tabs";
    case ' ': return "blanks";
    default: return fmt::format("\"{}\"", c);
  }
}

class Report {
 public:
  Report(const Capture& capture, const TextStyle& style) : c_(capture), style_(style) {}

  std::string make() {
    out_ += style_.paint("bold", shorten(c_.file, width(), style_)) + "\n\n";
    add_layout();
    add_clock();
    add_columns();
    add_codes();
    add_outliers();
    add_motion();
    head("For a study");
    const std::string lines = c_.study_lines();
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = lines.find('\n', at);
      if (end > at) out_ += "  " + lines.substr(at, end - at);
      out_ += "\n";
      at = end + 1;
    }
    return std::move(out_);
  }

 private:
  std::size_t width() const { return static_cast<std::size_t>(style_.width); }
  void head(std::string_view text) { out_ += "\n" + style_.paint("bold", text) + "\n"; }
  void line(const char* what, const std::string& text) {
    const std::string wrapped = wrap(text, 13, width());
    out_ +=
        style_.paint("dim", pad_right(what, 13)) + wrapped.substr(std::min<std::size_t>(13, wrapped.size()));
  }

  void add_layout() {
    std::string text = fmt::format("headings on line {}", c_.header_line);
    if (c_.preamble > 0)
      text += fmt::format(" after {} of preamble", counted(static_cast<std::size_t>(c_.preamble), "line"));
    text +=
        fmt::format(", cells parted by {}, decimals with \"{}\"", separator_name(c_.separator), c_.decimal);
    line("Layout", text);
  }

  void add_clock() {
    std::string text = counted(c_.time.size(), "row");
    if (c_.rate > 0)
      text += fmt::format(", {} per second{}, {} in all", show_number(c_.rate, 5),
                          c_.clock == "time" ? " by the times" : ", as is said",
                          show_quantity(c_.time.back() - c_.time.front(), "s", style_, 5));
    else
      text +=
          c_.clock == "frames" ? "; frames are counted, but no rate is said" : "; neither times nor a rate";
    if (c_.uneven > 0)
      text += fmt::format("; {} {}", counted(static_cast<std::size_t>(c_.uneven), "step"),
                          c_.clock == "time" ? "of another length" : "with frames left out");
    for (std::size_t i = 1; i < c_.time.size(); ++i)
      if (c_.time[i] < c_.time[i - 1]) {
        text += fmt::format("; the time goes back, from {} s to {} s, which a fit refuses",
                            show_number(c_.time[i - 1], 9), show_number(c_.time[i], 9));
        break;
      }
    line("Clock", text);
  }

  void add_columns() {
    head("Columns");
    std::size_t name = 4;
    for (const CaptureColumn& c : c_.columns) name = std::max(name, text_width(c.name));
    name = std::min(name, std::size_t{26});
    out_ += style_.paint("dim",
                         fmt::format("  {}  {}  {:>6}  {:>5}  {:>9}  {:>9}  {:>8}", pad_right("name", name),
                                     pad_right("unit", 4), "values", "gaps", "lowest", "highest", "noise"))
          + "\n";
    for (const CaptureColumn& c : c_.columns)
      out_ += fmt::format("  {}  {}  {:>6}  {:>5}  {:>9}  {:>9}  {:>8}\n",
                          pad_right(shorten(c.name, name, style_), name),
                          pad_right(c.unit.empty() ? "?" : style_.unit(c.unit), 4),
                          c.value.size() - static_cast<std::size_t>(c.gaps), c.gaps, show(c.low, 5),
                          show(c.high, 5), c.noise > 0 ? show(c.noise, 2) : "-");
    if (std::any_of(c_.columns.begin(), c_.columns.end(),
                    [](const CaptureColumn& c) { return !c.is_unit_said; }))
      out_ += wrap(
          "?: no unit is said; thud would take it for SI. unit = \"mm\" under [fit.capture] says another", 2,
          width());
  }

  std::string show(double x, int digits) const { return std::isfinite(x) ? show_number(x, digits) : ""; }

  void add_codes() {
    if (c_.codes.empty()) return;
    head("Codes of what was not seen");
    for (const CaptureCode& k : c_.codes)
      out_ += wrap(fmt::format("{}{} in {} ({}, the first on line {}){}", show_number(k.value, 7),
                               k.certain ? "" : "?", fmt::format("{}", fmt::join(k.columns, ", ")),
                               counted(static_cast<std::size_t>(k.cells), "cell"), k.first_line,
                               k.certain ? "" : ": all coordinates at once; missing = [0] declares it"),
                   2, width());
  }

  void add_outliers() {
    if (c_.outliers.empty()) return;
    constexpr std::size_t most = 8;
    head("Outliers");
    for (std::size_t k = 0; k < std::min(most, c_.outliers.size()); ++k) {
      const CaptureOutlier& o = c_.outliers[k];
      out_ += fmt::format("  {} on line {}: {}\n", o.column, o.line, show_number(o.value, 6));
    }
    if (c_.outliers.size() > most) out_ += fmt::format("  and {} more (--json)\n", c_.outliers.size() - most);
  }

  void add_motion() {
    if (!c_.plane && !c_.vertical && !c_.touch && c_.rate <= 0) return;
    head("Motion");
    if (c_.plane && c_.plane->is_line)
      line("  Plane", "the points move along a line, which lies in many planes");
    else if (c_.plane)
      line("  Plane",
           fmt::format("the points stay within {} of one, and move by {} in it; its normal is ({:.3f}, "
                       "{:.3f}, {:.3f})",
                       show_quantity(c_.plane->off, "m", style_, 3),
                       show_quantity(c_.plane->extent, "m", style_, 3), c_.plane->normal[0],
                       c_.plane->normal[1], c_.plane->normal[2]));
    if (c_.vertical)
      line("  Vertical",
           fmt::format("{} points {}: what falls gets faster by {:.2f} {} {:.2f} m/s2 along it",
                       axis_names[c_.vertical->axis], c_.vertical->is_up ? "up" : "down",
                       c_.vertical->acceleration, style_.unicode ? "±" : "+-", c_.vertical->error));
    if (c_.touch)
      line("  Touch",
           fmt::format("about {}, {} {}", show_quantity(c_.touch->first, "s", style_, 4),
                       style_.unicode ? "±" : "+-", show_quantity(c_.touch->second, "s", style_, 2)));
    else
      line("  Touch",
           c_.begins_late
               ? "none seen: nothing falls freely before the accelerations change, so that the file "
                 "seems to begin at the touch or after it"
               : "none seen: the accelerations do not jump");
  }

  const Capture& c_;
  const TextStyle& style_;
  std::string out_;
};

}  // namespace

namespace {

// "link.marker1", of a column "link.marker1.x", is a point of a scenario; a marker of a camera is called M1.
bool is_observable(const std::string& marker) { return marker.find('.') != std::string::npos; }

}  // namespace

std::string Capture::study_lines() const {
  std::string out = "[fit.capture]\n";
  if (clock != "time")
    out +=
        rate > 0 ? fmt::format("rate = {}\n", show_number(rate, 9)) : "rate = ...    # frames per second\n";
  const bool has_unit =
      std::all_of(columns.begin(), columns.end(), [](const CaptureColumn& c) { return c.is_unit_said; });
  if (!has_unit) out += "unit = \"mm\"   # if they are\n";
  std::vector<std::string> missing;
  for (const CaptureCode& k : codes) missing.push_back(show_number(k.value, 9));
  if (!missing.empty()) out += fmt::format("missing = [{}]\n", fmt::join(missing, ", "));
  std::vector<std::string> named;
  for (const std::string& marker : markers())
    if (!is_observable(marker)) named.push_back(fmt::format("\"BODY.{0}\" = \"{0}\"", marker));
  if (!named.empty()) out += fmt::format("points = {{ {} }}\n", fmt::join(named, ", "));
  const std::string up =
      vertical ? fmt::format("{}{}", vertical->is_up ? "" : "-", axis_names[vertical->axis]) : "Z";
  const std::string down = up.starts_with('-') ? up.substr(1) : "-" + up;
  if (named.empty()) {
    // Columns that are observables already: x and z are theirs, and only a sign can be wrong.
    if (vertical && vertical->axis == 2 && vertical->is_up) out += "axes = { z = \"-z\" }\n";
  } else if (plane && !plane->is_line) {
    out += fmt::format("plane = \"find\"\nup = \"{}\"{}\n", up, vertical ? "" : "    # if it is");
  } else {
    out += fmt::format("axes = {{ x = \"{}\", z = \"{}\" }}{}\n", down.ends_with('X') ? "Y" : "X", down,
                       vertical ? "" : "    # if Z points up");
  }
  if (touch)
    out += fmt::format(
        "\n[data]\n\"{0}\" = {{ start = \"{1} ms\", from = \"{1} ms\" }}\n\n[fit.nuisance]\nstart = "
        "{{ within = \"{2} ms\" }}\n",
        file, show_number(1e3 * touch->first, 4), show_number(std::ceil(1e3 * touch->second), 4));
  return out;
}

std::string to_text(const Capture& capture, const TextStyle& style) { return Report(capture, style).make(); }

// ---- JSON ------------------------------------------------------------------------------------------------------

namespace {

using Json = nlohmann::ordered_json;

Json number(double x) { return std::isfinite(x) ? Json(x + 0.0) : Json(nullptr); }

Json columns_json(const Capture& c) {
  Json out = Json::array();
  for (const CaptureColumn& k : c.columns)
    out.push_back({{"name", k.name},
                   {"marker", k.axis >= 0 ? Json(k.marker) : Json(nullptr)},
                   {"axis", k.axis >= 0 ? Json(axis_names[k.axis]) : Json(nullptr)},
                   {"unit", k.unit.empty() ? Json(nullptr) : Json(k.unit)},
                   {"values", k.value.size() - static_cast<std::size_t>(k.gaps)},
                   {"gaps", k.gaps},
                   {"longest_gap", k.longest_gap},
                   {"lowest", number(k.low)},
                   {"highest", number(k.high)},
                   {"noise", number(k.noise)}});
  return out;
}

}  // namespace

std::string to_json(const Capture& c) {
  Json codes = Json::array(), outliers = Json::array();
  for (const CaptureCode& k : c.codes)
    codes.push_back({{"value", number(k.value)},
                     {"columns", k.columns},
                     {"cells", k.cells},
                     {"first_line", k.first_line},
                     {"certain", k.certain}});
  for (const CaptureOutlier& o : c.outliers)
    outliers.push_back(
        {{"column", o.column}, {"line", o.line}, {"time", number(o.time)}, {"value", number(o.value)}});
  Json out = {{"thud", THUD_VERSION},
              {"format", json_format},
              {"file", c.file},
              {"layout",
               {{"header_line", c.header_line},
                {"preamble_lines", c.preamble},
                {"separator", std::string(1, c.separator)},
                {"decimal", std::string(1, c.decimal)}}},
              {"clock",
               {{"kind", c.clock},
                {"rows", c.time.size()},
                {"rate", c.rate > 0 ? number(c.rate) : Json(nullptr)},
                {"uneven_steps", c.uneven},
                {"first", number(c.time.front())},
                {"last", number(c.time.back())}}},
              {"columns", columns_json(c)},
              {"codes", codes},
              {"outliers", outliers},
              {"plane", nullptr},
              {"vertical", nullptr},
              {"first_touch", nullptr},
              {"study", c.study_lines()}};
  if (c.plane)
    out["plane"] = {{"normal", c.plane->normal},
                    {"x", c.plane->x},
                    {"z", c.plane->z},
                    {"off", number(c.plane->off)},
                    {"extent", number(c.plane->extent)},
                    {"line", c.plane->is_line}};
  if (c.vertical)
    out["vertical"] = {{"axis", axis_names[c.vertical->axis]},
                       {"points", c.vertical->is_up ? "up" : "down"},
                       {"acceleration", number(c.vertical->acceleration)},
                       {"error", number(c.vertical->error)}};
  out["begins_after_touch"] = c.begins_late;
  if (c.touch) out["first_touch"] = {{"time", number(c.touch->first)}, {"within", number(c.touch->second)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace thud
