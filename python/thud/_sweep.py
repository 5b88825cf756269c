"""One scenario at many values of its knobs."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Tuple, Union, cast

import numpy as np
import numpy.typing as npt

from . import _core
from ._kept import KeptSweep, keep_sweep
from ._model import Duration, Model, Path, Value, model_of, run_options, text_of, threads
from ._named import Named
from ._notebook import table

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame
    from xarray import Dataset

STATUS = ("reached", "rest", "time limit", "bottom", "failed")


class Sweep:
    """What came of a sweep: sweep["t_z"] is an array over the grid of the axes, in the order they were given."""

    def __init__(self, core: _core.Sweep, title: str) -> None:
        self._core = core
        self.title = title

    @property
    def axes(self) -> Dict[str, npt.NDArray[Any]]:
        """The values of each knob: SI units, or texts."""
        out: Dict[str, npt.NDArray[Any]] = {}
        for k, knob in enumerate(self._core.knobs):
            values = self._core.axis(k)
            out[knob.name] = np.array([knob.choices[int(v)] for v in values]) if knob.choices else values
        return out

    @property
    def knobs(self) -> Named[_core.Knob]:
        """The knobs that were turned, by name."""
        return Named("axis", ((k.name, k) for k in self._core.knobs))

    @property
    def outputs(self) -> Named[_core.Column]:
        """What was read off each run, by name."""
        return Named("output", ((c.name, c) for c in self._core.outputs))

    @property
    def shape(self) -> Tuple[int, ...]:
        """The shape of the grid."""
        return self.status.shape

    @property
    def status(self) -> npt.NDArray[np.uint8]:
        """How each run went, as an index into thud._sweep.STATUS: 0 reached what was asked, 1 rest before that, 2 time
        limit, 3 bottom, 4 failed."""
        return self._core.status

    @property
    def reached(self) -> npt.NDArray[np.bool_]:
        """Which runs reached what was asked."""
        return np.equal(self.status, 0)

    def message(self, *index: int) -> str:
        """Why the run at this place of the grid did not reach what was asked; empty when it did."""
        return self._core.message(int(np.ravel_multi_index(index, self.shape)))

    @property
    def seconds(self) -> float:
        """How long the sweep took [s]."""
        return self._core.seconds

    def __getitem__(self, output: str) -> npt.NDArray[np.float64]:
        self.outputs[output]
        return self._core.column(output)

    def to_frame(self) -> DataFrame:
        """A pandas DataFrame with a row per run: knobs, outputs, status."""
        from ._frames import import_pandas

        pandas = import_pandas()
        grids = np.meshgrid(*self.axes.values(), indexing="ij")
        data: Dict[str, Any] = {name: grid.ravel() for name, grid in zip(self.axes, grids)}
        data.update({name: self[name].ravel() for name in self.outputs})
        data["status"] = np.array(STATUS)[self.status.ravel()]
        return pandas.DataFrame(data)

    def to_xarray(self) -> Dataset:
        """An xarray Dataset over the axes, with units: the outputs, and the status of every run."""
        from ._frames import import_xarray

        axes = self.axes
        units = {name: _core.si_unit_of(knob.unit) for name, knob in self.knobs.items()}
        coords = {name: (name, values, {"units": units[name]}) for name, values in axes.items()}
        data: Dict[str, Any] = {
            name: (tuple(axes), self[name], {"units": c.unit, "long_name": c.about}) for name, c in self.outputs.items()
        }
        data["status"] = (tuple(axes), self.status, {"flag_meanings": ", ".join(STATUS)})
        dataset: Dataset = import_xarray().Dataset(data, coords=coords, attrs={"title": self.title})
        return dataset

    def __reduce__(self) -> Tuple[Any, ...]:
        return rebuild_sweep, (keep_sweep(self._core), self.title)

    def _repr_html_(self) -> str:
        axes = [(name, len(v), show_end(v[0]), show_end(v[-1])) for name, v in self.axes.items()]
        found = []
        for name, column in self.outputs.items():
            values = self[name][np.isfinite(self[name])]
            ends = (f"{values.min():.6g}", f"{values.max():.6g}") if values.size else ("", "")
            found.append((f"{name} [{column.unit}]" if column.unit else name, values.size, *ends))
        head = ("", "values", "first or least", "last or largest")
        return f"<div><b>{html.escape(self.title)}</b>, {self.status.size} runs{table(head, axes + found)}</div>"

    def plot(self, output: Optional[str] = None) -> Figure:
        """A curve over one axis, a heat map over two; of the first output unless another is named."""
        from ._plot import plot_sweep

        return plot_sweep(self, output)

    def __repr__(self) -> str:
        grid = " x ".join(f"{name} ({len(values)})" for name, values in self.axes.items())
        missed = int(np.count_nonzero(self.status))
        return (
            f"<thud.Sweep {grid}: {', '.join(self.outputs)}; {self.status.size} runs in {self.seconds:.3g} s"
            f"{f', {missed} did not reach what was asked' if missed else ''}>"
        )


def sweep(
    model: Union[Model, Path],
    axes: Mapping[str, Iterable[Value]],
    outputs: Optional[Iterable[str]] = None,
    jobs: Optional[int] = None,
    *,
    progress: Optional[Callable[[int, int], object]] = None,
    until_rest: bool = False,
    time_limit: Optional[Duration] = None,
    tolerance: Optional[float] = None,
    method: str = "",
    step: Optional[Duration] = None,
) -> Sweep:
    """Runs a scenario at all combinations of the values of some knobs.

        thud.sweep("free_link", {"angle": np.radians([30, 40, 50]), "speed": [1, 2]}, outputs=["t_z"])

    outputs    results, observables (their value at the end of a run), "end.time", "end.reason", "energy.residual";
               without them all results of the scenario
    jobs       threads; without a number one per processor. The numbers do not depend on it.
    progress   called now and then as progress(done, total)

    The rest is as in Model.run(). The runs are those of `thud sweep`, bit by bit, in threads that do not hold Python
    up; Ctrl-C ends them.
    """
    chosen = model_of(model)
    core = chosen._core
    if not hasattr(axes, "items"):
        raise TypeError(f'a dict of knobs and their values is wanted, such as {{"speed": [1, 2]}}, not {axes!r}')
    if isinstance(outputs, str):
        raise TypeError(f'outputs: a list of names is wanted, such as ["{outputs}"]')
    swept = core.sweep(
        [(knob, axis_of(core, knob, values)) for knob, values in axes.items()],
        list(outputs or []),
        threads(jobs),
        progress,
        *run_options(until_rest, time_limit, tolerance, method, step),
    )
    chosen._check_own()
    return Sweep(swept, chosen.title)


def axis_of(core: _core.Model, knob: str, values: Iterable[Value]) -> List[float]:
    """Values in SI units; texts bring their own units or are choices."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"{knob}: a list of values is wanted, such as [{values!r}]")
    listed = np.asarray(values if isinstance(values, np.ndarray) else list(values))
    if listed.ndim != 1:
        raise ValueError(f"{knob}: the values of an axis must be a list, not an array of {listed.ndim} dimensions")
    if listed.dtype.kind in "iuf":
        numbers: List[float] = listed.astype(float).tolist()
        return numbers
    return core.axis(knob, [text_of(knob, v) for v in listed.tolist()])


def show_end(value: Any) -> str:
    """The first or last value of an axis."""
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)


def rebuild_sweep(data: Dict[str, Any], title: str) -> Sweep:
    """A sweep that was pickled."""
    return Sweep(cast(_core.Sweep, KeptSweep(data)), title)
