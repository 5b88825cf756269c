#include "report/film_scene.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "thud/math/portable.hpp"
#include "thud/report/scene.hpp"

namespace thud::film {

namespace {

using Doc = nlohmann::json;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

std::vector<double> numbers(const Doc& list) {
  std::vector<double> out;
  for (const Doc& x : list) out.push_back(x.is_number() ? x.get<double>() : missing);
  return out;
}

std::vector<double> numbers_of(const Doc& object, const char* key) {
  return object.contains(key) ? numbers(object[key]) : std::vector<double>{};
}

Line read_line(const Doc& d) {
  Line out{{}, {}, d["width"], d["closed"]};
  for (const Doc& p : d["points"]) out.points.push_back({p[0], p[1]});
  if (d.contains("shapes"))
    for (const Doc& s : d["shapes"]) out.shapes.push_back(numbers(s));
  return out;
}

Body read_body(const Doc& d) {
  Body out{d["name"], d["joint"], d["parent"], d["mass"], 0, numbers_of(d, "attach_shapes"), false, {}, {}};
  if (d.contains("beam")) out.beam_length = d["beam"]["length"];
  if (d.contains("anchor")) out.is_anchored = true, out.anchor = {d["anchor"][0], d["anchor"][1]};
  for (const Doc& line : d["lines"]) out.lines.push_back(read_line(line));
  return out;
}

Ground read_ground(const Doc& d) {
  const bool ends = d.contains("depth") && d["depth"].is_number();
  return {d["x"], d["z"], d["slope"], ends ? d["depth"].get<double>() : 0, d.value("body", -1)};
}

Spot read_spot(const Doc& d) {
  if (d.contains("body")) return {d["body"], d["s"], d["n"], numbers_of(d, "shapes")};
  return {-1, d["x"], d["z"], {}};
}

Stress read_stress(const Doc& d) {
  Stress out;
  out.body = d["body"], out.bed = d["bed"];
  out.round = d.contains("center");
  const Doc& a = d[out.round ? "center" : "a"];
  out.a = {a[0], a[1]};
  if (out.round)
    out.radius = d["radius"];
  else
    out.b = {d["b"][0], d["b"][1]}, out.half = d["half"];
  out.from = numbers(d["from"]), out.to = numbers(d["to"]);
  for (const Doc& column : d["sx"]) out.sx.push_back(numbers(column));
  for (const Doc& column : d["sz"]) out.sz.push_back(numbers(column));
  return out;
}

double bend(const std::vector<double>& shapes, const std::vector<double>& eta) {
  double w = 0;
  for (std::size_t k = 0; k < std::min(shapes.size(), eta.size()); ++k) w += shapes[k] * eta[k];
  return w;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  return most;
}

bool has_word(const std::string& text, const std::string& word) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const auto after = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (after == text.size() || !is_part(text[after]))) return true;
  }
  return false;
}

}  // namespace

Point Pose::place(double s, double n, const std::vector<double>& shapes) const {
  const double across = n + bend(shapes, eta);
  return {x + s * sin + across * cos, z + s * cos - across * sin};
}

void Box::include(Point p, double around) {
  left = std::min(left, p[0] - around), right = std::max(right, p[0] + around);
  top = std::min(top, p[1] - around), bottom = std::max(bottom, p[1] + around);
}

void Box::include(const Box& other) {
  if (!(other.right >= other.left)) return;
  include(Point{other.left, other.top});
  include(Point{other.right, other.bottom});
}

Scene::Scene(const Scenario& scenario, const RunResult& run, const FrameRecorder& frames)
    : title(scenario.title),
      end(run.outcome.time) {
  const Doc scene = Doc::parse(make_scene_json(scenario));
  std::vector<NamedObservable> energy;
  if (const NamedObservable* kinetic = scenario.find_observable("energy.kinetic")) energy.push_back(*kinetic);
  const Doc doc = Doc::parse(make_frames_json(scenario, run, frames, energy));
  for (const Doc& b : scene["bodies"]) bodies.push_back(read_body(b));
  for (const Doc& b : scene["beds"]) beds.push_back(read_ground(b));
  for (const Doc& w : scene["walls"]) walls.push_back(read_ground(w));
  for (const Doc& c : scene["connectors"])
    if (c.contains("to"))
      connectors.push_back({c["kind"], read_spot(c["from"]), read_spot(c["to"]), c.value("length", 0.0)});
  time = numbers(doc["time"]);
  for (const Doc& p : doc["poses"])
    tracks_.push_back({numbers(p["x"]), numbers(p["z"]), numbers(p["angle"])});
  for (const Doc& e : doc["elastic"]) {
    bending_.push_back({e["body"], {}});
    for (const Doc& column : e["eta"]) bending_.back().eta.push_back(numbers(column));
  }
  is_elastic = !bending_.empty();
  for (const Doc& f : doc["forces"])
    forces.push_back({f["body"], f.value("bed", -1), numbers(f["x"]), numbers(f["z"]), numbers(f["fx"]),
                      numbers(f["fz"])});
  for (const Doc& s : doc["stress"]) stress.push_back(read_stress(s));
  for (const Stress& s : stress)
    for (std::size_t i = 0; i < s.sx.size(); ++i)
      for (std::size_t k = 0; k < s.sx[i].size(); ++k)
        if (std::isfinite(s.sx[i][k]))
          largest_stress = std::max(largest_stress, portable::hypot(s.sx[i][k], s.sz[i][k]));
  const Doc& struck = doc["impacts"];
  impacts = {numbers(struck["time"]), numbers(struck["x"]), numbers(struck["z"]), numbers(struck["normal"])};
  const std::vector<double> along = numbers(struck["tangential"]);
  for (std::size_t k = 0; k < impacts.size.size(); ++k)
    impacts.size[k] = portable::hypot(impacts.size[k], along[k]);

  std::vector<std::pair<double, std::string>> events;
  for (const Doc& e : doc["events"])
    if (e["kind"] != "start" && e["kind"] != "condition") events.emplace_back(e["time"], e["subject"]);
  find_last_events(events);
  magnification = suited_magnification();
  // Below a billionth of what a run has to offer, a force is an error of arithmetic.
  double mass = 0;
  for (const Body& b : bodies) mass += b.mass;
  for (const Force& f : forces)
    for (std::size_t k = 0; k < f.fx.size(); ++k)
      largest_force = std::max(largest_force, portable::hypot(f.fx[k], f.fz[k]));
  const double weight =
      mass * portable::hypot(scene["gravity"][0].get<double>(), scene["gravity"][1].get<double>());
  const double thrust =
      energy.empty() ? 0 : largest(numbers(doc["columns"]["energy.kinetic"])) / std::max(view().size(), 1e-9);
  if (!(largest_force > 1e-9 * std::max(weight, thrust))) largest_force = 0;
}

void Scene::find_last_events(const std::vector<std::pair<double, std::string>>& events) {
  root_.resize(bodies.size());
  last_event_.assign(bodies.size(), 0);
  for (std::size_t i = 0; i < bodies.size(); ++i)
    root_[i] = bodies[i].parent >= 0 ? root_[static_cast<std::size_t>(bodies[i].parent)] : i;
  for (const auto& [t, subject] : events)
    for (std::size_t i = 0; i < bodies.size(); ++i)
      if (has_word(subject, bodies[i].name)) last_event_[root_[i]] = std::max(last_event_[root_[i]], t);
}

// A round one at which the largest deflection is a tenth of the beam.
double Scene::suited_magnification() const {
  double length = 0, most = 0;
  for (const Body& b : bodies) length = std::max(length, b.beam_length);
  for (const Bending& e : bending_)
    for (std::size_t k = 0; k < time.size(); k += 4) {
      std::vector<double> eta;
      for (const auto& column : e.eta) eta.push_back(column[k]);
      for (const Line& line : bodies[static_cast<std::size_t>(e.body)].lines)
        for (const auto& shapes : line.shapes) most = std::max(most, std::abs(bend(shapes, eta)));
    }
  if (!(most > 0)) return 1;
  for (const double m : {1000, 500, 200, 100, 50, 20, 10, 5, 2})
    if (m <= 0.1 * length / most) return m;
  return 1;
}

double Scene::at(const std::vector<double>& column, double t) const {
  if (column.size() < 2 || t <= time.front()) return column.front();
  const auto next = std::upper_bound(time.begin(), time.end(), t);
  if (next == time.end()) return column.back();
  const auto k = static_cast<std::size_t>(next - time.begin());
  const double span = time[k] - time[k - 1];
  return std::lerp(column[k - 1], column[k], span > 0 ? (t - time[k - 1]) / span : 0);
}

std::vector<Pose> Scene::poses(double t) const {
  std::vector<std::vector<double>> eta(bodies.size());
  for (const Bending& e : bending_)
    for (const auto& column : e.eta) eta[static_cast<std::size_t>(e.body)].push_back(at(column, t));
  std::vector<Point> shift(bodies.size(), Point{0, 0});
  std::vector<Pose> out;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double angle = at(tracks_[i].angle, t);
    if (bodies[i].parent >= 0) {
      // What hangs on a bent link is shifted with it.
      const auto p = static_cast<std::size_t>(bodies[i].parent);
      const double extra = (magnification - 1) * bend(bodies[i].attach_shapes, eta[p]);
      shift[i] = {shift[p][0] + extra * out[p].cos, shift[p][1] - extra * out[p].sin};
    }
    out.push_back({at(tracks_[i].x, t) + shift[i][0], at(tracks_[i].z, t) + shift[i][1], portable::sin(angle),
                   portable::cos(angle), eta[i]});
    for (double& e : out.back().eta) e *= magnification;
  }
  return out;
}

Point Scene::where(const Spot& spot, const std::vector<Pose>& poses) const {
  if (spot.body < 0) return {spot.a, spot.b};
  return poses[static_cast<std::size_t>(spot.body)].place(spot.a, spot.b, spot.shapes);
}

Box Scene::body_box(const Body& body, const Pose& pose) const {
  Box out;
  out.include(Point{pose.x, pose.z});
  for (const Line& line : body.lines)
    for (std::size_t k = 0; k < line.points.size(); ++k)
      out.include(pose.place(line.points[k][0], line.points[k][1],
                             k < line.shapes.size() ? line.shapes[k] : std::vector<double>{}),
                  0.5 * line.width);
  return out;
}

Box Scene::view() const {
  constexpr int samples = 80;
  constexpr double far = 4;  // what leaves by more sizes of what happened before is left to itself
  const bool nothing_happens = largest(last_event_) == 0;
  Box box;
  std::vector<Box> later(bodies.size());
  for (int k = 0; k < samples; ++k) {
    const double t = end * k / (samples - 1);
    const std::vector<Pose> now = poses(t);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const bool stays = bodies[root_[i]].joint != "free" || t <= last_event_[root_[i]];
      (k == 0 || nothing_happens || stays ? box : later[root_[i]]).include(body_box(bodies[i], now[i]));
    }
  }
  for (const Body& b : bodies)
    if (b.is_anchored) box.include(b.anchor);
  const double before = box.size();
  for (const Box& other : later) {
    Box both = box;
    both.include(other);
    if (both.size() <= far * before) box = both;
  }
  if (!(box.right >= box.left)) box = {-1, 1, -1, 1};
  const double size = std::max({box.width(), box.height(), 1e-6});
  for (const Ground& bed : beds) {
    const double middle = bed.z + (0.5 * (box.left + box.right) - bed.x) * portable::tan(bed.slope);
    if (!(middle < box.bottom + size && middle > box.top - size)) continue;
    box.bottom = std::max(box.bottom, middle + 0.12 * size);
    box.top = std::min(box.top, middle - 0.05 * size);
  }
  const double margin = 0.07 * size;
  return {box.left - margin, box.right + margin, box.top - margin, box.bottom + margin};
}

}  // namespace thud::film
