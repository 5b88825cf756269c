"""Fits to measured trajectories, and published tables."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from . import _core
from ._model import Model, Path, Value, model_of, text_of, threads


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


class Modes:
    """Natural modes of a mechanism: small motions about a pose at rest. In a notebook they show their shapes."""

    def __init__(self, documents: Tuple[str, str, str]) -> None:
        text, self._text, self._svg = documents
        self.data: Dict[str, Any] = json.loads(text)

    @property
    def frequencies(self) -> List[float]:
        """Of each mode, growing ones first, then from the lowest [Hz]."""
        return [m["frequency"] for m in self.data["modes"]]

    def to_svg(self) -> str:
        """A picture of the shapes."""
        return self._svg

    def _repr_svg_(self) -> str:
        return self._svg

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<thud.Modes {', '.join(f'{f:.6g} Hz' for f in self.frequencies)}>"


def label(estimate: Mapping[str, Any]) -> str:
    """ "eta_d", or "speed (run1.csv)"."""
    return f"{estimate['knob']} ({estimate['file']})" if estimate.get("file") else str(estimate["knob"])


def fit(
    study: Path,
    data: Union[None, Path, Iterable[Path]] = None,
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
    return Fit(_core.fit(os.fspath(study), [os.fspath(f) for f in files], settings, threads(jobs)))


def synth(
    source: Path, folder: Path, *, set: Optional[Mapping[str, Value]] = None, seed: int = 1
) -> List[str]:
    """Writes synthetic measurements, as `thud synth` does: runs at 500 frames per second, with 0.1 mm of noise.

    source   a study with [fit], whose files of [data] are made, or a scenario; a name of the library or a file
    folder   where the CSV files go
    set      knobs of the truth
    seed     of the noise of the first file; the others follow

    Returns the paths of the files, for fit().
    """
    settings = [(name, text_of(name, value)) for name, value in (set or {}).items()]
    texts = _core.synth(os.fspath(source), settings, seed)
    os.makedirs(folder, exist_ok=True)
    paths = []
    for name, text in texts:
        paths.append(os.path.join(os.fspath(folder), name))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write(text)
    return paths


def reproduce(*ids: str, jobs: Optional[int] = None) -> Reproduction:
    """Runs published tables and compares, as `thud reproduce` does; without ids all of them.

    An id may be what ids begin with: reproduce("lee2009").
    """
    return Reproduction(_core.reproduce(list(ids), threads(jobs)))


def modes(model: Union[Model, Path], count: int = 10, at: str = "initial") -> Modes:
    """Natural frequencies and mode shapes, as `thud modes` finds them: for gravity, strain and viscous damping.

    at   the pose: "initial", as the scenario starts, or "equilibrium", where it hangs at rest without sand
    """
    if at not in ("initial", "equilibrium"):
        raise ValueError(f'at="{at}": must be "initial" or "equilibrium"')
    if count < 1:
        raise ValueError(f"count={count}: must be at least 1")
    chosen = model_of(model)
    return Modes(_core.modes(chosen._core, count, at == "equilibrium"))
