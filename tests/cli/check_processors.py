#!/usr/bin/env python3
"""Runs have the same bytes on processors with and without fused multiply-adds.

    check_processors.py PROGRAM

The C library is told to do without them. Where it cannot be told, or has none to begin with, there is nothing to compare: the
exit status is 77 (skipped).
"""
import json
import os
import subprocess
import sys

WITHOUT = "glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-AVX2,-FMA,-FMA4"
SINES = "import math; print(hash(tuple(math.sin(0.001 * k) + math.exp(0.0001 * k) for k in range(100000))))"


def output(command, without):
    environment = dict(os.environ, **({"GLIBC_TUNABLES": WITHOUT} if without else {}))
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return [line for line in done.stdout.splitlines() if '"wall_time"' not in line]


def main():
    if output([sys.executable, "-c", SINES], False) == output([sys.executable, "-c", SINES], True):
        print("skipped: the C library is the same with and without fused multiply-adds")
        return 77
    failed = 0
    library = json.loads(subprocess.run([sys.argv[1], "list", "--json"], stdout=subprocess.PIPE, text=True, check=True).stdout)
    for name in [one["name"] for one in library["scenarios"]]:
        command = [sys.argv[1], "run", name, "--json"]
        a, b = output(command, False), output(command, True)
        other = sum(x != y for x, y in zip(a, b)) + abs(len(a) - len(b))
        print(f"{'ok  ' if not other else 'FAIL'} {name:20} {other} of {len(a)} lines differ")
        failed += other > 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
