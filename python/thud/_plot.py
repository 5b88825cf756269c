"""Figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional

from . import _core
from ._frames import import_pyplot
from ._named import show_value, with_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ._result import Result
    from ._sweep import Sweep

# More labels than this cover each other.
MOST_LABELS = 12


def plot_result(result: Result, names: List[str]) -> Figure:
    """Curves against time, one panel per column, with the events of the run."""
    columns = result.columns
    for name in names:
        columns[name]  # refuses unknown ones before anything is drawn
    if not names:
        raise ValueError(f"{result.name} names nothing to plot: give columns, such as plot({next(iter(columns))!r})")
    pyplot = import_pyplot()
    figure, axes = pyplot.subplots(
        len(names), 1, sharex=True, squeeze=False, figsize=(7, 1 + 2 * len(names)), constrained_layout=True
    )
    events = [e for e in result.events if e.kind != "start"]
    for name, panel in zip(names, axes[:, 0]):
        panel.plot(result.time, result[name], color="C0", linewidth=1.5)
        panel.set_ylabel(with_unit(name, columns[name].unit))
        panel.grid(alpha=0.3)
        panel.margins(x=0)
        for event in events:
            panel.axvline(event.time, color="0.6", linewidth=0.7, linestyle=":")
    top = axes[0, 0]
    if len(events) <= MOST_LABELS:
        for event in events:
            top.annotate(
                event.kind,
                (event.time, 1),
                xycoords=("data", "axes fraction"),
                xytext=(2, -2),
                textcoords="offset points",
                rotation=90,
                va="top",
                fontsize="x-small",
                color="0.4",
            )
    axes[-1, 0].set_xlabel("time [s]")
    figure.suptitle(result.title)
    return figure


def plot_sweep(sweep: Sweep, output: Optional[str]) -> Figure:
    """A curve over one axis, or a map over two."""
    name = output or next(iter(sweep.outputs))
    values = sweep[name]
    label = with_unit(name, sweep.outputs[name].unit)
    knobs = list(sweep.knobs.values())
    if len(knobs) > 2:
        raise ValueError(f"plot() draws one or two axes, and this sweep has {len(knobs)}: {', '.join(sweep.axes)}")
    pyplot = import_pyplot()
    figure, panel = pyplot.subplots(figsize=(7, 4.5), constrained_layout=True)
    x = axis_values(knobs[-1], sweep.axes[knobs[-1].name])
    panel.set_xlabel(with_unit(knobs[-1].name, knobs[-1].unit))
    if len(knobs) == 1:
        panel.plot(x, values, marker="o" if len(x) <= 30 else None, markersize=3)
        panel.set_ylabel(label)
        panel.grid(alpha=0.3)
    else:
        mesh = panel.pcolormesh(x, axis_values(knobs[0], sweep.axes[knobs[0].name]), values, shading="nearest")
        panel.set_ylabel(with_unit(knobs[0].name, knobs[0].unit))
        figure.colorbar(mesh, label=label)
    panel.set_title(sweep.title)
    return figure


def axis_values(knob: _core.Knob, values: Any) -> List[Any]:
    """The values of an axis as it is labelled."""
    if knob.choices:
        return [show_value(knob, v) for v in values]
    return [_core.in_unit(float(v), knob.unit) if knob.unit else float(v) for v in values]
