// dy/dt, guards and resets of every library scenario, differentiated by every knob: exact dual numbers against central
// differences of systems that were read with the knob turned.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "event/reset.hpp"
#include "scenario/assembly.hpp"
#include "scenario/build.hpp"
#include "scenario/parameters.hpp"
#include "thud/scenario/rates.hpp"
#include "thud/scenario/request.hpp"
#include "thud/scenario/run.hpp"
#include "verify/moments.hpp"

namespace thud {
namespace {

using Number = Dual<double>;
using test::Moment, test::Watcher;

// How far exact derivatives and differences may be apart: of the derivative, of the function over the size of the knob,
// and what the rounding of the function leaves of a difference.
constexpr double relative = 2e-6, of_function = 1e-8, rounding = 3e-12;

struct Impact {
  Moment before;
  ImpactMode mode;
};

// What a run goes through.
struct History {
  std::vector<Moment> moments;
  std::vector<Impact> impacts;
};

History history_of(const std::string& name, const KnobSettings& set) {
  Scenario s = load_scenario(name, set);
  s.options.impacts_wanted = 6;
  Watcher watcher(s.system->state_size());
  RunRequest request;
  request.observer = &watcher;
  if (name == "flexible_arm") request.time_limit = 0.05;
  const RunResult r = run(s, request);
  History out{std::move(watcher.moments), {}};
  Work<double> work;
  s.system->prepare(work);
  std::vector<double> slope(s.system->state_size());
  double last = -1;
  for (std::size_t k = 0; k < r.outcome.around.size() && k < r.outcome.impacts.size(); ++k) {
    const ImpactRecord& record = r.outcome.impacts[k];
    if (record.time == last) continue;  // the states around it are those of several
    last = record.time;
    const ImpactStates& states = r.outcome.around[k];
    s.system->evaluate(record.time, states.before.data(), states.mode_before, work, slope.data());
    Scales scales;
    scales.speed = 1e-3;
    out.impacts.push_back({{record.time, states.before, states.mode_before},
                           impact_mode(*s.system, record.contacts, work, scales)});
  }
  return out;
}

// Everything that is compared, one after the other, with names.
template <class T>
struct Values {
  std::vector<T> value;
  std::vector<std::string> name;
  void add(T x, std::string what) {
    value.push_back(x);
    name.push_back(std::move(what));
  }
};

template <class P>
Values<P> values_at(const SystemOf<P>& system, const Moment& at) {
  Values<P> out;
  Work<P, P> work;
  system.prepare(work);
  std::vector<P> y(at.y.begin(), at.y.end()), slope(y.size());
  system.evaluate(at.time, y.data(), at.mode, work, slope.data());
  for (std::size_t i = 0; i < slope.size(); ++i) out.add(slope[i], fmt::format("dy/dt[{}]", i));
  system.guards(at.mode, work, Scales{}, [&](const P& value, double, const GuardId& id) {
    out.add(value, fmt::format("guard {} {} {} {}", id.type, id.code, id.sub, id.index));
  });
  return out;
}

template <class P>
Values<P> values_after(const SystemOf<P>& system, const Impact& at) {
  Values<P> out;
  Work<P, P> work;
  system.prepare(work);
  std::vector<P> y(at.before.y.begin(), at.before.y.end()), slope(y.size());
  system.evaluate(at.before.time, y.data(), at.before.mode, work, slope.data());
  strike_contacts(system, at.mode, y.data(), work);
  for (std::size_t i = 0; i < y.size(); ++i) out.add(y[i], fmt::format("reset[{}]", i));
  return out;
}

std::unique_ptr<System> plain_system(const doc::Document& document, const KnobSettings& set) {
  const doc::Parameters p = doc::read_parameters(document, set);
  return doc::build_system<double>(document.root(&doc::scenario_spec()).with_symbols(p.symbols), {}).system;
}

// Central differences with three halvings, extrapolated.
template <class F>
std::vector<double> differences(F&& at, double h, double& size) {
  std::vector<std::vector<double>> table;
  for (int level = 0; level < 4; ++level, h /= 2) {
    const std::vector<double> up = at(h), down = at(-h);
    std::vector<double> d(up.size());
    for (std::size_t i = 0; i < d.size(); ++i) {
      d[i] = (up[i] - down[i]) / (2 * h);
      size = std::max(size, std::abs(up[i]));
    }
    table.push_back(std::move(d));
  }
  for (int order = 1; order < 4; ++order) {
    const double factor = std::pow(4.0, order);
    for (int level = 0; level + order < 4; ++level)
      for (std::size_t i = 0; i < table[level].size(); ++i)
        table[level][i] = (factor * table[level + 1][i] - table[level][i]) / (factor - 1);
  }
  return table[0];
}

struct Tally {
  long compared = 0, changing = 0;
  double worst = 0;
  std::set<std::string> left_out;
};

struct Span {
  double min, max;
};
Span span_of(const Knob& knob) {
  if (knob.range) return {knob.range->first, knob.range->second};
  return {knob.value - std::abs(knob.value) - 1, knob.value + std::abs(knob.value) + 1};
}

// Something that stands still in the mode would move if the knob were turned: speeds have a corner there, and so has drag.
bool has_corner(const SystemOf<Number>& system, const Values<Number>& at) {
  const int first = system.distance_slot(0);
  for (int i = std::max(first, 0); first >= 0 && i < system.state_size(); ++i)
    if (std::abs(at.value[i].v) < 1e-9 && std::abs(at.value[i].d) > 1e-6) return true;
  return false;
}

// One knob at one value: everything that a run goes through.
void compare(const std::string& name, const Knob& knob, double value, const SystemOf<Number>& rates,
             const History& history, Tally& tally) {
  const doc::Document document = doc::find_document(name);
  const Span span = span_of(knob);
  const double scale = std::max(std::abs(value), 1e-3 * (span.max - span.min));
  double h = 2e-3 * std::max(std::abs(value), 1e-12);
  if (value == 0) h = 1e-4 * (span.max - span.min);
  h = std::min({h, 0.49 * (span.max - value), 0.49 * (value - span.min)});
  std::map<double, std::unique_ptr<System>> systems;
  const auto system_at = [&](double x) -> const System& {
    auto& s = systems[x];
    if (!s) s = plain_system(document, {{knob.name, fmt::format("{:.17g}", value + x)}});
    return *s;
  };
  // The step that leaves all guards on their sides: beyond, the formulas of a mode have corners of their own.
  const auto step_at = [&](const Moment& m) {
    const std::vector<double> here = values_at(system_at(0), m).value;
    const auto first_guard = m.y.size();
    double step = h;
    for (int k = 0; k < 12; ++k, step /= 4) {
      bool valid = true;
      for (const double x : {step, -step}) {
        const std::vector<double> there = values_at(system_at(x), m).value;
        for (std::size_t i = first_guard; i < here.size(); ++i)
          valid = valid && (here[i] > 0) == (there[i] > 0);
      }
      if (valid) break;
    }
    return step;
  };
  const auto check = [&](const Values<Number>& exact, const auto& plain_at, double step,
                         const std::string& where) {
    double size = 1;
    const std::vector<double> d =
        differences([&](double x) { return plain_at(system_at(x)).value; }, step, size);
    ASSERT_EQ(d.size(), exact.value.size()) << where;
    for (std::size_t i = 0; i < d.size(); ++i) {
      const Number x = exact.value[i];
      const double allowed = relative * std::max(std::abs(x.d), std::abs(d[i]))
                           + of_function * std::abs(x.v) / scale + rounding * size / step;
      const double error = std::abs(x.d - d[i]);
      ++tally.compared;
      tally.changing += x.d != 0;
      if (allowed > 0) tally.worst = std::max(tally.worst, error / allowed);
      EXPECT_LE(error, allowed) << name << ", knob " << knob.name << ", " << where << ", " << exact.name[i]
                                << ": exact " << x.d << ", differences " << d[i] << ", value " << x.v;
    }
  };
  for (const Moment& m : history.moments) {
    if (has_corner(rates, values_at(rates, m))) continue;
    check(
        values_at(rates, m), [&](const System& s) { return values_at(s, m); }, step_at(m),
        fmt::format("t = {}", m.time));
  }
  for (const Impact& m : history.impacts)
    check(
        values_after(rates, m), [&](const System& s) { return values_after(s, m); }, h,
        fmt::format("impact at {}", m.before.time));
}

class EveryScenario : public testing::TestWithParam<std::string> {};

TEST_P(EveryScenario, DifferentiatesByEveryKnob) {
  const std::string name = GetParam();
  const Scenario base = load_scenario(name);
  const History usual = history_of(name, {});
  ASSERT_FALSE(usual.moments.empty());
  Tally tally;
  for (const Knob& knob : base.knobs) {
    if (knob.integer || !knob.choices.empty()) {
      EXPECT_THROW((void)load_system_with_rates(name, {}, knob.name), InputError);
      tally.left_out.insert(knob.name);
      continue;
    }
    // At the end of its range, or where an element would only appear, it is turned a little first.
    double value = knob.value;
    KnobSettings set;
    std::unique_ptr<SystemOf<Number>> rates;
    const auto turn = [&](double to) {
      value = to;
      set = {{knob.name, fmt::format("{:.17g}", value)}};
    };
    const Span span = span_of(knob);
    const double width = span.max - span.min;
    if (!(value > span.min)) turn(span.min + 0.02 * width);
    if (!(value < span.max)) turn(span.max - 0.02 * width);
    try {
      rates = load_system_with_rates(name, set, knob.name);
    } catch (const InputError&) {
      turn(value + 0.02 * width);
      rates = load_system_with_rates(name, set, knob.name);
    }
    compare(name, knob, value, *rates, set.empty() ? usual : history_of(name, set), tally);
    if (HasFatalFailure()) return;
  }
  fmt::print("{}: {} numbers, {} of them change, worst {:.2g} of what is allowed; {} impacts; not by: {}\n",
             name, tally.compared, tally.changing, tally.worst, usual.impacts.size(),
             fmt::join(tally.left_out, ", "));
  const bool only_start = name == "free_link" || name == "sphere";  // their knobs say how it starts, no more
  EXPECT_EQ(tally.changing > 0, !only_start);
}

std::vector<std::string> library() {
  std::vector<std::string> out;
  for (const LibraryEntry& e : list_library()) out.push_back(e.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Library, EveryScenario, testing::ValuesIn(library()),
                         [](const auto& one) { return one.param; });

// Every operator and function of expressions.
TEST(KnobRates, ExpressionsHaveRates) {
  const std::vector<std::string> texts = {"a",
                                          "-a^2",
                                          "2^-a",
                                          "a^b^2",
                                          "(a + b)*(a - 3)/a",
                                          "-(a - 1)^3 + +a",
                                          "a - -b*a",
                                          "1e-1*a + .5*a^1.5",
                                          "sin(a)*cos(a) + tan(a)",
                                          "asin(a/2) + acos(a/2) + atan(a)",
                                          "sqrt(a) + exp(-a) + ln(a) + log10(a)",
                                          "abs(-a) + deg(a) + sign(a)*a",
                                          "floor(a) + ceil(a) + round(a) + step(a - 0.5)*a",
                                          "min(a, b, 3) + max(a, b)",
                                          "atan2(a, b) + hypot(a, b) + mod(7.3, a) + rnd(1, 2)*a",
                                          "a > 0.5 && b >= 2 ? a^2 : 3*a",
                                          "a < 0.5 || a != a ? 1 : a == a ? pi*a : 0",
                                          "a*pulse(a, 0, 1)"};
  for (const std::string& text : texts) {
    const auto at = [&](double a) {
      doc::SymbolTable symbols;
      symbols.set("a", doc::Reading{a, 1});
      symbols.set("b", 2);
      return doc::read(text, symbols);
    };
    const double x = 0.7, h = 1e-3;
    double unused = 0;
    const std::vector<double> d =
        differences([&](double by) { return std::vector<double>{at(x + by).value}; }, h, unused);
    EXPECT_NEAR(at(x).rate, d[0], 1e-9 * std::max(1.0, std::abs(d[0]))) << text;
  }
}

// The comparison sees a derivative that is wrong.
TEST(KnobRates, WrongOnesAreSeen) {
  const auto rates = load_system_with_rates("free_link", {}, load_scenario("free_link").knobs.front().name);
  const History h = history_of("free_link", {});
  ASSERT_FALSE(h.moments.empty());
  SystemOf<Number> wrong = *rates;
  BedOf<Number> bed = wrong.beds()[0];
  bed.plane.point.z.d += 1e-3;
  wrong.set_bed(0, bed);
  double most = 0;
  for (const Moment& m : h.moments) {
    const auto a = values_at(*rates, m), b = values_at(wrong, m);
    for (std::size_t i = 0; i < a.value.size(); ++i)
      most = std::max(most, std::abs(a.value[i].d - b.value[i].d));
  }
  EXPECT_GT(most, 1e-4);
}

}  // namespace
}  // namespace thud
