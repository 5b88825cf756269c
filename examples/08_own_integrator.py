"""Thud's sand in somebody else's program: a classical Runge-Kutta method, written out here, integrates the equations of a
ball, and thud gives the force of the sand. The answer is that of thud's own solver.

Prints what 08_own_integrator.cpp prints; the sample is there.
"""

import numpy as np

import thud

model = thud.load("sphere").set(angle="90 deg", speed=2.0)
probe = model.make_sand_probe("ball")


def motion(y):
    """The rates of x, z, vx, vz of the ball; z points down."""
    sand = probe.at((y[0], y[1]), 0, (y[2], y[3]), 0)
    return np.array([y[2], y[3], *(np.array(sand.force) / probe.mass + probe.gravity)])


def step(y, h):
    """One step; None where the ball would stop on the way, as the sand turns round there."""
    k1 = motion(y)
    k2 = motion(y + h / 2 * k1)
    k3 = motion(y + h / 2 * k2)
    k4 = motion(y + h * k3)
    end = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return end if min(k2[1], k3[1], k4[1], end[3]) > 0 else None


t, h, y = 0.0, 2e-5, np.array([0, 1e-15, 0, 2])
while h > 1e-12:
    end = step(y, h)
    if end is None:
        h /= 2
    else:
        t, y = t + h, end

run = model.run()
print("           stops sinking after  at a depth of")
print(f"theirs     {1e3 * t:16.6f} ms  {1e3 * y[1]:10.6f} mm")
print(f"thud       {1e3 * run['t_z']:16.6f} ms  {1e3 * run['z_T']:10.6f} mm")
