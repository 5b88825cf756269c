"""Scenarios written as dicts and objects, as the text of a scenario file."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, Dict, List


def plain(value: Any, path: str) -> Any:
    """Dicts, lists, texts, numbers and truths out of whatever stands for them."""
    if isinstance(value, Mapping):
        return {str(k): plain(v, f"{path}.{k}" if path else str(k)) for k, v in value.items() if v is not None}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return plain(fields, path)
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays
        return plain(value.tolist(), path)
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{path}: {value} is no number that a scenario can have")
        return value
    if isinstance(value, Sequence):
        return [plain(v, f"{path}[{i}]") for i, v in enumerate(value)]
    if hasattr(value, "__dict__"):
        return plain({k: v for k, v in vars(value).items() if not k.startswith("_")}, path)
    raise TypeError(f"{path}: {type(value).__name__} cannot stand in a scenario")


def inline(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's escapes are those of TOML; but DEL is not escaped there.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, list):
        return "[" + ", ".join(inline(v) for v in value) + "]"
    return "{ " + ", ".join(f"{key(k)} = {inline(v)}" for k, v in value.items()) + " }"


def key(name: str) -> str:
    bare = name and all(c.isascii() and (c.isalnum() or c in "_-") for c in name)
    return name if bare else inline(name)


def is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def to_toml(data: Any) -> str:
    """The text of a scenario file: plain values, then tables, then lists of tables."""
    root = plain(data, "")
    if not isinstance(root, dict):
        raise TypeError(f"a dict or an object with fields is wanted, not {type(data).__name__}")
    top: List[str] = []
    tables: List[str] = []
    for name, value in root.items():
        if isinstance(value, dict):
            tables += ["", f"[{key(name)}]", *lines_of(value)]
        elif is_list_of_tables(value):
            for item in value:
                tables += ["", f"[[{key(name)}]]", *lines_of(item)]
        else:
            top.append(f"{key(name)} = {inline(value)}")
    return "\n".join(top + tables).lstrip("\n") + "\n"


def lines_of(table: Dict[str, Any]) -> List[str]:
    return [f"{key(k)} = {inline(v)}" for k, v in table.items()]
