"""A sweep over two knobs on all processors, drawn as a heat map: how deep a link plunges, by angle and speed. Writes
plunge.svg; another name may be given.

Prints what 05_sweep_to_a_heat_map.cpp prints; the sample is there.
"""

import sys

import numpy as np

import thud

sweep = thud.sweep("free_link", {"speed": 1 + 0.125 * np.arange(17), "angle": 0.05 * np.arange(25)}, outputs=["z_T"])
depth = sweep["z_T"]
print(f"{depth.size} runs: the link plunges {1e3 * depth.min():.2f} to {1e3 * depth.max():.2f} mm")

file = sys.argv[1] if len(sys.argv) > 1 else "plunge.svg"
sweep.plot().savefig(file)
print("Wrote", file)
