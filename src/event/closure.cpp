#include "event/closure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace thud {

namespace {
// Of the size of the system: below it a gap is rounding, above it a loop is open.
constexpr double met = 1e-15, open = 1e-6;
}  // namespace

Closure::Closure(const System& system) : system_(system) {
  const std::size_t k = system.constraints().size();
  offset_.assign(k, 0.0);
  rest_.assign(k, 0.0);
  if (!exists()) return;
  system.prepare(own_);
  slope_.resize(system.state_size());
}

double Closure::size_of(std::size_t c, const Scales& scales) const {
  return system_.constraint_turns(system_.constraints()[c]) ? 1.0 : scales.length;
}

std::string Closure::start(double t, const double* y, const Scales& scales, const Work<double>& work) {
  fault_.clear();
  for (std::size_t c = 0; c < offset_.size(); ++c) {
    const SwitchRef which = system_.constraints()[c];
    const double gap = system_.constraint_gap(which, t, y, work.frames);
    const double rate = system_.constraint_rate(which, t, work.frames);
    const double size = size_of(c, scales);
    const char* unit = system_.constraint_turns(which) ? "rad" : "m";
    offset_[c] = system_.keeps_offset(which) ? gap : 0.0;
    if (std::abs(gap - offset_[c]) > open * size)
      return fmt::format("{} is not closed at the start: {:.3g} {} are missing", system_.element_name(which),
                         std::abs(gap), unit);
    if (std::abs(rate) > open * scales.speed / scales.length * size)
      return fmt::format("the velocities of the start tear {} apart with {:.3g} {}/s",
                         system_.element_name(which), std::abs(rate), unit);
  }
  return {};
}

// x −= M⁻¹Jᵀ(J M⁻¹Jᵀ)⁻¹ rest
void Closure::shift(double* x, const Work<double>& work) {
  const Constrained<double>& c = work.constrained;
  const int n = system_.dof_count(), k = static_cast<int>(rest_.size());
  solve_independent(c.factor.data(), c.kept.data(), rest_.data(), k);
  for (int a = 0; a < k; ++a)
    for (int i = 0; i < n; ++i) x[i] -= c.applied[a * n + i] * rest_[a];
}

// The rows of the start serve all rounds: what has drifted is small.
bool Closure::close_gaps(double t, double* y, const Scales& scales, Work<double>& work) {
  const int n = system_.dof_count();
  double before = HUGE_VAL;
  bool changed = false;
  for (int round = 0; round < 10; ++round) {
    double worst = 0;
    for (std::size_t c = 0; c < rest_.size(); ++c) {
      rest_[c] = system_.constraint_gap(system_.constraints()[c], t, y, work.frames) - offset_[c];
      if (work.constrained.kept[c]) worst = std::max(worst, std::abs(rest_[c]) / size_of(c, scales));
    }
    if (worst <= met * std::max(1.0, scales.reach / scales.length) || !(worst < 0.5 * before)) break;
    before = worst;
    shift(y, work);
    system_.tree().kinematics(y, y + n, work.frames);
    changed = true;
  }
  return changed;
}

bool Closure::stop_closing(double t, double* y, const Scales& scales, Work<double>& work) {
  const int n = system_.dof_count();
  double before = HUGE_VAL;
  bool changed = false;
  for (int round = 0; round < 10; ++round) {
    double worst = 0;
    for (std::size_t c = 0; c < rest_.size(); ++c) {
      rest_[c] = system_.constraint_rate(system_.constraints()[c], t, work.frames);
      if (work.constrained.kept[c])
        worst = std::max(worst, std::abs(rest_[c]) * scales.length / (size_of(c, scales) * scales.speed));
    }
    if (worst <= met || !(worst < 0.5 * before)) break;
    before = worst;
    shift(y + n, work);
    system_.tree().kinematics(y, y + n, work.frames);
    changed = true;
  }
  return changed;
}

// Conditions that were left out because others imply them must be met by those.
void Closure::look_for_fault(double t, const double* y, const Scales& scales, const Work<double>& work) {
  if (!fault_.empty()) return;
  for (std::size_t c = 0; c < rest_.size(); ++c) {
    const SwitchRef which = system_.constraints()[c];
    const double gap = system_.constraint_gap(which, t, y, work.frames) - offset_[c];
    if (std::abs(gap) <= open * size_of(c, scales)) continue;
    fault_ = fmt::format(
        "{} cannot be kept at t = {:.9g} s: {:.3g} {} are missing, and what else holds the bodies leaves no "
        "way to close it",
        system_.element_name(which), t, std::abs(gap), system_.constraint_turns(which) ? "rad" : "m");
    return;
  }
}

bool Closure::keep(double t, double* y, const Scales& scales, Work<double>& work) {
  const bool moved = close_gaps(t, y, scales, work);
  const bool pushed = stop_closing(t, y, scales, work);
  look_for_fault(t, y, scales, work);
  return moved || pushed;
}

std::string Closure::toggle(const Work<double>& work) const {
  constexpr double near = 1e-6;
  for (std::size_t c = 0; c < rest_.size(); ++c)
    if (work.constrained.share[c] < near)
      return fmt::format("; {} is in a toggle position here, where how it goes on is not decided",
                         system_.element_name(system_.constraints()[c]));
  return {};
}

void Closure::keep_sample(double t, double* y, const Mode& mode, const Scales& scales) {
  system_.evaluate(t, y, mode, own_, slope_.data());
  keep(t, y, scales, own_);
}

}  // namespace thud
