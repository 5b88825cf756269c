#include "thud/dynamics/sand_probe.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "thud/dynamics/system.hpp"

namespace thud {

namespace {

std::int8_t slip_of(double rate) {
  return rate == 0 ? slip::idle : rate > 0 ? slip::forward : slip::backward;
}
std::int8_t sign_of(double x) { return x < 0 ? -1 : 1; }

Immersion immersion_of(const Part& part, const Levels<double>& levels) {
  Immersion out;
  for (int l = 0; l < part.level_count(); ++l)
    if (levels.value[l] > 0) out.regime = static_cast<std::uint8_t>(out.regime | 1 << l);
  if (part.kind == PartKind::segment) out.deepest = levels.value[1] > levels.value[0] ? 1 : -1;
  if (part.kind == PartKind::block)
    out.deepest = static_cast<std::int8_t>(std::max_element(levels.value.begin(), levels.value.end())
                                           - levels.value.begin());
  return out;
}

}  // namespace

// A system of this one body: what the solver would compute, in the mode that the state itself tells.
struct SandProbe::Impl {
  Impl(Bed bed, Body body, const std::vector<Part>& parts, Vec gravity)
      : system(Tree({std::move(body)}), gravity) {
    system.add_bed(std::move(bed));
    for (const Part& part : parts) system.add_piece(0, 0, part);
    system.prepare(work);
    mode = system.make_mode();
    y.assign(system.state_size(), 0.0);
    slope.assign(y.size(), 0.0);
  }

  void evaluate() { system.evaluate(0, y.data(), mode, work, slope.data()); }

  System system;
  Work<double> work;
  Mode mode;
  std::vector<double> y, slope;
};

namespace {
Body made_free(Body body) {
  if (body.beam) throw std::invalid_argument("a SandProbe is for rigid bodies");
  body.free = true;
  body.parent = -1;
  body.weightless = 0;
  return body;
}
}  // namespace

SandProbe::SandProbe(Bed bed, Body body, const std::vector<Part>& parts, Vec gravity)
    : impl_(std::make_unique<Impl>(std::move(bed), made_free(std::move(body)), parts, gravity)) {}
SandProbe::~SandProbe() = default;
SandProbe::SandProbe(SandProbe&&) noexcept = default;
SandProbe& SandProbe::operator=(SandProbe&&) noexcept = default;

const Body& SandProbe::body() const { return impl_->system.tree().body(0); }
Vec SandProbe::gravity() const { return impl_->system.gravity(); }

SandProbe::Answer SandProbe::at(Vec origin, double angle, Vec velocity, double rate) {
  Impl& s = *impl_;
  const double state[] = {origin.x, origin.z, angle, velocity.x, velocity.z, rate};
  std::copy(std::begin(state), std::end(state), s.y.begin());
  s.system.reset(s.mode);
  s.evaluate();  // for the levels,
  Answer out;
  for (std::size_t k = 0; k < s.mode.of<SandPiece>().size(); ++k) {
    s.mode.of<SandPiece>()[k].immersion =
        immersion_of(s.system.pieces()[k].part, s.work.of<SandPiece>()[k].levels);
    out.immersed =
        out.immersed || is_immersed(s.system.pieces()[k].part, s.mode.of<SandPiece>()[k].immersion.regime);
  }
  if (!out.immersed) return out;
  s.evaluate();  // for the flow,
  const AreaRule area = s.system.beds()[0].area;
  for (std::size_t k = 0; k < s.mode.of<SandPiece>().size(); ++k) {
    SandMode& m = s.mode.of<SandPiece>()[k];
    const SandWork<double>& w = s.work.of<SandPiece>()[k];
    const double end = s.system.pieces()[k].end_area * norm(w.velocity);
    m.cross = area == AreaRule::side_or_end && w.cross == 0 ? std::int8_t{0} : sign_of(w.cross);
    m.along = sign_of(w.along);
    m.end_area = area == AreaRule::floor && end > w.immersed.side * std::abs(w.cross);
    m.normal = slip_of(w.normal_rate);
    m.shear = slip_of(w.shear_rate);
    m.spin = slip_of(rate);
    if (w.is_immersed) out.depth = std::max(out.depth, w.immersed.depth);
  }
  s.evaluate();  // and for the force
  const Body& body = s.system.tree().body(0);
  const Vec a = s.system.tree().center_acceleration(s.work.frames, s.work.acceleration.data(), 0);
  out.force = body.mass * (a - s.system.gravity());
  out.moment = body.inertia * s.work.acceleration[2];
  return out;
}

}  // namespace thud
