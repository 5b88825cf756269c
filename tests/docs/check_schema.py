#!/usr/bin/env python3
"""The JSON Schema and the reference of scenario files are current; they and the program agree on what is a scenario."""
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

BASE = """
[[body]]
name  = "rod"
shape = { kind = "cylinder", length = "0.2 m", diameter = 0.01, mass = 0.1 }
joint = "free"
"""
ROD = '[[body]]\nname = "rod"\njoint = "free"\n'

# What is wrong, and the file. Units, names of bodies and rules are for the program alone to check.
WRONG = {
    "no body": 'title = "nothing"\n',
    "unknown key at the top": 'gravitation = 9.81\n' + BASE,
    "unknown table": BASE + "[beds]\nsurface = 0\n",
    "unknown key of a bed": BASE + '[bed]\nsurfase = 0\n',
    "unknown medium": BASE + '[bed]\nmedium = "plaisand"\n',
    "medium and law": BASE + '[bed]\nmedium = "play-sand"\nlaw = "lohse"\n',
    "negative coefficient": BASE + "[bed]\neta_d = -1\n",
    "unknown method": BASE + '[solver]\nmethod = "rk5"\n',
    "tolerance out of range": BASE + "[solver]\ntolerance = 0.5\n",
    "a text where a number is due": BASE + '[bed]\nsurface = "deep"\n',
    "a table where a text is due": BASE + "[stop]\nwhen = { a = 1 }\n",
    "one number where two are due": BASE + "[[wall]]\nat = [1]\n",
    "bodies and touches": BASE + '[[wall]]\nbodies = ["rod"]\ntouches = ["rod.tip"]\n',
    "restitution beyond 1": BASE + "[[wall]]\nat = [0, 1]\nrestitution = 1.5\n",
    "unknown kind of shape": ROD + 'shape = { kind = "cone", length = 1, mass = 1 }\n',
    "a shape without its diameter": ROD + 'shape = { kind = "cylinder", length = 1, mass = 1 }\n',
    "a key of another shape": ROD + 'shape = { kind = "sphere", diameter = 1, mass = 1, length = 1 }\n',
    "mass and density": ROD + 'shape = { kind = "sphere", diameter = 1, mass = 1, density = 1 }\n',
    "neither mass nor density": ROD + 'shape = { kind = "sphere", diameter = 1 }\n',
    "a beam without stiffness": ROD + 'shape = { kind = "beam", length = 1, diameter = 0.01, mass = 1 }\n',
    "a length of zero": ROD + 'shape = { kind = "cylinder", length = 0, diameter = 1, mass = 1 }\n',
    "a body without a joint": '[[body]]\nname = "rod"\nshape = { kind = "sphere", diameter = 1, mass = 1 }\n',
    "unknown key of a joint": BASE.replace('"free"', '{ kind = "pin", frictoin = 1 }'),
    "a fraction of a repeat": BASE.replace("name  =", "repeat = 1.5\nname ="),
    "a point without a place": BASE + '[points]\nmark = { body = "rod" }\n',
    "a result that is a number": BASE + "[results]\nt = 1\n",
    "an initial value that is a truth": BASE + '[initial]\n"rod.angle" = true\n',
    "a parameter without a value": "[parameters]\na = { unit = \"m\" }\n" + BASE,
    "air without a coefficient": BASE + "[air]\ndensity = 1\n",
}

# Said in other ways, and right.
RIGHT = {
    "the least": BASE,
    "one bed, several beds": BASE + "[[bed]]\nsurface = 1\n[[bed]]\nname = \"deep\"\nsurface = \"20 cm\"\nadds = true\n",
    "a choice from a parameter": '[parameters]\nm = { value = "hertz", choices = ["rigid", "hertz"] }\n' + BASE
                                 + '[[wall]]\nat = [0, "1 m"]\nmodel = "$m"\nstiffness = 1e6\n',
    "restitution of the speed": BASE + '[[wall]]\nat = [0, 1]\nrestitution = "=min(1, 0.5*v^-0.1)"\n',
    "numbers as expressions": '[define]\nL = "=0.2*2"\n' + BASE.replace('"0.2 m"', '"=L"'),
    "damping as a table": ROD + 'shape = { kind = "beam", length = 0.2, diameter = 0.01, mass = 0.1, young = 2e11, '
                                'damping = { mass = 1, stiffness = 1e-6 } }\n',
    "friction both ways": BASE.replace('"free"', '{ kind = "pin", friction = [0.1, "200 mN m"], torque = "=sin(t)" }'),
    "gravity as a vector": "gravity = [1, \"9.81 m/s2\"]\n" + BASE,
    "repeated": '[[body]]\nrepeat = "=2+1"\nname = "b{i}"\nshape = { kind = "sphere", diameter = 0.1, mass = 1 }\n'
                'joint = "free"\n[initial]\nrepeat = 3\n"b{i}.x" = "=i"\n',
}


class Check:
    def __init__(self, program):
        self.program, self.problems, self.count = program, [], 0

    def expect(self, condition, message):
        self.count += 1
        if not condition:
            self.problems.append(message)

    def run(self, *arguments):
        return subprocess.run([self.program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)

    def current(self, name, *arguments):
        made = self.run("schema", *arguments)
        self.expect(made.returncode == 0 and made.stdout == (ROOT / name).read_text(encoding="utf-8"),
                    f"{name} is not what `thud schema {' '.join(arguments)}` prints (make docs writes it)\n{made.stderr}")
        return made.stdout

    def errors(self, text):
        return [f"{'/'.join(str(p) for p in e.path)}: {e.message[:150]}"
                for e in self.validator.iter_errors(tomllib.loads(text))]

    def main(self):
        schema = json.loads(self.current("docs/thud-scenario.schema.json"))
        self.current("docs/reference/scenario.md", "--markdown")
        jsonschema.Draft7Validator.check_schema(schema)
        self.validator = jsonschema.Draft7Validator(schema)
        files = [f for pattern in ("scenarios/*.toml", "scenarios/templates/*.toml", "studies/scenarios/*.toml",
                                   "docs/guide/*.toml", "examples/**/*.toml") for f in ROOT.glob(pattern)]
        self.expect(len(files) > 30, f"only {len(files)} scenarios were found")
        for file in files:
            found = self.errors(file.read_text(encoding="utf-8"))
            self.expect(not found, f"{file.relative_to(ROOT)} does not validate: {'; '.join(found)}")
        with tempfile.TemporaryDirectory() as folder:
            for cases, is_right in ((WRONG, False), (RIGHT, True)):
                for name, text in cases.items():
                    path = pathlib.Path(folder) / "case.toml"
                    path.write_text(text, encoding="utf-8")
                    done = self.run("check", str(path))
                    self.expect((done.returncode == 0) == is_right,
                                f"{name}: the program says {done.returncode}: {done.stderr.strip()}")
                    found = self.errors(text)
                    self.expect((not found) == is_right, f"{name}: the schema says {found or 'nothing'}")
        for problem in self.problems:
            print(problem)
        print(f"{self.count} checks, {len(self.problems)} problems")
        return 1 if self.problems else 0


if __name__ == "__main__":
    sys.exit(Check(sys.argv[1]).main())
