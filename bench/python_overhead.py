"""What Python adds to a sweep: the time of thud.sweep() beside that of the same sweep inside the library.

    PYTHONPATH=build/release/python python3 bench/python_overhead.py

The library measures its own part (Sweep.seconds) within the same call, so load on the machine falls on both; the rest is
turning arguments into axes, the thread, and wrapping the arrays. Exits with status 1 above the bound of 2 %.
"""

import statistics
import sys
import time

import numpy as np

import thud

BOUND = 0.02


def measure(runs: int, jobs: int) -> float:
    model = thud.load("free_link")
    axes = {"angle": np.radians(np.linspace(25, 60, 20)), "speed": np.linspace(1, 2.5, runs // 20)}
    shares = []
    for _ in range(15):
        start = time.perf_counter()
        swept = thud.sweep(model, axes, outputs=["t_z", "z_T"], jobs=jobs)
        sum(swept[name].size for name in swept.outputs)
        total = time.perf_counter() - start
        shares.append((total - swept.seconds) / swept.seconds)
    return statistics.median(shares)


def main() -> int:
    worst = 0.0
    for runs in (400, 2000, 10000):
        for jobs in (1, 2):
            share = measure(runs, jobs)
            worst = max(worst, share)
            print(f"{runs:6} runs, {jobs} threads: {100 * share:6.3f} % on top of the library's own time")
    print(f"worst {100 * worst:.3f} %, bound {100 * BOUND:g} %")
    return 0 if worst < BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
