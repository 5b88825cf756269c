#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/impact_parts.hpp"

namespace thud::impact_parts {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// Two corners that are this close together, relative to the impulse up to them, are one.
constexpr double coincidence = 1e-13;
// An impulse that opens the contact by less than this, relative to γ, does not open it at all: W is singular. What was
// compressed nearly so is not given back: the impulses would be without bound.
constexpr double wedge = 1e-13, wedge_in_restitution = 1e-9;
// More friction than this, in units of √(γ/α), is no different from infinite friction.
constexpr double rough = 1e12;

// The change of T, s and c per normal impulse.
template <class T>
struct SlopeOf {
  T t{}, s{}, c{};
};

// The way through the impulse plane (T, F), from corner to corner:
//   s = s₀ + α T + ε F,   c = c₀ + ε T + γ F.
template <class Problem>
class Way {
  using T = ScalarOf<Problem>;
  using Slope = SlopeOf<T>;

 public:
  explicit Way(const Problem& p)
      : p_(p),
        alpha_(p.matrix[0] > 1e-24 * p.matrix[3] ? p.matrix[0] : T(0)),
        gamma_(p.matrix[3]),
        e_(p.restitution[0]),
        s_(p.velocity[0]),
        c_(p.velocity[1]) {
    using std::sqrt;
    const T most = sqrt(alpha_ * std::max(gamma_, T(0)));  // W is positive semidefinite, up to rounding
    epsilon_ = std::clamp(0.5 * (p.matrix[1] + p.matrix[2]), -most, most);
    mu_ = alpha_ > T(0) ? std::min(p.friction[0], rough * sqrt(gamma_ / alpha_)) : p.friction[0];
    if (!(value_of(mu_) <= std::numeric_limits<double>::max()))
      mu_ = T(0);  // α = 0: friction without any effect
    slip_ = s_ > T(0) ? 1 : s_ < T(0) ? -1 : 0;
    if (slip_ == 0) leave_rest();
    started_slipping_ = value_of(s_) != 0;
    out_.path.reserve(5);
  }

  ResultOf<Problem> run() {
    add_corner(ImpactCorner::start);
    if (!(gamma_ > T(0)) || !compress()) {
      out_ = make_untouched(p_);
      out_.solved = false;
      out_.name = "unsolved";
      out_.note = "no impulse at this contact can stop its approach";
      return std::move(out_);
    }
    restore();
    add_corner(ImpactCorner::end);
    finish();
    return std::move(out_);
  }

 private:
  Slope slope() const {
    if (slip_ != 0) {
      const T t = -mu_ * slip_;
      T c = opening(gamma_ + epsilon_ * t);
      if (p_.jams && !restoring_) c = std::min(c, T(0));  // up to the edge of what sliding can do
      return {t, epsilon_ + alpha_ * t, c};
    }
    if (!(alpha_ > T(0))) return {T(0), T(0), gamma_};
    return {-epsilon_ / alpha_, T(0), std::max(T(0), opening(gamma_ - epsilon_ * (epsilon_ / alpha_)))};
  }
  T opening(T c) const {
    using std::abs;
    return abs(c) > (restoring_ ? wedge_in_restitution : wedge) * gamma_ ? c : T(0);
  }

  static bool is_never(const T& x) { return value_of(x) == never; }
  bool are_together(const T& a, const T& b, const T& x) const {
    return std::abs(value_of(a) - value_of(b)) <= coincidence * value_of(f_ + x);
  }

  // From s = 0: friction holds the contact if μ ≥ |ε|/α, otherwise it slips the way that ε F pushes it.
  void leave_rest() {
    using std::abs;
    if (mu_ * alpha_ >= abs(epsilon_))
      slip_ = 0;
    else
      slip_ = epsilon_ > T(0) ? 1 : -1;
  }

  // Normal impulse until the slip vanishes.
  T until_rest(const Slope& d) const { return slip_ * d.s < T(0) && s_ * d.s < T(0) ? -s_ / d.s : T(never); }

  void advance(const Slope& d, T x) {
    work_normal_ += (c_ + 0.5 * d.c * x) * x;
    work_friction_ += (s_ + 0.5 * d.s * x) * d.t * x;
    t_ += d.t * x;
    f_ += x;
    s_ += d.s * x;
    c_ += d.c * x;
    if (slip_ != 0 && d.c < T(0)) out_.jam = true;
  }

  void arrive_at_rest() {
    s_ = T(0);
    const int before = slip_;
    leave_rest();
    if (value_of(mu_) == 0) return;  // it only passes
    const bool sticks = slip_ == 0;
    if (!sticks && slip_ == before) return;  // rounding, at critical friction
    turned_ = sticks ? "slip-stick" : "reversal";
    turned_in_compression_ = !restoring_;
    add_corner(sticks ? ImpactCorner::stick : ImpactCorner::reversal);
  }

  bool compress() {
    const double c0 = std::abs(value_of(c_));
    for (int piece = 0; piece < 4; ++piece) {
      const Slope d = slope();
      const T end = d.c > T(0) ? -c_ / d.c : T(never), rest = until_rest(d);
      if (is_never(end) && is_never(rest)) {
        if (value_of(c_) < -1e-11 * c0) return false;
        c_ = T(0);  // W is singular, and slip and approach have vanished together
        break;
      }
      const bool together = are_together(end, rest, std::min(end, rest));
      if (rest < end && !together) {
        advance(d, rest);
        arrive_at_rest();
        continue;
      }
      advance(d, end);
      c_ = T(0);
      if (together) s_ = T(0);
      break;
    }
    if (value_of(c_) != 0) return false;
    add_corner(ImpactCorner::compression);
    compression_ = f_;
    stored_ = std::max(T(0), -e_ * e_ * work_normal_);
    if (slip_ != 0 && value_of(s_) == 0 && started_slipping_ && turned_ == nullptr) arrive_at_rest();
    restoring_ = true;
    return true;
  }

  // Normal impulse until the law ends the impact; with `stored_` what is left of the energy.
  T until_end(const Slope& d) const {
    switch (p_.law) {
      case RestitutionLaw::poisson: return std::max(T(0), (1 + e_) * compression_ - f_);
      case RestitutionLaw::newton:
        return d.c > T(0) ? std::max(T(0), (-e_ * p_.velocity[1] - c_) / d.c) : T(never);
      case RestitutionLaw::stronge: break;
    }
    using std::sqrt;
    if (!(stored_ > T(0))) return T(0);
    const T root = c_ + sqrt(c_ * c_ + 2 * d.c * stored_);
    return root > T(0) ? 2 * stored_ / root : T(never);
  }

  void restore() {
    for (int piece = 0; piece < 3; ++piece) {
      const Slope d = slope();
      const T end = until_end(d), rest = until_rest(d);
      if (is_never(end) && is_never(rest)) {  // held by its own friction, for W is singular
        out_.note = "friction holds the contact at its greatest compression: nothing is given back";
        return;
      }
      const T x = std::min(end, rest);
      stored_ -= (c_ + 0.5 * d.c * x) * x;
      advance(d, x);
      const bool together = are_together(end, rest, x);
      if (rest <= end || together) arrive_at_rest();
      if (end <= rest || together) break;
    }
    if (p_.law == RestitutionLaw::newton) c_ = -e_ * p_.velocity[1];
  }

  void add_corner(ImpactCorner corner) {
    auto& point = out_.path.emplace_back();
    point.corner = corner;
    point.impulse = {t_, f_};
    point.velocity = {s_, c_};
  }

  void finish() {
    out_.impulse = {t_, f_};
    out_.velocity = {s_, c_};
    out_.work_normal = {work_normal_};
    out_.work_friction = {work_friction_};
    set_energy(p_, out_);
    name();
    if (p_.law == RestitutionLaw::newton && out_.gains())
      out_.note = fmt::format("Newton's law gains energy here: {:.4g} J; Poisson's and Stronge's do not",
                              value_of(out_.energy_change));
  }

  void name() {
    if (value_of(mu_) == 0)
      out_.name = "frictionless";
    else if (turned_ != nullptr)
      out_.name = std::string(turned_) + (turned_in_compression_ ? " in compression" : " in restitution");
    else if (started_slipping_)
      out_.name = "slip";
    else
      out_.name = slip_ == 0 ? "stick" : "slip from rest";
    if (out_.jam || p_.jams) out_.name += ", jam";
  }

  const Problem& p_;
  T alpha_, epsilon_{}, gamma_, mu_{}, e_;
  T s_, c_, t_{}, f_{};
  T work_normal_{}, work_friction_{};
  T compression_{}, stored_{};
  int slip_ = 0;  // sign of the slip; 0: sticks
  bool started_slipping_ = false, restoring_ = false, turned_in_compression_ = false;
  const char* turned_ = nullptr;
  ResultOf<Problem> out_;
};

}  // namespace

template <class Problem>
ResultOf<Problem> solve_single(const Problem& problem) {
  if (value_of(problem.velocity[1]) >= 0 && !problem.jams) return make_untouched(problem);
  return Way<Problem>(problem).run();
}

template ImpactResult solve_single(const ImpactProblem&);
THUD_WITH_DUALS(template ImpactResultOf<Dual<double>> solve_single(const ImpactProblemOf<Dual<double>>&);)

}  // namespace thud::impact_parts
