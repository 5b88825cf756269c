#include "thud/beam/strike.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "solve/dense.hpp"
#include "thud/math/portable.hpp"

namespace thud {

namespace {

constexpr double published_constants[] = {0.741736, 0.831155, 0.947125};

// Ψ of eq 19 and its second derivative.
struct ClampedShape {
  double beta, alpha;

  ClampedShape(double beta_, double length) : beta(beta_) {
    const double z = beta * length;
    alpha = (portable::cos(z) + portable::cosh(z)) / (portable::sin(z) + portable::sinh(z));
  }
  double value(double x) const {
    const double z = beta * x;
    return portable::cos(z) - portable::cosh(z) - alpha * (portable::sin(z) - portable::sinh(z));
  }
  double curvature(double x) const {
    const double z = beta * x;
    return beta * beta
         * (-portable::cos(z) - portable::cosh(z) + alpha * (portable::sin(z) + portable::sinh(z)));
  }
};

// ∫f dx over the beam, cell by cell.
template <class F>
double integrate(const BeamBasis& basis, F&& f) {
  double sum = 0;
  const double h = basis.cell_length();
  for (int c = 0; c < basis.cell_count(); ++c)
    sum += boost::math::quadrature::gauss<double, 15>::integrate(f, c * h, (c + 1) * h);
  return sum;
}

double constant_of(StrikeModes modes, int n, double square, double tip, const BeamData& data) {
  switch (modes) {
    case StrikeModes::published: return published_constants[n];
    case StrikeModes::length: return 1 / std::sqrt(square);
    case StrikeModes::tip_mass: break;
  }
  return 1 / std::sqrt(square + data.tip_mass / data.mass_per_length * tip * tip);
}

void require_ball(const TipStrike& s) {
  if (!(s.ball_mass > 0) || !(s.stiffness > 0) || s.speed == 0)
    throw std::invalid_argument("a strike needs a ball with a mass, a speed and a stiffness of the contact");
}

}  // namespace

StrikeResult strike_by_modes(const ElasticBeam& beam, const TipStrike& strike, StrikeModes modes) {
  require_ball(strike);
  const BeamBasis& basis = beam.basis();
  const BeamData& data = basis.data();
  const int count = static_cast<int>(strike.ratios.size());
  if (count < 1 || count > std::min(beam.size(), 3))
    throw std::invalid_argument(fmt::format(
        "{} modes of a beam with {} cannot take part in the strike; 1 to 3 can", count, beam.size()));
  const double length = data.length, line = data.mass_per_length, m = strike.ball_mass, v0 = strike.speed;

  StrikeResult out;
  std::vector<ClampedShape> shapes;
  std::vector<double> constants, squares, bends;
  for (int n = 0; n < count; ++n) {
    const double omega = beam.frequency(n);
    const ClampedShape shape(portable::pow(omega * omega * line / data.rigidity, 0.25), length);
    const double square = integrate(basis, [&](double x) { return shape.value(x) * shape.value(x); });
    const double bend = integrate(basis, [&](double x) { return shape.curvature(x) * shape.curvature(x); });
    const double q = constant_of(modes, n, square, shape.value(length), data);
    shapes.push_back(shape);
    constants.push_back(q);
    squares.push_back(q * q * square);
    bends.push_back(q * q * bend);
    out.tip.push_back(q * shape.value(length));
  }

  const double total = line * length + data.tip_mass;
  const double equivalent = 1 / (1 / m + out.tip[0] * out.tip[0] / line);
  const double k1 = (equivalent + total) / (equivalent * total);
  out.contact_time = strike.contact_time.value_or(2.9432 / portable::pow(std::abs(v0), 0.2)
                                                  * portable::pow(5 / (4 * k1 * strike.stiffness), 0.4));
  const double duration = 1.0873 * out.contact_time, p = 2 * std::numbers::pi / duration;
  std::vector<double> b, rate;
  double r = 0;
  for (int n = 0; n < count; ++n) {
    const double omega = beam.frequency(n), decay = strike.ratios[n] * omega;
    const double damped = omega * std::sqrt(1 - strike.ratios[n] * strike.ratios[n]);
    const double k_1 = damped * (4 * decay * decay - omega * omega + p * p);
    const double k_2 = decay * (4 * decay * decay - 3 * omega * omega + p * p);
    const double d1 = decay * decay + (damped - p) * (damped - p),
                 d2 = decay * decay + (damped + p) * (damped + p);
    const double scale = out.tip[n] * p * p / (line * omega * omega * d1 * d2);
    const double angle = damped * duration;
    b.push_back(scale * (k_1 * angle - k_2));
    rate.push_back(scale * (-decay * (k_1 * angle - k_2) + damped * (k_1 + k_2 * angle)));
    r += m
       * (data.rigidity * bends[n] * b[n] * b[n]
          + (line * squares[n] + data.tip_mass * out.tip[n] * out.tip[n]) * rate[n] * rate[n]);
  }
  out.restitution = (1 - r) / (1 + r);
  out.impulse = m * v0 * (1 + out.restitution);
  for (int n = 0; n < count; ++n) {
    out.amplitude.push_back(out.impulse * b[n]);
    out.rate.push_back(out.impulse * rate[n]);
    const double square = out.rate[n] * out.rate[n];
    out.bending.push_back(0.5 * data.rigidity * bends[n] * out.amplitude[n] * out.amplitude[n]);
    out.moving.push_back(0.5 * line * squares[n] * square);
    out.moving_tip.push_back(0.5 * data.tip_mass * out.tip[n] * out.tip[n] * square);
  }
  out.ratio = r;

  // w = Σ u_n C_n in the shapes of the beam, which are orthogonal in mass, tip included.
  out.eta.assign(beam.size(), 0.0);
  out.eta_rate.assign(beam.size(), 0.0);
  for (int k = 0; k < beam.size(); ++k)
    for (int n = 0; n < count; ++n) {
      const double share =
          constants[n]
          * (line * integrate(basis, [&](double x) { return basis.value(k, x) * shapes[n].value(x); })
             + data.tip_mass * basis.value(k, length) * shapes[n].value(length))
          / beam.modal_mass();
      out.eta[k] += share * out.amplitude[n];
      out.eta_rate[k] += share * out.rate[n];
    }
  return out;
}

namespace {

namespace odeint = boost::numeric::odeint;

/// Lengths of steps as Odeint chooses them, but with powers that are the same everywhere.
struct PortableSteps : odeint::default_step_adjuster<double, double> {
  double decrease_step(double h, double error, int order) const {
    return h * std::max(0.9 * portable::pow(error, -1.0 / (order - 1)), 0.2);
  }
  double increase_step(double h, double error, int order) const {
    if (!(error < 0.5)) return h;
    return h * 0.9 * portable::pow(std::max(portable::pow(5.0, -order), error), -1.0 / order);
  }
};

}  // namespace

StrikeResult strike_by_impulse(const ElasticBeam& beam, const TipStrike& strike) {
  require_ball(strike);
  using State = std::vector<double>;
  const int n = beam.size();
  const double* tip = beam.end_shapes();
  const double side = strike.speed > 0 ? 1 : -1;  // the ball pushes to this side

  // η, η̇, place and velocity of the ball, impulse.
  const auto slope = [&](const State& y, State& d, double) {
    double deflection = 0;
    for (int k = 0; k < n; ++k) deflection += tip[k] * y[k];
    const double depth = side * (y[2 * n] - deflection);
    const double force = depth > 0 ? side * strike.stiffness * depth * std::sqrt(depth) : 0;
    for (int k = 0; k < n; ++k) {
      d[k] = y[n + k];
      d[n + k] = (tip[k] * force - beam.stiffness()[k] * y[k] - beam.damping_when_held()[k] * y[n + k])
               / beam.modal_mass();
    }
    d[2 * n] = y[2 * n + 1];
    d[2 * n + 1] = -force / strike.ball_mass;
    d[2 * n + 2] = force;
  };
  const auto indentation = [&](const State& y) {
    double deflection = 0;
    for (int k = 0; k < n; ++k) deflection += tip[k] * y[k];
    return side * (y[2 * n] - deflection);
  };
  State y(2 * static_cast<std::size_t>(n) + 3, 0.0);
  y[2 * n + 1] = strike.speed;
  const double mass = strike.ball_mass;
  const double guess =
      2.94 * portable::pow(1.25 * mass / strike.stiffness, 0.4) / portable::pow(std::abs(strike.speed), 0.2);
  using Method = odeint::runge_kutta_fehlberg78<State>;
  using Errors = odeint::default_error_checker<double, Method::algebra_type, Method::operations_type>;
  odeint::controlled_runge_kutta<Method, Errors, PortableSteps> stepper(Errors(1e-13, 1e-13),
                                                                        PortableSteps());
  double t = 0, h = 1e-4 * guess;
  State before = y;
  double began = 0;
  for (long steps = 0;; ++steps) {
    if (steps > 10'000'000 || t > 1e4 * guess)
      throw std::invalid_argument("the ball does not part from the beam");
    h = std::min(h, 0.05 * guess);
    before = y;
    began = t;
    if (stepper.try_step(slope, y, t, h) == odeint::fail) continue;
    if (t > 0.01 * guess && indentation(y) <= 0) break;
  }
  // The instant of parting, by halving the last step.
  Method plain;
  double low = 0, high = t - began;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    State trial = before;
    plain.do_step(slope, trial, began, middle);
    (indentation(trial) > 0 ? low : high) = middle;
    if (indentation(trial) > 0) y = trial;
  }
  StrikeResult out;
  out.contact_time = began + low;
  out.restitution = -y[2 * n + 1] / strike.speed;
  out.impulse = y[2 * n + 2];
  out.eta.assign(n, 0.0);
  for (int k = 0; k < n; ++k) out.eta_rate.push_back(tip[k] * out.impulse / beam.modal_mass());
  return out;
}

std::vector<double> frequencies_on_hub(const ElasticBeam& beam, double inertia) {
  const int n = beam.size();
  Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(n + 1, n + 1), stiffness = mass;
  mass(0, 0) = inertia;
  for (int k = 0; k < n; ++k) {
    mass(0, k + 1) = mass(k + 1, 0) = beam.first()[k];
    mass(k + 1, k + 1) = beam.modal_mass();
    stiffness(k + 1, k + 1) = beam.stiffness()[k];
  }
  const Eigen::VectorXd square = eigenvalues_of_pair(stiffness, mass);
  std::vector<double> out;
  for (int k = 1; k <= n; ++k) out.push_back(std::sqrt(std::max(0.0, square[k])));
  return out;
}

Rayleigh fit_rayleigh(double w1, double w2, double x1, double x2) {
  const double d = w2 * w2 - w1 * w1;
  return {2 * w1 * w2 * (x1 * w2 - x2 * w1) / d, 2 * (x2 * w2 - x1 * w1) / d};
}

}  // namespace thud
