#!/usr/bin/env python3
"""Statements that had become untrue before, held against what they are about.

    check_claims.py PROGRAM
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
problems = []


def expect(condition, message):
    if not condition:
        problems.append(message)


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def run(*arguments):
    return subprocess.run([sys.argv[1], *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout


def check_methods():
    """Wherever the methods of integration are listed, all are."""
    methods = json.loads(run("schema", "--study"))["properties"]["run"]["properties"]["method"]["enum"]
    expect(len(methods) >= 9, f"only the methods {methods}")
    docstring = read("python/thud/_model.py").split("def run(", 1)[1].split('"""')[1]
    header = read("include/thud/model.hpp").split("struct RunOptions {")[1].split("\n};")[0]
    for place, text in (("thud run --help", run("run", "--help")), ("Model.run.__doc__", docstring), ("model.hpp", header)):
        for method in methods:
            expect(re.search(rf"(?<![\w-]){re.escape(method)}(?![\w-])", text), f"{place} does not name the method {method}")


def check_commands():
    """Every command is told of somewhere, and nothing tells of others."""
    commands = set(re.findall(r"^  (\w+) ", run("--help").split("Commands:\n")[1].split("\n\n")[0], re.M))
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    named = set()
    for page in pages:
        named.update(re.findall(r"^thud ([a-z]+)", page.read_text(encoding="utf-8"), re.M))  # in blocks
        for word in re.findall(r"(?:build/|\$ |`)thud ([a-z]+)", page.read_text(encoding="utf-8"), re.M):
            named.add(word)
            if page.name == "README.md" or page.parent.name == "guide":
                expect(word in commands, f"{page.name} tells of `thud {word}`")
    expect(commands <= named, f"no page tells of {sorted(commands - named)}")


def check_targets():
    """`make TARGET` of README, CONTRIBUTING and guides is a target."""
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.M))
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs/guide").glob("*.md"))]:
        for word in re.findall(r"(?:^|`|&& )make ([a-z-]+)", page.read_text(encoding="utf-8"), re.M):
            expect(word in targets, f"{page.name} tells of `make {word}`")


def check_first_program():
    """What `make first` builds has the commands that the guide says, and knows the others by name."""
    source = read("cli/first_commands.cpp")
    first = re.findall(r"^  add_(\w+)_command", source, re.M)
    row = re.search(r"^\| `make first` \| (.*?) \|", read("docs/guide/install.md"), re.M)[1]
    expect(re.findall(r"`(\w+)`", row) == first, f"install.md says {row}; the first program has {first}")
    absent = re.findall(r'"(\w+)"', source.split("why_absent", 1)[1].split(")", 2)[1])
    every = re.findall(r"^  add_(\w+)_command", read("cli/all_commands.cpp"), re.M)
    expect(sorted(first + absent) == sorted(every), f"the first program knows {first + absent}, the whole one has {every}")


def check_mechanisms():
    """What exists is not denied."""
    expect("no floor" not in read("docs/guide/own-mechanism.md"), "own-mechanism.md: walls exist")
    expect("| Closed loops | yes |" in read("docs/comparison.md"), "comparison.md: loops exist")
    expect("One minute" not in read("README.md"), "README.md: a build takes longer than a minute")


def check_objects():
    """`make demo` builds less than half of what `make` does."""
    counts = []
    for first in ("ON", "OFF"):
        with tempfile.TemporaryDirectory(prefix="thud-claims-") as folder:
            subprocess.run(["cmake", "-S", str(ROOT), "-B", folder, "-DCMAKE_BUILD_TYPE=Release", f"-DTHUD_FIRST={first}",
                            "-DTHUD_BUILD_TESTS=OFF", "-DTHUD_BUILD_PYTHON=OFF", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
            commands = json.loads((pathlib.Path(folder) / "compile_commands.json").read_text(encoding="utf-8"))
            counts.append(len(commands))
    expect(counts[0] <= 30 and 2 * counts[0] <= counts[1], f"make demo compiles {counts[0]} objects, make {counts[1]}")


def check_citation():
    """It has the version of the program, and no people or DOI that nobody knows."""
    citation = read("CITATION.cff")
    version = re.search(r"^  VERSION ([\d.]+)$", read("CMakeLists.txt"), re.M)[1]
    expect(f"\nversion: {version}\n" in citation, f"CITATION.cff: the version is {version}")
    expect(run("--version") == f"thud {version}\n", f"thud --version is not {version}")
    doi = re.search(r"^doi: *(.*)$", citation, re.M)
    expect(not doi or re.fullmatch(r'"?10\.\d{4,9}/\S+"?', doi[1]), "CITATION.cff: the DOI is none")


for check in (check_methods, check_commands, check_targets, check_first_program, check_mechanisms, check_objects, check_citation):
    check()
for problem in problems:
    print(problem)
print(f"{len(problems)} problems")
sys.exit(1 if problems else 0)
