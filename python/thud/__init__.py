"""thud simulates planar linkages that strike sand, walls and each other.

    >>> import thud
    >>> result = thud.load("free_link").set(angle="40 deg", speed=1.7).run()
    >>> result.results["t_z"]
    >>> result["link.tip.depth"]        # a NumPy array over result.time
    >>> result.plot()

Numbers are in SI units, texts bring their own ("40 deg"). x points right, z down, angles are measured from the downward
vertical. Bad input raises InputError; whether a run reached what was asked is a property of its result.
"""

from pathlib import Path as _Path

from . import _core

_core.set_data_folder(str(_Path(_core.__file__).absolute().parent / "data"))

from ._core import Column, Energy, Event, Flow, Impact, InputError, Instant, Knob, Law, Resistance
from ._core import SandForce, SandProbe, Strike
from ._law import law, load_law, register_law
from ._model import Library, Model, import_model, library, load, make, parse
from ._result import NotReached, Result
from ._study import Fit, Modes, Reproduction, fit, modes, reproduce, synth
from ._sweep import Sweep, sweep

__version__: str = _core.__version__

__all__ = [
    "Column",
    "Energy",
    "Event",
    "Fit",
    "Flow",
    "Impact",
    "InputError",
    "Instant",
    "Knob",
    "Law",
    "Library",
    "Model",
    "Modes",
    "NotReached",
    "Reproduction",
    "Resistance",
    "Result",
    "SandForce",
    "SandProbe",
    "Strike",
    "Sweep",
    "fit",
    "import_model",
    "law",
    "library",
    "load",
    "load_law",
    "make",
    "modes",
    "parse",
    "register_law",
    "reproduce",
    "sweep",
    "synth",
]
