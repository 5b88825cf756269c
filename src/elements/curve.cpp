#include "thud/elements/curve.hpp"

#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

namespace thud {

namespace {

// Halves the interval until that changes nothing but roundings.
template <class F>
double integrate(F&& f, double from, double to, int depth) {
  using Gauss = boost::math::quadrature::gauss<double, 15>;
  double size = 0;
  const double middle = 0.5 * (from + to), whole = Gauss::integrate(f, from, to, &size);
  const double halves = Gauss::integrate(f, from, middle) + Gauss::integrate(f, middle, to);
  if (depth == 0 || std::abs(halves - whole) <= 1e-14 * size) return halves;
  return integrate(f, from, middle, depth - 1) + integrate(f, middle, to, depth - 1);
}

// From 0 to x, from corner to corner.
template <class F>
double quadrature(const std::vector<double>& corners, double x, F&& f) {
  const double low = std::min(0.0, x), high = std::max(0.0, x);
  std::vector<double> ends = {low};
  for (const double c : corners)
    if (c > low && c < high) ends.push_back(c);
  ends.push_back(high);
  double sum = 0;
  for (std::size_t k = 0; k + 1 < ends.size(); ++k)
    if (ends[k + 1] > ends[k]) sum += integrate(f, ends[k], ends[k + 1], 10);
  return x < 0 ? -sum : sum;
}

}  // namespace

template <class P>
double CurveOf<P>::integral(double x) const {
  return quadrature(corners, x, [&](double s) { return value(s); });  // a copy would parse it again
}

template <class P>
Dual<double> CurveOf<P>::integral(Dual<double> x) const {
  Dual<double> out(integral(x.v), value(x.v) * x.d);
  if constexpr (!std::is_same_v<P, double>)  // and as a knob turns
    out.d += quadrature(corners, x.v, [&](double s) { return with_rate(Dual<double>(s)).d; });
  return out;
}

template struct CurveOf<double>;
THUD_WITH_DUALS(template struct CurveOf<Dual<double>>;)

}  // namespace thud
