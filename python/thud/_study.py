"""Fits to measured trajectories, and published tables."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from . import _core
from ._model import Value, text_of


class Study:
    """A finished study: `data` is its JSON document, str() the text for people, to_html() a page."""

    def __init__(self, documents: Tuple[str, str, str]) -> None:
        self._json, self._text, self._html = documents
        self.data: Dict[str, Any] = json.loads(self._json)

    def to_json(self) -> str:
        """The document as text."""
        return self._json

    def to_html(self) -> str:
        """A page that needs nothing else."""
        return self._html

    def __str__(self) -> str:
        return self._text


class Fit(Study):
    """Knobs fitted to measurements."""

    @property
    def converged(self) -> bool:
        """Whether the fit settled."""
        return bool(self.data["converged"])

    @property
    def estimates(self) -> List[Dict[str, Any]]:
        """Every fitted knob: knob, file, value, standard_error, interval_95, status, ..."""
        return list(self.data["estimates"])

    @property
    def values(self) -> Dict[str, float]:
        """The fitted values in SI units, by name; those of one file as "speed (run1.csv)"."""
        return {label(e): e["value"] for e in self.estimates}

    @property
    def errors(self) -> Dict[str, Optional[float]]:
        """Their standard errors; None where the data do not determine one."""
        return {label(e): e["standard_error"] for e in self.estimates}

    def __repr__(self) -> str:
        found = ", ".join(f"{name} = {value:.6g}" for name, value in self.values.items())
        return f"<thud.Fit {'' if self.converged else 'NOT CONVERGED: '}{found}>"


class Reproduction(Study):
    """Published numbers beside ours."""

    @property
    def tables(self) -> List[Dict[str, Any]]:
        """The tables, row by row."""
        return list(self.data["tables"])

    @property
    def ok(self) -> int:
        """How many published numbers are met."""
        return int(self.data["ok"])

    @property
    def total(self) -> int:
        """How many there are."""
        return int(self.data["total"])

    def __repr__(self) -> str:
        return f"<thud.Reproduction {self.ok} of {self.total} published numbers, {len(self.tables)} tables>"


def label(estimate: Mapping[str, Any]) -> str:
    """ "eta_d", or "speed (run1.csv)"."""
    return f"{estimate['knob']} ({estimate['file']})" if estimate.get("file") else str(estimate["knob"])


def fit(
    study: Union[str, os.PathLike[str]],
    data: Union[None, str, os.PathLike[str], Iterable[Union[str, os.PathLike[str]]]] = None,
    *,
    set: Optional[Mapping[str, Value]] = None,
    jobs: Optional[int] = None,
) -> Fit:
    """Fits the knobs of a study to measured trajectories, as `thud fit` does.

    study   a study with a [fit] section: a name of the library or a file
    data    CSV files; without them all files of the study's [data]
    set     knobs that are not fitted
    """
    files = [] if data is None else [data] if isinstance(data, (str, os.PathLike)) else list(data)
    settings = [(name, text_of(name, value)) for name, value in (set or {}).items()]
    return Fit(_core.fit(os.fspath(study), [os.fspath(f) for f in files], settings, jobs or 0))


def reproduce(*ids: str, jobs: Optional[int] = None) -> Reproduction:
    """Runs published tables and compares, as `thud reproduce` does; without ids all of them.

    An id may be what ids begin with: reproduce("lee2009").
    """
    return Reproduction(_core.reproduce(list(ids), jobs or 0))
