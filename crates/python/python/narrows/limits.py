"""What a piece of work may use, and how far it is."""

from __future__ import annotations

import os
import re
import sys
from datetime import timedelta
from typing import Any, Callable, NamedTuple, Optional, Union

from .errors import ArgumentError

Time = Union[float, int, str, timedelta, None]
Memory = Union[int, str, None]

_SECONDS = {"ms": 0.001, "": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {
    "k": 2.0**10, "kib": 2.0**10, "m": 2.0**20, "mib": 2.0**20, "g": 2.0**30, "gib": 2.0**30,
    "t": 2.0**40, "tib": 2.0**40, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
}  # fmt: skip
_UNKNOWN_MEMORY = 4 << 30


class Progress(NamedTuple):
    """How far a piece of work is. What does not go state by state has no states."""

    states: int
    transitions: int
    depth: int
    memory: int
    seconds: float

    def __str__(self) -> str:
        states = f"{self.states:,} states, ".replace(",", " ") if self.states else ""
        memory = f"{self.memory / 1e6:.0f} MB, " if self.memory else ""
        return f"{states}{memory}{self.seconds:.0f} s"


#: A function that is told how far the work is; `True` shows it, `False` does not, and `None` shows it in
#: notebooks.
Show = Union[Callable[[Progress], object], bool, None]


def seconds(time: Time) -> Optional[float]:
    """Reads a time: seconds, a `timedelta`, or a text such as `90s`, `5m` or `1h30m`."""
    if time is None:
        return None
    if isinstance(time, timedelta):
        time = time.total_seconds()
    if isinstance(time, str):
        parts = re.findall(r"([0-9]*\.?[0-9]+)\s*([a-z]*)\s*", time.lower())
        whole = "".join(re.split(r"[0-9]*\.?[0-9]+\s*[a-z]*\s*", time.lower())).strip()
        if not parts or whole or any(unit not in _SECONDS for _, unit in parts):
            raise ArgumentError(f"`{time}` is not a time: write one such as 90s, 5m or 1h30m")
        time = sum(float(number) * _SECONDS[unit] for number, unit in parts)
    if isinstance(time, bool) or not 0 <= time < float("inf"):
        raise ArgumentError(f"`{time}` is not a time: write seconds, at least 0")
    return float(time)


def size(memory: Memory) -> int:
    """Reads a size: bytes, or a text such as `4G` or `500MB`; 80 % of what the machine has if there is none."""
    if memory is None:
        return _machine() // 5 * 4
    if isinstance(memory, str):
        found = re.fullmatch(r"([0-9]*\.?[0-9]+)\s*([a-z]+)", memory.strip().lower())
        if found is None or found[2] not in _BYTES:
            raise ArgumentError(f"`{memory}` is not a size: write one such as 4G or 500M")
        return int(float(found[1]) * _BYTES[found[2]])
    if isinstance(memory, bool) or memory < 0:
        raise ArgumentError(f"`{memory}` is not a size: write bytes, at least 0")
    return int(memory)


def _machine() -> int:
    """Returns how much memory there is, also in a container."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        memory = _UNKNOWN_MEMORY
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:
            memory = min(memory, int(file.read()))
    except (OSError, ValueError):
        pass
    return memory


def limits(
    time: Time = None, memory: Memory = None, threads: Optional[int] = None
) -> tuple[Optional[float], int, int]:
    """Returns limits as the library takes them."""
    if threads is not None and threads < 1:
        raise ArgumentError(f"`threads` is {threads}: at least one is needed")
    return seconds(time), size(memory), threads or os.cpu_count() or 1


class Display:
    """Shows how far a piece of work is, from the time on that is worth it, and clears that at the end."""

    def __init__(self, show: Show) -> None:
        self._call: Optional[Callable[[Progress], object]] = show if callable(show) else None
        self._handle: Any = None
        self._is_written = False
        if show is True or (show is None and _in_notebook()):
            self._call = self._in_notebook if _in_notebook() else self._on_terminal

    @property
    def function(self) -> Optional[Callable[[int, int, int, int, float], None]]:
        """What the library calls."""
        call = self._call
        if call is None:
            return None

        def tell(states: int, transitions: int, depth: int, memory: int, passed: float) -> None:
            call(Progress(states, transitions, depth, memory, passed))

        return tell

    def __enter__(self) -> Display:
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            self._handle.update({"text/plain": ""}, raw=True)
        if self._is_written:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _in_notebook(self, progress: Progress) -> None:
        from IPython.display import display

        shown = {"text/plain": str(progress)}
        if self._handle is None:
            self._handle = display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)

    def _on_terminal(self, progress: Progress) -> None:
        self._is_written = True
        sys.stderr.write(f"\r\x1b[K{progress}")
        sys.stderr.flush()


def _in_notebook() -> bool:
    """Returns whether this runs in a notebook: only there a kernel has a front end that draws."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")
