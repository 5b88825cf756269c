"""A double pendulum strikes a rough floor again and again: events, impacts with friction, and what the law of restitution
makes of them.

Prints what 04_rough_obstacle.cpp prints; the sample is there.
"""

import thud

model = thud.load("rough_obstacle").set(duration="2 s")
for law in ("newton", "poisson", "stronge"):
    run = model.set(law=law).run()
    print(f"{law}: {len(run.impacts)} impacts in 2 s, {run['lost']:.3f} J lost")
    for i in run.impacts:
        print(
            f"  t = {i.time:.6f} s  {i.case:<28} impulse {i.impulse[0]:7.4f} N s along, "
            f"{i.impulse[1]:7.4f} N s across the floor"
        )
