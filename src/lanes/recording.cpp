#include "lanes/recording.hpp"

#include <algorithm>

#include "dynamics/observe.hpp"
#include "dynamics/sizes.hpp"
#include "thud/dynamics/system_impl.hpp"

namespace thud::lanes {

bool Recording::has_shape_of(const Recording& other) const {
  const auto same = [](const Node& a, const Node& b) { return a.op == b.op && a.a == b.a && a.b == b.b; };
  const auto same_way = [](const Assumption& a, const Assumption& b) {
    return a.node == b.node && a.outcome == b.outcome;
  };
  return std::equal(nodes.begin(), nodes.end(), other.nodes.begin(), other.nodes.end(), same)
      && std::equal(assumptions.begin(), assumptions.end(), other.assumptions.begin(),
                    other.assumptions.end(), same_way)
      && rates == other.rates && guards == other.guards && conditions == other.conditions
      && distances == other.distances && closing == other.closing && kinetic == other.kinetic
      && energy == other.energy && reports == other.reports && is_rough == other.is_rough;
}

bool can_be_recorded(const System& system, const std::vector<Condition>& conditions) {
  for (const Condition& c : conditions)
    if (c.what.quantity == Quantity::own) return false;
  if (!system.of<Controller>().empty() || !system.of<PrescribedMotion>().empty()) return false;
  for (const Bed& b : system.beds())
    if (std::holds_alternative<OwnLaw>(b.law) || is_spread<double>(b.law)) return false;
  bool varies = false;
  system.each([&]<class E>(const E& e, int) {
    if constexpr (requires { e.torque.varies; }) varies = varies || e.torque.varies || e.torque.drive;
    if constexpr (requires { e.wind.varies; }) varies = varies || e.wind.varies || e.wind.drive;
    if constexpr (requires { e.x.varies; })
      varies = varies || e.x.varies || e.x.drive || e.z.varies || e.z.drive;
  });
  return !varies;
}

namespace {
// Rows are numbered by sixteen bits.
constexpr std::size_t most_nodes = 40000;
}  // namespace

Recording Tracer::record(const System& system, const Mode& mode, double t, const double* y,
                         const Scales& scales, const std::vector<Condition>& conditions,
                         const std::vector<Observable>& reports) {
  Recorder recorder;
  Recording out;
  const int total = out.state_size = system.state_size();
  if (prepared_ != &system) system.prepare(work_);
  prepared_ = &system;
  std::vector<Traced> state, slope(total);
  for (int i = 0; i < total; ++i) state.emplace_back(y[i], recorder.push(Op::input, i));
  const Traced time(t, recorder.push(Op::input, total));

  system.evaluate(t, state.data(), mode, work_, slope.data());
  for (const Traced& x : slope) out.rates.push_back(x.node());
  out.assumptions_of_rates = recorder.assumptions.size();
  system.guards(mode, work_, scales, [&](const Traced& value, double, const GuardId& id) {
    out.guards.push_back(value.node());
    out.ids.push_back(id);
    out.is_rough.push_back(recorder.is_rough);
    recorder.is_rough = false;
  });
  for (const Condition& c : conditions)
    out.conditions.push_back(
        (detail::observe_state(system, c.what, time, state.data(), work_) - c.target).node());
  const Scene scene = system.scene();
  system.each([&]<class E>(const E& e, int k) {
    const auto put = [&](const Traced& distance, const Traced& rate) {
      out.distances.push_back(distance.node());
      out.closing.push_back(rate.node());
    };
    if constexpr (requires { e.approaches(scene, mode.of<E>()[k], work_.frames, work_.of<E>()[k], put); })
      e.approaches(scene, mode.of<E>()[k], work_.frames, work_.of<E>()[k], put);
  });
  const Traced kinetic = system.tree().kinetic_energy(work_.frames);
  out.kinetic = kinetic.node();
  out.energy = (kinetic + system.tree().potential_energy(work_.frames, system.gravity())
                + system.tree().strain_energy(work_.frames) + system.stored_energy(work_))
                   .node();
  out.assumptions_of_looks = recorder.assumptions.size();
  for (const Observable& o : reports)
    out.reports.push_back(detail::observe_state(system, o, time, state.data(), work_).node());
  out.is_usable = !recorder.leaked && recorder.nodes.size() < most_nodes;
  out.nodes = std::move(recorder.nodes);
  out.constants = std::move(recorder.constants);
  out.assumptions = std::move(recorder.assumptions);
  return out;
}

Recording record_start(const System& system, const std::vector<double>& knobs, const StartRule& rule) {
  Recorder recorder;
  Recording out;
  out.state_size = static_cast<int>(knobs.size());
  std::vector<Traced> inputs;
  for (std::size_t k = 0; k < knobs.size(); ++k)
    inputs.emplace_back(knobs[k], recorder.push(Op::input, static_cast<std::int32_t>(k)));
  TracedStart start;
  if (!rule(inputs, start)) return out;
  Frames<Traced> frames;
  frames.resize(system.tree());
  system.tree().kinematics(start.q.data(), start.v.data(), frames);
  const double length = measure_length(system);
  const MotionSizes<Traced> motion = measure_motion(system, frames, length);
  for (const auto* list : {&start.q, &start.v})
    for (const Traced& x : *list) out.rates.push_back(x.node());
  out.kinetic = out.energy = motion.overall(length, measure_gravity(system)).node();
  out.rates.push_back(out.kinetic);
  out.rates.push_back(motion.reach.node());
  for (const Traced& x : start.numbers) out.rates.push_back(x.node());
  out.assumptions_of_rates = out.assumptions_of_looks = recorder.assumptions.size();
  out.is_usable = !recorder.leaked;
  out.nodes = std::move(recorder.nodes);
  out.constants = std::move(recorder.constants);
  out.assumptions = std::move(recorder.assumptions);
  return out;
}

}  // namespace thud::lanes
