"""Runs that are made step by step, forwards and backwards."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Union

from . import _narrows, page
from .errors import ArgumentError
from .results import Trace


@dataclass(frozen=True)
class Option:
    """A step that can be taken now."""

    index: int
    text: str
    #: Where it leads, where its text alone does not tell it from others.
    target: str = ""
    process: Optional[str] = None
    pid: Optional[int] = None
    file: Optional[str] = None
    line: Optional[int] = None

    def __str__(self) -> str:
        return f"{self.index}: {self.text}" + (f"  ({self.target})" if self.target else "")


@dataclass(frozen=True)
class Entry:
    """Something that has a value: a `variable`, a `channel`, a `process` with its place, a `local` of one."""

    group: str
    owner: str
    name: str
    value: str
    #: Whether the last step changed it.
    changed: bool
    file: Optional[str] = None
    line: Optional[int] = None

    @property
    def title(self) -> str:
        """Its name, with the process it belongs to."""
        return ".".join(part for part in (self.owner, self.name) if part)


@dataclass(frozen=True)
class Reason:
    """Something that can't be done now, and why."""

    who: str
    what: str
    reason: str
    file: Optional[str] = None
    line: Optional[int] = None


class Session:
    """A run, where it is now, and where it can go. `Model.simulate` starts one."""

    def __init__(self, native: _narrows.Session) -> None:
        self._native = native
        self._known: Optional[dict[str, Any]] = None

    @property
    def _now(self) -> dict[str, Any]:
        if self._known is None:
            self._known = json.loads(self._native.look())
        return self._known

    @property
    def steps(self) -> list[Option]:
        """What can be done now."""
        return [
            Option(
                index,
                one["text"],
                one.get("target", ""),
                one.get("process"),
                one.get("pid"),
                one.get("file"),
                one.get("line"),
            )
            for index, one in enumerate(self._now["steps"])
        ]

    @property
    def entries(self) -> list[Entry]:
        """Everything that has a value now; nothing before a first state was chosen."""
        return [
            Entry(
                one["group"],
                one["owner"],
                one["name"],
                one["value"],
                one["changed"],
                one.get("file"),
                one.get("line"),
            )
            for one in self._now["entries"]
        ]

    @property
    def state(self) -> dict[str, str]:
        """Names and values of everything that has one now, and where processes are."""
        return {one.title: one.value or f"{one.file}:{one.line}" for one in self.entries}

    @property
    def definitions(self) -> dict[str, str]:
        """Of an SMV model, what its DEFINEs are now."""
        return {name: value for name, value in self._now["definitions"]}

    @property
    def position(self) -> int:
        """How many steps led here."""
        return int(self._now["position"])

    @property
    def past(self) -> list[str]:
        """The steps that led here."""
        return list(self._now["past"])

    @property
    def status(self) -> str:
        """How things stand: `running`, `ended`, `deadlock` or `fault`."""
        status: str = self._now["status"]
        return status

    @property
    def wrong(self) -> Optional[str]:
        """What is wrong here, or in the step that led here."""
        wrong: Optional[str] = self._now["wrong"]
        return wrong

    @property
    def output(self) -> str:
        """What the run printed so far."""
        output: str = self._now["output"]
        return output

    @property
    def atoms(self) -> dict[str, bool]:
        """The propositions of a formula along a run that was replayed: what they are now."""
        return {text: value for text, value in self._now["atoms"]}

    def step(self, choice: Union[int, str, Option] = 0) -> Session:
        """Takes a step: by its number, by (a part of) its text that no other one has, or as it is listed."""
        if isinstance(choice, Option):
            choice = choice.index
        if isinstance(choice, str):
            choice = self._find(choice)
        if choice < 0 or not self._native.choose(choice):
            raise ArgumentError(f"there is no step {choice}: {self._choices()}")
        return self._moved()

    def _find(self, text: str) -> int:
        exact = [one.index for one in self.steps if one.text == text]
        found = exact or [one.index for one in self.steps if text in one.text]
        if len(found) != 1:
            count = "no step has" if not found else f"{len(found)} steps have"
            raise ArgumentError(f"{count} `{text}`: {self._choices()}")
        return found[0]

    def _choices(self) -> str:
        told = "; ".join(str(one) for one in self.steps)
        return f"there is {told}" if told else f"the run can't go on ({self.status})"

    def _moved(self) -> Session:
        self._known = None
        return self

    def back(self, steps: int = 1) -> Session:
        """Goes back, at most to the beginning."""
        self._repeat(self._native.back, steps)
        return self._moved()

    def forward(self, steps: int = 1) -> Session:
        """Goes forward again, or round in an endless run."""
        self._repeat(self._native.forward, steps)
        return self._moved()

    @staticmethod
    def _repeat(move: Any, steps: int) -> None:
        for _ in range(steps):
            if not move():
                return

    def jump(self, position: int) -> Session:
        """Goes to the state after so many of the remembered steps."""
        if position < 0:
            raise ArgumentError(f"there is no position {position}")
        self._native.jump(position)
        return self._moved()

    def random(self, steps: int = 1) -> str:
        """Takes random steps; returns why they ended: `count`, a status, or what is wrong.

        Ctrl-C raises KeyboardInterrupt; the run stays where it is then.
        """
        try:
            return self._native.run(steps)
        finally:
            self._known = None

    def why_not(self) -> list[Reason]:
        """Says of what can't be done now why that is so."""
        return [
            Reason(one["who"], one["what"], one["reason"], one.get("file"), one.get("line"))
            for one in json.loads(self._native.why_not())
        ]

    def chart(self) -> str:
        """Draws the run so far: messages, signals, or what happens at gates."""
        return "\n".join(self._native.chart())

    def trace(self) -> Trace:
        """Returns the run so far."""
        return Trace.of(json.loads(self._native.trace())["trace"])

    def save(self, path: str) -> None:
        """Writes the run so far to a file that `narrows simulate --trace` opens."""
        with open(path, "wb") as file:
            file.write(self._native.trace())

    def replay(self, run: Union[Trace, Mapping[str, Any]]) -> Session:
        """Replays a run, such as a counterexample, from the beginning; goes to its end."""
        recorded = json.loads(self._native.trace())
        if isinstance(run, Trace):
            recorded["trace"] = run.document
        else:
            recorded = run
        try:
            self._native.replay(json.dumps(recorded))
        finally:
            self._known = None
        return self

    def __repr__(self) -> str:
        return f"<Session: {self.position} steps, {self.status}, {len(self.steps)} choices>"

    def _repr_html_(self) -> str:
        choices = page.table(["", "step", "leads to"], [[str(one.index), one.text, one.target] for one in self.steps])
        state = page.table(["name", "value"], [[name, value] for name, value in self.state.items()])
        wrong = "" if self.wrong is None else f"<p>{page.escape(self.wrong)}</p>"
        return page.titled(f"after {self.position} steps, {self.status}", wrong, choices, state)
