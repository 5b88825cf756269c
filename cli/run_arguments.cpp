// Options of `thud run` that need reading, and how it runs.
#include "run_arguments.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "console.hpp"
#include "progress.hpp"
#include "thud/scenario/observable_hint.hpp"
#include "thud/scenario/quantity.hpp"

namespace thud::cli {

InputError option_error(const std::string& option, const std::string& value, const std::string& message) {
  return {{value.empty() ? option : option + " " + value, 0, 0}, message};
}

std::optional<double> read_time(const char* option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::string place = fmt::format("{} {}", option, text);
  return checked_duration(read_quantity(text, "s", place), place);
}

namespace {

std::optional<double> read_tolerance(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::string place = "--tolerance " + text;
  return checked_tolerance(read_quantity(text, "", place), place);
}

}  // namespace

RunRequest read_request(const RunArguments& a, const Scenario& s) {
  RunRequest request;
  if (!a.until.empty() && a.until != "rest")
    throw option_error("--until", a.until, "the only choice is \"rest\"");
  request.until_rest = !a.until.empty();
  request.time_limit = read_time("--time", a.time);
  request.tolerance = read_tolerance(a.tolerance);
  if (!a.method.empty()) request.method = read_method(a.method, "--method " + a.method);
  request.step = read_time("--step", a.step);
  check_step(request, s, "--step " + a.step, "give --method rk4, euler, newmark or generalised-alpha too");
  return request;
}

std::vector<NamedObservable> find_observables(const Scenario& s, const std::vector<std::string>& wanted,
                                              const char* option) {
  std::vector<NamedObservable> out;
  for (const std::string& pattern : wanted) {
    bool any = false;
    for (const NamedObservable& o : s.observables) {
      if (o.name != pattern && ::fnmatch(pattern.c_str(), o.name.c_str(), 0) != 0) continue;
      any = true;
      const bool is_new =
          std::none_of(out.begin(), out.end(), [&](const auto& p) { return p.name == o.name; });
      if (is_new) out.push_back(o);
    }
    if (any) continue;
    if (pattern.find_first_of("+-/^()* ") != std::string::npos) {  // of observables
      try {
        out.push_back(find_quantity(s, pattern));
        continue;
      } catch (const InputError& e) {
        throw option_error(option, pattern, e.message());
      }
    }
    throw option_error(option, pattern,
                       fmt::format("there is no observable \"{}\"{} (--list-observables shows them all)",
                                   pattern, observable_hint(s, pattern)));
  }
  return out;
}

RunResult run_with_progress(const Scenario& s, RunRequest request, StepObserver* recorder, bool quiet) {
  const Interrupt interrupt;
  Progress progress(recorder, is_terminal(stderr) && !quiet);
  request.cancel = Interrupt::flag();
  request.observer = &progress;
  return run(s, request);
}

}  // namespace thud::cli
