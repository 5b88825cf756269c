"""The module as its users see it. Source of truth: the program `thud`, whose numbers must be the same."""

import concurrent.futures
import copy
import gc
import json
import math
import os
import pathlib
import pickle
import signal
import subprocess
import threading
import time
import unittest
import unittest.mock

import numpy as np

import thud

PROGRAM = os.environ["THUD_PROGRAM"]


def run_program(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout


class Models(unittest.TestCase):
    def test_library_lists_what_can_be_loaded(self):
        names = thud.library()
        self.assertIn("free_link", names)
        self.assertEqual(names["free_link"], thud.load("free_link").title)
        self.assertIn("free_link", repr(names))

    def test_introspection(self):
        model = thud.load("free_link")
        angle = model.knobs["angle"]
        self.assertEqual(angle.unit, "deg")
        self.assertAlmostEqual(angle.value, math.radians(32))
        self.assertIn("32 deg", repr(angle))
        self.assertIn("link.tip.depth", model.observables)
        self.assertEqual(model.observables["link.tip.depth"].unit, "m")
        self.assertIn("t_z", model.results)
        with self.assertRaisesRegex(KeyError, 'did you mean "angle"'):
            model.knobs["angel"]

    def test_set_returns_a_copy_and_leaves_the_model(self):
        loaded = thud.load("free_link")
        model = loaded.set(angle="40 deg", speed=1.7)
        self.assertIsNot(model, loaded)
        self.assertAlmostEqual(loaded.knobs["angle"].value, math.radians(32))
        self.assertEqual(repr(loaded), repr(thud.load("free_link")))
        self.assertAlmostEqual(model.knobs["angle"].value, math.radians(40))
        other = copy.deepcopy(model).set({"speed": np.float32(2)})
        self.assertEqual((model.knobs["speed"].value, other.knobs["speed"].value), (1.7, 2.0))
        self.assertIn("angle=40 deg", repr(model))

    def test_what_is_no_core_is_told_how_models_are_made(self):
        for wrong in ({"body": []}, "free_link", None):
            with self.assertRaisesRegex(TypeError, r"thud\.load.*thud\.make\(data\) for a dict"):
                thud.Model(wrong)

    def test_pickle(self):
        model = thud.load("free_link").set(angle="40 deg")
        self.assertEqual(pickle.loads(pickle.dumps(model)).run().results, model.run().results)
        with self.assertRaises(TypeError):
            pickle.dumps(model.use_law("bed", lambda flow: {}))

    def test_copies_in_threads(self):
        model = thud.load("free_link")
        speeds = np.linspace(1, 2, 16)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda v: model.copy().set(speed=v).run().end_time, speeds))
        self.assertEqual(together, [model.copy().set(speed=v).run().end_time for v in speeds])

    def test_parse_and_load_a_path(self):
        model = thud.load("free_link")
        self.assertEqual(thud.parse(model.text).run().results, model.run().results)
        self.assertEqual(thud.load(model.file).run().results, model.run().results)


    def test_import_model_is_what_the_program_writes(self):
        models = pathlib.Path(__file__).resolve().parent.parent / "models"
        text = thud.import_model(models / "double_pendulum.urdf")
        self.assertEqual(text, run_program("import", str(models / "double_pendulum.urdf"), "-o", "-"))
        self.assertEqual(thud.parse(text).title, "double pendulum")
        with self.assertRaisesRegex(thud.InputError, "there is no such file"):
            thud.import_model("nowhere.xml")
        with self.assertRaisesRegex(thud.InputError, "allowed are auto, free or fixed"):
            thud.import_model(models / "double_pendulum.urdf", base="loose")


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = thud.load("free_link").set(angle="40 deg", speed=1.7).run()
        cls.told = json.loads(run_program("run", "free_link", "--set", "angle=40 deg", "--set", "speed=1.7", "--json"))

    def test_equals_the_program(self):
        self.assertEqual(self.result.results, self.told["results"])
        self.assertEqual(self.result.end_time, self.told["stop"]["time"])
        self.assertEqual(self.result.stop, self.told["stop"]["reason"])
        self.assertEqual(self.result.energy.residual, self.told["energy"]["residual"])
        self.assertEqual(self.result.energy.lost, self.told["energy"]["loss"])
        ours = [[e.time, e.kind, e.subject, e.before, e.after] for e in self.result.events]
        self.assertEqual(ours, [list(e.values()) for e in self.told["events"]])

    def test_columns_are_views_without_copies(self):
        depth = self.result["link.tip.depth"]
        self.assertEqual((depth.dtype, depth.shape), (np.float64, self.result.time.shape))
        self.assertTrue(np.shares_memory(depth, self.result["link.tip.depth"]))
        self.assertFalse(depth.flags.owndata)
        self.assertFalse(depth.flags.writeable)
        self.assertTrue(depth.flags.c_contiguous)
        self.assertIs(depth.base, self.result._core)
        with self.assertRaises(ValueError):
            depth[0] = 1

    def test_columns_outlive_the_result(self):
        result = thud.load("free_link").run()
        depth = result["link.tip.depth"]
        kept = depth.copy()
        del result
        gc.collect()
        for _ in range(20):
            thud.load("free_link").run()["link.tip.depth"]
        np.testing.assert_array_equal(depth, kept)

    def test_access_by_attributes(self):
        r = self.result
        self.assertTrue(np.shares_memory(r.link.tip.depth, r["link.tip.depth"]))
        self.assertIn("depth", dir(r.link.tip))
        self.assertIn("link", dir(r))
        self.assertEqual(r["t_z"], r.results["t_z"])
        self.assertIn("t_z", r)
        with self.assertRaisesRegex(AttributeError, "link.tip"):
            r.link.tipp
        with self.assertRaisesRegex(KeyError, 'did you mean "link.angle"'):
            r["link.angel"]

    def test_ends_where_the_run_ended(self):
        self.assertEqual(self.result.time[0], 0)
        self.assertEqual(self.result.time[-1], self.result.end_time)
        self.assertEqual(self.result["link.tip.depth"][-1], self.result.results["z_T"])

    def test_sampling(self):
        model = thud.load("free_link")
        times = model.run(sample="1 ms").time
        np.testing.assert_allclose(times[:5], np.arange(5) * 1e-3, atol=1e-15)
        self.assertLess(len(model.run(every_step=True).time), 500)

    def test_representations(self):
        self.assertIn("t_z = ", repr(self.result))
        self.assertIn("Energy", str(self.result))
        self.assertRegex(repr(self.result.events[1]), r"<Event [\d.e-]+ s: ")
        self.assertIn("residual", repr(self.result.energy))
        page = self.result.show()._repr_html_()
        self.assertTrue(page.startswith('<iframe srcdoc="&lt;!doctype html'))
        ours = json.loads(self.result.to_json())
        for document in (ours, self.told):
            document.pop("stats")  # recording a trajectory takes evaluations
            document["scenario"].pop("file", None)
        self.assertEqual(ours, self.told)
        self.assertEqual(self.result.to_csv().count("\n"), len(self.result.time) + 1)

    def test_impacts(self):
        result = thud.load("bouncing_ball").run()
        told = json.loads(run_program("run", "bouncing_ball", "--json"))["impacts"]
        self.assertGreater(len(told), 0)
        self.assertEqual([i.time for i in result.impacts], [i["time"] for i in told])
        self.assertEqual([i.impulse for i in result.impacts], [i["impulse"] for i in told])
        self.assertEqual([i.case for i in result.impacts], [i["case"] for i in told])

    def test_not_reached_is_a_property(self):
        result = thud.load("free_link").run(time_limit="1 ms")
        self.assertFalse(result.reached)
        self.assertIsNone(result.results["t_z"])
        self.assertIn("NOT REACHED", repr(result))
        with self.assertRaises(thud.NotReached) as caught:
            result.check()
        self.assertIs(caught.exception.result, result)
        self.assertIs(self.result.check(), self.result)

    def test_frame(self):
        frame = self.result.to_frame()
        self.assertEqual(frame.index.name, "time")
        np.testing.assert_array_equal(frame["link.angle"].to_numpy(), self.result["link.angle"])

    def test_plot(self):
        import matplotlib

        matplotlib.use("Agg")
        figure = self.result.plot("link.tip.depth", "link.angle")
        self.assertEqual([a.get_ylabel() for a in figure.axes], ["link.tip.depth [m]", "link.angle [rad]"])
        self.assertEqual(figure.axes[-1].get_xlabel(), "time [s]")
        np.testing.assert_array_equal(figure.axes[0].lines[0].get_ydata(), self.result["link.tip.depth"])
        self.assertGreater(len(figure.axes[0].lines), 1)  # events
        self.assertGreater(len(self.result.plot().axes), 0)
        with self.assertRaisesRegex(KeyError, "did you mean"):
            self.result.plot("link.angel")
        matplotlib.pyplot.close("all")


class Errors(unittest.TestCase):
    def test_place_in_a_text(self):
        with self.assertRaises(thud.InputError) as caught:
            thud.parse('title = "x"\nbody = 3\n', "mine.toml")
        e = caught.exception
        self.assertIsInstance(e, ValueError)
        self.assertEqual((e.file, e.line), ("mine.toml", 2))
        self.assertTrue(str(e).startswith(f"mine.toml:2:{e.column}: "), str(e))
        self.assertTrue(str(e).endswith(e.message))

    def test_knobs(self):
        model = thud.load("free_link")
        with self.assertRaisesRegex(thud.InputError, 'angel=1.0: .*did you mean "angle"') as caught:
            model.set(angel=1)
        self.assertIsNone(caught.exception.line)
        for wrong in ("40 kg", 40, math.nan, ""):
            with self.assertRaises(thud.InputError, msg=wrong):
                model.set(angle=wrong, speed=2)
        for wrong in (None, [1, 2], 1j):
            with self.assertRaises(TypeError, msg=wrong):
                model.set(angle=wrong)
        self.assertEqual(model.knobs["speed"].value, model.knobs["speed"].default)

    def test_options(self):
        model = thud.load("free_link")
        for wrong in ({"time_limit": 0}, {"tolerance": 1}, {"method": "rk5"}, {"step": 1e-5}, {"sample": "1 kg"}):
            with self.assertRaises(thud.InputError, msg=wrong):
                model.run(**wrong)

        for wrong in ({"method": 3}, {"tolerance": "x"}, {"time_limit": [1]}, {"step": 1j}):
            with self.assertRaisesRegex(TypeError, f"^{next(iter(wrong))}: a n", msg=wrong):
                model.run(**wrong)

    def test_truncated_trajectories_warn(self):
        # A real one takes half a gigabyte.
        core = unittest.mock.Mock(columns=[], results={}, is_truncated=True)
        model = thud.Model(unittest.mock.Mock(spec=thud._core.Model, run=lambda *options: core))
        with self.assertWarnsRegex(UserWarning, "no room"):
            self.assertTrue(model.run().is_truncated)

    def test_scenarios(self):
        with self.assertRaisesRegex(thud.InputError, 'did you mean "free_link"'):
            thud.load("free_lnik")
        with self.assertRaises(thud.InputError):
            thud.load("/nowhere/x.toml")


class Sweeps(unittest.TestCase):
    GRID = {"angle": np.radians([30, 45, 60]), "speed": [1.0, 1.5, 2.0, 2.5]}

    def test_equals_single_runs(self):
        swept = thud.sweep("free_link", self.GRID, outputs=["t_z", "link.tip.depth"])
        self.assertEqual(swept["t_z"].shape, (3, 4))
        for i, angle in enumerate(self.GRID["angle"]):
            for k, speed in enumerate(self.GRID["speed"]):
                single = thud.load("free_link").set(angle=angle, speed=speed).run()
                # The single run integrates the path length too, which chooses other steps.
                self.assertAlmostEqual(swept["t_z"][i, k], single.results["t_z"], delta=1e-9)
        self.assertTrue(swept.reached.all())

    def test_equals_the_program(self):
        folder = os.environ["THUD_TEST_FOLDER"]
        os.makedirs(folder, exist_ok=True)
        study = os.path.join(folder, "python_sweep.toml")
        table = os.path.join(folder, "python_sweep.csv")
        with open(study, "w") as file:
            file.write(
                'scenario = "free_link"\noutputs = ["t_z", "z_T", "energy.residual"]\n[vary]\n'
                f"angle = {{ list = {[repr(float(x)) + ' rad' for x in self.GRID['angle']]} }}\n"
                f"speed = {{ list = {self.GRID['speed']} }}\n"
            )
        run_program("sweep", study, "--out", table.replace(".csv", ".h5"), "--csv", table, "--restart")
        told = np.genfromtxt(table, delimiter=",", names=True)
        swept = thud.sweep("free_link", self.GRID, outputs=["t_z", "z_T", "energy.residual"], jobs=2)
        for name in swept.outputs:
            (column,) = (n for n in told.dtype.names if n.startswith(name.replace(".", "")))
            np.testing.assert_array_equal(swept[name].ravel(), told[column])

    def test_views_and_shapes(self):
        swept = thud.sweep("free_link", self.GRID, outputs=["t_z"])
        self.assertTrue(np.shares_memory(swept["t_z"], swept["t_z"]))
        self.assertFalse(swept["t_z"].flags.writeable)
        self.assertIs(swept["t_z"].base, swept._core)
        np.testing.assert_array_equal(swept.axes["angle"], self.GRID["angle"])
        frame = swept.to_frame()
        self.assertEqual(list(frame.columns), ["angle", "speed", "t_z", "status"])
        self.assertEqual(frame["t_z"][5], swept["t_z"][1, 1])
        self.assertIn("angle (3) x speed (4)", repr(swept))

    def test_texts_and_choices(self):
        swept = thud.sweep("free_link", {"angle": ["30 deg", "45 deg"], "speed": ["1 m/s"]}, jobs=1)
        np.testing.assert_allclose(swept.axes["angle"], np.radians([30, 45]))
        model = next(m for m in map(thud.load, thud.library()) if any(k.choices for k in m.knobs.values()))
        knob = next(k for k in model.knobs.values() if k.choices)
        swept = thud.sweep(model, {knob.name: knob.choices}, outputs=["end.time"])
        self.assertEqual(list(swept.axes[knob.name]), knob.choices)

    def test_runs_that_miss_what_is_asked(self):
        swept = thud.sweep("free_link", {"speed": [1, 2]}, time_limit=1e-3)
        self.assertEqual(swept.status.tolist(), [2, 2])
        self.assertTrue(np.isnan(swept["t_z"]).all())
        self.assertIn("time", swept.message(1))
        self.assertIn("2 did not reach", repr(swept))

    def test_refuses(self):
        for axes, outputs in (
            ({"angel": [1]}, None),
            ({"angle": []}, None),
            ({"angle": [0.5, 40]}, None),
            ({"angle": [math.nan]}, None),
            ({}, None),
            ({"angle": [0.5]}, ["t_y"]),
        ):
            with self.assertRaises(thud.InputError, msg=(axes, outputs)):
                thud.sweep("free_link", axes, outputs)
        with self.assertRaises(TypeError):
            thud.sweep("free_link", {"angle": "40 deg"})
        with self.assertRaises(TypeError):
            thud.sweep("free_link", {"angle": [0.5]}, "t_z")
        with self.assertRaisesRegex(TypeError, "speed: a list"):
            thud.sweep("free_link", {"speed": 1.0})
        with self.assertRaises(ValueError):
            thud.sweep("free_link", {"speed": [1]}, jobs=0)

    def test_wrong_kinds_of_arguments_are_named(self):
        for wrong, said in (
            (lambda: thud.sweep("free_link", [("speed", [1])]), "a dict of knobs"),
            (lambda: thud.sweep("free_link", {"speed": [1]}, jobs="2"), "jobs='2'"),
            (lambda: thud.load("free_link").set(speed=True), "speed"),
        ):
            with self.assertRaisesRegex(TypeError, said):
                wrong()
        with self.assertRaisesRegex(ValueError, "speed: 1000.* is too large"):
            thud.load("free_link").set(speed=10**400)

    def test_plot(self):
        import matplotlib

        matplotlib.use("Agg")
        swept = thud.sweep("free_link", self.GRID, outputs=["t_z"])
        figure = swept.plot()
        self.assertEqual(figure.axes[0].get_xlabel(), "speed [m/s]")
        self.assertEqual(figure.axes[0].get_ylabel(), "angle [deg]")
        self.assertEqual(figure.axes[1].get_ylabel(), "t_z [s]")
        self.assertEqual(len(thud.sweep("free_link", {"speed": [1, 2, 3]}).plot("z_T").axes[0].lines), 1)
        matplotlib.pyplot.close("all")

    def test_python_goes_on_meanwhile(self):
        # A thread that counts must get on while the sweep computes: with the lock held it would stand still.
        counted = []
        stop = threading.Event()

        def count():
            n = 0
            while not stop.is_set():
                n += 1
                time.sleep(0.001)
            counted.append(n)

        thread = threading.Thread(target=count)
        speeds = np.linspace(1, 2.5, 40000)
        thread.start()
        swept = thud.sweep("free_link", {"speed": speeds}, outputs=["t_z"], jobs=1)
        stop.set()
        thread.join()
        self.assertGreater(swept.seconds, 0.05)
        self.assertGreater(counted[0], 0.05 * swept.seconds / 0.001)

    def test_progress(self):
        seen = []
        thud.sweep("free_link", {"speed": np.linspace(1, 2, 50)}, progress=lambda *a: seen.append(a))
        self.assertEqual(seen[-1], (50, 50))

    def test_errors_of_progress_are_raised(self):
        def fail(done, total):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            thud.sweep("free_link", {"speed": [1, 2]}, progress=fail)


class Interrupts(unittest.TestCase):
    def test_sweep(self):
        seen = []

        def interrupt_once(done, total):
            if not seen:
                os.kill(os.getpid(), signal.SIGINT)
            seen.append(done / total)

        with self.assertRaises(KeyboardInterrupt):
            thud.sweep("free_link", {"speed": np.full(1_000_000, 1.5)}, outputs=["t_z"], progress=interrupt_once)
        self.assertLess(seen[-1], 0.5)

    def test_run(self):
        # Ten million steps, which is where a run gives up, would take minutes.
        model = thud.load("flexible_probe")
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        self.addCleanup(timer.cancel)
        timer.start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            model.run(method="rk4", step=1e-10)
        self.assertLess(time.monotonic() - start, 30)


class Studies(unittest.TestCase):
    def test_reproduce(self):
        found = thud.reproduce("lee2009/4.1")
        told = json.loads(run_program("reproduce", "lee2009/4.1", "--json"))
        self.assertEqual(found.data, told)
        self.assertEqual(found.ok, found.total)
        with self.assertRaises(thud.InputError):
            thud.reproduce("lee1999")

    def test_modes(self):
        modes = thud.modes("elastic_free_link", count=5)
        told = json.loads(run_program("modes", "elastic_free_link", "-n", "5", "--json"))
        self.assertEqual(list(modes.frequencies), [m["frequency"] for m in told["modes"]])
        self.assertIn("Hz", repr(modes))
        hanging = thud.modes(thud.load("double_pendulum"), at="equilibrium")
        told = json.loads(run_program("modes", "double_pendulum", "--at", "equilibrium", "--json"))
        self.assertEqual(hanging.data["modes"], told["modes"])
        with self.assertRaises(thud.InputError):
            thud.modes("free_link", at="equilibrium")  # a free body under gravity has none
        with self.assertRaises(ValueError):
            thud.modes("double_pendulum", at="equilibrum")

    def test_fit(self):
        folder = os.path.join(os.environ["THUD_TEST_FOLDER"], "python_fit")
        run_program("synth", "fit_free_link", "--out", folder + "/")
        files = sorted(os.path.join(folder, f) for f in os.listdir(folder) if f.endswith(".csv"))
        fitted = thud.fit("fit_free_link", files, jobs=2)
        told = json.loads(run_program("fit", "fit_free_link", "--data", *files, "--json"))
        self.assertTrue(fitted.converged)
        self.assertEqual(list(fitted.values.values()), [e["value"] for e in told["estimates"]])
        self.assertIn("doctype", fitted.to_html())
        with self.assertRaises(thud.InputError):
            thud.fit("fit_free_link", "nowhere.csv")


if __name__ == "__main__":
    unittest.main()
