#!/usr/bin/env python3
"""`thud new`: every kind is a scenario that runs to its end and whose energy account closes; what is wrong is refused."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

RESIDUAL = 1e-8  # of the energy exchanged; runs keep to some 1e-9 at the default tolerance


class Check:
    def __init__(self, program, folder):
        self.program, self.folder, self.problems, self.count = str(pathlib.Path(program).resolve()), pathlib.Path(folder), [], 0

    def run(self, *arguments):
        return subprocess.run([self.program, *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False, timeout=120,
                              env=dict(os.environ, LC_ALL="C.UTF-8"))

    def expect(self, condition, message):
        self.count += 1
        if not condition:
            self.problems.append(message)

    def kind(self, kind):
        made = self.run("new", kind)
        file = f"{kind}.toml"
        self.expect(made.returncode == 0 and made.stdout == f"Wrote {file}. Run it with: thud run {file}\n",
                    f"{kind}: {made.stdout}{made.stderr}")
        text = (self.folder / file).read_text(encoding="utf-8")
        self.expect(text == self.run("new", kind, "-o", "-").stdout, f"{kind}: -o - prints something else")
        comments = sum("#" in line for line in text.split("\n"))
        self.expect(comments >= 8, f"{kind}: only {comments} comments")
        checked = self.run("check", file)
        self.expect(checked.returncode == 0, f"{kind}: check says {checked.stderr}")
        done = self.run("run", file, "--json")
        self.expect(done.returncode == 0, f"{kind}: run exits with {done.returncode}: {done.stderr}")
        if done.returncode:
            return
        result = json.loads(done.stdout)
        energy = result["energy"]
        self.expect(abs(energy["residual"]) < RESIDUAL, f"{kind}: the account is off by {energy['residual']}")
        self.expect(sum(energy["loss"].values()) > 0, f"{kind}: nothing was lost, so nothing was struck")
        self.expect(result["results"] and None not in result["results"].values(),
                    f"{kind}: a result was not reached: {result['results']}")

    def refused(self, status, words, *arguments):
        done = self.run(*arguments)
        self.expect(done.returncode == status and words in done.stderr and not done.stdout,
                    f"{' '.join(arguments)}: status {done.returncode}, {done.stdout}{done.stderr}")

    def main(self):
        listed = self.run("new")
        scenarios = listed.stdout.split("\nStudies\n")[0]  # tests/cli/check_tools.py has the studies
        kinds = re.findall(r"^([\w-]+)  ", scenarios, re.M)
        self.expect(listed.returncode == 0 and len(kinds) >= 8, f"the kinds are {kinds}")
        for kind in kinds:
            self.kind(kind)
        (self.folder / "ball.toml").write_text("mine", encoding="utf-8")
        self.refused(2, "exists already", "new", "ball")
        self.expect((self.folder / "ball.toml").read_text(encoding="utf-8") == "mine", "a file was overwritten")
        self.expect(self.run("new", "ball", "--force").returncode == 0
                    and (self.folder / "ball.toml").read_text(encoding="utf-8") != "mine", "--force does not overwrite")
        self.refused(2, 'did you mean "pendulum"?', "new", "pendullum")
        self.refused(2, "the kinds are", "new", "zebra")
        self.refused(2, "there is no folder", "new", "ball", "-o", "nowhere/ball.toml")
        self.refused(2, "is a folder", "new", "ball", "-o", ".")
        self.refused(2, "a kind is missing", "new", "--force")
        left = [f.name for f in self.folder.iterdir() if f.stem not in kinds]
        self.expect(not left, f"files were left behind: {left}")
        for problem in self.problems:
            print(problem)
        print(f"{len(kinds)} kinds, {self.count} checks, {len(self.problems)} problems")
        return 1 if self.problems else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="thud-new-") as folder:
        sys.exit(Check(sys.argv[1], folder).main())
