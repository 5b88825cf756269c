#include "thud/elements/curve.hpp"

#include <boost/math/quadrature/gauss_kronrod.hpp>

namespace thud {

namespace {

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
    if (ends[k + 1] > ends[k])
      sum +=
          boost::math::quadrature::gauss_kronrod<double, 31>::integrate(f, ends[k], ends[k + 1], 12, 1e-13);
  return x < 0 ? -sum : sum;
}

}  // namespace

template <class P>
double CurveOf<P>::integral(double x) const {
  return quadrature(corners, x, value);
}

template <class P>
Dual<double> CurveOf<P>::integral(Dual<double> x) const {
  Dual<double> out(integral(x.v), value(x.v) * x.d);
  if constexpr (!std::is_same_v<P, double>)  // and as a knob turns
    out.d += quadrature(corners, x.v, [&](double s) { return with_rate(Dual<double>(s)).d; });
  return out;
}

template struct CurveOf<double>;
template struct CurveOf<Dual<double>>;

}  // namespace thud
