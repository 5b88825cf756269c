#pragma once
// Bodies with beams, random ones too, for tests of trees.

#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <memory>
#include <random>
#include <utility>

#include "thud/mechanics/tree.hpp"

namespace thud {

struct Rigid {
  double mass = 0;
  BodyPoint center{};
  double inertia = 0;
};

inline BeamBasis make_basis(Support support, const BeamData& data, int modes, int elements = 0) {
  return elements > 0 ? make_element_basis(support, data, elements, modes)
                      : make_mode_basis(support, data, modes);
}

/// A body of a beam from `start` on and a rigid part. Mass, centre and inertia as Body wants them.
inline Body make_beam_body(std::shared_ptr<ElasticBeam> beam, const Rigid& rigid) {
  const BeamData& d = beam->basis().data();
  const double m = d.mass_per_length * d.length, middle = beam->start() + d.length / 2, end = beam->end();
  Body b;
  b.name = "beam";
  b.mass = m + d.tip_mass + rigid.mass;
  b.center.s = (m * middle + d.tip_mass * end + rigid.mass * rigid.center.s) / b.mass;
  b.center.n = rigid.mass * rigid.center.n / b.mass;
  const auto about_center = [&](double mass, double s, double n, double own) {
    const double ds = s - b.center.s, dn = n - b.center.n;
    b.inertia += own + mass * (ds * ds + dn * dn);
  };
  about_center(m, middle, 0, m * d.length * d.length / 12);
  about_center(d.tip_mass, end, 0, d.tip_inertia);
  about_center(rigid.mass, rigid.center.s, rigid.center.n, rigid.inertia);
  b.beam = std::move(beam);
  return b;
}

/// Calls use(x, weight) for Gauss points of [0, L], exact for products of shapes: modes are entire functions (40 points,
/// λ ≤ 17), elements are cubic in each of `cells` cells.
template <class Use>
void integrate_beam(const BeamBasis& basis, bool cubic, Use&& use) {
  using Rule = boost::math::quadrature::gauss<double, 20>;
  const int cells = cubic ? basis.cell_count() : 2;
  const double h = basis.data().length / cells;
  for (int c = 0; c < cells; ++c)
    for (std::size_t i = 0; i < Rule::abscissa().size(); ++i)
      for (const int sign : {-1, 1})
        use(h * (c + 0.5 + 0.5 * sign * Rule::abscissa()[i]), 0.5 * h * Rule::weights()[i]);
}

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  double in(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool coin(double share = 0.5) { return in(0, 1) < share; }

 private:
  std::mt19937 random_;
};

inline std::shared_ptr<ElasticBeam> random_beam(Draw& draw, Support support, double start, bool& cubic) {
  BeamData d;
  d.length = draw.in(0.2, 0.8);
  d.mass_per_length = draw.in(0.3, 2);
  d.rigidity = std::exp(draw.in(-2, 3));
  if (draw.coin()) d.tip_mass = draw.in(0.1, 1.5) * d.mass_per_length * d.length;
  if (draw.coin()) d.tip_inertia = draw.in(0.01, 0.3) * d.mass_per_length * std::pow(d.length, 3);
  cubic = draw.coin(0.4);
  const int modes = draw.integer(1, 4);
  const BeamGravity gravity = draw.coin(0.2) ? BeamGravity::midspan : BeamGravity::distributed;
  auto beam = std::make_shared<ElasticBeam>(
      make_basis(support, d, modes, cubic ? draw.integer((modes + 1) / 2, 4) : 0), start, gravity);
  if (draw.coin()) beam->set_damping_ratios({draw.in(0, 0.2), draw.in(0, 0.5)});
  return beam;
}

}  // namespace thud
