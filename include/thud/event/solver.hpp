#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "thud/dynamics/observable.hpp"
#include "thud/dynamics/system.hpp"
#include "thud/event/control.hpp"
#include "thud/step/options.hpp"

namespace thud {

/// The N-th event of a kind; of stick and release those of joints count.
struct EventCount {
  EventKind kind = EventKind::settle;
  int number = 1;
};

struct SolverOptions : StepOptions {
  bool stop_at_rest = true;
  bool stop_when_all_found =
      false;               ///< ends when every condition has been met once, and the next two are there
  int impacts_wanted = 0;  ///< the states around that many impacts are kept
  std::vector<EventCount> events_wanted;  ///< so many of a kind
  long max_steps = 10'000'000;
  const std::atomic<bool>* cancel = nullptr;
  std::shared_ptr<const ControlPlan> control{};  ///< of the system's controllers
};

inline constexpr long max_logged_impacts = 10'000;

enum class StopReason : std::uint8_t {
  condition,
  all_found,
  rest,
  time_limit,
  bottom,
  painleve,  ///< a sliding contact for which rigid bodies with Coulomb friction give no answer
  cancelled,
  failed
};
const char* stop_reason_name(StopReason reason);

const char* event_kind_name(EventKind kind);

struct Event {
  double time = 0;
  EventKind kind = EventKind::start;
  SwitchRef which{};  ///< the element and its switch; index: of an impact or a condition, too
  std::int8_t before = 0, after = 0;
};
/// When the N-th event of a kind was; empty when there were fewer.
std::optional<double> time_of_event(const std::vector<Event>& events, EventCount which);
/// "link: vertical", "link", …
std::string event_subject(const System& system, const Event& event);
/// The mode before or after in words: "slipping +", "held", …
std::string event_state(const System& system, const Event& event, bool after);

/// A condition that was met.
struct Hit {
  bool found = false;
  double time = 0;
  std::vector<double> state;
  Mode mode;
};

struct Statistics {
  long steps = 0, rejected = 0, evaluations = 0, events = 0;
  double wall_seconds = 0;
};

struct EnergyAccount {
  double initial = 0, final = 0;
  double supplied = 0;       ///< work of torques
  std::vector<double> lost;  ///< per channel of System::channels(); torque's entry is 0
  double settled = 0;        ///< kinetic energy removed when the motion was declared at rest
  double residual = 0;       ///< E₀ + W − E − Σ losses, relative to the largest energy exchanged
};

/// What a fixed-step method takes when it is not told: 1 µs, and of the implicit ones a hundredth of the longest period of
/// bending, or 0.1 ms without beams.
double default_step(const System& system, Method method);

/// One impact: of a contact, or of several at once.
struct ImpactRecord {
  double time = 0;
  std::vector<int> contacts;  ///< in the order of the rows of the problem
  ImpactProblem problem;
  ImpactResult result;
  double energy_before = 0, energy_after = 0;  ///< kinetic [J]
  double supplied = 0;  ///< by prescribed motions, which go on while they are struck [J]

  double lost() const { return energy_before + supplied - energy_after; }
  std::vector<Vec> joints;  ///< impulse on each body by the joint that carries it [N s]; zero of free bodies
  std::vector<double> constraints;  ///< impulses in loops and prescribed joints, of System::constraints()
};

/// The states just before and after the instant of an impact; impacts at the same instant share them.
struct ImpactStates {
  std::vector<double> before, after;
  Mode mode_before, mode_after;
};

/// How far beams were taken, for the limits of their theory.
struct BeamUse {
  double deflection = 0;  ///< largest |w| of a tip or start over the length of its beam
  int bent = 0;           ///< the body it was seen on
  double spin = 0;        ///< largest |q̇| over the lowest frequency of a beam
  int spun = 0;
};

/// A quantity that left the range in which the law of a bed was calibrated.
struct RangeUse {
  enum Quantity : std::uint8_t { speed, depth, size };
  int bed = 0;
  Quantity quantity = speed;
  int body = 0;      ///< that went farthest
  double most = 0;   ///< SI
  double limit = 0;  ///< that it is beyond
  double time = 0;   ///< when it was passed first
};

struct Outcome {
  StopReason reason = StopReason::failed;
  std::string message;  ///< why a run failed
  int condition = -1;   ///< which condition stopped it
  double time = 0;
  std::vector<double> state;
  Mode mode;
  std::vector<Hit> hits;  ///< one per condition
  std::vector<Event> events;
  std::vector<ImpactRecord> impacts;  ///< the first `max_logged_impacts`
  long impact_count = 0;
  std::vector<ImpactStates> around;  ///< the first SolverOptions::impacts_wanted impacts
  EnergyAccount energy;
  Statistics stats;
  BeamUse beams;
  std::vector<RangeUse> out_of_range;  ///< one for each bed and quantity
  Method method = Method::automatic;   ///< that was used
};

/// A stretch of time for which the friction of a joint held it.
struct StickInterval {
  int body = 0;
  double from = 0, to = 0;
};
/// In the order of the bodies, and for each in that of time; up to the end of the run.
std::vector<StickInterval> stick_intervals(const System& system, const Outcome& outcome, double start = 0);

/// One accepted step, offered to an observer.
class StepView {
 public:
  virtual ~StepView() = default;
  virtual double begin() const = 0;
  virtual double end() const = 0;
  virtual const Mode& mode() const = 0;
  /// State at a time of the step, from the continuous extension.
  virtual void state(double t, double* y) = 0;
};

class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void on_step(StepView& step) = 0;
};

/// The event-driven solver: integrates a smooth right-hand side in each mode, locates every guard, and selects the
/// next consistent mode, all switches together (docs/theory/switches.md). Reusable; one per thread.
class Solver {
 public:
  explicit Solver(const System& system);
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  /// Runs from the given coordinates and velocities.
  [[nodiscard]] Outcome run(const std::vector<double>& q, const std::vector<double>& v,
                            const std::vector<Condition>& conditions, const SolverOptions& options,
                            StepObserver* observer = nullptr);

  /// The same from outside, step by step: who drives it calls begin(), then end() when the run is done (lanes/team.hpp).
  struct Impl;
  Impl& impl() { return *impl_; }
  void begin(const std::vector<double>& q, const std::vector<double>& v,
             const std::vector<Condition>& conditions, const SolverOptions& options, StepObserver* observer);
  [[nodiscard]] Outcome end();

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace thud
