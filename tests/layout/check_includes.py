#!/usr/bin/env python3
"""Folders of the library include in one direction only: each may use itself and the folders before it.

    check_includes.py ROOT

Prints every include against the order, and fails when there is one. CONTRIBUTING.md shows the order as a picture.
So it does for functions of the C library whose bits differ between machines: thud/math/portable.hpp has them.
"""
import pathlib
import re
import sys

# From the bottom to the top. `model` and the light façade stand for include/thud/*.hpp as well; units/ only says what is
# compiled together.
ORDER = [
    "base", "math", "solve", "beam", "mechanics", "granular", "contact", "elements", "dynamics", "step", "event", "lanes",
    "scenario", "import", "store", "draw", "study", "report", "model", "serve", "cli", "units",
]
# Squares are products to every compiler.
UNPORTABLE = re.compile(r"^(?!\s*//).*\bstd::(sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|exp|exp2|expm1|log|log2|log10|pow|hypot)\b"
                        r"(?!\(.*, 2\))")
OWN_FUNCTIONS = {"src/math/portable.cpp", "src/math/powers.cpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def folder_of(path, root):
    parts = path.relative_to(root).parts
    if parts[0] == "cli":
        return "cli"
    inner = parts[2:] if parts[0] == "include" else parts[1:]
    return inner[0] if len(inner) > 1 else "model"


def target_of(text, own):
    name = text.removeprefix("thud/")
    if "/" not in name:  # beside the including file, or of the façade
        return "model" if text.startswith("thud/") else own
    return name.split("/")[0]


def check(root):
    rank = {name: i for i, name in enumerate(ORDER)}
    wrong, files = [], 0
    for top in ("include/thud", "src", "cli"):
        for path in sorted((root / top).rglob("*.[ch]pp")):
            files += 1
            own = folder_of(path, root)
            where = path.relative_to(root)
            if own not in rank:
                wrong.append(f"{where}: the folder {own} has no place in the order")
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if (match := UNPORTABLE.match(line)) and str(where) not in OWN_FUNCTIONS:
                    wrong.append(f"{where}:{number}: std::{match.group(1)} differs between machines; portable::{match.group(1)} does not")
                match = INCLUDE.match(line)
                if not match:
                    continue
                target = target_of(match.group(1), own)
                if target not in rank:
                    wrong.append(f"{where}:{number}: {match.group(1)} is in a folder without a place in the order")
                elif rank[target] > rank[own]:
                    wrong.append(f"{where}:{number}: {own} must not include {target} ({match.group(1)})")
    return wrong, files


def main():
    root = pathlib.Path(sys.argv[1])
    wrong, files = check(root)
    for line in wrong:
        print(line)
    print(f"{files} files, {len(wrong)} includes against the order")
    return 1 if wrong or files < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
