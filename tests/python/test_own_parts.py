"""Observables and impact laws in Python, and the force of sand. Source of truth: v+ = e(v) v, columns of thud itself."""

import math
import pickle
import threading
import unittest

import numpy as np

import thud


def e(v):
    return 0.9 / (1 + 0.1 * v)


class Impacts(unittest.TestCase):
    def test_restitution(self):
        model = thud.load("bouncing_ball").use_restitution("ball@floor", e)
        result = model.run().check()
        self.assertGreater(len(result.impacts), 5)
        for impact in result.impacts:
            v = -impact.velocity_before[1]
            self.assertAlmostEqual(impact.velocity_after[1], e(v) * v, delta=1e-12)
        swept = thud.sweep(model, {"height": [0.5, 1.0]}, ["t_rest"], jobs=2)["t_rest"]
        # A sweep integrates no path lengths, so its steps are others.
        self.assertAlmostEqual(swept[1], result.results["t_rest"], delta=1e-9)

    def test_impulse(self):
        def newton(strike):
            self.assertEqual((strike.friction, strike.velocity[0]), (0, 0))
            return 0, -1.8 * strike.velocity[1] / strike.matrix[1][1]

        plain = thud.load("bouncing_ball")
        own = plain.copy().use_impact("ball@floor", newton).run()
        self.assertAlmostEqual(own.results["t_rest"], plain.run().results["t_rest"], delta=1e-9)
        self.assertEqual(own.impacts[0].law, "own")

    def test_refuses(self):
        model = thud.load("bouncing_ball")
        with self.assertRaisesRegex(thud.InputError, 'did you mean "ball@floor"'):
            model.use_restitution("ball@flor", e)
        with self.assertRaises(TypeError):
            model.use_restitution("ball@floor", 0.8)
        for wrong in (1.2, -0.1, math.nan):
            result = model.use_restitution("ball@floor", lambda v: wrong).run()
            self.assertFalse(result.reached)
            self.assertIn("the restitution of ball@floor is", result.reason)
        with self.assertRaises(ZeroDivisionError):
            model.use_restitution("ball@floor", lambda v: 1 / 0).run()
        with self.assertRaises(TypeError):
            model.use_restitution("ball@floor", e).use_impact("ball@floor", lambda strike: 1.0).run()


class Observables(unittest.TestCase):
    def test_column_result_and_sweep(self):
        model = thud.load("sphere").add_observable("twice", "m", lambda now: 2 * now["ball.distance"])
        model.add_result("last", "twice at t_z")
        result = model.run()
        np.testing.assert_array_equal(result["twice"], 2 * result["ball.distance"])
        self.assertEqual(result.results["last"], 2 * result.results["d_p"])
        self.assertEqual(model.observables["twice"].unit, "m")
        swept = thud.sweep(model, {"speed": [1.0, 2.0]}, ["last", "twice"], jobs=2)
        np.testing.assert_array_equal(swept["last"], swept["twice"])
        self.assertAlmostEqual(swept["last"][0], result.results["last"], delta=1e-12)
        with self.assertRaises(TypeError):
            pickle.dumps(model)

    def test_instant(self):
        kept = []

        def watch(now):
            kept.append(now)
            return now.time + now.q[1] + now.v[1]

        result = thud.load("sphere").add_observable("sum", "", watch).run()
        expected = result.time + result["ball.z"] + result["ball.vz"]
        np.testing.assert_allclose(result["sum"], expected, rtol=1e-14)
        with self.assertRaisesRegex(RuntimeError, "is over"):
            kept[0].time

    def test_what_it_raises_is_raised(self):
        model = thud.load("sphere").add_observable("wrong", "", lambda now: now["ball.dephth"])
        for _ in range(2):
            with self.assertRaisesRegex(thud.InputError, 'did you mean "ball.depth"'):
                model.run()
        with self.assertRaises(thud.InputError):
            thud.sweep(model, {"speed": [1.0]}, ["wrong"])
        late = thud.load("sphere")
        late.add_observable("late", "", lambda now: 1 / 0 if 0 < now.time < 0.005 else 0.0)
        result = late.run()
        for _ in range(2):
            with self.assertRaises(ZeroDivisionError):
                result["late"]
        self.assertEqual(len(result["ball.z"]), len(result.time))  # all else can be read
        with self.assertRaises(thud.InputError):
            model.add_observable("ball.x", "m", lambda now: 0.0)

    def test_threads_read_one_result(self):
        result = thud.load("sphere").add_observable("slow", "", lambda now: sum(range(50))).run()
        seen = []
        threads = [threading.Thread(target=lambda: seen.append(result["slow"].sum())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(seen, [1225.0 * len(result.time)] * 4)


class Probe(unittest.TestCase):
    def test_gives_the_acceleration_of_the_run(self):
        model = thud.load("sphere").set(angle="60 deg")
        probe, run = model.make_sand_probe(), model.run()
        k = len(run.time) // 2
        place, speed = [(run[f"ball.{n}x"][k], run[f"ball.{n}z"][k]) for n in ("", "v")]
        sand = probe.at(place, run["ball.angle"][k], speed, run["ball.rate"][k])
        self.assertTrue(sand.immersed)
        self.assertAlmostEqual(sand.depth, run["ball.depth"][k], delta=1e-12)
        np.testing.assert_allclose(
            np.array(sand.force) / probe.mass + probe.gravity, [run["ball.ax"][k], run["ball.az"][k]], rtol=1e-9
        )

    def test_law_in_python(self):
        model = thud.load("sphere").use_law("bed", lambda flow: {"plunge": 3.0})
        self.assertAlmostEqual(model.make_sand_probe("ball").at((0, 0.01), 0, (0, 1), 0).force[1], -3.0, delta=1e-12)
        model.use_law("bed", lambda flow: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            model.make_sand_probe().at((0, 0.01), 0, (0, 1), 0)
        with self.assertRaisesRegex(thud.InputError, 'did you mean "ball"'):
            model.make_sand_probe("bal")


CART = """
gravity = 0
[[body]]
name = "cart"
shape = { kind = "given", mass = 2, center = 0, inertia = 0.01, length = 0.1 }
joint = { kind = "slider", direction = "horizontal", force = "=c.f" }
[stop]
time = 1
[initial]
"cart.travel" = 0.3
[[controller]]
name = "c"
rate = "100 Hz"
outputs = ["f"]
[results]
end = "cart.travel at end"
"""


class Controllers(unittest.TestCase):
    def test_a_function_at_each_tick(self):
        # Source of truth: the exact map of a cart under a force that is held from tick to tick.
        ticks = []

        def push(now, memory):
            memory[0] += 1
            ticks.append(memory[0])
            return -40 * now["cart.travel"] - 12 * now["cart.travel.rate"]

        run = thud.parse(CART, "cart.toml").control("c", push, memory=1).run()
        x, v = 0.3, 0.0
        for _ in range(100):
            force = -40 * x - 12 * v
            x, v = x + 0.01 * v + 0.5e-4 * force / 2, v + 0.01 * force / 2
        self.assertAlmostEqual(run["end"], x, delta=1e-10)
        self.assertEqual(ticks, list(range(1, 101)))

    def test_what_it_raises(self):
        model = thud.parse(CART, "cart.toml")

        def bad(now):
            raise ValueError(f"no force at {now.time:g} s")

        with self.assertRaisesRegex(ValueError, "no force at 0 s"):
            model.control("c", bad).run()
        with self.assertRaisesRegex(TypeError, "1 outputs gave"):
            model.control("c", lambda now: [1, 2]).run()
        with self.assertRaisesRegex(thud.InputError, "no controller"):
            model.control("d", lambda now: 1.0)


if __name__ == "__main__":
    unittest.main()
