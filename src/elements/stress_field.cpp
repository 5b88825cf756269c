#include "thud/elements/stress_field.hpp"

#include <algorithm>
#include <cmath>

#include "thud/math/portable.hpp"

namespace thud {

namespace {

/// From the frame of a body to that of a bed, and back.
struct InBed {
  const Plane& plane;
  const Frames<double>& frames;
  int body;

  Vec turn(Vec r) const { return {dot(plane.tangent, r), dot(plane.normal, r)}; }
  Vec back(Vec r) const { return r.x * plane.tangent + r.z * plane.normal; }
  Vec at(BodyPoint p) const { return turn(frames.position(body, p) - plane.point); }
  Vec velocity(BodyPoint p) const { return turn(frames.velocity(body, p)); }
};

// What of the way from depth z0 to z1 is under the surface.
detail::Span<double> span_under(double z0, double z1) {
  detail::Span<double> span;
  detail::clip(span, z0, z1, 0.0);
  return span;
}

int cells_of(double length, double all, int cells) {
  return std::max(1, static_cast<int>(std::lround(cells * length / std::max(all, 1e-300))));
}

// put(law, below) for the law of the surface and every change at a level; of a level the ends do not matter here.
template <class Put>
void each_entry(const Bed& bed, Put&& put) {
  for (const BedEntry& entry : bed_entries(bed)) {
    const DrftLaw law = entry_stress(bed, entry);
    const Below<double> below = below_entry<double>(bed, entry, true, true);
    put(law, entry.is_surface() ? nullptr : &below);
  }
}

// The laws on cells of a face: each is a plate of its own.
void stress_plate(const Bed& bed_of, const SpreadFaceOf<double>& face, const InBed& bed, StressNow& out,
                  int cells) {
  const Vec a = bed.at(face.a), b = bed.at(face.b), va = bed.velocity(face.a), vb = bed.velocity(face.b);
  const detail::Span<double> span = span_under(a.z, b.z);
  if (span.is_empty()) return;
  out.from = span.from, out.to = span.to;
  for (int k = 0; k < cells; ++k) {
    const double x0 = std::lerp(out.from, out.to, static_cast<double>(k) / cells),
                 x1 = std::lerp(out.from, out.to, (k + 1.0) / cells), middle = 0.5 * (x0 + x1);
    const FacetOf<double> cell{a + x0 * (b - a),    a + x1 * (b - a), va + x0 * (vb - va),
                               va + x1 * (vb - va), face.breadth,     face.thin};
    Vec force{};
    each_entry(bed_of, [&](const DrftLaw& law, const Below<double>* below) {
      if (!below) return void(force += load_facet(law, cell).force());
      Below<double> cut = *below;
      cut.a = cell.a.z > cut.level, cut.b = cell.b.z > cut.level;
      force += load_facet(law, cell, &cut).force();
    });
    const BodyPoint at{std::lerp(face.a.s, face.b.s, middle), std::lerp(face.a.n, face.b.n, middle)};
    out.cells.push_back(
        {bed.frames.position(bed.body, at), bed.back(force), (x1 - x0) * norm(b - a) * face.breadth});
  }
}

// A law on an arc, cut where the surface or the level and the end of the leading part are (facets.hpp).
Vec load_arc(const DrftLaw& law, const RimOf<double>& rim, const detail::Span<double>& arc,
             const Below<double>* below) {
  const double spin = rim.rate * rim.radius, size = rim.radius * rim.breadth;
  RimOf<double> raised = rim;
  if (below) raised.center.z -= below->level;
  Vec sum{};
  detail::each_leading(rim, detail::rim_under(raised), [&](double first, double last) {
    const double from = std::max(first, arc.from), to = std::min(last, arc.to);
    if (!(to > from)) return;
    graded(from, to, detail::rim_still(rim, 0.5 * (from + to)), 1.0, [&](double angle, double weight) {
      const Vec e{portable::sin(angle), portable::cos(angle)};
      const Vec v = rim.velocity + spin * turned(e);
      const double depth = rim.center.z + rim.radius * e.z, vn = dot(e, rim.velocity);
      const double rise = below && below->rises ? below->weight(depth) : 1;
      sum += (size * weight * depth * rise) * law.element(e)(v);
      sum += (-size * law.inertia() * weight * vn * vn) * e;
    });
  });
  return sum;
}

void stress_rim(const Bed& bed_of, const SpreadFaceOf<double>& face, const InBed& bed, StressNow& out,
                int cells) {
  const RimOf<double> rim{bed.at(face.a), bed.velocity(face.a), bed.frames.rate[bed.body], face.radius,
                          face.breadth};
  bool any = false;
  detail::each_leading(rim, detail::rim_under(rim), [&](double first, double last) {
    out.from = any ? std::min(out.from, first) : first;
    out.to = any ? std::max(out.to, last) : last;
    any = true;
  });
  if (!any) return;
  const double slope = portable::atan2(bed.plane.tangent.z, bed.plane.tangent.x);
  for (int k = 0; k < cells; ++k) {
    const double from = std::lerp(out.from, out.to, static_cast<double>(k) / cells),
                 to = std::lerp(out.from, out.to, (k + 1.0) / cells), middle = 0.5 * (from + to);
    const Vec e{portable::sin(middle), portable::cos(middle)};
    Vec force{};
    each_entry(bed_of, [&](const DrftLaw& law, const Below<double>* below) {
      force += load_arc(law, rim, {from, to}, below);
    });
    out.cells.push_back({bed.frames.position(bed.body, face.a) + rim.radius * bed.back(e), bed.back(force),
                         (to - from) * rim.radius * rim.breadth});
  }
  out.from -= slope, out.to -= slope;
}

}  // namespace

std::vector<StressStretch> list_stretches(const SpreadSand& e, int cells) {
  constexpr double half_turn = 3.14159265358979;
  const auto length = [&](const SpreadFaceOf<double>& f) {
    return f.round ? half_turn * f.radius : norm(Vec{f.b.s - f.a.s, f.b.n - f.a.n});
  };
  double all = 0;
  for (const SpreadFaceOf<double>& f : e.faces)
    if (f.entry.is_surface()) all += length(f);
  std::vector<StressStretch> out;
  for (std::size_t k = 0; k < e.faces.size(); ++k)
    if (const SpreadFaceOf<double>& f = e.faces[k]; f.entry.is_surface())
      out.push_back({e.body, f.bed, f.round, f.a, f.b, f.radius, f.round || !f.thin ? 0 : 0.5 * f.breadth,
                     cells_of(length(f), all, cells), static_cast<int>(k)});
  return out;
}

StressNow find_stress(const SpreadSand& e, const StressStretch& stretch, const Scene& scene,
                      const Frames<double>& frames, const SpreadWork<double>& work) {
  StressNow out;
  if (!work.is_immersed || work.is_held) return out;
  const SpreadFaceOf<double>& face = e.faces[static_cast<std::size_t>(stretch.part)];
  const Bed& bed = scene.beds[static_cast<std::size_t>(face.bed)];
  const InBed in{bed.plane, frames, e.body};
  // Of a sole that slides only the resultant is known, too.
  const Vec along = frames.position(e.body, face.b) - frames.position(e.body, face.a);
  if (work.slides && !face.round && std::abs(dot(work.normal, along)) < 1e-9 * norm(along)) return out;
  face.round ? stress_rim(bed, face, in, out, stretch.cells)
             : stress_plate(bed, face, in, out, stretch.cells);
  return out;
}

// Each cylinder, and its flat ends where they are bare.
std::vector<StressStretch> list_stretches(const LeeSpread& e, int cells) {
  double all = 0;
  for (const AxisPieceOf<double>& p : e.pieces)
    if (p.entry.is_surface()) all += std::abs(p.s1 - p.s0);
  std::vector<StressStretch> out;
  for (std::size_t k = 0; k < e.pieces.size(); ++k) {
    const AxisPieceOf<double>& p = e.pieces[k];
    if (!p.entry.is_surface()) continue;
    const auto add = [&](double from, double to, double half, int count) {
      out.push_back({e.body, e.bed, false, {from, 0}, {to, 0}, 0, half, count, static_cast<int>(k)});
    };
    add(p.s0, p.s1, 0.5 * p.width, cells_of(std::abs(p.s1 - p.s0), all, cells));
    if (p.face0 > 0) add(p.s0, p.s0, 0, 1);
    if (p.face1 > 0) add(p.s1, p.s1, 0, 1);
  }
  return out;
}

// The laws of a bed on a line.
static Vec load_in_bed(const Bed& bed, double gravity, const LineOf<double>& line, LineShares shares) {
  Vec sum{};
  for (const BedEntry& entry : bed_entries(bed)) {
    LineShares wanted = shares;
    wanted.drag = shares.drag && !entry.rises;
    const double level = entry.level(bed);
    const Below<double> below = below_entry<double>(bed, entry, line.a.z > level, line.b.z > level);
    const auto add = [&](int layer, double sign) {
      if (const auto* law = std::get_if<LeeSpreadLaw>(&BedEntry::law_of(bed, layer)))
        sum += sign * load_line(*law, gravity, line, wanted, entry.is_surface() ? nullptr : &below).force();
    };
    add(entry.layer, 1);
    if (entry.layer > 0) add(entry.layer - 1, -1);
  }
  return sum;
}

StressNow find_stress(const LeeSpread& e, const StressStretch& stretch, const Scene& scene,
                      const Frames<double>& frames, const LineWork<double>& work) {
  StressNow out;
  const Bed& bed = scene.beds[static_cast<std::size_t>(e.bed)];
  if (!work.is_immersed) return out;
  const InBed in{bed.plane, frames, e.body};
  const AxisPieceOf<double>& piece = e.pieces[static_cast<std::size_t>(stretch.part)];
  const BodyPoint pa{piece.s0, 0}, pb{piece.s1, 0};
  const Vec a = in.at(pa), b = in.at(pb), va = in.velocity(pa), vb = in.velocity(pb);
  LineOf<double> line{a, b, va, vb, piece.width, piece.breadth, piece.section, 0, 0};
  if (stretch.a.s == stretch.b.s) {
    // What the bare end adds to the drag.
    const bool first = stretch.a.s == piece.s0;
    const double area = first ? piece.face0 : piece.face1;
    const Vec without = load_in_bed(bed, scene.gravity_size, line, {true, false, false});
    (first ? line.face_a : line.face_b) = area;
    const Vec with = load_in_bed(bed, scene.gravity_size, line, {true, false, false});
    if ((first ? a : b).z > 0)
      out.cells.push_back({frames.position(e.body, stretch.a), in.back(with - without), area});
    return out;
  }
  const detail::Span<double> span = span_under(a.z, b.z);
  if (span.is_empty()) return out;
  out.from = span.from, out.to = span.to;
  for (int k = 0; k < stretch.cells; ++k) {
    const double x0 = std::lerp(out.from, out.to, static_cast<double>(k) / stretch.cells),
                 x1 = std::lerp(out.from, out.to, (k + 1.0) / stretch.cells);
    line.a = a + x0 * (b - a), line.b = a + x1 * (b - a);
    line.va = va + x0 * (vb - va), line.vb = va + x1 * (vb - va);
    const Vec force = load_in_bed(bed, scene.gravity_size, line, {true, !work.is_held[1], !work.is_held[0]});
    const BodyPoint at{std::lerp(pa.s, pb.s, 0.5 * (x0 + x1)), 0};
    out.cells.push_back({frames.position(e.body, at), in.back(force), (x1 - x0) * norm(b - a) * piece.width});
  }
  return out;
}

}  // namespace thud
