#include "event/ranges.hpp"

#include <algorithm>

namespace thud {

namespace {

class Notes {
 public:
  Notes(const System& system, const Frames<double>& frames, double time, std::vector<RangeUse>& out)
      : system_(system),
        frames_(frames),
        time_(time),
        out_(out) {}

  // A point of a body; `below`: how much deeper than that it reaches. `width`: of what it belongs to, 0 where that is no measure.
  void add(int bed, int body, BodyPoint p, double below, double width) {
    const Bed& b = system_.beds()[static_cast<std::size_t>(bed)];
    const CalibratedRange& range = b.range;
    if (range.is_empty()) return;
    const double depth = b.plane.depth(frames_.position(body, p)) + below;
    if (depth < -1e-9 * (1 + std::abs(below))) return;  // what has just touched the surface is the fastest
    const double speed = norm(frames_.velocity(body, p));
    if (speed > range.fastest) note(bed, RangeUse::speed, body, speed, range.fastest);
    if (depth > range.deepest) note(bed, RangeUse::depth, body, depth, range.deepest);
    if (width > range.thickest * (1 + 1e-9)) note(bed, RangeUse::size, body, width, range.thickest);
    if (width > 0 && width < range.thinnest * (1 - 1e-9))
      note(bed, RangeUse::size, body, width, range.thinnest);
  }

 private:
  void note(int bed, RangeUse::Quantity quantity, int body, double value, double limit) {
    const auto known = std::find_if(
        out_.begin(), out_.end(), [&](const RangeUse& u) { return u.bed == bed && u.quantity == quantity; });
    if (known == out_.end()) {
      out_.push_back({bed, quantity, body, value, limit, time_});
    } else if (std::abs(value - limit) > std::abs(known->most - known->limit)) {
      known->body = body, known->most = value, known->limit = limit;
    }
  }

  const System& system_;
  const Frames<double>& frames_;
  double time_;
  std::vector<RangeUse>& out_;
};

}  // namespace

bool has_ranges(const System& system) {
  return std::any_of(system.beds().begin(), system.beds().end(),
                     [](const Bed& b) { return !b.range.is_empty(); });
}

void note_ranges(const System& system, const Frames<double>& frames, double time,
                 std::vector<RangeUse>& out) {
  Notes notes(system, frames, time, out);
  for (const SandPiece& piece : system.of<SandPiece>()) {
    const Part& p = piece.part;
    const double across =
        std::abs(dot(system.beds()[static_cast<std::size_t>(piece.bed)].plane.normal, frames.w[piece.body]));
    const double below = p.is_round()              ? 0.5 * p.width
                       : p.kind == PartKind::block ? 0.5 * p.width * across
                                                   : 0.0;
    for (const double s : {p.s0, p.s1}) notes.add(piece.bed, piece.body, {s, p.n}, below, p.width);
  }
  for (const SpreadSand& body : system.of<SpreadSand>())
    for (const auto& face : body.faces) {
      if (!face.entry.is_surface()) continue;
      notes.add(face.bed, body.body, face.a, face.radius, 0);
      notes.add(face.bed, body.body, face.b, face.radius, 0);
    }
  for (const LeeSpread& body : system.of<LeeSpread>())
    for (const auto& piece : body.pieces) {
      if (!piece.entry.is_surface()) continue;
      notes.add(body.bed, body.body, {piece.s0, 0}, 0, piece.width);
      notes.add(body.bed, body.body, {piece.s1, 0}, 0, piece.width);
    }
}

}  // namespace thud
