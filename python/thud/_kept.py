"""Results and sweeps as plain data: what is pickled of them."""

from __future__ import annotations

import zlib
from types import SimpleNamespace
from typing import Any, Dict, Iterable, List, Tuple

FIELDS = {
    "Knob": ("name", "value", "default", "unit", "range", "about", "integer", "choices"),
    "Column": ("name", "unit", "about"),
    "Event": ("time", "kind", "subject", "before", "after"),
    "Impact": (
        "time",
        "contacts",
        "law",
        "case",
        "impulse",
        "velocity_before",
        "velocity_after",
        "energy_before",
        "energy_after",
        "note",
        "joint_impulse",
    ),
    "Energy": ("initial", "final", "supplied", "lost", "settled", "residual"),
}
RESULT = ("name", "title", "reached", "reason", "stop", "end_time", "notes", "results", "result_units", "is_truncated", "plotted")
TEXTS = ("summary", "json", "csv", "html")


class Record(SimpleNamespace):
    """A knob, a column, an event, an impact or the energy of something that was pickled."""


def record(kind: str, item: Any) -> Record:
    return Record(**{name: getattr(item, name) for name in FIELDS[kind]})


def records(kind: str, items: Any) -> List[Record]:
    return [record(kind, item) for item in items]


class Kept:
    """Data with the interface of the compiled object that it was taken from."""

    def __init__(self, data: Dict[str, Any]) -> None:
        self._data = data

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._data[name]
        except KeyError:
            raise AttributeError(name) from None

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self._data,)


class KeptResult(Kept):
    def __init__(self, data: Dict[str, Any]) -> None:
        super().__init__(data)
        freeze(data["_arrays"].values())

    def column(self, name: str) -> Any:
        return self._data["_arrays"][name]

    def _text(self, which: str) -> str:
        return zlib.decompress(self._data["_texts"][which]).decode()

    def summary(self) -> str:
        return self._text("summary")

    def json(self) -> str:
        return self._text("json")

    def csv(self) -> str:
        return self._text("csv")

    def html(self) -> str:
        return self._text("html")


class KeptSweep(Kept):
    def __init__(self, data: Dict[str, Any]) -> None:
        super().__init__(data)
        freeze([data["status"], *data["_axes"], *data["_arrays"].values()])

    def axis(self, k: int) -> Any:
        return self._data["_axes"][k]

    def column(self, output: str) -> Any:
        return self._data["_arrays"][output]

    def message(self, run: int) -> str:
        return str(self._data["_messages"].get(run, ""))


def freeze(arrays: Iterable[Any]) -> None:
    """Makes arrays read-only, as columns are; a pickle does not keep that."""
    for array in arrays:
        array.setflags(write=False)


def keep_result(core: Any) -> Dict[str, Any]:
    data: Dict[str, Any] = {name: getattr(core, name) for name in RESULT}
    data["knobs"] = records("Knob", core.knobs)
    data["columns"] = records("Column", core.columns)
    data["events"] = records("Event", core.events)
    data["impacts"] = records("Impact", core.impacts)
    data["energy"] = record("Energy", core.energy)
    data["_arrays"] = {c.name: core.column(c.name) for c in core.columns}
    data["_texts"] = {which: zlib.compress(getattr(core, which)().encode()) for which in TEXTS}
    return data


def keep_sweep(core: Any) -> Dict[str, Any]:
    data: Dict[str, Any] = {"seconds": core.seconds, "workers": core.workers}
    data["knobs"] = records("Knob", core.knobs)
    data["outputs"] = records("Column", core.outputs)
    data["status"] = core.status
    data["_axes"] = [core.axis(k) for k in range(len(core.knobs))]
    data["_arrays"] = {c.name: core.column(c.name) for c in core.outputs}
    flat = data["status"].ravel()
    data["_messages"] = {int(i): core.message(int(i)) for i in flat.nonzero()[0]}
    return data
