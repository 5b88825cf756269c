#include "thud/step/options.hpp"

namespace thud {

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names = {
      "auto", "dop853", "dopri5", "rk4", "euler", "radau5", "newmark", "generalised-alpha", "exact"};
  return names;
}

bool has_fixed_step(Method m) {
  return m == Method::rk4 || m == Method::euler || m == Method::newmark || m == Method::generalised_alpha;
}

}  // namespace thud
