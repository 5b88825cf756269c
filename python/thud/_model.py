"""Scenarios and their knobs."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Tuple, Union

from . import _core
from ._law import law as make_law
from ._named import Named
from ._result import Result

Value = Union[str, float, int]
Duration = Union[float, str]


class Model:
    """A scenario whose knobs can be turned. thud.load() and thud.parse() make them."""

    def __init__(self, core: _core.Model) -> None:
        self._core = core
        self._laws: Dict[str, _core.Law] = {}

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
        """Sets knobs and returns the model itself: set(angle="40 deg", speed=1.7).

        Texts bring their units, plain numbers are in SI units (radians, metres). Unknown knobs and values that a knob
        does not take raise InputError at once, and nothing is set. Names that are no Python names go into a dict.
        """
        self._core.set([(name, text_of(name, value)) for name, value in {**(values or {}), **more}.items()])
        return self

    def copy(self) -> Model:
        """A model with the same knobs, to be turned on its own."""
        copied = Model(self._core.copy())
        copied._laws = dict(self._laws)
        return copied

    __copy__ = copy

    def __deepcopy__(self, memo: Dict[int, Any]) -> Model:
        return self.copy()

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
        self._laws[bed] = held
        return self

    def _check_laws(self) -> None:
        for held in self._laws.values():
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
        method       "auto", "dop853", "dopri5", "rk4", "euler" or "radau5"
        step         of rk4 and euler [s]
        sample       time between rows of the trajectory [s]; without it there are 500 to 1250 rows
        every_step   one row per step of the solver instead

        Times may be texts such as "50 ms".
        """
        core = self._core.run(
            until_rest,
            seconds("time_limit", time_limit),
            tolerance,
            method,
            seconds("step", step),
            seconds("sample", sample),
            every_step,
        )
        self._check_laws()
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


def load(name_or_path: Union[str, os.PathLike[str]]) -> Model:
    """A scenario of the library, load("free_link"), or a file, load("mine.toml").

    Raises InputError, with the place in the file, for anything that is wrong with it.
    """
    return Model(_core.load(os.fspath(name_or_path)))


def parse(text: str, file: str = "text") -> Model:
    """A scenario from the text of a scenario file; `file` is for messages."""
    return Model(_core.parse(text, file))


def text_of(name: str, value: Any) -> str:
    """A knob's value as a text; anything but texts and real numbers is refused."""
    if isinstance(value, str):
        return value
    try:
        return repr(float(value))
    except (TypeError, ValueError):
        raise TypeError(f"{name}: a knob takes a number or a text, not {type(value).__name__}") from None


def seconds(option: str, value: Optional[Duration]) -> Optional[float]:
    """ "50 ms" or 0.05 as seconds."""
    return _core.read_quantity(value, "s", f"{option}={value}") if isinstance(value, str) else value
