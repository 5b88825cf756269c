#include "thud/event/solver.hpp"

#include <chrono>
#include <numbers>

#include "event/solver_impl.hpp"

namespace thud {

Solver::Solver(const System& system) : impl_(std::make_unique<Impl>(system)) {}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

double default_step(const System& system, Method method) {
  if (method != Method::newmark && method != Method::generalised_alpha) return 1e-6;
  double lowest = 0;
  for (int i = 0; i < system.dof_count(); ++i) {
    const double frequency = system.tree().dof_frequency(i);
    if (frequency > 0 && (lowest == 0 || frequency < lowest)) lowest = frequency;
  }
  return lowest > 0 ? 0.01 * 2 * std::numbers::pi / lowest : 1e-4;
}

namespace {

// Explicit steps follow the highest bending mode, whether it moves or not. Where it is damped, and far above the lowest
// one, implicit steps that follow the motion only are several times cheaper at the same accuracy (ten times with sixteen
// modes of a free link).
bool is_stiff(const Tree& tree) {
  constexpr double far_above = 100, damped = 1e-3;
  double lowest = std::numeric_limits<double>::infinity(), highest = 0;
  for (int i = 0; i < tree.body_count(); ++i) {
    const ElasticBeam* beam = tree.body(i).beam.get();
    for (int k = 0; beam && k < beam->size(); ++k) {
      const double frequency = beam->frequency(k);
      const double critical = 2 * beam->modal_mass() * frequency;
      if (!(beam->damping()[k] >= damped * critical && beam->damping_when_held()[k] >= damped * critical))
        return false;
      lowest = std::min(lowest, frequency);
      highest = std::max(highest, frequency);
    }
  }
  return highest > far_above * lowest;
}
// Radau's error estimate is less cautious than that of the explicit pair.
constexpr double implicit_share = 0.01, finest = 1e-14;

}  // namespace

Outcome Solver::run(const std::vector<double>& q, const std::vector<double>& v,
                    const std::vector<Condition>& conditions, const SolverOptions& options,
                    StepObserver* observer) {
  begin(q, v, conditions, options, observer);
  while (!impl_->run.is_done()) impl_->run.go_on();
  return end();
}

void Solver::begin(const std::vector<double>& q, const std::vector<double>& v,
                   const std::vector<Condition>& conditions, const SolverOptions& options,
                   StepObserver* observer) {
  impl_->started = std::chrono::steady_clock::now();
  Method method = options.method;
  // Beams are stiff: at the limit of stability the error estimate of a lower order is no use.
  const bool fine = options.tolerance < 1e-6 || impl_->system.tree().has_beams();
  SolverOptions complete = options;
  if (method == Method::automatic) {
    method = fine ? Method::dop853 : Method::dopri5;
    if (is_stiff(impl_->system.tree())) {
      method = Method::radau5;
      complete.tolerance = std::max(implicit_share * options.tolerance, finest);
    }
  }
  complete.method = method;
  if (!(complete.step > 0)) complete.step = default_step(impl_->system, method);
  impl_->method = method;
  const System& system = impl_->system;
  const bool spread = !system.of<SpreadSand>().empty() || !system.of<LeeSpread>().empty();
  impl_->run.set_stiff_stepper(options.method == Method::automatic && method == Method::dop853 && spread
                                   ? &impl_->stepper(Method::radau5)
                                   : nullptr);
  impl_->run.start(impl_->stepper(method), q, v, conditions, complete, observer);
}

Outcome Solver::end() {
  Outcome out = impl_->run.take_outcome();
  out.method = impl_->method;
  out.stats.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - impl_->started).count();
  return out;
}

}  // namespace thud
