"""What notebooks show: a few lines and a link, not a whole page each."""

from __future__ import annotations

import hashlib
import html
import os
from typing import Any, Iterable, Optional, Sequence

FOLDER = "thud_pages"
"""Where the pages lie that results link to, below the folder of the notebook; None writes none."""


class Page:
    """A page that a notebook shows within itself."""

    def __init__(self, text: str, title: str, height: int = 720) -> None:
        self.text, self.title, self.height = text, title, height

    def _repr_html_(self) -> str:
        style = f"width: 100%; height: {self.height}px; border: 0"
        page = html.escape(self.text, quote=True)
        return f'<iframe srcdoc="{page}" style="{style}" title="{html.escape(self.title)}"></iframe>'

    def __repr__(self) -> str:
        return f"<thud page: {self.title}>"


def write_page(name: str, text: str, folder: Optional[str]) -> Optional[str]:
    """The relative path of a page, written once for the same text; None where it cannot be written."""
    if not folder:
        return None
    path = f"{folder}/{name}-{hashlib.sha256(text.encode()).hexdigest()[:10]}.html"
    try:
        os.makedirs(folder, exist_ok=True)
        if not os.path.exists(path):
            with open(path + ".part", "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(path + ".part", path)
    except OSError:
        return None
    return path


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A small table in HTML."""
    cells = "".join(f"<th>{html.escape(str(h))}</th>" for h in head)
    lines = "".join("<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table>"
