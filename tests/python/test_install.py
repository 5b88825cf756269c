"""`pip install .` into a fresh virtual environment: a wheel is built, and works from anywhere without the source tree."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = """
import os, thud
assert not thud.__file__.startswith(os.environ["THUD_SOURCE"]), thud.__file__
assert thud.__file__.startswith(os.environ["THUD_VENV"]), thud.__file__
assert thud._core.data_folder().startswith(os.environ["THUD_VENV"]), thud._core.data_folder()
assert len(thud.library()) > 20
result = thud.load("free_link").run().check()
print(result.results["t_z"], thud.reproduce("lee2009/4.1").total, thud.__version__)
"""


class Install(unittest.TestCase):
    def test_pip_install(self):
        with tempfile.TemporaryDirectory() as folder:
            # A copy, so that what setuptools leaves beside the sources does not stay.
            source = Path(folder) / "source"
            source.mkdir()
            names = ["CMakeLists.txt", "README.md", "pyproject.toml", "setup.py"]
            for name in names:
                shutil.copy2(ROOT / name, source / name)
            for name in ["python", "scenarios", "studies", "reference"]:
                shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
            clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "THUD_DATA")}
            pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-build-isolation"]
            environment = {**clean, "THUD_BUILD_DIR": os.environ["THUD_BUILD_DIR"]}
            wheels = Path(folder) / "wheels"
            subprocess.run(
                [*pip, "--no-index", "--no-deps", "-w", str(wheels), str(source)],
                check=True, env=environment, capture_output=True,
            )  # fmt: skip
            (wheel,) = wheels.glob("thud-*.whl")
            held = zipfile.ZipFile(wheel).namelist()
            for name in ("thud/__init__.py", "thud/py.typed", "thud/_core.pyi", "thud/data/scenarios/free_link.toml"):
                self.assertIn(name, held)
            self.assertNotIn("none-any", wheel.name)

            venv = Path(folder).resolve() / "venv"
            subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(venv)], check=True)
            python = str(venv / "bin" / "python")
            install = [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-build-isolation", "--no-index"]
            done = subprocess.run([*install, str(source)], env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            shutil.rmtree(source)
            run = subprocess.run(
                [python, "-c", EXAMPLE],
                cwd=folder,
                env={**clean, "THUD_VENV": str(venv), "THUD_SOURCE": str(ROOT)},
                capture_output=True,
                text=True,
            )
            self.assertEqual(run.returncode, 0, run.stderr)
            time, total, version = run.stdout.split()
            self.assertAlmostEqual(float(time), 0.02759236, places=8)  # as the README shows it
            self.assertGreater(int(total), 0)
            self.assertIn(f"thud-{version}-", wheel.name)


if __name__ == "__main__":
    unittest.main()
