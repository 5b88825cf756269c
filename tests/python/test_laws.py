"""Resistance laws in Python and in shared libraries. Source of truth: the closed form of a fall under the law of
Katsuragi & Durian (docs/theory/sand.md), and the same law inside thud."""

import math
import os
import shlex
import subprocess
import unittest
from pathlib import Path

import numpy as np

import thud

K, D1, G, V0 = 300.0, 0.08, 9.81, 2.0
SCENARIO = f"""
[parameters]
speed = {{ value = {V0}, unit = "m/s" }}
stiffness = {{ value = {K}, unit = "N/m" }}
[[body]]
name = "ball"
shape = {{ kind = "sphere", diameter = "20 mm", mass = "50 g" }}
joint = "free"
[bed]
law = "katsuragi"
k = "=stiffness"
d1 = {D1}
[initial]
"ball.z" = 0
"ball.vz" = "=speed"
[stop]
when = "ball.vz falls through 0"
[results]
t_z = "time when ball.vz falls through 0"
z_T = "ball.sand.depth at t_z"
"""
PLUGIN = """
#include <thud/granular/law_plugin.hpp>
struct Fall {
  double stiffness = 300, length = 0.08;
  template <class T>
  void evaluate(const thud::Flow<T>& flow, thud::Resistance<T>& out) const {
    out.drag = flow.mass / length * flow.speed;
    if (flow.immersed->depth > 0) out.plunge = stiffness * flow.immersed->depth;
    out.withdraw = out.shear = out.plunge;
  }
};
THUD_LAW_PLUGIN(thud::make_law_parts("fall", Fall{}, {{"stiffness", &Fall::stiffness, "N/m", "force over depth"}}))
"""


def katsuragi(flow):
    """F = k z + m v2/d1."""
    static = K * max(flow.depth, 0.0)
    return {"drag": flow.mass / D1 * flow.speed, "plunge": static, "withdraw": static, "shear": static}


def closed_form(m=0.05):
    c = (2 * m * V0**2 / (K * D1**2) - 2 * m * G / (K * D1) - 1) * math.exp(-1 - 2 * m * G / (K * D1))
    w = math.log1p(c)
    for _ in range(50):
        w -= (w * math.exp(w) - c) / (math.exp(w) * (1 + w))
    return m * G / K + D1 / 2 * (1 + w)


def ball():
    return thud.parse(SCENARIO, "ball.toml")


class InPython(unittest.TestCase):
    def test_function_gives_the_closed_form(self):
        model = ball()
        self.assertEqual(model.beds, ["bed"])
        result = model.use_law("bed", katsuragi).run().check()
        self.assertAlmostEqual(result.results["z_T"], closed_form(), delta=1e-8)
        self.assertAlmostEqual(ball().run().results["t_z"], result.results["t_z"], delta=1e-9)

    def test_object_with_resistance(self):
        class Fall:
            name = "fall"

            def __init__(self, k):
                self.k = k

            def resistance(self, flow):
                return thud.Resistance(drag=flow.mass / D1 * flow.speed, plunge=self.k * max(flow.depth, 0.0))

        law = thud.law(Fall(K), about="as above")
        self.assertIn("fall in Python: as above", repr(law))
        self.assertAlmostEqual(ball().use_law("bed", law).run().results["z_T"], closed_form(), delta=1e-8)
        stiffer = ball().use_law("bed", Fall(2 * K)).run()
        self.assertLess(stiffer.results["z_T"], 0.9 * closed_form())

    def test_sweep(self):
        speeds = [1.0, 1.5, 2.0]
        ours = thud.sweep(ball().use_law("bed", katsuragi), {"speed": speeds}, ["z_T"], jobs=2)["z_T"]
        np.testing.assert_allclose(ours, thud.sweep(ball(), {"speed": speeds}, ["z_T"])["z_T"], atol=1e-9)

    def test_coefficients_of_the_file_go_with_its_law(self):
        # The quick way of a sweep sets coefficients one by one: not those of another law.
        law = {"stiffness": [100.0, K, 900.0]}
        ours = thud.sweep(ball().use_law("bed", katsuragi), law, ["z_T"])["z_T"]
        np.testing.assert_allclose(ours, closed_form(), atol=1e-8)

    def test_by_name_in_files(self):
        thud.register_law(thud.law(katsuragi, name="katsuragi-in-python"))
        text = SCENARIO.replace('"katsuragi"', '"katsuragi-in-python"').replace('k = "=stiffness"\n', "").replace(f"d1 = {D1}\n", "")
        self.assertAlmostEqual(thud.parse(text).run().results["z_T"], closed_form(), delta=1e-8)
        with self.assertRaisesRegex(ValueError, "is a law of thud"):
            thud.register_law(thud.law(katsuragi))

    def test_what_a_law_raises_is_raised(self):
        def fail(flow):
            raise RuntimeError("no such sand")

        model = ball().use_law("bed", fail)
        for _ in range(2):  # and the model can be used again
            with self.assertRaisesRegex(RuntimeError, "no such sand"):
                model.run()
        with self.assertRaisesRegex(RuntimeError, "no such sand"):
            thud.sweep(model, {"speed": [1, 2]})
        self.assertTrue(model.use_law("bed", katsuragi).run().reached)

    def test_wrong_answers(self):
        for law, error in (
            (lambda flow: {"drga": 1.0}, KeyError),
            (lambda flow: {"drag": "much"}, ValueError),
            (lambda flow: None, TypeError),
        ):
            with self.assertRaises(error):
                ball().use_law("bed", law).run()
        for wrong in (math.nan, math.inf, -1.0):
            result = ball().use_law("bed", lambda flow: {"drag": wrong}).run()
            self.assertFalse(result.reached)
            self.assertIn("drag", result.reason)
        with self.assertRaises(TypeError):
            ball().use_law("bed", 3)
        with self.assertRaisesRegex(thud.InputError, 'did you mean "bed"'):
            ball().use_law("bde", katsuragi)

    def test_models_are_independent(self):
        model = ball()
        other = model.copy().use_law("bed", lambda flow: {"plunge": 2.0, "drag": 1.0})
        self.assertAlmostEqual(model.run().results["z_T"], closed_form(), delta=1e-8)
        self.assertNotAlmostEqual(other.copy().run().results["z_T"], closed_form(), delta=1e-3)


class Compiled(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(os.environ["THUD_TEST_FOLDER"])
        cls.folder.mkdir(parents=True, exist_ok=True)
        cls.library = cls.compile("fall", PLUGIN)

    @classmethod
    def compile(cls, name, text):
        source, library = cls.folder / f"{name}.cpp", cls.folder / f"{name}.so"
        source.write_text(text)
        command = [*shlex.split(os.environ["THUD_PLUGIN_COMPILER"]), "-std=c++20", "-O2", "-shared", "-fPIC"]
        subprocess.run([*command, str(source), "-o", str(library)], check=True)
        return library

    def test_gives_the_closed_form(self):
        law = thud.load_law(self.library)
        self.assertEqual((law.name, law.coefficients), ("fall", {"stiffness": 300.0}))
        self.assertAlmostEqual(ball().use_law("bed", law).run().results["z_T"], closed_form(), delta=1e-8)
        law.set("stiffness", 600)
        self.assertLess(ball().use_law("bed", law).run().results["z_T"], 0.9 * closed_form())
        with self.assertRaisesRegex(ValueError, "stiffness"):
            law.set("stifness", 600)

    def test_sweep_equals_that_of_thuds_own_law(self):
        axes = {"speed": np.linspace(1, 3, 200)}
        ours = thud.sweep(ball().use_law("bed", thud.load_law(self.library)), axes, ["z_T"])
        np.testing.assert_allclose(ours["z_T"], thud.sweep(ball(), axes, ["z_T"])["z_T"], atol=1e-9)

    def test_refuses_what_is_no_law(self):
        with self.assertRaisesRegex(thud.InputError, "no such file"):
            thud.load_law("nowhere.so")
        with self.assertRaisesRegex(thud.InputError, "cannot be loaded"):
            thud.load_law(__file__)
        with self.assertRaisesRegex(thud.InputError, "holds no law"):
            thud.load_law(thud._core.__file__)
        other = self.compile("other", 'extern "C" unsigned long thud_law_plugin_layout() { return 1; }\n'
                             'extern "C" void thud_law_plugin_make(void*) {}\n')  # fmt: skip
        with self.assertRaisesRegex(thud.InputError, "another version"):
            thud.load_law(other)


if __name__ == "__main__":
    unittest.main()
