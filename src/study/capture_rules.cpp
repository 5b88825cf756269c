#include "study/capture_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace thud {

using doc::Dimension;
using doc::Range;
using doc::Table;
using doc::ValueKind;

namespace {

const std::vector<std::string> signed_axes = {"x", "y", "z", "-x", "-y", "-z",
                                              "X", "Y", "Z", "-X", "-Y", "-Z"};

FileAxis read_axis(const Table& t, const std::string& key) {
  std::string text = t.text(key);
  if (std::find(signed_axes.begin(), signed_axes.end(), text) == signed_axes.end())
    throw t.error(
        key, fmt::format("must be an axis of the file, \"X\", \"Y\" or \"Z\", with \"-\" before it where it "
                         "points the other way; it is {}",
                         t.written(key)));
  const double sign = text[0] == '-' ? -1 : 1;
  const char letter = static_cast<char>(text.back() | 0x20);
  return {letter - 'x', sign};
}

void read_axes(const Table& table, MeasurementRules& rules) {
  if (const auto t = table.table_or_none("axes")) {
    if (t->has("x")) rules.x = read_axis(*t, "x");
    if (t->has("z")) rules.z = read_axis(*t, "z");
    t->finish();
    if (!rules.x && !rules.z) throw table.error("axes", "says nothing: axes = { x = \"X\", z = \"-Z\" }");
    if (rules.x && rules.z && rules.x->axis == rules.z->axis)
      throw table.error("axes", "x and z cannot lie along the same axis of the file");
  }
  if (table.has("plane")) {
    (void)table.choice("plane", {"find"});
    if (table.has("axes")) throw table.error("plane", "goes with up = ..., not with axes = ...");
    rules.find_plane = true;
  }
  if (table.has("up")) {
    if (!rules.find_plane) throw table.error("up", "goes with plane = \"find\"");
    rules.up = read_axis(table, "up");
  }
  if (const auto t = table.table_or_none("origin")) {
    rules.origin_x = t->number_or("x", 0, Dimension::length);
    rules.origin_z = t->number_or("z", 0, Dimension::length);
    t->finish();
  }
}

void read_points(const Table& table, const std::vector<NamedObservable>& observables,
                 MeasurementRules& rules) {
  const auto t = table.table_or_none("points");
  if (!t) return;
  rules.points.clear();
  for (const std::string& point : t->keys()) {
    const auto is_there = [&](const NamedObservable& o) { return o.name == point + ".x"; };
    if (std::none_of(observables.begin(), observables.end(), is_there)) {
      std::vector<std::string> known;
      for (const NamedObservable& o : observables)
        if (o.name.ends_with(".x")) known.push_back(o.name.substr(0, o.name.size() - 2));
      throw InputError(t->place_of_key(point),
                       fmt::format("the scenario has no point \"{}\"{} (points: {})", point,
                                   did_you_mean(point, known), fmt::join(known, ", ")));
    }
    rules.points.push_back({point, t->text(point)});
    if (rules.points.back().marker.empty()) throw t->error(point, "must name a marker of the file");
  }
  t->finish();
}

void check_axes(const Table& table, const MeasurementRules& rules) {
  const bool has_own = (rules.x && rules.x->axis != 0) || (rules.z && rules.z->axis != 2);
  if (rules.points.empty() && (has_own || rules.find_plane))
    throw table.error(
        rules.find_plane ? "plane" : "axes",
        "needs points = { \"link.marker1\" = \"M1\" }, which says whose columns are meant; without "
        "points only signs can be turned: axes = { z = \"-z\" }");
  if (!rules.points.empty() && !rules.find_plane && !(rules.x && rules.z))
    throw table.error("points",
                      "needs axes = { x = ..., z = ... }, which says how they lie in the file (x is to the "
                      "right and z downwards here), or plane = \"find\"");
}

}  // namespace

void read_capture_rules(const Table& table, const std::vector<NamedObservable>& observables,
                        MeasurementRules& rules) {
  if (table.has("rate")) rules.rate = table.number("rate", {Dimension::frequency, Range::positive(), "Hz"});
  if (table.has("skip")) rules.skip = table.integer("skip", Range::between(0, 100));
  if (table.has("decimal")) rules.decimal = table.choice("decimal", {".", ","}) == "," ? ',' : '.';
  if (table.has("unit")) {
    rules.unit = table.text("unit");
    try {
      (void)doc::to_si(1, rules.unit, Dimension::length);
    } catch (const std::invalid_argument& e) {
      throw table.error("unit", e.what());
    }
  }
  if (table.kind_of("missing") == ValueKind::array)
    rules.missing = *table.numbers("missing", Dimension::none);
  else if (table.has("missing"))
    rules.missing = {table.number("missing", Dimension::none)};
  read_points(table, observables, rules);
  read_axes(table, rules);
  check_axes(table, rules);
  table.finish();
}

// ---- nuisance --------------------------------------------------------------------------------------------------

namespace {

struct Measure {
  Dimension dimension;
  const char* example;
};

NuisanceKnob read_one(const Table& t, const std::string& key, NuisanceKnob::Kind kind,
                      const std::string& axis, const Measure& measure) {
  NuisanceKnob out{kind, axis, std::nullopt};
  if (t.kind_of(key) != ValueKind::table) {
    if (t.kind_of(key) != ValueKind::text || t.text(key) != "free")
      throw t.error(key, fmt::format("must be \"free\"{} or {{ within = {} }}; it is {}",
                                     kind == NuisanceKnob::Kind::start ? ", \"known\"" : "", measure.example,
                                     t.written(key)));
    return out;
  }
  const Table inner = t.table(key);
  out.within = inner.number("within", measure.dimension, Range::positive());
  const bool is_factor = kind == NuisanceKnob::Kind::scale || kind == NuisanceKnob::Kind::clock;
  if (is_factor && *out.within >= 1)
    throw inner.error("within", fmt::format("must be below 1, so that the {} stays positive",
                                            kind == NuisanceKnob::Kind::scale ? "scale" : "clock"));
  inner.finish();
  return out;
}

void read_axes_of(const Table& t, const std::string& key, NuisanceKnob::Kind kind, FitStudy& study) {
  if (!t.has(key)) return;
  const bool is_offset = kind == NuisanceKnob::Kind::offset;
  const Measure length = is_offset ? Measure{Dimension::length, "\"5 mm\""} : Measure{Dimension::none, "0.1"};
  const Measure angle = is_offset ? Measure{Dimension::angle, "\"1 deg\""} : Measure{Dimension::none, "0.1"};
  const bool is_per_axis = t.kind_of(key) == ValueKind::table && !t.table(key).has("within");
  if (!is_per_axis) {
    for (const char* axis : {"x", "z"}) study.nuisance.push_back(read_one(t, key, kind, axis, length));
    return;
  }
  const Table axes = t.table(key);
  for (const char* axis : {"x", "z", "angle"})
    if (axes.has(axis))
      study.nuisance.push_back(
          read_one(axes, axis, kind, axis, axis == std::string("angle") ? angle : length));
  axes.finish();
}

}  // namespace

void read_nuisance(const Table& t, FitStudy& study) {
  study.start_known = t.kind_of("start") == ValueKind::text && t.text("start") == "known";
  if (t.has("start") && !study.start_known)
    study.nuisance.push_back(
        read_one(t, "start", NuisanceKnob::Kind::start, "", {Dimension::time, "\"1 ms\""}));
  if (t.has("clock"))
    study.nuisance.push_back(read_one(t, "clock", NuisanceKnob::Kind::clock, "", {Dimension::none, "0.02"}));
  read_axes_of(t, "offset", NuisanceKnob::Kind::offset, study);
  read_axes_of(t, "scale", NuisanceKnob::Kind::scale, study);
  if (t.has("sign")) study.find_signs = t.choice("sign", {"find", "given"}) == "find";
  t.finish();
}

}  // namespace thud
