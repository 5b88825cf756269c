"""Small tables of named things, with a representation worth looking at."""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, Mapping, Tuple, TypeVar

from . import _core

T = TypeVar("T")


class Named(Mapping[str, T]):
    """Things by their names, in their order; unknown names are refused with a suggestion."""

    def __init__(self, what: str, items: Iterable[Tuple[str, T]]) -> None:
        self._what = what
        self._items: Dict[str, T] = dict(items)

    def __getitem__(self, name: str) -> T:
        try:
            return self._items[name]
        except KeyError:
            raise KeyError(f'there is no {self._what} "{name}"{_core.did_you_mean(str(name), list(self))}') from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        width = max((len(name) for name in self), default=0)
        return "\n".join(f"{name:<{width}}  {describe(item)}".rstrip() for name, item in self.items()) or "(none)"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)


def describe(item: Any) -> str:
    """One line about a knob, a column or a scenario."""
    if hasattr(item, "choices"):  # a knob, of now or of a result that was pickled
        return f"{show_value(item, item.value):<12} {item.about}".rstrip()
    if hasattr(item, "unit"):
        return f"{item.unit:<6} {item.about}"
    return str(item)


def show_value(knob: _core.Knob, value: Any) -> str:
    """The value of a knob in its own unit: "32 deg"."""
    if knob.choices:
        return str(value)
    shown = _core.in_unit(value, knob.unit) if knob.unit else value
    return f"{shown:.6g} {knob.unit}".rstrip()


def with_unit(name: str, unit: str) -> str:
    """ "speed [m/s]", or "speed" alone."""
    return f"{name} [{unit}]" if unit else name
