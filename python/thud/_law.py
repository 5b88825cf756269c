"""Resistance laws of one's own."""

from __future__ import annotations

import os
from typing import Any, Callable, Mapping, Union

from . import _core
from ._core import Flow, Law, Resistance

Answer = Union[Resistance, Mapping[str, float]]


def law(function: Any, name: str = "", about: str = "") -> Law:
    """A law written in Python: a function of a Flow, or an object with such a method `resistance`.

    It gives a Resistance, or a dict with some of its fields; what is missing is 0. It is called thousands of times in a
    run, from the threads of a sweep one after the other, and makes runs some hundred times slower: for trying things out.
    """
    call: Callable[[Flow], Answer] = getattr(function, "resistance", function)
    if not callable(call):
        raise TypeError(f"a law is a function or has a method resistance(flow); {type(function).__name__} has neither")
    chosen = name or str(getattr(function, "name", "") or getattr(function, "__name__", "") or type(function).__name__)
    text = about or next(iter((getattr(function, "__doc__", "") or "").strip().splitlines()), "law in Python")
    return _core.python_law(chosen if chosen != "<lambda>" else "law", call, text)


def load_law(path: Union[str, os.PathLike[str]]) -> Law:
    """The compiled law in a shared library or extension module (thud/granular/law_plugin.hpp): as fast as thud's own."""
    return _core.load_law(os.fspath(path))


def register_law(law: Law) -> None:
    """Lets scenario files that are read from now on say law = "name" in [bed], with the law's coefficients as keys."""
    _core.register_law(law)
