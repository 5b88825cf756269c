// Targets that take text: scenarios, studies, expressions, units, tables, requests.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "fuzz/targets.hpp"
#include "scenario/curve.hpp"
#include "scenario/expression.hpp"
#include "scenario/units.hpp"
#include "serve/query.hpp"
#include "serve/refusal.hpp"
#include "temp_folder.hpp"
#include "thud/scenario/quantity.hpp"
#include "thud/scenario/scenario.hpp"
#include "thud/store/file.hpp"
#include "thud/study/fit.hpp"
#include "thud/study/measurement.hpp"
#include "thud/study/sensitivity.hpp"
#include "thud/study/study.hpp"

namespace thud::fuzz {

void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

namespace {

// A message names what is wrong, and fits on a terminal.
void demand_message(const InputError& e) {
  demand(!e.message().empty(), "a refusal has a message");
  demand(e.place().line >= 0 && e.place().column >= 0, "a refusal has a place");
}

void demand_finite(const std::vector<double>& values, const char* what) {
  for (const double x : values) demand(std::isfinite(x), what);
}

bool use_library() {
  ::setenv("THUD_DATA", THUD_SOURCE_DATA_DIR, 0);
  return true;
}

}  // namespace

void scenario(std::string_view bytes) {
  try {
    const Scenario s = parse_scenario(std::string(bytes), "fuzz.toml");
    demand_finite(s.q, "coordinates of the start are numbers");
    demand_finite(s.v, "velocities of the start are numbers");
    for (const Knob& k : s.knobs) demand(std::isfinite(k.value), "knobs are numbers");
  } catch (const InputError& e) {
    demand_message(e);
  }
}

void study(std::string_view bytes) {
  [[maybe_unused]] static const bool has_library = use_library();
  static const test::TempFolder folder("fuzz");
  const std::filesystem::path file = folder.path() / "study.toml";
  std::ofstream(file, std::ios::binary) << bytes;
  const auto read = [&](auto&& load) {
    try {
      (void)load(file.string());
    } catch (const InputError& e) {
      demand_message(e);
    }
  };
  read([](const std::string& name) { return load_study(name); });
  // The same again with sections of their own; they cost as much as the first.
  if (bytes.find("fit") != bytes.npos) read([](const std::string& name) { return load_fit_study(name); });
  if (bytes.find("sensitivity") != bytes.npos)
    read([](const std::string& name) { return load_sensitivity(name); });
}

void expression(std::string_view bytes) {
  doc::SymbolTable symbols;
  symbols.set("a", 1.5);
  symbols.set("b", {-2, 1});
  symbols.set_text("name", "text");
  const auto read = [](auto&& f) {
    try {
      f();
    } catch (const doc::ExpressionError& e) {
      demand(!e.message().empty(), "a refusal has a message");
    }
  };
  read([&] { demand(std::isfinite(doc::evaluate(bytes, symbols)), "a value is a number"); });
  read([&] { (void)doc::read(bytes, symbols); });
  read([&] {
    const doc::TimeExpression e(bytes, symbols);
    demand(std::isfinite(e(0.25)), "a value at a time is a number");
    demand_finite(e.edges(), "instants are numbers");
    (void)e.varies();
    (void)e.rate_at({0.25, 1});
  });
  read([&] { (void)doc::fill(bytes, symbols); });
  read([&] { (void)doc::substitute(bytes, symbols); });
}

void units(std::string_view bytes) {
  using doc::Dimension;
  const auto read = [](auto&& f) {
    try {
      demand(std::isfinite(f()), "a quantity is a number");
    } catch (const std::invalid_argument& e) {
      demand(*e.what() != '\0', "a refusal has a message");
    } catch (const InputError& e) {
      demand_message(e);
    }
  };
  for (const Dimension d : {Dimension::none, Dimension::any, Dimension::length, Dimension::angle,
                            Dimension::angular_rate, Dimension::torque, Dimension::pressure})
    read([&] { return doc::parse_quantity(bytes, d); });
  read([&] { return doc::parse_quantity_like(bytes, "N/m"); });
  read([&] { return doc::to_si(1.0, bytes, Dimension::any); });
  read([&] { return static_cast<double>(doc::dimension_of(bytes)); });
  read([&] { return read_quantity(std::string(bytes), "m", "a length"); });
}

void csv(std::string_view bytes) {
  [[maybe_unused]] static const bool has_library = use_library();
  static const Scenario link = load_scenario("free_link");
  for (const char* column : {"", "torque", "b"}) {
    try {
      const doc::Curve curve = doc::read_curve(bytes, "fuzz.csv", column);
      demand(std::isfinite(curve(0.1)), "a value between rows is a number");
    } catch (const std::invalid_argument& e) {
      demand(*e.what() != '\0', "a refusal has a message");
    }
  }
  MeasurementRules with_points;
  with_points.points = {{"link.tip", "M1"}};
  with_points.find_plane = true;
  for (const MeasurementRules& rules : {MeasurementRules{}, with_points}) {
    try {
      const Measurement m = read_measurement(bytes, "fuzz.csv", link.observables, rules);
      demand_finite(m.time, "times are numbers");
    } catch (const InputError& e) {
      demand_message(e);
    }
  }
}

void json(std::string_view bytes) {
  using namespace serve;
  static const Library library(std::vector<ServedScenario>{{"one", "One", "", "[[body]]\n", {}, 0}});
  const auto read = [&](auto&& f) {
    try {
      f(library, std::string(bytes));
    } catch (const Refusal& r) {
      demand(r.status() >= 400 && r.status() < 500, "a refusal blames the request");
      demand(nlohmann::json::accept(r.json()), "a refusal is JSON");
    }
  };
  read([](const Library& l, const std::string& body) { (void)read_run_query(l, body); });
  read([](const Library& l, const std::string& body) {
    const SweepQuery q = read_sweep_query(l, body);
    demand(q.size() >= 2 && q.size() <= most_sweep_runs, "a sweep is not too large");
  });
}

}  // namespace thud::fuzz
