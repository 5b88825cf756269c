#include "scenario/integrals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

#include "thud/base/law_error.hpp"
#include "thud/dynamics/element_power.hpp"

namespace thud {

namespace {

// What a part of a step may err by, of the integral of the size up to then.
constexpr double accuracy = 1e-11;
// Enough to close in on a jump in two places; where rounding is all that is left, halving would not end.
constexpr int most_halvings = 150;

bool is_integral(const ResultSpec& r) {
  using Kind = ResultSpec::Kind;
  return r.kind == Kind::integral || r.kind == Kind::mean || r.kind == Kind::rms
      || r.kind == Kind::impulse_of_contact || r.kind == Kind::work_of_elements;
}

// Instants nearer than this are one: what a run steps over at events.
double close_to(double t) { return 2e-12 + 4e-15 * std::abs(t); }

}  // namespace

Integrals::Integrals(const Scenario& s, const std::vector<char>& asked) : scenario_(s) {
  for (std::size_t k = 0; k < s.results.size(); ++k)
    if (asked[k] && is_integral(s.results[k])) watched_.push_back({&s.results[k], k});
  if (watched_.empty()) return;
  s.system->prepare(work_);
  y_.resize(s.system->state_size());
  slope_.resize(y_.size());
  rule_.resize(watched_.size());
}

void Integrals::reset(StepObserver* next, double start, std::vector<double> instants) {
  next_ = next;
  if (watched_.empty()) return;
  instants_ = std::move(instants);
  std::sort(instants_.begin(), instants_.end(), std::greater<>());
  sum_.assign(watched_.size(), 0.0);
  size_.assign(watched_.size(), 0.0);
  times_ = {start};
  sums_ = sum_;
}

void Integrals::on_step(StepView& step) {
  double from = step.begin();
  halvings_ = most_halvings;
  while (!instants_.empty() && instants_.back() < step.end()) {
    const double t = instants_.back();
    instants_.pop_back();
    if (!(t > from)) continue;
    integrate(step, from, t);
    times_.push_back(from = t);
    sums_.insert(sums_.end(), sum_.begin(), sum_.end());
  }
  integrate(step, from, step.end());
  times_.push_back(step.end());
  sums_.insert(sums_.end(), sum_.begin(), sum_.end());
  if (next_) next_->on_step(step);
}

void Integrals::integrate(StepView& step, double from, double to) {
  if (!(to > from)) return;
  apply_rule(step, from, to);
  bool good = true;
  for (std::size_t k = 0; k < rule_.size(); ++k) {
    const double error = std::abs(rule_[k].kronrod - rule_[k].gauss);
    good = good && error <= accuracy * std::max(size_[k], rule_[k].size);
  }
  const double middle = from + 0.5 * (to - from);
  if (good || halvings_ == 0 || !(middle > from && middle < to)) {
    for (std::size_t k = 0; k < rule_.size(); ++k) {
      sum_[k] += rule_[k].kronrod;
      size_[k] += rule_[k].size;
    }
    return;
  }
  --halvings_;
  integrate(step, from, middle);
  integrate(step, middle, to);
}

void Integrals::apply_rule(StepView& step, double from, double to) {
  using Kronrod = boost::math::quadrature::gauss_kronrod<double, nodes>;
  using Gauss = boost::math::quadrature::gauss<double, nodes / 2>;
  const auto& x = Kronrod::abscissa();  // from 0 on; every other one is a node of Gauss
  const double half = 0.5 * (to - from), middle = from + half;
  std::fill(rule_.begin(), rule_.end(), Rule{});
  for (int i = -(nodes / 2); i <= nodes / 2; ++i) {
    const auto n = static_cast<std::size_t>(std::abs(i));
    const double t = middle + (i < 0 ? -half : half) * x[n];
    step.state(t, y_.data());
    scenario_.system->evaluate(t, y_.data(), step.mode(), work_, slope_.data());
    for (std::size_t k = 0; k < watched_.size(); ++k) {
      const double value = half * read(watched_[k], t, step.mode());
      rule_[k].kronrod += Kronrod::weights()[n] * value;
      rule_[k].size += Kronrod::weights()[n] * std::abs(value);
      if (n % 2 == 0) rule_[k].gauss += Gauss::weights()[n / 2] * value;
    }
  }
}

double Integrals::read(const Watched& w, double t, const Mode& mode) const {
  const System& system = *scenario_.system;
  const ResultSpec& r = *w.result;
  if (r.kind == ResultSpec::Kind::work_of_elements) {
    double power = 0;
    for (const SwitchRef& e : r.elements) power += element_power(system, e, t, y_.data(), mode, work_);
    return power;
  }
  const double x = observe_finite(system, r.what, t, y_.data(), work_);
  return r.kind == ResultSpec::Kind::rms ? x * x : x;
}

std::optional<std::size_t> Integrals::find(double t) const {
  const auto next = std::lower_bound(times_.begin(), times_.end(), t);
  std::optional<std::size_t> best;
  for (auto it = next == times_.begin() ? next : next - 1; it != times_.end() && it <= next; ++it)
    if (std::abs(*it - t) <= close_to(t) && (!best || std::abs(*it - t) < std::abs(times_[*best] - t)))
      best = static_cast<std::size_t>(it - times_.begin());
  return best;
}

std::optional<double> Integrals::between(std::size_t result, double from, double to) const {
  const auto a = find(from), b = find(to);
  if (!a || !b) return std::nullopt;
  for (std::size_t k = 0; k < watched_.size(); ++k)
    if (watched_[k].number == result)
      return sums_[*b * watched_.size() + k] - sums_[*a * watched_.size() + k];
  return std::nullopt;
}

}  // namespace thud
