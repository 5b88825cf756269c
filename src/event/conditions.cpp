#include "event/conditions.hpp"

#include <algorithm>
#include <cmath>

namespace thud {

void Conditions::start(const std::vector<Condition>& conditions, std::vector<Hit>& hits,
                       const std::vector<Transition>& watched) {
  conditions_ = conditions;
  hits_ = &hits;
  hits.resize(conditions.size());
  wanted_ = conditions.size();
  for (const Transition& t : watched) conditions_.push_back(t.when);
  watched_.assign(watched.size(), 0);
  sign_.assign(size(), 0);
  size_.assign(size(), 0.0);
  start_.assign(size(), 0.0);
  end_.assign(size(), 0.0);
  past_.assign(size(), {});
  for (std::size_t c = 0; c < size(); ++c) {
    const double x = start_[c] = value(c, state_.t, state_.y.data());
    size_[c] = std::max(std::abs(x), std::abs(conditions_[c].target));
    sign_[c] = x > 0 ? 1 : x < 0 ? -1 : 0;
  }
}

bool Conditions::all_found() const {
  return std::all_of(hits_->begin(), hits_->end(), [](const Hit& h) { return h.found; });
}

double Conditions::value(std::size_t c, double t, const double* y) const {
  return observe_finite(state_.system, conditions_[c].what, t, y, state_.work) - conditions_[c].target;
}

bool Conditions::crosses(std::size_t c, double x) const {
  if (!is_open(c)) return false;
  const int from = sign_[c], wanted = conditions_[c].direction;
  if (from < 0 && x > 0) return wanted >= 0;
  if (from > 0 && x < 0) return wanted <= 0;
  return false;
}

bool Conditions::any_crosses(double t, const double* y) const {
  for (std::size_t c = 0; c < size(); ++c)
    if (crosses(c, value(c, t, y))) return true;
  return false;
}

void Conditions::note_end(double t, const double* y) {
  for (std::size_t c = 0; c < size(); ++c) end_[c] = value(c, t, y);
}

void Conditions::note_start(double t, const double* y) {
  for (std::size_t c = 0; c < size(); ++c) start_[c] = value(c, t, y);
}

void Conditions::accept(double t, const double* y) {
  for (std::size_t c = 0; c < size(); ++c) accept_value(c, t, value(c, t, y));
}

void Conditions::accept_value(std::size_t c, double t, double x) {
  start_[c] = x;
  size_[c] = std::max(size_[c], std::abs(x));
  past_[c].add(t, x, is_open(c));
  if (std::abs(x) > 1e-12 * size_[c] && !crosses(c, x)) sign_[c] = x > 0 ? 1 : -1;
}

bool Conditions::is_reached(std::size_t c, double t, const double* y, double share) const {
  if (!is_open(c)) return false;
  const int wanted = conditions_[c].direction, from = sign_[c];
  const bool approached = from != 0 && (wanted == 0 || from == -wanted);
  return approached && std::abs(value(c, t, y)) <= share * size_[c];
}

double Conditions::expected(double t, double far) const {
  double first = far;
  for (const Past& p : past_) {
    if (p.count < 3) continue;
    // Newton's form of the parabola through (t_k, x_k), solved by two corrections of its secant.
    const double a = t - p.t[1], b = p.t[1] - p.t[0];
    const double s1 = (p.x[2] - p.x[1]) / a, s0 = (p.x[1] - p.x[0]) / b;
    const double curvature = (s1 - s0) / (a + b), slope = s1 + curvature * a;
    double dt = -p.x[2] / slope;
    for (int i = 0; i < 3; ++i) dt = -p.x[2] / (slope + curvature * dt);
    if (dt > 0 && dt * overshoot < first) first = dt * overshoot;
  }
  return first;
}

}  // namespace thud
