#include "thud/elements/strut.hpp"

#include <cmath>

#include "thud/elements/damper.hpp"
#include "thud/math/portable.hpp"

namespace thud {

template <class P>
bool StrutOf<P>::settle_geometry(const Work<double>& here, const Work<double>& there, const Scales& scales,
                                 Mode& m) const {
  const Mode before = m;
  const double shortened = length - here.distance;
  if (m.phase == Mode::firm && m.slip == slip::forward) {
    m.phase = Mode::apart;
    m.crushed = shortened;
  } else if (m.phase == Mode::apart) {
    const double now = gap(m, here), later = gap(m, there);
    const bool closes = std::abs(now) > tolerance::undecided_length * scales.length
                          ? now < 0
                          : later - now < 0.01 * scales.small_gap();
    if (closes) m.phase = Mode::firm, m.slip = slip::backward;
  }
  if (m.phase == Mode::firm && shortened >= stroke - scales.touching()) m.phase = Mode::solid;
  if (m.phase != Mode::apart) m.crushed = 0;
  return !(m == before);
}

// Tried over all speeds that machines have.
template <class P>
std::string DamperOf<P>::fault() const {
  for (int k = -60; k <= 20 && curve.is_given(); ++k)
    for (const double v : {portable::pow(10.0, 0.1 * k), -portable::pow(10.0, 0.1 * k)})
      if (const double force = curve.value(v); force * v < 0)
        return "the force of a damper must be against the motion: at v = " + std::to_string(v) + " m/s it is "
             + std::to_string(force)
             + " N; positive forces pull the ends together, so that v "
               "and force have the same sign";
  return {};
}

template struct StrutOf<double>;
template std::string DamperOf<double>::fault() const;
THUD_WITH_DUALS(template std::string DamperOf<Dual<double>>::fault() const;)

}  // namespace thud
