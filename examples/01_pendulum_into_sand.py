"""A steel rod swings into sand: load a scenario of the library, turn its knobs, run it, read off results and a trajectory.

Prints what 01_pendulum_into_sand.cpp prints; the sample is there.
"""

import thud

model = thud.load("uniform_pendulum")
print(model.title)
print("angle [deg]  stops after [ms]  at a depth of [mm]")
for angle in ("15 deg", "30 deg", "45 deg", "60 deg"):
    run = model.set(angle=angle, rate=-8.0).run()
    print(f"{angle[:2]:>11}  {1e3 * run['t_s']:16.3f}  {1e3 * run['z_T']:18.3f}")

force = run["rod.resistance.size"]
peak = force.argmax()
print(f"At 60 deg the sand pushes with at most {force[peak]:.2f} N, {1e3 * run.time[peak]:.1f} ms after the touch")

for where, joule in run.energy.lost.items():
    if joule > 5e-5:
        print(f"  {where:<18} {joule:.4f} J")
print(f"The energy account closes to better than 1e-9: {'yes' if abs(run.energy.residual) < 1e-9 else 'no'}")
