"""What comes out, with the words of the JSON documents that the program prints."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Iterator, Mapping, Optional, Union

Number = Union[int, float]
Document = Mapping[str, Any]


def number(value: Any) -> Number:
    """Reads a number: large ones are texts, and so is infinity."""
    if isinstance(value, (int, float)):
        return value
    text = str(value)
    if text in ("infinity", "-infinity"):
        return -math.inf if text.startswith("-") else math.inf
    try:
        return int(text)
    except ValueError:
        return float(Fraction(text))


@dataclass(frozen=True)
class Value:
    """A number: all that is known is that it is between `low` and `high`."""

    low: Number
    high: Number
    unit: str = ""
    exact: bool = False
    #: Whether `low` and `high` are a confidence interval of an estimate.
    estimated: bool = False
    #: The best guess of an estimate, and how likely its interval has the true value.
    estimate: Optional[Number] = None
    confidence: Optional[float] = None

    @classmethod
    def of(cls, document: Document) -> Value:
        """Makes one of what a document says."""
        guess = document.get("estimate")
        return cls(
            low=number(document["low"]),
            high=number(document["high"]),
            unit=document.get("unit", ""),
            exact=document.get("exact", False),
            estimated=document.get("estimated", False),
            estimate=None if guess is None else number(guess),
            confidence=document.get("confidence"),
        )

    @property
    def middle(self) -> float:
        """The best guess of an estimate, or what is between `low` and `high`."""
        if self.estimate is not None:
            return float(self.estimate)
        if math.isinf(self.low) or math.isinf(self.high):
            return float(self.high)
        return (float(self.low) + float(self.high)) / 2

    def __float__(self) -> float:
        return self.middle

    def __contains__(self, other: object) -> bool:
        return isinstance(other, (int, float)) and self.low <= other <= self.high

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        if self.low == self.high:
            return f"{self.low}{unit}"
        middle = self.middle
        if math.isfinite(middle) and middle != 0 and abs(float(self.high) - float(self.low)) < 1e-6 * abs(middle):
            return f"{middle:.6g}{unit}"
        return f"{float(self.low):.6g} to {float(self.high):.6g}{unit}"


@dataclass(frozen=True)
class Move:
    """What one process does in a step."""

    text: str
    process: Optional[str] = None
    pid: Optional[int] = None
    file: Optional[str] = None
    line: Optional[int] = None

    def __str__(self) -> str:
        who = "" if self.process is None else f"{self.process}({self.pid}) "
        where = "" if self.file is None else f" at {self.file}:{self.line}"
        return f"{who}{self.text}{where}"


@dataclass(frozen=True)
class Change:
    """A value that a step changes; without one before, it begins to be there, and after, it is gone."""

    name: str
    before: Optional[str]
    after: Optional[str]


@dataclass(frozen=True)
class Step:
    """A step of a run."""

    moves: tuple[Move, ...] = ()
    changes: tuple[Change, ...] = ()
    #: Of a labelled system or a graph, what the step is called.
    label: Optional[str] = None
    #: In a run with time, when it is over, with the unit.
    time: Optional[str] = None
    #: What goes wrong in it.
    violations: tuple[str, ...] = ()

    @classmethod
    def of(cls, document: Document) -> Step:
        """Makes one of what a document says."""
        moves = tuple(
            Move(one.get("text", ""), one.get("process"), one.get("pid"), one.get("file"), one.get("line"))
            for one in document.get("moves", ())
        )
        changes = tuple(
            Change(one["name"], one.get("before"), one.get("after")) for one in document.get("changes", ())
        )
        return cls(
            moves,
            changes,
            document.get("label"),
            document.get("time"),
            tuple(one["message"] for one in document.get("violations", ())),
        )

    @property
    def text(self) -> str:
        """What is done in it, in one line."""
        if self.label is not None:
            return self.label
        if self.moves:
            return "; ".join(str(move) for move in self.moves)
        return ", ".join(f"{one.name} = {one.after}" for one in self.changes) or "nothing changes"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Trace:
    """A run: its steps, and where an endless one begins again."""

    steps: tuple[Step, ...]
    #: The step that follows on the last one of an endless run; None for other runs.
    cycle: Optional[int]
    #: The propositions of a formula: what each is at first and after each step.
    atoms: Mapping[str, tuple[bool, ...]]
    #: Of an SMV model, the values in the first state.
    values: Mapping[str, Any]
    document: Document = field(repr=False, compare=False)

    @classmethod
    def of(cls, document: Document) -> Trace:
        """Makes one of what a document says."""
        return cls(
            tuple(Step.of(step) for step in document.get("steps", ())),
            document.get("cycle"),
            {atom["text"]: tuple(atom["values"]) for atom in document.get("atoms", ())},
            document.get("values", {}),
            document,
        )

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __getitem__(self, index: int) -> Step:
        return self.steps[index]

    def __str__(self) -> str:
        lines = [f"{number + 1:>4}  {step}" for number, step in enumerate(self.steps)]
        if self.cycle is not None:
            stays = self.cycle >= len(self.steps)
            lines.append("      and stays there" if stays else f"      and again from step {self.cycle + 1} on")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from . import page

        rows = [[str(index + 1), str(step), _changed(step)] for index, step in enumerate(self.steps)]
        return page.table(["step", "what", "changes"], rows)


def _changed(step: Step) -> str:
    return ", ".join(f"{one.name}: {one.before} → {one.after}" for one in step.changes)


@dataclass(frozen=True)
class Witness:
    """A run that shows a number."""

    shows: str
    trace: Trace


@dataclass(frozen=True)
class Answer:
    """An answer to a question: a verdict, a value, or why there is neither."""

    kind: str
    name: str
    #: `holds`, `fails`, `undecided`, or a word such as `never`; of a bottleneck, its name.
    verdict: Optional[str] = None
    reason: Optional[str] = None
    message: Optional[str] = None
    file: Optional[str] = None
    line: Optional[int] = None
    view: Optional[str] = None
    value: Optional[Value] = None
    #: A shortest run against a property, and whether no shorter one shows it.
    trace: Optional[Trace] = None
    shortest: Optional[bool] = None
    witness: Optional[Trace] = None
    #: Further runs against it.
    more: tuple[Trace, ...] = ()
    runs: tuple[Witness, ...] = ()
    notes: tuple[str, ...] = ()
    engine: Optional[str] = None
    expect: Optional[str] = None
    met: Optional[bool] = None
    #: Of a time or a mean: a value, and between what bounds the probability is to be no greater.
    distribution: tuple[tuple[float, float, float], ...] = ()
    document: Document = field(repr=False, compare=False, default_factory=dict)

    @classmethod
    def of(cls, document: Document) -> Answer:
        """Makes one of what a document says."""
        value = document.get("value")
        if value is not None:
            beside = {key: document[key] for key in ("estimated", "estimate", "confidence") if key in document}
            value = Value.of({**beside, **value})
        trace, witness = document.get("trace"), document.get("witness")
        return cls(
            kind=document["kind"],
            name=document["name"],
            verdict=document.get("verdict"),
            reason=document.get("reason"),
            message=document.get("message"),
            file=document.get("file"),
            line=document.get("line"),
            view=document.get("view"),
            value=value,
            trace=None if trace is None else Trace.of(trace),
            shortest=document.get("shortest"),
            witness=None if witness is None else Trace.of(witness),
            more=tuple(Trace.of(one) for one in document.get("more", ())),
            runs=tuple(Witness(one["shows"], Trace.of(one["trace"])) for one in document.get("runs", ())),
            notes=tuple(document.get("notes", ())),
            engine=document.get("engine"),
            expect=document.get("expect"),
            met=document.get("met"),
            distribution=tuple((one[0], one[1], one[2]) for one in document.get("distribution", ())),
            document=document,
        )

    @property
    def holds(self) -> bool:
        """Whether it was proved; what is undecided does not hold."""
        return self.verdict == "holds"

    @property
    def fails(self) -> bool:
        """Whether it was refuted, or did not come out as expected."""
        return self.verdict == "fails" or self.met is False

    @property
    def undecided(self) -> bool:
        """Whether a limit, or an engine that can't, left it open."""
        return self.verdict == "undecided"

    @property
    def title(self) -> str:
        """What was asked, and of which view."""
        view = f", {self.view}" if self.view else ""
        return f"{self.kind} {self.name}".strip() + view

    @property
    def result(self) -> str:
        """What came out, in one line."""
        if self.value is not None:
            told = str(self.value)
        else:
            told = self.verdict or "undecided"
        if self.reason is not None:
            told += f": {self.reason}"
        if self.message is not None:
            told += f": {self.message}"
        if self.met is False:
            told += f" (expected {self.expect})"
        return told

    def __str__(self) -> str:
        return f"{self.title}: {self.result}"

    def __float__(self) -> float:
        if self.value is None:
            raise TypeError(f"{self.title} has no value: {self.result}")
        return float(self.value)

    def _repr_html_(self) -> str:
        from . import page

        shown = page.table(["question", "answer"], [[self.title, self.result]])
        return shown if self.trace is None else shown + self.trace._repr_html_()


@dataclass(frozen=True)
class Violation:
    """A place where something goes wrong, and in how many steps or states it does."""

    kind: str
    message: str
    count: int
    file: Optional[str] = None
    line: Optional[int] = None


@dataclass(frozen=True)
class Unreached:
    """A statement that no run executes; `reached` says whether a process comes there and waits in vain."""

    proctype: str
    text: str
    file: Optional[str] = None
    line: Optional[int] = None
    reached: bool = False


@dataclass(frozen=True)
class View:
    """A view of a model with time, and its size."""

    view: str
    states: int
    transitions: Optional[int] = None
    minimised: Optional[int] = None
    seconds: float = 0.0
