#include "thud/elements/added_mass.hpp"

#include <cmath>

namespace thud {

template <class P>
std::string AddedMassOf<P>::fault() const {
  if (at.body < 0) return "`at` must name a point of a body: a foot";
  if (!(value_of(kind == cone ? radius : area) > 0))
    return kind == cone ? "a foot with a cone needs the `radius` of its disc"
                        : "a foot of kind \"swept\" needs the `area` of its sole";
  if (kind == cone && !(value_of(angle) < 0.5 * std::numbers::pi))
    return "the `angle` of the cone must be less than 90 deg";
  if (!(std::abs(value_of(slope)) < 1.5)) return "the `slope` must be between -1.5 and 1.5 rad";
  if (!(value_of(packing) <= 1)) return "`packing` is a fraction of the volume: at most 1";
  if (!(value_of(drag * grain_drag) >= 1))
    return "drag times grain_drag must be at least 1: that much gives the grains their speed";
  return "";
}

template <class P>
bool AddedMassOf<P>::settle_geometry(const Work<double>& here, const Work<double>& there,
                                     const Scales& scales, Mode& m) const {
  const Mode before = m;
  const double small = tolerance::undecided_length * scales.length;
  settle_touch(here, scales, m);
  if (m.phase == Mode::apart) {
    const double over = m.deepest - here.depth;
    const bool enters =
        std::abs(over) > small ? over < 0 : there.depth - here.depth > 0.01 * scales.small_gap();
    if (enters) {
      m.left = m.deepest;
      m.phase = Mode::deep;
      m.slip = slip::forward;
    }
  }
  if (m.phase == Mode::deep) {
    m.deepest = std::max(m.deepest, here.depth);
    if (m.slip == slip::stuck) m.left = 0;
    if (kind == cone && !m.full) m.full = here.depth > value_of(full_depth_) - small;
  }
  return m.phase != before.phase || m.left != before.left || m.full != before.full;
}

template struct AddedMassOf<double>;
THUD_WITH_DUALS(template struct AddedMassOf<Dual<double>>;)

}  // namespace thud
