#!/usr/bin/env python3
"""Results and events of every library scenario, recorded once and compared ever after.

    golden.py record PROGRAM FOLDER NAME...     writes FOLDER/NAME.json of new cases, or of all
    golden.py check  PROGRAM FOLDER             compares; prints the worst relative difference of each case

A change of results is a change for users: whoever records anew says why in CHANGELOG.md.
"""
import json
import pathlib
import subprocess
import sys

DIGITS = 1e-12
MOST_EVENTS = 150
SCENARIOS = """air_pendulum anchor ball_chain biped_drop block_drop bouncing_ball compass_gait compound_pendulum compound_pendulum_capture
crank_slider cube discs_in_v double_pendulum drop_rig
elastic_compound_pendulum elastic_free_link elastic_pinned_pendulum falling_rod finger five_bar_leg flexible_arm flexible_probe free_link
free_link_capture hopping_leg lander leg_on_rail mathematical_pendulum n_link_chain newtons_cradle rimless_wheel rocking_block rocking_block_to_rest rough_obstacle
regolith_lander rft_foot rft_leg sand_hopper shaken_block sphere three_balls two_link_chain uniform_pendulum upright_rod
wheel_in_sand""".split()
TO_REST = """biped_drop compound_pendulum double_pendulum free_link n_link_chain sphere two_link_chain
uniform_pendulum flexible_probe""".split()
# How much a difference of one rounding grows until the end of the run, in units of DIGITS. Beams are integrated at the limit
# of stability, where the control of steps amplifies it: elastic_compound_pendulum started 1e-15 rad off stops 1e-8 of its
# time earlier or later.
# Of impacts every one may double it: block_drop and falling_rod have dozens, and walkers land again and again.
GROWTH = {"compass_gait": 1e3, "hopping_leg": 1e3, "lander": 1e3, "rimless_wheel": 1e2, "block_drop": 10, "falling_rod": 10, "flexible_arm": 1e2, "elastic_compound_pendulum": 2e4, "elastic_pinned_pendulum": 1e3, "elastic_free_link": 1e3, "flexible_probe": 1e3,
          "flexible_probe_to_rest": 2e4}


def cases():
    for name in SCENARIOS:
        yield name, [name]
    for name in TO_REST:
        yield name + "_to_rest", [name, "--until", "rest"]


def run(program, arguments):
    done = subprocess.run([program, "run", *arguments, "--json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{arguments}: exit {done.returncode}\n{done.stderr}")
    out = json.loads(done.stdout)
    # Where only the side of a drag changes, which is zero there, the instant is located to 1e-8 of the time scale.
    events = [[e["time"], e["kind"], e.get("subject", ""), e.get("before", ""), e.get("after", "")]
              for e in out["events"] if e["kind"] != "flow"]
    return {"stop": [out["stop"]["time"], out["stop"]["reason"]], "results": out["results"],
            "losses": out["energy"].get("lost", out["energy"]), "events": events[:MOST_EVENTS],
            "event_count": len(events)}


def numbers(x, path=""):
    if isinstance(x, dict):
        for key, value in x.items():
            yield from numbers(value, f"{path}/{key}")
    elif isinstance(x, list):
        for i, value in enumerate(x):
            yield from numbers(value, f"{path}/{i}")
    else:
        yield path, x


def compare(old, new):
    """The worst difference, relative to the largest number of its group, and where; or what else differs."""
    worst, where = 0.0, ""
    for group in ("stop", "results", "losses", "events"):
        a, b = list(numbers(old[group])), list(numbers(new[group]))
        if [p for p, _ in a] != [p for p, _ in b]:
            return float("inf"), f"{group}: other entries"
        size = max([abs(x) for _, x in a if isinstance(x, (int, float))] or [1.0])
        for (path, x), (_, y) in zip(a, b):
            if group == "losses" and "residual" in path:
                continue  # rounding by nature; bounded by tests of its own
            if isinstance(x, (int, float)) and isinstance(y, (int, float)):
                scale = size if group in ("events", "losses") else max(abs(x), 1e-9)
                difference = abs(x - y) / scale if scale else 0.0
                if difference > worst:
                    worst, where = difference, f"{group}{path}: {x!r} -> {y!r}"
            elif x != y:
                return float("inf"), f"{group}{path}: {x!r} -> {y!r}"
    if old["event_count"] != new["event_count"]:
        return float("inf"), f"{old['event_count']} events -> {new['event_count']}"
    return worst, where


def main():
    what, program, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    failed = 0
    wanted = sys.argv[4:]
    for name, arguments in cases():
        if wanted and name not in wanted:
            continue
        path = folder / f"{name}.json"
        now = run(program, arguments)
        if what == "record":
            path.write_text(json.dumps(now, separators=(",", ":")).replace('],["', '],\n["').replace("],[", "],\n[") + "\n")
            continue
        worst, where = compare(json.loads(path.read_text()), now)
        allowed = DIGITS * GROWTH.get(name, 1)
        failed += worst > allowed
        print(f"{'ok  ' if worst <= allowed else 'FAIL'} {name:34} {worst:9.1e}  {where if worst > allowed else ''}")
    print(f"{failed} of {len(list(cases()))} cases differ" if what == "check" else "recorded")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
