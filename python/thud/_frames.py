"""pandas, xarray and matplotlib, where they are wanted and there."""

from __future__ import annotations

from typing import Any


def import_pandas() -> Any:
    """pandas, or an ImportError that says what to do."""
    try:
        import pandas
    except ImportError as e:
        raise ImportError("to_frame() needs pandas (Debian: python3-pandas); the columns are arrays without it") from e
    return pandas


def import_xarray() -> Any:
    """xarray, or an ImportError that says what to do."""
    try:
        import xarray
    except ImportError as e:
        raise ImportError("to_xarray() needs xarray (Debian: python3-xarray); the columns are arrays without it") from e
    return xarray


def import_pyplot() -> Any:
    """matplotlib.pyplot, or an ImportError that says what to do."""
    try:
        import matplotlib.pyplot
    except ImportError as e:
        raise ImportError("plot() needs matplotlib (Debian: python3-matplotlib); to_html() needs nothing") from e
    return matplotlib.pyplot
