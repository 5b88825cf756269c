"""What comes of a run."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union, cast

import numpy as np
import numpy.typing as npt

from . import _core, _notebook
from ._kept import KeptResult, keep_result
from ._named import Named
from ._notebook import Page

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame
    from xarray import Dataset

Array = npt.NDArray[np.float64]


class NotReached(RuntimeError):
    """A run did not reach what was asked; `result` is what came of it all the same."""

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message)
        self.result = result


class Branch:
    """The columns whose names begin alike, as attributes: result.link.tip.depth is result["link.tip.depth"]."""

    def __init__(self, result: Result, prefix: str) -> None:
        self._result = result
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:
        return self._result._attribute(self._prefix + name)

    def __dir__(self) -> List[str]:
        return self._result._next_words(self._prefix)

    def __repr__(self) -> str:
        return f"<columns {self._prefix}*: {', '.join(dir(self))}>"


class Result:
    """What came of a run: named results, events, the energy account and the trajectory.

    result["link.tip.depth"] is a column of the trajectory as a read-only NumPy array, without a copy; so is
    result.link.tip.depth. result["t_z"] is a named result.
    """

    def __init__(self, core: _core.Result) -> None:
        self._core = core
        self._names = [c.name for c in core.columns]
        self._results: Dict[str, Optional[float]] = core.results

    # ---- outcome

    @property
    def name(self) -> str:
        """The name of the scenario."""
        return self._core.name

    @property
    def title(self) -> str:
        """The title of the scenario."""
        return self._core.title

    @property
    def knobs(self) -> Named[_core.Knob]:
        """The knobs as they were in this run."""
        return Named("knob", ((k.name, k) for k in self._core.knobs))

    @property
    def reached(self) -> bool:
        """Whether the run reached what was asked: the scenario's stop or all its results, or rest."""
        return self._core.reached

    @property
    def reason(self) -> str:
        """Why the run ended, in words."""
        return self._core.reason

    @property
    def stop(self) -> str:
        """The same as a word: "condition", "results", "rest", "time limit", "bottom", "failed"."""
        return self._core.stop

    @property
    def end_time(self) -> float:
        """When the run ended [s]."""
        return self._core.end_time

    @property
    def notes(self) -> List[str]:
        """What one should know of the run, such as where it left the theory."""
        return self._core.notes

    def check(self) -> Result:
        """Returns the result, or raises NotReached when the run did not reach what was asked."""
        if not self.reached:
            raise NotReached(f"{self.name}: {self.reason}", self)
        return self

    @property
    def results(self) -> Dict[str, Optional[float]]:
        """The named results in SI units; None where an instant was never reached."""
        return dict(self._results)

    @property
    def events(self) -> List[_core.Event]:
        """What happened, in the order of time."""
        return self._core.events

    @property
    def impacts(self) -> List[_core.Impact]:
        """The impacts, 10 000 at most."""
        return self._core.impacts

    @property
    def energy(self) -> _core.Energy:
        """Where the energy went."""
        return self._core.energy

    # ---- trajectory

    @property
    def columns(self) -> Named[_core.Column]:
        """The columns of the trajectory, by name."""
        return Named("column", ((c.name, c) for c in self._core.columns))

    @property
    def time(self) -> Array:
        """The instants of the rows [s]."""
        return self._core.column("time")

    @property
    def is_truncated(self) -> bool:
        """Whether rows are missing at the end because there was no room for them."""
        return self._core.is_truncated

    def __getitem__(self, name: str) -> Any:
        if name in self._names:
            return self._core.column(name)
        if name in self._results:
            return self._results[name]
        known = self._names + list(self._results)
        raise KeyError(f'"{self.name}" has no column or result "{name}"{_core.did_you_mean(str(name), known)}')

    def __contains__(self, name: object) -> bool:
        return name in self._names or name in self._results

    def _ipython_key_completions_(self) -> List[str]:
        return self._names + list(self._results)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # half-made objects and probes of notebooks
            raise AttributeError(name)
        return self._attribute(name)

    def _attribute(self, name: str) -> Any:
        if name in self._names:
            return self._core.column(name)
        if any(n.startswith(name + ".") for n in self._names):
            return Branch(self, name + ".")
        raise AttributeError(f'"{self.name}" has no column "{name}"{_core.did_you_mean(name, self._names)}')

    def _next_words(self, prefix: str) -> List[str]:
        return sorted({n[len(prefix) :].split(".")[0] for n in self._names if n.startswith(prefix)})

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *self._next_words("")})

    # ---- elsewhere

    def to_frame(self) -> DataFrame:
        """The trajectory as a pandas DataFrame over time."""
        from ._frames import import_pandas

        pandas = import_pandas()
        data = {name: self._core.column(name) for name in self._names if name != "time"}
        return pandas.DataFrame(data, index=pandas.Index(self.time, name="time"))

    def to_xarray(self) -> Dataset:
        """The trajectory as an xarray Dataset over time, with units; results and knobs are its attributes."""
        from ._frames import import_xarray

        data = {
            name: ("time", self._core.column(name), {"units": c.unit, "long_name": c.about})
            for name, c in self.columns.items()
            if name != "time"
        }
        attrs: Dict[str, Any] = {"title": self.title, "reached": int(self.reached), "reason": self.reason}
        attrs.update({name: value for name, value in self._results.items() if value is not None})
        attrs.update({f"knob.{name}": knob.value for name, knob in self.knobs.items()})
        coords = {"time": ("time", self.time, {"units": "s"})}
        dataset: Dataset = import_xarray().Dataset(data, coords=coords, attrs=attrs)
        return dataset

    def to_csv(self) -> str:
        """The trajectory as CSV, as `thud run --out` writes it."""
        return self._core.csv()

    def to_json(self) -> str:
        """Everything but the trajectory as JSON, as `thud run --json` prints it."""
        return self._core.json()

    def to_html(self) -> str:
        """A page with the animation that needs nothing else, as `thud run --report` writes it."""
        return self._core.html()

    def plot(self, *columns: str) -> Figure:
        """Plots columns against time, or without names what the scenario itself would plot; events are marked."""
        from ._plot import plot_result

        return plot_result(self, list(columns) or self._core.plotted)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the page of to_html() to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_html())

    def show(self, height: int = 720) -> Page:
        """The animation within a notebook: the page of to_html(), half a megabyte."""
        return Page(self.to_html(), self.title, height)

    def _repr_html_(self) -> str:
        units = self._core.result_units
        rows = [(n, "not reached" if v is None else f"{v:.6g} {units[n]}".rstrip()) for n, v in self._results.items()]
        page = _notebook.write_page(self.name, self.to_html(), _notebook.FOLDER)
        link = f'<a href="{html.escape(page)}" target="_blank">animation and plots</a>' if page else "show() has the animation"
        head = f"<b>{html.escape(self.title)}</b><br>{html.escape(self.reason)}"
        return f"<div>{head}{_notebook.table(('result', 'value'), rows) if rows else '<br>'}{link}</div>"

    def __reduce__(self) -> Tuple[Any, ...]:
        return rebuild_result, (keep_result(self._core),)

    def __str__(self) -> str:
        return self._core.summary()

    def __repr__(self) -> str:
        units = self._core.result_units
        found = ", ".join(
            f"{name} not reached" if value is None else f"{name} = {value:.6g} {units[name]}".rstrip()
            for name, value in self._results.items()
        )
        state = "" if self.reached else "NOT REACHED: "
        return f"<thud.Result {self.name}: {state}{self.reason}{'; ' + found if found else ''}>"


def rebuild_result(data: Dict[str, Any]) -> Result:
    """A result that was pickled."""
    return Result(cast(_core.Result, KeptResult(data)))
