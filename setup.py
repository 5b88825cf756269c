"""Builds the module with CMake: `pip install .` needs the packages of scripts/install-deps and no network.

THUD_BUILD_DIR names a build tree to go on with, such as build/release; otherwise one is made that holds the module and
nothing else.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
DATA = ("scenarios", "studies", "reference")


def read_version() -> str:
    return re.search(r"VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text().split("project(thud", 1)[1]).group(1)


class CMakeBuild(build_ext):
    """Lets CMake build thud._core, and puts the scenario library beside it."""

    def build_extension(self, ext):
        target = Path(self.get_ext_fullpath(ext.name)).resolve()
        tree = Path(os.environ.get("THUD_BUILD_DIR") or Path(self.build_temp).resolve())
        if not (tree / "CMakeCache.txt").exists():
            self.configure(tree)
        jobs = str(self.parallel or os.cpu_count() or 2)
        subprocess.run(["cmake", "--build", str(tree), "--target", "thud_python", "--parallel", jobs], check=True)
        (built,) = (tree / "python" / "thud").glob("_core*.so")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(built, target)
        for folder in DATA:
            shutil.copytree(ROOT / folder, target.parent / "data" / folder, dirs_exist_ok=True)

    @staticmethod
    def configure(tree: Path):
        tree.mkdir(parents=True, exist_ok=True)
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        # Otherwise as `make` builds it, so that ccache has most of it already.
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            "Python_EXECUTABLE": sys.executable,
            "THUD_BUILD_CLI": "OFF",
            "THUD_BUILD_TESTS": "OFF",
            "THUD_BUILD_PYTHON": "REQUIRED",
            "CMAKE_DISABLE_FIND_PACKAGE_MPI": "ON",
        }
        defines = [f"-D{name}={value}" for name, value in options.items()]
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(tree), *generator, *defines], check=True)


setup(
    version=read_version(),
    packages=["thud"],
    package_dir={"": "python"},
    package_data={"thud": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("thud._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
