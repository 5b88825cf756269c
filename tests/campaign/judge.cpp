#include "campaign/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <regex>

#include "campaign/oracle.hpp"
#include "thud/base/error.hpp"
#include "thud/scenario/run.hpp"

namespace thud::campaign {

namespace {

// Of the energy that was exchanged. A compliant contact is stiff, and its force has a corner at both ends.
constexpr double residual_bound = 1e-8, compliant_bound = 1e-7;
constexpr double overlap_bound = 1e-9;  // of the size
constexpr double gain_bound = 1e-9;     // of the energy

std::atomic<bool> interrupted{false};

/// Follows the gaps of rigid contacts from step to step, where the solver has put right what the last step let drift.
class Overlaps : public StepObserver {
 public:
  explicit Overlaps(const System& system)
      : system_(system),
        state_(system.state_size()),
        slope_(system.state_size()) {
    system.prepare(work_);
    for (const Contact& c : system.contacts()) any_ = any_ || !c.law.compliant;
  }

  void on_step(StepView& step) override {
    if (!any_) return;
    step.state(step.begin(), state_.data());
    look(step.begin(), state_, step.mode());
  }
  void look(double t, const std::vector<double>& state, const Mode& mode) {
    if (!any_) return;
    system_.evaluate(t, state.data(), mode, work_, slope_.data());
    for (std::size_t k = 0; k < system_.contacts().size(); ++k) {
      const Contact& c = system_.contacts()[k];
      const auto& touch = work_.of<ContactForce>()[k];
      if (c.law.compliant || touch.off) continue;
      const double deep = -touch.gap / size_of(c, touch);
      if (deep > worst) worst = deep, where = fmt::format("{} at t = {:.9g} s", c.name, t);
    }
  }

  double worst = 0;
  std::string where;

 private:
  template <class Touch>
  double size_of(const Contact& c, const Touch& touch) const {
    if (c.wall == facing::stop) return 1;
    return std::max({norm(touch.arm_a) + c.a.radius, norm(touch.arm_b) + c.b.radius, 1e-6});
  }

  const System& system_;
  Work<double> work_;
  std::vector<double> state_, slope_;
  bool any_ = false;
};

Judgement blame(Verdict v, std::string message) {
  Judgement j;
  j.verdict = v;
  j.message = std::move(message);
  return j;
}

// A compliant contact may start pressed, but not as deep as no bodies are: what the reader lets pass is no test of the run.
std::string find_deep_start(const Scenario& s) {
  Work<double> work;
  s.system->prepare(work);
  std::vector<double> y(s.system->state_size()), slope(s.system->state_size());
  std::copy(s.q.begin(), s.q.end(), y.begin());
  std::copy(s.v.begin(), s.v.end(), y.begin() + s.system->dof_count());
  Mode mode;
  s.system->reset(mode);
  s.system->evaluate(0, y.data(), mode, work, slope.data());
  for (std::size_t k = 0; k < s.system->contacts().size(); ++k) {
    const Contact& c = s.system->contacts()[k];
    const double size = c.a.radius + c.b.radius;
    if (c.law.compliant && size > 0 && work.of<ContactForce>()[k].gap < -0.1 * size)
      return c.name + " starts deep inside";
  }
  return {};
}

// Losses are losses: none is negative, but where Newton's law says that it gains.
std::string find_gain(const Scenario& s, const Outcome& out) {
  bool flagged = false;
  for (const ImpactRecord& r : out.impacts) {
    const double size = std::max(r.energy_before, r.energy_after);
    flagged = flagged || r.result.gains();
    if (!r.result.gains() && r.lost() < -gain_bound * size)
      return fmt::format("an impact gains {:.3g} of the kinetic energy at t = {:.9g} s", -r.lost() / size,
                         r.time);
  }
  double exchanged = std::abs(out.energy.supplied);
  for (double x : out.energy.lost) exchanged += std::abs(x);
  for (std::size_t k = 0; k < out.energy.lost.size(); ++k) {
    if (flagged && std::string(channel_name(s.system->channels()[k])).find("impact") != std::string::npos)
      continue;
    if (out.energy.lost[k] < -compliant_bound * exchanged)
      return fmt::format("{} gains {:.3g} J", channel_name(s.system->channels()[k]), -out.energy.lost[k]);
  }
  return {};
}

Judgement judge_run(const Scenario& s, const RunResult& r, const Overlaps& overlaps) {
  const Outcome& out = r.outcome;
  switch (out.reason) {
    case StopReason::cancelled: return blame(Verdict::slow, "too slow");
    case StopReason::failed: return blame(Verdict::undecided, out.message);
    case StopReason::painleve: return blame(Verdict::painleve, out.message.empty() ? r.reason : out.message);
    default: break;
  }
  bool compliant = false;
  for (const Contact& c : s.system->contacts()) compliant = compliant || c.law.compliant;
  if (!(std::abs(out.energy.residual) <= (compliant ? compliant_bound : residual_bound)))
    return blame(Verdict::residual,
                 fmt::format("residual of the energy account {:.3g}", out.energy.residual));
  for (double x : r.final_values)
    if (!std::isfinite(x)) return blame(Verdict::internal, "a final value is not a number");
  if (overlaps.worst > overlap_bound)
    return blame(Verdict::overlap,
                 fmt::format("inside by {:.3g} of the size: {}", overlaps.worst, overlaps.where));
  if (std::string gain = find_gain(s, out); !gain.empty()) return blame(Verdict::gain, gain);
  return {};
}

}  // namespace

const char* verdict_name(Verdict v) {
  constexpr const char* names[] = {"fine",      "refused",  "crash",    "hang",    "slow", "internal",
                                   "undecided", "painleve", "residual", "overlap", "gain"};
  return names[static_cast<int>(v)];
}

void interrupt_run() { interrupted = true; }

Judgement judge(const std::string& text) {
  try {
    const Scenario s = parse_scenario(text, "campaign.toml", {});
    if (std::string deep = find_deep_start(s); !deep.empty()) return blame(Verdict::refused, deep);
    Overlaps overlaps(*s.system);
    RunRequest request;
    request.cancel = &interrupted;
    request.observer = &overlaps;
    const RunResult r = run(s, request);
    overlaps.look(r.outcome.time, r.outcome.state, r.outcome.mode);
    Judgement out = judge_run(s, r, overlaps);
    out.time = r.outcome.time;
    out.residual = std::abs(r.outcome.energy.residual);
    if (out.verdict == Verdict::painleve || out.verdict == Verdict::undecided)
      out.oracle = enumerate_modes(*s.system, out.time, r.outcome.state, r.outcome.mode).text();
    if (out.verdict == Verdict::slow)
      out.message = fmt::format("too slow: stopped at t = {:.9g} s", out.time);
    // A file that starts inside a wall is wrong, not the run.
    if (out.verdict == Verdict::undecided && out.time == 0 && out.message.ends_with("inside"))
      out.verdict = Verdict::refused;
    return out;
  } catch (const InputError& e) {
    return blame(Verdict::refused, e.what());
  } catch (const std::exception& e) {
    return blame(Verdict::internal, e.what());
  }
}

std::string kind_of(const Judgement& j) {
  static const std::regex number(R"([-+]?[0-9]+\.?[0-9]*(e[-+]?[0-9]+)?)"),
      name(R"([A-Za-z_]+#[-A-Za-z0-9_.@#]*)");
  std::string words = std::regex_replace(j.message.substr(0, j.message.find('\n')), number, "#");
  words = std::regex_replace(words, name, "NAME");  // of bodies and contacts
  return fmt::format("{}: {}", verdict_name(j.verdict), words);
}

}  // namespace thud::campaign
