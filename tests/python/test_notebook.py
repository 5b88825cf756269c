"""What notebooks and other processes get of results; models from dicts and objects; the example notebooks."""

import contextlib
import json
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np

import thud
from thud import _notebook

ROOT = Path(__file__).resolve().parent.parent.parent
BALL = {"name": "ball", "joint": "free", "shape": {"kind": "sphere", "diameter": 0.04, "mass": 0.05}}
SCENE = {"body": [BALL], "bed": {"medium": "play-sand"}, "initial": {"ball.z": -0.5}}


@contextlib.contextmanager
def in_folder():
    with tempfile.TemporaryDirectory() as folder:
        before = os.getcwd()
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(before)


class Pickles(unittest.TestCase):
    def test_a_result(self):
        result = thud.load("bouncing_ball").run()
        kept = pickle.loads(pickle.dumps(result))
        self.assertEqual(repr(kept), repr(result))
        self.assertEqual(str(kept), str(result))
        self.assertEqual(kept.results, result.results)
        self.assertEqual(list(kept.columns), list(result.columns))
        for name in result.columns:
            np.testing.assert_array_equal(kept[name], result[name], err_msg=name)
        self.assertFalse(kept["ball.z"].flags.writeable)
        self.assertEqual([e.time for e in kept.events], [e.time for e in result.events])
        self.assertEqual([i.impulse for i in kept.impacts], [i.impulse for i in result.impacts])
        self.assertEqual(kept.energy.lost, result.energy.lost)
        self.assertEqual(repr(kept.knobs), repr(result.knobs))
        for text in ("to_csv", "to_json", "to_html"):
            self.assertEqual(getattr(kept, text)(), getattr(result, text)())
        self.assertEqual(pickle.dumps(pickle.loads(pickle.dumps(kept))), pickle.dumps(kept))
        kept.to_frame()
        kept.plot()
        with self.assertRaisesRegex(KeyError, "no column or result"):
            kept["ball.q"]

    def test_a_result_in_another_process(self):
        result = thud.load("free_link").run()
        program = "import pickle, sys; print(pickle.load(sys.stdin.buffer).results['t_z'])"
        done = subprocess.run([sys.executable, "-c", program], input=pickle.dumps(result), stdout=subprocess.PIPE, check=True)
        self.assertEqual(float(done.stdout), result.results["t_z"])

    def test_a_sweep(self):
        sweep = thud.sweep("free_link", {"speed": [1, 2, 3], "angle": ["30 deg", "40 deg"]}, time_limit="24 ms")
        self.assertTrue(0 < np.count_nonzero(sweep.status) < 6)
        kept = pickle.loads(pickle.dumps(sweep))
        self.assertEqual(repr(kept), repr(sweep))
        np.testing.assert_array_equal(kept.status, sweep.status)
        for name in sweep.outputs:
            np.testing.assert_array_equal(kept[name], sweep[name])
        for name, values in sweep.axes.items():
            np.testing.assert_array_equal(kept.axes[name], values)
        for index in np.ndindex(*sweep.shape):
            self.assertEqual(kept.message(*index), sweep.message(*index))
        self.assertEqual(kept.to_frame().to_csv(), sweep.to_frame().to_csv())


class Shown(unittest.TestCase):
    def test_a_result_is_small_and_links_to_its_page(self):
        result = thud.load("free_link").run()
        with in_folder() as folder:
            shown = result._repr_html_()
            self.assertLess(len(shown), 2000)
            self.assertIn("0.0275924 s", shown)
            (page,) = (folder / "thud_pages").iterdir()
            self.assertIn(f'href="thud_pages/{page.name}"', shown)
            self.assertEqual(page.read_text(encoding="utf-8"), result.to_html())
            self.assertEqual(result._repr_html_(), shown)
            self.assertEqual(len(list((folder / "thud_pages").iterdir())), 1)

    def test_without_a_folder_there_is_no_link(self):
        result = thud.load("free_link").run()
        with in_folder() as folder, mock.patch.object(_notebook, "FOLDER", None):
            self.assertNotIn("href", result._repr_html_())
            self.assertEqual(list(folder.iterdir()), [])
        with in_folder() as folder:
            (folder / "thud_pages").write_text("a file is in the way")
            self.assertNotIn("href", result._repr_html_())

    def test_a_sweep_is_small(self):
        shown = thud.sweep("free_link", {"speed": [1, 2]})._repr_html_()
        self.assertLess(len(shown), 2000)
        self.assertIn("2 runs", shown)

    def test_save(self):
        result = thud.load("free_link").run()
        with in_folder() as folder:
            result.save(folder / "link.html")
            self.assertEqual((folder / "link.html").read_text(encoding="utf-8"), result.to_html())


class XArray(unittest.TestCase):
    def test_it_is_said_where_it_is_missing(self):
        result = thud.load("free_link").run()
        with mock.patch.dict(sys.modules, {"xarray": None}):
            with self.assertRaisesRegex(ImportError, "needs xarray"):
                result.to_xarray()
            with self.assertRaisesRegex(ImportError, "needs xarray"):
                thud.sweep("free_link", {"speed": [1, 2]}).to_xarray()

    def test_datasets(self):
        try:
            import xarray  # noqa: F401
        except ImportError:
            self.skipTest("no xarray here")
        result = thud.load("free_link").run()
        data = result.to_xarray()
        np.testing.assert_array_equal(data["link.tip.depth"].values, result["link.tip.depth"])
        self.assertEqual(data["link.tip.depth"].attrs["units"], "m")
        self.assertEqual(data.attrs["t_z"], result.results["t_z"])
        grid = thud.sweep("free_link", {"speed": [1, 2], "angle": ["30 deg", "40 deg", "50 deg"]}).to_xarray()
        self.assertEqual(grid["t_z"].dims, ("speed", "angle"))
        self.assertEqual(grid["t_z"].shape, (2, 3))
        self.assertEqual(grid["angle"].attrs["units"], "rad")
        self.assertAlmostEqual(float(grid["t_z"].sel(speed=2).isel(angle=0)), float(grid["t_z"].values[1, 0]))


@dataclass
class Shape:
    kind: str
    diameter: float
    mass: float


@dataclass
class Body:
    name: str
    shape: Shape
    joint: str = "free"
    parent: None = None
    notes: list = field(default_factory=list, repr=False)


class Made(unittest.TestCase):
    def test_a_dict_is_the_file(self):
        text = """[[body]]
name = "ball"
joint = "free"
shape = { kind = "sphere", diameter = 0.04, mass = 0.05 }
[bed]
medium = "play-sand"
[initial]
"ball.z" = -0.5
"""
        self.assertEqual(thud.make(SCENE).run().to_csv(), thud.parse(text).run().to_csv())

    def test_objects_arrays_and_nothing(self):
        body = SimpleNamespace(name="ball", joint="free", shape=Shape("sphere", np.float64(0.04), 0.05), parent=None)
        made = thud.make({**SCENE, "body": [body], "gravity": np.array([0, 9.81]), "about": None})
        self.assertIn("gravity = [0.0, 9.81]", made.text)
        self.assertNotIn("about", made.text)
        plain = thud.make({"gravity": [0, 9.81], **SCENE})
        self.assertEqual(made.run().to_csv(), plain.run().to_csv())

    def test_texts_are_kept(self):
        title = 'a "title" with \\ and é'
        self.assertEqual(thud.make({"title": title, **SCENE}).title, title)

    def test_library_scenarios_as_dicts(self):
        try:
            import tomllib
        except ImportError:
            self.skipTest("no tomllib before Python 3.11")
        for name in ("free_link", "two_link_chain", "rough_obstacle", "biped_drop"):
            data = tomllib.loads(thud.load(name).text)
            self.assertEqual(thud.make(data).run().to_csv(), thud.load(name).run().to_csv(), name)

    def test_what_is_wrong_is_refused(self):
        with self.assertRaisesRegex(ValueError, r"initial\.ball\.z: nan"):
            thud.make({**SCENE, "initial": {"ball.z": float("nan")}})
        with self.assertRaisesRegex(TypeError, "a dict or an object"):
            thud.make([1, 2])
        with self.assertRaisesRegex(TypeError, "bed.medium: object cannot stand"):
            thud.make({**SCENE, "bed": {"medium": object()}})
        with self.assertRaises(thud.InputError) as caught:
            thud.make({**SCENE, "beds": {"medium": "play-sand"}}, "scene")
        self.assertEqual(caught.exception.file, "scene")


class Paths(unittest.TestCase):
    def test_paths_stand_for_names(self):
        path = ROOT / "scenarios" / "free_link.toml"
        self.assertEqual(thud.sweep(path, {"speed": [1]})["t_z"][0], thud.sweep("free_link", {"speed": [1]})["t_z"][0])
        self.assertEqual(thud.load(path).run().results["t_z"], thud.load("free_link").run().results["t_z"])
        self.assertEqual(thud.modes(ROOT / "scenarios" / "compound_pendulum.toml").frequencies,
                         thud.modes("compound_pendulum").frequencies)
        self.assertEqual(thud.parse(path.read_text(), path).file, str(path))
        with in_folder() as folder:
            made = thud.synth(ROOT / "studies" / "fit_free_link.toml", folder / "captures")
            self.assertTrue(made and all(Path(f).exists() for f in made))


class Notebooks(unittest.TestCase):
    """Cells one after the other, the last expression of each shown as a notebook would show it."""

    def run_notebook(self, path):
        import ast

        notebook = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(notebook["nbformat"], 4)
        names = {"__name__": "__main__"}
        ran = 0
        for number, cell in enumerate(notebook["cells"]):
            if cell["cell_type"] != "code":
                continue
            self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), "kept without outputs")
            tree = ast.parse("".join(cell["source"]), f"{path.name}, cell {number}")
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, path.name, "exec"), names)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), path.name, "eval"), names)
                self.assertIsNotNone(value)
                shown = (value._repr_html_() if hasattr(value, "_repr_html_") else None) or repr(value)
                self.assertLess(len(shown), 5000)
            ran += 1
        self.assertGreater(ran, 3)

    def test_examples(self):
        notebooks = sorted((ROOT / "examples").glob("*.ipynb"))
        self.assertGreaterEqual(len(notebooks), 2)
        for path in notebooks:
            with self.subTest(path.name), in_folder():
                self.run_notebook(path)


if __name__ == "__main__":
    unittest.main()
