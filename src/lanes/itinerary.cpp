#include "lanes/itinerary.hpp"

#include <algorithm>
#include <cmath>

#include "dynamics/sizes.hpp"
#include "event/locator.hpp"

namespace thud::lanes {

bool starts_rough(const System& system, const Mode& before, const Mode& after) {
  bool any = false;
  system.each([&]<class E>(const E& e, int k) {
    if constexpr (requires { e.starts_rough(before.of<E>()[k], after.of<E>()[k]); })
      any = any || e.starts_rough(before.of<E>()[k], after.of<E>()[k]);
  });
  return any;
}

namespace {

constexpr std::size_t most_modes = 192;
constexpr long most_scout_steps = 20000;
constexpr double error_slack = 8;  // see run.cpp

// Elements whose part in a run is more than forces, guards and energy.
bool is_simple(const System& system) {
  if (!system.contacts().empty() || !system.constraints().empty() || system.tree().has_beams()) return false;
  for (const Bed& b : system.beds())
    if (b.bottom > 0) return false;
  bool simple = true;
  system.each([&]<class E>(const E& e, int) {
    if constexpr (requires(const StepState& s, const typename E::Mode& m,
                           const typename E::template Work<double>& w) { e.longest_step(s, m, w); }) {
      if constexpr (requires { e.rule.is_on(); })
        simple = simple && !e.rule.is_on();
      else
        simple = false;
    }
  });
  return simple;
}

// A mode that a scout went through, and a state in it.
struct Seen {
  Mode mode;
  double t;
  std::vector<double> y;
  std::size_t scout;
  std::vector<std::pair<std::size_t, int>> next;  // with how often
  long steps = 0;
};

class Scout final : public StepObserver {
 public:
  Scout(std::vector<Seen>& seen, std::size_t number, std::size_t states)
      : seen_(seen),
        number_(number),
        y_(states) {}

  void on_step(StepView& step) override {
    const double t = 0.5 * (step.begin() + step.end());
    meet(step.mode(), t, [&] { step.state(t, y_.data()); });
    if (last_ < seen_.size()) ++seen_[last_].steps;
  }
  // The mode at the end, in which no step was made.
  void finish(const Outcome& outcome) {
    if (outcome.reason == StopReason::failed || outcome.state.empty()) return;
    meet(outcome.mode, outcome.time, [&] { y_ = outcome.state; });
  }
  std::size_t start = most_modes;

 private:
  template <class State>
  void meet(const Mode& mode, double t, State&& state) {
    if (last_ < seen_.size() && seen_[last_].mode == mode) return;
    std::size_t at = 0;
    while (at < seen_.size() && !(seen_[at].mode == mode)) ++at;
    if (at == seen_.size()) {
      if (seen_.size() >= most_modes) return;
      state();
      seen_.push_back({mode, t, y_, number_, {}});
    }
    if (last_ < seen_.size()) {
      auto& list = seen_[last_].next;
      const auto found = std::find_if(list.begin(), list.end(), [&](const auto& n) { return n.first == at; });
      if (found != list.end())
        ++found->second;
      else
        list.emplace_back(at, 1);
    } else {
      start = at;
    }
    last_ = at;
  }

  std::vector<Seen>& seen_;
  std::size_t number_;
  std::vector<double> y_;
  std::size_t last_ = most_modes;
};

bool watches_turns(const System& system) {
  bool any = false;
  ElementTypes::each([&]<class E>() { any = any || (Approaching<E> && !system.of<E>().empty()); });
  return any;
}

// Finds how constants follow numbers: from what both were at several points.
bool follow(const std::vector<std::vector<double>>& constants,
            const std::vector<std::vector<double>>& numbers, std::vector<Follow>& out) {
  const std::size_t samples = constants.size();
  for (std::size_t k = 0; k < constants[0].size(); ++k) {
    const auto same = [&](double x) { return x == constants[0][k]; };
    bool is_fixed = true;
    for (const auto& c : constants) is_fixed = is_fixed && same(c[k]);
    Follow f{-1, constants[0][k], 0};
    for (std::size_t j = 0; j < numbers[0].size() && !is_fixed && f.number < 0; ++j) {
      bool is_it = true;
      for (std::size_t s = 0; s < samples; ++s) is_it = is_it && constants[s][k] == numbers[s][j];
      if (is_it) f = {static_cast<int>(j), 0, 1};
      if (is_it || samples < 4) continue;
      std::size_t low = 0, high = 0;
      for (std::size_t s = 0; s < samples; ++s) {
        if (numbers[s][j] < numbers[low][j]) low = s;
        if (numbers[s][j] > numbers[high][j]) high = s;
      }
      const double span = numbers[high][j] - numbers[low][j];
      if (!(span > 0)) continue;
      Follow line{static_cast<int>(j), 0, (constants[high][k] - constants[low][k]) / span};
      line.offset = constants[low][k] - line.factor * numbers[low][j];
      const double size = std::max(std::abs(constants[low][k]), std::abs(constants[high][k]));
      if (std::abs(line.offset) < 1e-15 * size) line.offset = 0;
      bool fits = true;
      for (std::size_t s = 0; s < samples; ++s)
        fits = fits && std::abs(line.offset + line.factor * numbers[s][j] - constants[s][k]) <= 1e-15 * size;
      if (fits) f = line;
    }
    if (!is_fixed && f.number < 0) return false;
    out.push_back(f);
  }
  return true;
}

// Makes an itinerary of what scouts have seen.
class Surveyor {
 public:
  explicit Surveyor(const Survey& of) : of_(of), system_(*of.system), out_(std::make_unique<Itinerary>()) {}

  std::unique_ptr<Itinerary> survey() {
    if (!is_simple(system_) || !can_be_recorded(system_, of_.conditions)
        || of_.conditions.size() > RIDE_CONDITIONS || system_.state_size() > RIDE_STATES
        || !of_.options.events_wanted.empty() || of_.options.impacts_wanted > 0)
      return nullptr;
    for (const Observable& o : of_.reports)
      if (o.quantity == Quantity::own) return nullptr;
    Recording start = of_.record_start();
    if (!start.is_usable || start.state_size > RIDE_KNOBS
        || start.rates.size() > RIDE_STATES + 2 + RIDE_NUMBERS)
      return nullptr;
    out_->knobs = start.state_size;
    out_->start = make_program(start, std::vector<char>(start.constants.size(), 0));
    out_->report_at = of_.report_at;
    system_.prepare(work_);
    if (!scout() || !add_flips() || !fill_plan()) return nullptr;
    for (std::size_t m = 0; m < seen_.size(); ++m)
      if (!add_mode(m)) return nullptr;
    if (!record()) return nullptr;
    return std::move(out_);
  }

 private:
  bool scout() {
    long steps = 0;
    for (std::size_t k = 0; k < of_.scouts.size() && steps < most_scout_steps; ++k) {
      if (!of_.turn(of_.scouts[k])) continue;
      Scout look(seen_, k, system_.state_size());
      const Outcome& outcome = of_.run(look);
      steps += outcome.stats.steps;
      look.finish(outcome);
      if (look.start >= seen_.size()) continue;
      if (std::find(starts_.begin(), starts_.end(), look.start) == starts_.end()
          && starts_.size() < RIDE_STARTS)
        starts_.push_back(look.start);
    }
    return !seen_.empty();
  }

  bool turn_to(std::size_t scout) {
    tracer_.forget();
    return of_.turn(of_.scouts[scout]);
  }

  Recording record_mode(const Seen& s) {
    return tracer_.record(system_, s.mode, s.t, s.y.data(), sizes_.scales, of_.conditions, of_.reports);
  }

  // Modes that differ by a side of the drag. Fills in which follows which.
  bool add_flips() {
    for (std::size_t m = 0; m < seen_.size(); ++m) {
      flips_.emplace_back();
      if (!turn_to(seen_[m].scout)) return false;
      evaluate(seen_[m]);
      std::vector<GuardId> ids;
      system_.guards(seen_[m].mode, work_, Scales{},
                     [&](double, double, const GuardId& id) { ids.push_back(id); });
      if (ids.size() > RIDE_GUARDS) return false;
      for (const GuardId& id : ids) {
        flips_[m].push_back(-1);
        if (id.role != GuardRole::flow) continue;
        Seen other = {seen_[m].mode, seen_[m].t, seen_[m].y, seen_[m].scout, {}};
        const bool flipped = ElementTypes::at(id.type, [&]<class E>() {
          if constexpr (requires(typename E::Mode & mode) { E::flip(id, mode); })
            return E::flip(id, other.mode.template of<E>()[id.index]);
          else
            return false;
        });
        if (!flipped) continue;
        std::size_t at = 0;
        while (at < seen_.size() && !(seen_[at].mode == other.mode)) ++at;
        if (at == seen_.size() && seen_.size() >= most_modes) continue;
        if (at == seen_.size()) seen_.push_back(std::move(other));
        flips_[m].back() = static_cast<int>(at);
      }
    }
    return true;
  }

  void evaluate(const Seen& s) {
    slope_.resize(system_.state_size());
    system_.evaluate(s.t, s.y.data(), s.mode, work_, slope_.data());
  }

  bool fill_plan() {
    RidePlan& p = out_->plan;
    const Tree& tree = system_.tree();
    const SolverOptions& o = of_.options;
    if (!turn_to(seen_[0].scout)) return false;
    std::vector<double> y(system_.state_size(), 0.0);
    std::copy(of_.q().begin(), of_.q().end(), y.begin());
    std::copy(of_.v().begin(), of_.v().end(), y.begin() + system_.dof_count());
    evaluate({system_.make_mode(), o.start_time, y, 0, {}});
    measure_sizes(system_, work_, sizes_);
    if (std::isfinite(sizes_.indentation)) return false;
    p.states = system_.state_size();
    p.coordinates = system_.dof_count();
    p.conditions = static_cast<int>(of_.conditions.size());
    p.starts = static_cast<int>(starts_.size());
    for (int k = 0; k < p.starts; ++k) p.start[k] = static_cast<int>(starts_[k]);
    for (Channel c : system_.channels()) p.slot[p.channels++] = system_.channel_slot(c);
    for (int i = 0; i < p.coordinates; ++i) {
      p.angles |= tree.is_angle(i) ? 1 << i : 0;
      p.pose_size[i] = sizes_.absolute[i];
    }
    p.watch_turns = watches_turns(system_);
    p.stop_at_rest = o.stop_at_rest;
    p.stop_when_all_found = o.stop_when_all_found;
    p.max_steps = o.max_steps;
    p.length = sizes_.scales.length;
    p.mass = tree.total_mass();
    p.gravity = std::max(norm(system_.gravity()), 1e-3);
    p.tolerance = o.tolerance;
    p.start_time = o.start_time;
    p.time_limit = o.time_limit;
    p.max_step = o.max_step;
    p.first_step = portable::pow(o.tolerance, 1.0 / 5) * 0.3;
    p.stops_first = std::none_of(of_.reports.begin(), of_.reports.end(),
                                 [](const Observable& what) { return needs_forces(what); });
    p.error_size = 1 / (error_slack * o.tolerance);
    p.account_bound = std::max(1.0, o.tolerance / 1e-9);
    for (std::size_t c = 0; c < of_.conditions.size(); ++c) {
      p.direction[c] = of_.conditions[c].direction;
      p.stops[c] = of_.conditions[c].stops;
      p.target[c] = of_.conditions[c].target;
      for (const int at : of_.report_at) p.reports[c] |= at == static_cast<int>(c);
    }
    return true;
  }

  // Tolerances are sums of sizes: what each of them brings.
  bool add_mode(std::size_t m) {
    const Seen& s = seen_[m];
    RideMode mode{};
    if (!turn_to(s.scout)) return false;
    evaluate(s);
    const Recording r = record_mode(s);
    if (!r.is_usable) return false;
    mode.guards = static_cast<int>(r.guards.size());
    if (r.distances.size() > RIDE_APPROACHES) return false;
    mode.approaches = static_cast<int>(r.distances.size());
    for (int part = 0; part < 6; ++part) {
      Scales unit{sizes_.scales.length, 0, 0, 0, 0, 0, 0};
      double* const of_part[] = {nullptr, &unit.speed, &unit.rate, &unit.force, &unit.moment, &unit.reach};
      if (part > 0) *of_part[part] = 1;
      int k = 0;
      system_.guards(s.mode, work_, unit, [&](double, double tolerance, const GuardId&) {
        mode.tolerance[k][part] = part == 0 ? tolerance : tolerance - mode.tolerance[k][0];
        ++k;
      });
    }
    for (int k = 0; k < mode.guards; ++k) {
      mode.flip[k] = flips_[m][k];
      if (r.is_rough[k]) mode.tolerance[k][0] = 0;  // it follows the state
    }
    std::vector<std::pair<std::size_t, int>> next = s.next;
    std::erase_if(next, [&](const auto& n) {
      return std::find(flips_[m].begin(), flips_[m].end(), static_cast<int>(n.first)) != flips_[m].end();
    });
    std::stable_sort(next.begin(), next.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [to, count] : next) {
      if (mode.nexts == RIDE_NEXT) break;
      // What is held from then on must have been stopped by the crossing: by one only.
      std::vector<SwitchRef> stopped;
      for (const SwitchRef& held : seen_[to].mode.stuck)
        if (std::find(s.mode.stuck.begin(), s.mode.stuck.end(), held) == s.mode.stuck.end())
          stopped.push_back(held);
      if (stopped.size() > 1) continue;
      const auto stops = [&](const GuardId& id) {
        return id.code == guard::slip
            && stopped[0] == SwitchRef{id.type, static_cast<std::uint8_t>(id.sub), id.index};
      };
      const auto by = stopped.empty() ? r.ids.end() : std::find_if(r.ids.begin(), r.ids.end(), stops);
      if (!stopped.empty() && by == r.ids.end()) continue;
      mode.next_guard[mode.nexts] = stopped.empty() ? -1 : static_cast<int>(by - r.ids.begin());
      mode.next[mode.nexts] = static_cast<int>(to);
      mode.starts_rough[mode.nexts++] = starts_rough(system_, s.mode, seen_[to].mode);
    }
    out_->modes.push_back(mode);
    out_->engine_modes.push_back(s.mode);
    out_->steps.push_back(s.steps);
    return true;
  }

  // All modes as programs; where beds follow the knobs, at several points.
  bool record() {
    constexpr std::size_t samples = 6;
    out_->numbers = static_cast<int>(of_.numbers().size());
    std::vector<std::vector<std::vector<double>>> constants(seen_.size());
    std::vector<std::vector<std::vector<double>>> numbers(seen_.size());
    out_->programs.resize(seen_.size());
    const auto take = [&](std::size_t m) {
      Recording r = record_mode(seen_[m]);
      if (!r.is_usable) return;
      const Fitting f = out_->shapes.fit(std::move(r));
      Shape*& shape = out_->programs[m].shape;
      if (shape && shape != f.shape) return;  // comparisons go another way there
      shape = f.shape;
      constants[m].push_back(f.constants);
      numbers[m].push_back(of_.numbers());
    };
    for (std::size_t m = 0; m < seen_.size(); ++m) {
      if (!turn_to(seen_[m].scout)) return false;
      take(m);
      if (!out_->programs[m].shape) return false;
    }
    std::size_t taken = 0;
    for (std::size_t k = 0; k < of_.scouts.size() && taken < samples && out_->numbers > 0; ++k) {
      if (!turn_to(k)) continue;
      ++taken;
      for (std::size_t m = 0; m < seen_.size(); ++m) take(m);
    }
    for (std::size_t m = 0; m < seen_.size(); ++m)
      if (!follow(constants[m], numbers[m], out_->programs[m].constants)) return false;
    return true;
  }

  const Survey& of_;
  const System& system_;
  std::unique_ptr<Itinerary> out_;
  Tracer tracer_;
  Work<double> work_;
  Sizes sizes_;
  std::vector<double> slope_;
  std::vector<Seen> seen_;
  std::vector<std::size_t> starts_;
  std::vector<std::vector<int>> flips_;
};

}  // namespace

std::unique_ptr<Itinerary> survey(const Survey& of) { return Surveyor(of).survey(); }

}  // namespace thud::lanes
