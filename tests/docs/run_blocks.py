#!/usr/bin/env python3
"""Runs the commands that a page of Markdown shows, and compares what they print with what it shows.

    run_blocks.py PAGE.md --program build/release/bin/thud [--update]

In the page:

    ```console            commands behind "$ ", each followed by what it prints; "..." stands for any lines
    ```sh                 a script; only its success is checked

All blocks of a page run in one temporary folder, one after the other, with the TOML files beside the page in it. A
comment on the line before a block says what is special about it:

    <!-- file: ball.toml -->             the block is written to this file
    <!-- run: status 2 -->               the commands of the block exit with this status
    <!-- run: no, opens a browser -->    the block is not run, for the reason given

What differs from run to run or from one processor to the next is masked on both sides: times of the clock, numbers of
threads and of steps, residuals of rounding, digits beyond the ninth. A command in a block of any other kind, or in
indented text, is refused: nothing may look like a command and not be run. --update writes what the commands print into
the page where it differs; where lines are elided, each line that is shown becomes the one most like it.
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TIMEOUT = 400  # seconds per command

MASKS = [
    (re.compile(r"^\d+ steps, .*"), "# steps"),
    (re.compile(r"-?\b\d(\.\d+)?e-(0[89]|[1-9]\d)\b"), "~0"),
    (re.compile(r"-?\b\d+\.\d{9,}(e[-+]\d+)?\b"), lambda match: f"{float(match[0]):.9g}"),
    (re.compile(r"(\d+ runs? in )\S+ \S+ \(\S+ runs/s, \d+ threads?\)"), r"\1#"),
    (re.compile(r"(\d+ runs? in )[\d.e+-]+ m?s\b.*"), r"\1#"),
]
COMMAND = re.compile(r"^\s*(\$ )?(build/thud|thud|make|cmake|mpirun|curl|jq|sbatch|for \w+ in)\b")


class Block:
    def __init__(self, language, first, lines, notes):
        self.language, self.first, self.lines, self.notes = language, first, lines, notes

    def note(self, kind):
        return next((text for name, text in self.notes if name == kind), None)


def read_blocks(text):
    """The fenced blocks of a page, and what looks like a command outside of them."""
    blocks, stray = [], []
    lines = text.split("\n")
    at, notes = 0, []
    while at < len(lines):
        fence = re.match(r"^```([^`\s]*)\s*$", lines[at])
        note = re.match(r"^<!--\s*(file|run):\s*(.*?)\s*-->$", lines[at])
        if note:
            notes.append((note[1], note[2]))
        elif fence:
            end = next((k for k in range(at + 1, len(lines)) if lines[k].startswith("```")), None)
            if end is None:
                raise SystemExit(f"line {at + 1}: the block is not closed")
            blocks.append(Block(fence[1], at + 1, lines[at + 1:end], notes))
            at, notes = end, []
        else:
            if lines[at].strip():
                notes = []
            if lines[at].startswith("    ") and COMMAND.match(lines[at]):
                stray.append((at + 1, lines[at].strip()))
        at += 1
    return blocks, stray


def commands_of(block):
    """[(command, expected lines, index of the first of them)]"""
    out = []
    for k, line in enumerate(block.lines):
        if out and out[-1][0].endswith("\\"):
            out[-1][0] += "\n" + line
            out[-1][2] = k + 1
        elif line.startswith("$ "):
            out.append([line[2:], [], k + 1])
        elif not out:
            raise SystemExit(f"line {block.first + 1}: a console block begins with \"$ command\"")
        else:
            out[-1][1].append(line)
    return out


def masked(line):
    line = line.rstrip()
    for pattern, replacement in MASKS:
        line = pattern.sub(replacement, line)
    return line


def matches(expected, actual):
    """Whether the lines agree, "..." standing for any number of lines."""
    parts, part = [], []
    for line in expected:
        if line.strip() == "...":
            parts.append(part)
            part = []
        else:
            part.append(line)
    parts.append(part)
    if len(parts) == 1:
        return parts[0] == actual
    first, last = parts[0], parts[-1]
    if actual[:len(first)] != first or len(actual) < len(first) + len(last):
        return False
    if last and actual[-len(last):] != last:
        return False
    at, end = len(first), len(actual) - len(last)
    for part in parts[1:-1]:
        while at + len(part) <= end and actual[at:at + len(part)] != part:
            at += 1
        if at + len(part) > end:
            return False
        at += len(part)
    return True


def renewed(expected, actual):
    """What a page should show: all of it, or of what it shows now the lines most like it."""
    if not any(e.strip() == "..." for e in expected):
        return actual
    out, at = [], 0
    plain = [masked(a) for a in actual]
    for line in expected:
        if line.strip() == "...":
            out.append(line)
            continue
        rest = plain[at:]
        found = [""] if not line.strip() else difflib.get_close_matches(masked(line), rest, 1, 0.5)
        if not found or found[0] not in rest:
            continue
        if rest[0] != found[0] and out[-1:] != ["..."]:
            out.append("...")
        at += rest.index(found[0]) + 1
        out.append(actual[at - 1])
    if at < len(plain) and out[-1:] != ["..."]:
        out.append("...")
    return out


class Page:
    def __init__(self, path, program):
        self.path, self.name = path, path.name
        self.text = path.read_text(encoding="utf-8")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="thud-docs-"))
        for file in path.parent.glob("*.toml"):
            shutil.copy(file, self.folder)
        (self.folder / "build").mkdir()
        (self.folder / "build" / "thud").symlink_to(program)
        self.environment = dict(os.environ, LC_ALL="C.UTF-8", NO_COLOR="1", COLUMNS="80",
                                PATH=f"{program.parent}{os.pathsep}{os.environ['PATH']}")
        self.problems, self.skipped, self.ran = [], [], 0

    def shell(self, command):
        try:
            done = subprocess.run(["bash", "-c", "set -o pipefail; " + command], cwd=self.folder, env=self.environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=TIMEOUT, check=False)
        except subprocess.TimeoutExpired:
            return None, [f"(not done after {TIMEOUT} s)"]
        text = done.stdout.decode("utf-8", "replace")
        return done.returncode, text[:-1].split("\n") if text.endswith("\n") else text.split("\n") if text else []

    def complain(self, line, message):
        self.problems.append(f"{self.name}:{line}: {message}")

    def run_console(self, block, updated):
        wanted = re.match(r"status (\d+)", block.note("run") or "status 0")
        for command, expected, first in commands_of(block):
            status, actual = self.shell(command)
            self.ran += 1
            want = int(wanted[1])
            line = block.first + 1 + first
            if status != want:
                self.complain(line, f"\"{command}\" exits with status {status}, not {want}\n" + "\n".join(actual[-20:]))
                continue
            if matches([masked(e) for e in expected], [masked(a) for a in actual]):
                continue
            difference = "\n".join(difflib.unified_diff([masked(e) for e in expected], [masked(a) for a in actual],
                                                        "shown", "printed", lineterm="", n=1))
            self.complain(line, f"\"{command}\" prints something else\n{difference}")
            updated.append((block.first + first, len(expected), renewed(expected, actual)))

    def run_block(self, block, updated):
        skip = re.match(r"no, (.+)", block.note("run") or "")
        shows_command = any(re.match(r"^\$ ", line) for line in block.lines)
        if block.note("file"):
            (self.folder / block.note("file")).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        elif skip:
            self.skipped.append((block.first, skip[1]))
        elif block.language == "console":
            self.run_console(block, updated)
        elif block.language == "sh":
            status, actual = self.shell("set -e\n" + "\n".join(block.lines))
            self.ran += 1
            want = int(re.match(r"(?:status )?(\d+)", block.note("run") or "0")[1])
            if status != want:
                self.complain(block.first,
                              f"the script exits with status {status}, not {want}\n" + "\n".join(actual[-20:]))
        elif shows_command or (block.language == "" and any(COMMAND.match(line) for line in block.lines[:1])):
            self.complain(block.first, "a command in a block that is neither console nor sh")

    def run(self):
        blocks, stray = read_blocks(self.text)
        for line, text in stray:
            self.complain(line, f"an indented command is not run: {text}")
        updated = []
        for block in blocks:
            self.run_block(block, updated)
        return updated

    def update(self, updated):
        lines = self.text.split("\n")
        for first, count, actual in sorted(updated, reverse=True):
            lines[first:first + count] = actual
        self.path.write_text("\n".join(lines), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    page = Page(options.page, options.program.resolve())
    try:
        updated = page.run()
    finally:
        shutil.rmtree(page.folder, ignore_errors=True)
    if options.update and updated:
        page.update(updated)
    for problem in page.problems:
        print(problem)
    print(f"{page.name}: {page.ran} commands run, {len(page.skipped)} blocks not run, {len(page.problems)} problems")
    for line, reason in page.skipped:
        print(f"  {page.name}:{line}: not run: {reason}")
    return 1 if page.problems else 0


if __name__ == "__main__":
    sys.exit(main())
