#include "thud/scenario/request.hpp"

#include <algorithm>
#include <cmath>

namespace thud {

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names = {"auto", "dop853", "dopri5", "rk4", "euler", "radau5"};
  return names;
}

std::optional<Method> find_method(std::string_view name) {
  const auto& names = method_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Method>(found - names.begin());
}

Method read_method(const std::string& name, const std::string& place) {
  if (const auto method = find_method(name)) return *method;
  throw InputError({place, 0, 0}, "must be " + one_of(method_names()) + did_you_mean(name, method_names()));
}

double checked_duration(double seconds, const std::string& place) {
  if (!(seconds > 0 && std::isfinite(seconds))) throw InputError({place, 0, 0}, "must be longer than 0 s");
  return seconds;
}

double checked_tolerance(double tolerance, const std::string& place) {
  if (!(tolerance >= 1e-14 && tolerance <= 1e-2))
    throw InputError({place, 0, 0}, "must be between 1e-14 and 0.01");
  return tolerance;
}

void check_step(const RunRequest& request, const Scenario& scenario, const std::string& place,
                const std::string& how) {
  const Method method = request.method.value_or(scenario.options.method);
  if (request.step && method != Method::rk4 && method != Method::euler)
    throw InputError({place, 0, 0}, "is for methods with a fixed step: " + how);
}

}  // namespace thud
