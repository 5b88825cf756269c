// A ball strikes the tip of a flexible robot arm: by direct contact, by its impulse, and by the route of the paper that
// measured it. What comes of the ball, and when the hub of the arm slips and sticks.
//
// Three shapes of a coarse strip, so that it is quick; restitution wants more (docs/guide/flexible-arm.md).
//
// Sample output:
//
//   strike    contact [ms]  restitution  tip bends by [mm]  hub after 0.2 s [rad]
//   direct         0.17134      0.35740             54.024              -0.203029
//   impulse        0.17134      0.35743             53.829              -0.203471
//   paper          0.17344      0.75302             37.451              -0.139660
//   By the thresholds of the paper, ball at 1.6 m/s:
//     t = 0.0007 s  unclamp  clamped -> slipping -
//     t = 1.7266 s  clamp    held -> clamped
//     t = 1.7624 s  unclamp  clamped -> slipping -
//     t = 2.0662 s  clamp    held -> clamped
//     t = 2.0899 s  unclamp  clamped -> slipping +
//     t = 2.1282 s  clamp    slipping + -> clamped
//     lost to joint_damping: 1.012 mJ
//     lost to joint_friction: 38.177 mJ
//     lost to material_damping: 6.524 mJ
// Sample end

#include <cstdio>
#include <string>

#include "thud/thud.hpp"

int main() {
  thud::Model model = thud::load("flexible_arm");
  model.set("elements", "4").set("modes", "3");

  std::printf("strike    contact [ms]  restitution  tip bends by [mm]  hub after 0.2 s [rad]\n");
  model.set("duration", "0.2 s");
  for (const std::string strike : {"direct", "impulse", "paper"}) {
    const thud::Result run = model.set("strike", strike).run();
    const double contact = run[strike == "direct" ? "T_c" : "T_MH"];
    std::printf("%-8s  %12.5f  %11.5f  %17.3f  %21.6f\n", strike.c_str(), 1e3 * contact, run["e"],
                -1e3 * run["w_min"], run["theta"]);
  }

  std::printf("By the thresholds of the paper, ball at 1.6 m/s:\n");
  model.set("stick_rule", "threshold").set("speed", "-1.6 m/s").set("duration", "2.2 s");
  const thud::Result run = model.run();
  for (const thud::EventInfo& e : run.events())
    if (e.kind == "clamp" || e.kind == "unclamp")
      std::printf("  t = %.4f s  %-7s  %s -> %s\n", e.time, e.kind.c_str(), e.before.c_str(),
                  e.after.c_str());
  for (const auto& [where, joule] : run.energy().lost)
    std::printf("  lost to %s: %.3f mJ\n", where.c_str(), 1e3 * joule);
}
