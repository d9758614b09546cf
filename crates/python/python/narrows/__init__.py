"""Narrows finds the bottleneck in a concurrent design before it is built, and proves it.

    import narrows

    model = narrows.load("peterson.pml")
    print(model.check())                      # every property: proved, or a shortest run against it

    study = narrows.load_study("examples/nvme/one.toml")
    found = study.bottleneck(time="1m")
    print(found.findings)                     # what limits the design
    frame = study.sweep().to_pandas()         # one row for each point and answer

Everything that takes long has limits (`time`, `memory`, `threads`) and shows its progress in notebooks.
Ctrl-C ends it, and raises `Interrupted` with what was found. What a limit leaves open is *undecided*.
"""

from __future__ import annotations

from typing import Optional

from . import _narrows
from ._narrows import __version__
from .errors import (
    ArgumentError,
    Diagnostic,
    InputError,
    InternalError,
    Interrupted,
    LimitError,
    NarrowsError,
    RefusedError,
)
from .graph import Chain, Graph, load_graph
from .limits import Progress
from .model import CheckResult, Model, load
from .report import Report
from .results import Answer, Change, Move, Step, Trace, Unreached, Value, View, Violation, Witness
from .simulation import Entry, Option, Reason, Session
from .study import Bar, Bottleneck, Case, DelayChange, Flow, Point, Study, StudyResult, Sweep, load_study


def explain(code: str) -> str:
    """Explains the code of a message, such as `P0104`: what it means and what to do."""
    found: Optional[tuple[str, str]] = _narrows.explanation(code)
    if found is None:
        raise ArgumentError(f"there is no message `{code}`")
    return f"{code.upper()}: {found[0]}\n\n{found[1]}"


__all__ = [
    "Answer",
    "ArgumentError",
    "Bar",
    "Bottleneck",
    "Case",
    "Chain",
    "Change",
    "CheckResult",
    "DelayChange",
    "Diagnostic",
    "Entry",
    "Flow",
    "Graph",
    "InputError",
    "InternalError",
    "Interrupted",
    "LimitError",
    "Model",
    "Move",
    "NarrowsError",
    "Option",
    "Point",
    "Progress",
    "Reason",
    "RefusedError",
    "Report",
    "Session",
    "Step",
    "Study",
    "StudyResult",
    "Sweep",
    "Trace",
    "Unreached",
    "Value",
    "View",
    "Violation",
    "Witness",
    "__version__",
    "explain",
    "load",
    "load_graph",
    "load_study",
]
