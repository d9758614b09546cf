"""Tables for notebooks."""

from __future__ import annotations

from html import escape as escape
from typing import Sequence

#: A notebook draws no more rows than these; the result has them all.
MOST_ROWS = 200

_CELL = 'style="text-align: left; vertical-align: top; white-space: pre-wrap"'


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Writes a table; texts of models are escaped."""
    head = "".join(f"<th {_CELL}>{escape(cell)}</th>" for cell in heads)
    lines = [
        "<tr>" + "".join(f"<td {_CELL}>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row in rows[:MOST_ROWS]
    ]
    if len(rows) > MOST_ROWS:
        lines.append(f'<tr><td colspan="{len(heads)}">and {len(rows) - MOST_ROWS} more</td></tr>')
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def titled(title: str, *parts: str) -> str:
    """Writes parts below a title."""
    return f"<div><strong>{escape(title)}</strong>{''.join(parts)}</div>"
