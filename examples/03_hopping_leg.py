"""A leg that hops: a torque in the knee, written as a function of time in the scenario, pushes a trunk up from a rough floor.

Prints what 03_hopping_leg.cpp prints; the sample and the scenario are there.
"""

from pathlib import Path

import thud

source = Path(__file__).with_suffix(".cpp").read_text(encoding="utf-8")
model = thud.parse(source.split('R"(')[1].split(')"')[0], "hopping_leg.toml")
print("push [ms]  apex after [ms]  trunk rises [mm]  foot above floor [mm]  work [J]  lost [J]")
for push in (0.03, 0.04, 0.05, 0.06):
    run = model.set(push=push).run()
    rise = run["trunk.z"][0] - run["z_apex"]
    lost = sum(run.energy.lost.values())
    print(
        f"{1e3 * push:9.0f}  {1e3 * run['t_apex']:15.2f}  {1e3 * rise:16.2f}  {abs(1e3 * run['foot']):21.2f}  "
        f"{run.energy.supplied:8.3f}  {lost:8.3f}"
    )
