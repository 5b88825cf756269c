"""A controller of one's own: the leg of the library that hops on sand, by the states of its file and by a function.

Prints what 09_controller.cpp prints; the sample is there.
"""

import math

import thud

LANDING, PUSH = math.radians(40), math.radians(12)
FALL, LAND, PUSHING, FLY = range(4)


def hop(now, memory):
    """One tick. memory: the state, since when, and depth of the toe and speed of the carriage at the tick before."""
    depth, speed = now["shank.tip.depth"], now["carriage.travel.rate"]
    state, since, depth_before, speed_before = memory
    following = state
    if now.time > 0:
        if state == FALL and depth > 0 >= depth_before:
            following = LAND
        elif state == LAND and speed < 0 <= speed_before:
            following = PUSHING
        elif state == PUSHING and (depth < 0 <= depth_before or not since + 0.12 - now.time > 2e-14):
            following = FLY
        elif state == FLY and speed > 0 >= speed_before:
            following = FALL
    memory[:] = [following, since if following == state else now.time, depth, speed]
    return PUSH if following == PUSHING else LANDING


def touches(run):
    """The instants at which the toe enters the sand."""
    return [e.time for e in run.events if e.kind == "enter"]


model = thud.load("hopping_leg").set(time=1.0)
from_file = touches(model.run())
own = touches(model.control("hop", hop, memory=4).run())
print("hop  touches [ms]  by the function [ms]  same to 1 ns")
for k, (a, b) in enumerate(zip(from_file, own)):
    print(f"{k + 1:3d}  {1e3 * a:12.3f}  {1e3 * b:20.3f}  {'yes' if abs(b - a) < 1e-9 else 'no':>12s}")
