"""What Python adds to a sweep: the time of thud.sweep() beside that of the same sweep inside the library.

    PYTHONPATH=build/release/python python3 bench/python_overhead.py

The library measures its own part (Sweep.seconds) within the same call, so load on the machine falls on both; the rest is
turning arguments into axes, the thread, and wrapping the arrays. Exits with status 1 above the bound of 2 %.
"""

import sys
import time
from typing import Tuple

import numpy as np

import thud

BOUND = 0.02


def measure(runs: int, jobs: int) -> Tuple[float, float]:
    """Seconds that Python takes and seconds that the library takes: the least of many, as other load only adds."""
    model = thud.load("free_link")
    axes = {"angle": np.radians(np.linspace(25, 60, 20)), "speed": np.linspace(1, 2.5, runs // 20)}
    ours, librarys = [], []
    for _ in range(31):
        start = time.perf_counter()
        swept = thud.sweep(model, axes, outputs=["t_z", "z_T"], jobs=jobs)
        sum(swept[name].size for name in swept.outputs)
        ours.append(time.perf_counter() - start - swept.seconds)
        librarys.append(swept.seconds)
    return min(ours), min(librarys)


def main() -> int:
    worst = 0.0
    for runs in (1000, 3000, 10000):
        for jobs in (1, 2):
            ours, librarys = measure(runs, jobs)
            share = ours / librarys
            worst = max(worst, share)
            print(
                f"{runs:6} runs, {jobs} threads: {1e3 * ours:.3f} ms beside {1e3 * librarys:.1f} ms, {100 * share:.2f} %"
            )
    print(f"worst {100 * worst:.2f} %, bound {100 * BOUND:g} %")
    return 0 if worst < BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
