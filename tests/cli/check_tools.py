#!/usr/bin/env python3
"""Studies as the command line sees them, JSON documents, sweeps without a file, manual pages and completions.

    check_tools.py PROGRAM [NAME...]
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STUDIES = sorted((ROOT / "studies").glob("*.toml")) + sorted((ROOT / "studies/templates").glob("*.toml"))

SWEEP = 'scenario = "free_link"\n[vary]\nspeed = { grid = [1, 2], count = 3 }\n'
# What is wrong with a study, whatever its scenario, and the file.
WRONG = {
    "no scenario": "[vary]\nspeed = { list = [1] }\n",
    "nothing to do": 'scenario = "free_link"\n',
    "an unknown key": SWEEP + "[desing]\nruns = 1\n",
    "an unknown design": SWEEP + '[design]\nkind = "halton"\n',
    "no count": 'scenario = "free_link"\n[vary]\nspeed = { grid = [1, 2] }\n',
    "a count of zero": 'scenario = "free_link"\n[vary]\nspeed = { grid = [1, 2], count = 0 }\n',
    "two ways at once": 'scenario = "free_link"\n[vary]\nspeed = { list = [1], uniform = [1, 2] }\n',
    "an empty list": 'scenario = "free_link"\n[vary]\nspeed = { list = [] }\n',
    "a plot without y": SWEEP + '[[plot]]\nkind = "curves"\nx = "speed"\n',
    "an unknown method": SWEEP + '[run]\nmethod = "rk5"\n',
    "an unknown loss": 'scenario = "free_link_capture"\n[fit]\nloss = "l1"\n[fit.knobs]\neta_d = {}\n',
    "a fit without knobs": 'scenario = "free_link_capture"\n[fit]\nnoise = "1 mm"\n',
}


def thud(*arguments, cwd=None, **more):
    environment = dict(os.environ, LC_ALL="C.UTF-8", THUD_DATA=str(ROOT))
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, text=True, check=False, timeout=300, env=environment, **more)


class Tools(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="thud-tools-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def good(self, *arguments, status=0):
        done = thud(*arguments, cwd=self.folder)
        self.assertEqual(done.returncode, status, f"{arguments}: {done.stderr}")
        return done.stdout

    def refusal(self, *arguments):
        done = thud(*arguments, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), f"{arguments}: {done.stderr}")
        return done.stderr

    def file(self, text, name="case.toml"):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    # ---- JSON

    def document(self, *arguments, status=0):
        data = json.loads(self.good(*arguments, status=status))
        self.assertEqual(list(data)[:2], ["thud", "format"], arguments)
        self.assertEqual(data["format"], 1)
        self.assertEqual("thud " + data["thud"] + "\n", self.good("--version"))
        return data

    def test_documents_have_a_format(self):
        self.file(SWEEP)
        self.file(SWEEP.replace("grid = [1, 2], count = 3", "uniform = [1, 2]") + "[sensitivity]\nsamples = 64\n", "s.toml")
        self.document("run", "free_link", "--json")
        self.document("modes", "compound_pendulum", "--json")
        self.document("sweep", "case.toml", "--json")
        self.document("sensitivity", "s.toml", "--json")
        self.document("reproduce", "--list", "--json")
        self.document("reproduce", "lee2009/4.3", "--json")
        self.good("synth", "free_link_capture", "--out", "capture.csv")
        self.document("capture", "capture.csv", "--json")

    def test_list(self):
        data = self.document("list", "--json")
        names = [s["name"] for s in data["scenarios"]]
        self.assertEqual(names, sorted(p.stem for p in (ROOT / "scenarios").glob("*.toml")))
        link = next(s for s in data["scenarios"] if s["name"] == "free_link")
        self.assertEqual([k["name"] for k in link["knobs"]], ["angle", "speed"])
        self.assertNotIn("error", json.dumps(data))
        studies = {s["name"]: s for s in data["studies"]}
        self.assertEqual(studies["free_link_map"]["commands"], ["sweep"])
        self.assertEqual(studies["fit_free_link"]["commands"], ["fit"])
        self.assertIn("sensitivity", studies["sensitivity_compound_pendulum"]["commands"])
        self.assertEqual(self.good("list", "--names").split(), names + sorted(studies))
        text = self.good("list")
        for name in names + list(studies):
            self.assertIn(f"\n{name} ", "\n" + text)

    def test_laws(self):
        data = self.document("laws", "--json")
        sand = next(m for m in data["media"] if m["name"] == "play-sand")
        law = next(e for e in data["laws"] if e["name"] == sand["law"])
        self.assertEqual(sorted(sand["coefficients"]), sorted(c["name"] for c in law["coefficients"]))
        self.assertEqual(sand["coefficients"]["eta_v"], 22)

    def test_check(self):
        data = self.document("check", "free_link", "--set", "speed=2", "--json")
        self.assertEqual(data["degrees_of_freedom"], 3)
        self.assertEqual([b["name"] for b in data["bodies"]], ["link"])
        self.assertEqual({k["name"]: k["value"] for k in data["knobs"]}["speed"], 2)
        self.assertEqual([r["name"] for r in data["results"]], ["t_z", "z_T"])
        for name in json.loads(self.good("list", "--json"))["scenarios"]:
            self.document("check", name["name"], "--json")

    # ---- studies

    def test_check_of_studies(self):
        for path in STUDIES:
            with self.subTest(path.name):
                self.assertIn("Study\n", self.good("check", path))
                data = self.document("check", path, "--json")
                self.assertEqual(data["study"]["name"], path.stem)
        text = self.good("check", "free_link_map")
        self.assertIn("36 values", text)
        self.assertIn("1116 runs, 2 pictures", text)
        self.assertEqual(self.document("check", "free_link_map", "--json")["runs"], 1116)
        self.assertEqual(self.document("check", "sensitivity_compound_pendulum", "--json")["runs"], 4096 * 8)
        self.assertTrue(self.good("check", "free_link_map", "--ascii").isascii())

    def test_check_refuses_with_a_place(self):
        self.assertIn('case.toml:3:1: the scenario has no knob "sped"; did you mean "speed"?',
                      self.refusal("check", self.file(SWEEP.replace("speed", "sped")).name))
        self.assertIn("there is no scenario", self.refusal("check", self.file(SWEEP.replace("free_link", "fre_link")).name))
        self.assertIn("is a study, not a scenario; run it with: thud sweep free_link_map", self.refusal("run", "free_link_map"))
        self.assertIn("is a study", self.refusal("run", self.file(SWEEP).name))

    def test_the_schema_and_the_program_agree(self):
        import jsonschema

        schema = json.loads(self.good("schema", "--study"))
        jsonschema.Draft7Validator.check_schema(schema)
        validator = jsonschema.Draft7Validator(schema)
        self.assertEqual((ROOT / "docs/thud-study.schema.json").read_text(encoding="utf-8"), self.good("schema", "--study"),
                         "make docs writes it")
        for path in STUDIES:
            errors = [e.message for e in validator.iter_errors(tomllib.loads(path.read_text(encoding="utf-8")))]
            self.assertEqual(errors, [], path.name)
        for name, text in WRONG.items():
            with self.subTest(name):
                path = self.file(text)
                command = "fit" if "[fit]" in text else "sweep"
                self.assertEqual(thud(command, path, cwd=self.folder).returncode, 2, name)
                self.assertTrue(list(validator.iter_errors(tomllib.loads(text))), name)

    def test_new(self):
        listed = self.good("new").split("\nStudies\n")[1]
        self.assertEqual(re.findall(r"^([\w-]+)  ", listed, re.M), ["fit", "sensitivity", "sweep"])
        for kind, command in (("sweep", "sweep"), ("sensitivity", "sensitivity"), ("fit", "fit")):
            self.assertEqual(self.good("new", kind), f"Wrote {kind}.toml. Run it with: thud {command} {kind}.toml\n")
            self.good("check", f"{kind}.toml")
        self.good("sweep", "sweep.toml", "--svg", "pictures")
        self.assertEqual(len(list((self.folder / "pictures").iterdir())), 1)
        self.good("sensitivity", "sensitivity.toml")
        self.good("synth", "fit.toml", "--out", "captures/")
        self.good("fit", "fit.toml", "--data", *sorted(map(str, (self.folder / "captures").glob("*.csv"))))

    # ---- sweeps without a file

    def test_vary_is_the_sweep_of_a_file(self):
        self.file(SWEEP.replace("[vary]", '[vary]\nangle = { list = ["30 deg", "40 deg"] }'))
        self.good("sweep", "case.toml", "--csv", "file.csv")
        self.good("sweep", "free_link", "--vary", "angle=30 deg,40 deg", "--vary", "speed=1:2:0.5", "--csv", "vary.csv")
        self.assertEqual((self.folder / "vary.csv").read_text(), (self.folder / "file.csv").read_text())
        self.assertTrue((self.folder / "free_link_sweep.h5").exists())

    def test_vary_with_units_pictures_and_outputs(self):
        told = self.document("sweep", "free_link", "--vary", "angle=30 deg:60 deg:10 deg", "--outputs", "z_T,end.time",
                             "--set", "speed=2", "--svg", "pictures", "--json")
        self.assertEqual((told["runs"], list(told["outputs"])), (4, ["z_T", "end.time"]))
        self.assertEqual(len(list((self.folder / "pictures").iterdir())), 2)
        self.assertEqual(self.document("sweep", "free_link", "--vary", "speed=1:3:0.1", "--restart", "--json")["runs"], 21)

    def test_vary_refuses(self):
        for vary, words in (("speed", "expected NAME="), ("sped=1:2:1", 'did you mean "speed"?'), ("speed=1:2", "FROM:TO:STEP"),
                            ("speed=1:2:0.3", "whole number"), ("speed=2:1:0.5", "does not lead from"),
                            ("speed=1:2:0", "does not lead from"), ("speed=1:2:1 kg", "--vary speed=1:2:1 kg"),
                            ("speed=1,,2", "a value is empty"), ("speed=1:99:1", "--vary speed=1:99:1: "),
                            ("speed=1:2:1e-9", "more than a million")):
            self.assertIn(words, self.refusal("sweep", "free_link", "--vary", vary), vary)
        self.assertIn("varied twice", self.refusal("sweep", "free_link", "--vary", "speed=1,2", "--vary", "speed=1,2"))
        self.assertIn("fixed by --set", self.refusal("sweep", "free_link", "--vary", "speed=1,2", "--set", "speed=1"))
        self.assertIn("is a study", self.refusal("sweep", "free_link_map", "--vary", "speed=1,2"))
        self.assertIn("say what to vary", self.refusal("sweep", "free_link"))
        self.assertIn("goes with --vary", self.refusal("sweep", "free_link_map", "--outputs", "t_z"))
        self.assertIn('did you mean "z_T"?', self.refusal("sweep", "free_link", "--vary", "speed=1,2", "--outputs", "z_t"))
        self.assertEqual([p.name for p in self.folder.iterdir()], [])

    # ---- manual pages and completions

    def commands(self):
        return re.findall(r"^  (\w+) ", self.good("--help").split("Commands:\n")[1].split("\n\n")[0], re.M)

    def options(self, *command):
        return re.findall(r"^  (?:-\w, )?(--[\w-]+)", self.good(*command, "--help"), re.M)

    def test_manual_pages(self):
        self.good("manual", "--out", "man1")
        pages = {p.name: p.read_text(encoding="utf-8") for p in (self.folder / "man1").iterdir()}
        self.assertEqual(sorted(pages), sorted(["thud.1"] + [f"thud-{c}.1" for c in self.commands()]))
        self.assertEqual(self.good("manual", "run"), pages["thud-run.1"])
        self.assertEqual(self.good("manual"), pages["thud.1"])
        for command in self.commands():
            page = pages[f"thud-{command}.1"].replace("\\-", "-")
            for option in self.options(command):
                self.assertIn(f"\\fB{option}\\fR", page, command)
        self.assertIn('did you mean "run"?', self.refusal("manual", "rn"))
        if shutil.which("groff"):
            for name, page in pages.items():
                done = subprocess.run(["groff", "-man", "-ww", "-Kutf8", "-Tutf8"], input=page, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True, check=True)
                self.assertEqual(done.stderr, "", name)
                self.assertIn("SYNOPSIS", re.sub(".\b", "", done.stdout))

    def bash(self, *words):
        script = self.file(self.good("completion", "bash"), "completion.bash")
        quoted = " ".join(f"'{w}'" for w in words)
        code = (f"source {script}; PATH={pathlib.Path(PROGRAM).parent}:$PATH; COMP_WORDS=({quoted}); "
                f"COMP_CWORD={len(words) - 1}; _thud; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        done = subprocess.run(["bash", "-uc", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                              cwd=self.folder, env=dict(os.environ, THUD_DATA=str(ROOT)))
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes(self):
        self.assertEqual(self.bash(PROGRAM, "sw"), ["sweep"])
        self.assertEqual(set(self.commands()) - set(self.bash(PROGRAM, "")), set())
        for command in self.commands():
            self.assertEqual(set(self.options(command)) - set(self.bash(PROGRAM, command, "--")), set(), command)
        self.assertEqual(self.bash(PROGRAM, "run", "free_l"), ["free_link", "free_link_capture", "free_link_map"])
        self.file("", "mine.toml")
        self.assertEqual(self.bash(PROGRAM, "run", "free_link", "--report", "mi"), ["mine.toml"])

    def test_other_shells_read_their_scripts(self):
        for shell in ("zsh", "fish"):
            script = self.file(self.good("completion", shell), f"completion.{shell}")
            for command in self.commands():
                self.assertIn(command, script.read_text(encoding="utf-8"))
            if shutil.which(shell):
                done = subprocess.run([shell, "-n", str(script)], stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), shell)
        if shutil.which("fish"):
            done = subprocess.run(["fish", "-c", f"source {self.folder}/completion.fish; complete -C 'thud run --rep'"],
                                  stdout=subprocess.PIPE, text=True, check=True,
                                  env=dict(os.environ, PATH=f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"))
            self.assertIn("--report", done.stdout)
        self.assertIn('did you mean "zsh"?', self.refusal("completion", "zhs"))


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
