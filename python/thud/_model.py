"""Scenarios and their knobs."""

from __future__ import annotations

import os
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import _core
from ._core import Instant, SandProbe, Strike
from ._law import law as make_law
from ._named import Named
from ._result import Result
from ._toml import to_toml

Value = Union[str, float, int]
Path = Union[str, "os.PathLike[str]"]
Duration = Union[float, str]


class Model:
    """A scenario whose knobs can be turned. thud.load(), thud.parse() and thud.make() make them."""

    def __init__(self, core: _core.Model) -> None:
        if not isinstance(core, _core.Model):
            raise TypeError(
                f"thud.Model is not made of a {type(core).__name__}: use thud.load(name_or_path), thud.parse(text), "
                "or thud.make(data) for a dict or an object"
            )
        self._core = core
        self._own: Dict[str, Union[_core.Law, _core.Function]] = {}  # by what they are for
        self._added = False  # a result

    @property
    def name(self) -> str:
        """The name of the scenario, such as "free_link"."""
        return self._core.name

    @property
    def title(self) -> str:
        """One line about it."""
        return self._core.title

    @property
    def about(self) -> str:
        """What it is, at more length."""
        return self._core.about

    @property
    def file(self) -> str:
        """Where it was read from."""
        return self._core.file

    @property
    def text(self) -> str:
        """The text of its file."""
        return self._core.text

    @property
    def knobs(self) -> Named[_core.Knob]:
        """What can be set, by name, with the values of now."""
        return Named("knob", ((k.name, k) for k in self._core.knobs))

    @property
    def observables(self) -> Named[_core.Column]:
        """What can be read off a run at any time, by name."""
        return Named("observable", ((c.name, c) for c in self._core.observables))

    @property
    def results(self) -> Named[_core.Column]:
        """The named results that the scenario defines, with their rules."""
        return Named("result", ((c.name, c) for c in self._core.results))

    def set(self, values: Optional[Dict[str, Value]] = None, /, **more: Value) -> Model:
        """A copy of the model with knobs set: set(angle="40 deg", speed=1.7). The model itself stays as it is.

        Texts bring their units, plain numbers are in SI units (radians, metres). Unknown knobs and values that a knob
        does not take raise InputError at once. Names that are no Python names go into a dict.
        """
        turned = self.copy()
        turned._core.set([(name, text_of(name, value)) for name, value in {**(values or {}), **more}.items()])
        return turned

    def copy(self) -> Model:
        """A model with the same knobs, to be turned on its own."""
        copied = Model(self._core.copy())
        copied._own = dict(self._own)
        copied._added = self._added
        return copied

    __copy__ = copy

    def __deepcopy__(self, memo: Dict[int, Any]) -> Model:
        return self.copy()

    def __reduce__(self) -> Tuple[Any, ...]:
        if self._own or self._added:
            raise TypeError("a model with laws, observables or results of one's own cannot be pickled")
        return rebuild, (self.text, self.file, self._core.settings)

    @property
    def beds(self) -> List[str]:
        """The names of the beds of sand."""
        return self._core.beds

    def use_law(self, bed: str, law: Any) -> Model:
        """Puts a law of one's own in the place of a bed's, and returns the model itself.

        The law is a thud.Law, a function of a thud.Flow, or an object with a method resistance(flow): see thud.law().
        What the law raises, run() and sweep() raise.
        """
        held = law if isinstance(law, _core.Law) else make_law(law)
        _core.use_law(self._core, bed, held)
        self._own["bed " + bed] = held
        return self

    @property
    def contacts(self) -> List[str]:
        """The names of the contacts, such as "ball@floor"."""
        return self._core.contacts

    def use_restitution(self, contact: str, function: Callable[[float], float]) -> Model:
        """Lets the restitution of a contact be e(v), with v the speed of approach [m/s]; returns the model itself.

        A value outside of 0 to 1 ends a run, and `reason` tells it. What the function raises, run() raises.
        """
        self._own["restitution " + contact] = _core.use_restitution(self._core, contact, function)
        return self

    def use_impact(self, contact: str, function: Callable[[Strike], Tuple[float, float]]) -> Model:
        """Puts an impact law of one's own in the place of a contact's, and returns the model itself.

        It gets a thud.Strike and gives the impulse, (tangent, normal) [N s]. It must not pull, must stop the approach
        and must not gain energy; `reason` tells when it does. It is for a contact that strikes alone: where several
        strike at once, their restitution counts.
        """
        self._own["impact " + contact] = _core.use_impact(self._core, contact, function)
        return self

    def add_observable(
        self, name: str, unit: str, function: Callable[[Instant], float], about: str = "observable in Python"
    ) -> Model:
        """Adds an observable f(instant), and returns the model itself: a column of results, an output of sweeps.

        instant["link.tip.depth"] is another observable at that instant; it has `time`, `q` and `v` too. What the
        function raises, run() raises.
        """
        self._own["observable " + name] = _core.add_observable(self._core, name, unit, function, about)
        return self

    def control(self, controller: str, function: Callable[..., Union[float, Sequence[float]]], memory: int = 0) -> Model:
        """Lets a function be a controller, and returns the model itself.

        The scenario has a [[controller]] of that name with a `rate` and `outputs`. At each tick f(instant) gives the
        outputs: a number where there is one, else a list. With memory=N it is f(instant, memory), where memory is a list
        of N numbers of its own during a run, zero at the first tick. What the function raises, run() raises.
        """
        self._own["controller " + controller] = _core.control(self._core, controller, function, memory)
        return self

    def add_result(self, name: str, rule: str) -> Model:
        """Adds a result as [results] of a scenario file would: add_result("peak", "max link.angle")."""
        self._core.add_result(name, rule)
        self._added = True
        return self

    def make_sand_probe(self, body: str = "", bed: str = "") -> SandProbe:
        """The force of a bed on one of the rigid bodies, for an integrator of one's own.

        Names may be left out where there is but one.
        """
        return _core.sand_probe(self._core, body, bed)

    def _check_own(self) -> None:
        for held in self._own.values():
            held.check()

    def run(
        self,
        *,
        until_rest: bool = False,
        time_limit: Optional[Duration] = None,
        tolerance: Optional[float] = None,
        method: str = "",
        step: Optional[Duration] = None,
        sample: Optional[Duration] = None,
        every_step: bool = False,
    ) -> Result:
        """Runs it. Other Python threads go on meanwhile, and Ctrl-C ends it.

        until_rest   go on beyond the scenario's stop until nothing moves
        time_limit   longest time to simulate [s]
        tolerance    relative accuracy of a step, from 1e-14 to 0.01
        method       "auto", "dop853", "dopri5", "rk4", "euler", "radau5" (implicit, for stiff beams), "newmark",
                     "generalised-alpha" or "exact" (without error where the motion is linear)
        step         of rk4, euler, newmark and generalised-alpha [s]
        sample       time between rows of the trajectory [s]; without it there are 500 to 1250 rows
        every_step   one row per step of the solver instead

        Times may be texts such as "50 ms".
        """
        options = run_options(until_rest, time_limit, tolerance, method, step)
        core = self._core.run(*options, seconds("sample", sample), bool(every_step))
        self._check_own()
        if core.is_truncated:
            warnings.warn("the trajectory had no room for all its rows: sample less often", stacklevel=2)
        return Result(core)

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value}" for name, value in self._core.settings)
        return f"<thud.Model {self.name}: {self.title}{' (' + settings + ')' if settings else ''}>"


class Library(Named[str]):
    """The scenarios that can be loaded by name, with their titles."""

    def __init__(self, entries: List[Tuple[str, str, str]]) -> None:
        super().__init__("scenario", ((name, title) for name, title, _ in entries))


def library() -> Library:
    """The scenarios that load() knows by name: a mapping of names to titles."""
    return Library(_core.library())


def load(name_or_path: Path) -> Model:
    """A scenario of the library, load("free_link"), or a file, load("mine.toml").

    Raises InputError, with the place in the file, for anything that is wrong with it.
    """
    return Model(_core.load(os.fspath(name_or_path)))


def parse(text: str, file: Path = "text") -> Model:
    """A scenario from the text of a scenario file; `file` is for messages."""
    return Model(_core.parse(text, os.fspath(file)))


def make(data: Any, file: Path = "made") -> Model:
    """A scenario from a dict, laid out as scenario files are, or from an object whose fields are.

        ball = {"name": "ball", "joint": "free", "shape": {"kind": "sphere", "diameter": 0.04, "mass": 0.05}}
        thud.make({"body": [ball], "bed": {"medium": "play-sand"}, "initial": {"ball.z": -0.5}})

    Dataclasses, objects with attributes, arrays and paths may stand anywhere within; what is None is left out. `file` is
    for messages; the text that was made is model.text.
    """
    return parse(to_toml(data), file)


def model_of(model: Union[Model, Path]) -> Model:
    """A model, or what load() makes of a name or a path."""
    return model if isinstance(model, Model) else load(model)


def import_model(path: Path, base: str = "auto", floor: Optional[float] = None) -> str:
    """The text of the scenario file that `thud import` makes of a URDF or MJCF model.

    `base` is for the root link of a URDF model: "free", "fixed", or "auto"; `floor` adds a floor at that height [m]. What is
    not as in the model is told in comments at the top of the text.
    """
    return _core.import_model(os.fspath(path), base, None if floor is None else float(floor))


def rebuild(text: str, file: str, settings: List[Tuple[str, str]]) -> Model:
    """A model that was pickled."""
    model = parse(text, file)
    model._core.set(settings)
    return model


def text_of(name: str, value: Any) -> str:
    """A knob's value as a text; anything but texts and real numbers is refused."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        raise TypeError(f"{name}: a knob takes a number or a text, not {value}")
    try:
        return repr(float(value))
    except OverflowError:
        raise ValueError(f"{name}: {value} is too large a number") from None
    except (TypeError, ValueError):
        raise TypeError(f"{name}: a knob takes a number or a text, not {type(value).__name__}") from None


def number(option: str, value: Any) -> float:
    """A real number, or a TypeError that names the option."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{option}: a number is wanted, not {value!r}") from None


def seconds(option: str, value: Optional[Duration]) -> Optional[float]:
    """ "50 ms" or 0.05 as seconds."""
    if isinstance(value, str):
        return _core.read_quantity(value, "s", f"{option}={value}")
    return None if value is None else number(option, value)


def threads(jobs: Optional[int]) -> int:
    """A number of threads; 0 stands for one per processor."""
    if jobs is None:
        return 0
    if isinstance(jobs, bool) or not isinstance(jobs, int):
        raise TypeError(f"jobs={jobs!r}: a whole number of threads is wanted")
    if not 1 <= jobs <= 1024:
        raise ValueError(f"jobs={jobs}: must be from 1 to 1024")
    return jobs


Options = Tuple[bool, Optional[float], Optional[float], str, Optional[float]]


def run_options(
    until_rest: bool,
    time_limit: Optional[Duration],
    tolerance: Optional[float],
    method: str,
    step: Optional[Duration],
) -> Options:
    """What run() and sweep() are asked for, as the library takes it."""
    if not isinstance(method, str):
        raise TypeError(f"method: a name is wanted, not {method!r}")
    accuracy = None if tolerance is None else number("tolerance", tolerance)
    return bool(until_rest), seconds("time_limit", time_limit), accuracy, method, seconds("step", step)
