# A resistance law of one's own in Python, for trying things out: a function of the flow. As a C++ struct, which is as fast
# as the laws of thud, it is in 02_own_resistance_law.cpp.
#
# Sample output:
#
#   firm below 5 mm   stops after 13.198 ms at 16.159 mm
#   firm below 10 mm  stops after 15.058 ms at 18.559 mm
#   firm below 20 mm  stops after 19.148 ms at 21.820 mm
#   the law "law" gives plunge = -1 N at a depth of 2.54e-07 m and a speed of 2 m/s; it must be finite and not negative (t = 0 s)
# Sample end

import thud


def layered(firm, k=400.0, c=1.0):
    """k z, three times as steep below the firm layer, + c v^2"""

    def resistance(flow):
        z = flow.depth
        plunge = k * (3 * z - 2 * firm if z > firm else z)
        return thud.Resistance(drag=c * flow.speed, plunge=plunge, withdraw=0.1 * plunge, shear=0.5 * plunge)

    return thud.law(resistance, name="layered", about=layered.__doc__)


model = thud.load("sphere").set(angle="90 deg", speed=2.0)
for firm in (0.005, 0.010, 0.020):
    run = model.use_law("bed", layered(firm)).run()
    print(f"firm below {f'{1e3 * firm:.0f} mm':<5}  stops after {1e3 * run['t_z']:.3f} ms at {1e3 * run['z_T']:.3f} mm")

model.use_law("bed", lambda flow: {"plunge": -1.0})
try:
    run = model.run()
    print(run.reason)
except Exception as e:
    print(e)
