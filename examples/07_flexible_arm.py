"""A ball strikes the tip of a flexible robot arm: by direct contact, by its impulse, and by the route of the paper.

Prints what 07_flexible_arm.cpp prints; the sample is there.
"""

import thud

model = thud.load("flexible_arm").set(elements=4, modes=3, duration="0.2 s")
print("strike    contact [ms]  restitution  tip bends by [mm]  hub after 0.2 s [rad]")
for strike in ("direct", "impulse", "paper"):
    run = model.set(strike=strike).run()
    contact = run["T_c" if strike == "direct" else "T_MH"]
    print(
        f"{strike:<8}  {1e3 * contact:12.5f}  {run['e']:11.5f}  {-1e3 * run['w_min']:17.3f}  {run['theta']:21.6f}"
    )

print("By the thresholds of the paper, ball at 1.6 m/s:")
run = model.set(strike="paper", stick_rule="threshold", speed="-1.6 m/s", duration="2.2 s").run()
for e in run.events:
    if e.kind in ("clamp", "unclamp"):
        print(f"  t = {e.time:.4f} s  {e.kind:<7}  {e.before} -> {e.after}")
for where, joule in run.energy.lost.items():
    print(f"  lost to {where}: {1e3 * joule:.3f} mJ")
