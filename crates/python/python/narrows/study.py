"""Studies: questions about time, sweeps, bottlenecks."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Optional, Sequence, Union

from . import _narrows, page
from .errors import ArgumentError, Diagnostic, Interrupted, diagnostics
from .graph import Graph
from .limits import Display, Memory, Show, Time, limits
from .model import Model, PathLike, paths, read_text
from .report import Report, Row, find, row, to_pandas, to_polars
from .results import Answer, Document, Number, View, number

if TYPE_CHECKING:
    import pandas
    import polars
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Point:
    """What came out with one combination of values."""

    settings: Mapping[str, str]
    answers: tuple[Answer, ...]

    def answer(self, name: Union[int, str], view: Optional[str] = None) -> Answer:
        """Returns an answer by its number, its name or its kind."""
        return find(self.answers, name, view)

    def __getitem__(self, name: Union[int, str]) -> Answer:
        return find(self.answers, name)


def _number_or_text(text: str) -> Union[Number, str]:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            pass
    return text


class Sweep(Sequence[Point]):
    """What came out with each combination of values that a study names."""

    def __init__(self, name: str, points: Sequence[Document], wrong: list[Diagnostic]) -> None:
        self.name = name
        self._points = tuple(
            Point(dict(point["settings"]), tuple(Answer.of(one) for one in point["answers"])) for point in points
        )
        #: What is wrong with some combinations, which have no answers then.
        self.diagnostics = wrong

    def __len__(self) -> int:
        return len(self._points)

    def __getitem__(self, index: Any) -> Any:
        return self._points[index]

    @property
    def varied(self) -> list[str]:
        """The names of what is varied."""
        return list(self._points[0].settings) if self._points else []

    def rows(self) -> list[Row]:
        """Returns a row for each combination and answer; what is varied stands in front, as numbers if it is."""
        return [
            {**{name: _number_or_text(value) for name, value in point.settings.items()}, **row(answer)}
            for point in self._points
            for answer in point.answers
        ]

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the rows as a frame of pandas."""
        return to_pandas(self.rows())

    def to_polars(self) -> polars.DataFrame:
        """Returns the rows as a frame of polars."""
        return to_polars(self.rows())

    def plot(
        self,
        name: Union[int, str] = 0,
        *,
        x: Optional[str] = None,
        view: Optional[str] = None,
        ax: Optional[Axes] = None,
    ) -> Axes:
        """Draws an answer against what is varied, if matplotlib is there."""
        from . import figures

        return figures.sweep(self, name, x, view, ax)

    def __repr__(self) -> str:
        return f"<Sweep of {', '.join(self.varied)}: {len(self)} points>"

    def _repr_html_(self) -> str:
        titles = [answer.title for answer in self._points[0].answers] if self._points else []
        rows = [
            [*point.settings.values(), *(answer.result for answer in point.answers)] for point in self._points
        ]
        return page.titled(self.name, page.table([*self.varied, *titles], rows))


class StudyResult(Report):
    """The answers of a study."""

    def __init__(self, native: _narrows.Measured) -> None:
        document, wrong = native.document()
        super().__init__(json.loads(document))
        self._native = native
        #: What came out along the sweep.
        self.sweep = Sweep(self.model, self.document.get("sweep", ()), diagnostics(wrong))

    @property
    def status(self) -> int:
        return self._native.status()[0]

    @property
    def text(self) -> str:
        return self._native.text()

    def html(self) -> str:
        return self._native.page()

    @property
    def title(self) -> str:
        """What the study is about."""
        return str(self.document.get("title", ""))

    @property
    def views(self) -> tuple[View, ...]:
        """The views that were built, and their sizes."""
        return tuple(
            View(
                one["view"],
                int(number(one["states"])),
                one.get("transitions"),
                one.get("minimised"),
                one["seconds"],
            )
            for one in self.document.get("views", ())
        )

    def plot_distribution(
        self, name: Union[int, str], *, view: Optional[str] = None, ax: Optional[Axes] = None
    ) -> Axes:
        """Draws the distribution of a time or of a mean, if matplotlib is there."""
        from . import figures

        return figures.distribution(self.answer(name, view), ax)


@dataclass(frozen=True)
class DelayChange:
    """What 10 % less and 10 % more of a delay do to a throughput."""

    delay: str
    view: str
    now: Optional[Number]
    less: Optional[Number]
    more: Optional[Number]

    @property
    def gain(self) -> Optional[float]:
        """By what part cutting the delay by 10 % raises the throughput."""
        if self.less is None or not self.now:
            return None
        return float(self.less) / float(self.now) - 1


@dataclass(frozen=True)
class Bar:
    """When a resource is busy in a round."""

    resource: str
    start: float
    end: float


@dataclass(frozen=True)
class Case:
    """The worst or the best run, which repeats a round; `every` if there is no difference."""

    case: str
    throughput: Number
    period: Number
    count: int
    busy: Mapping[str, Number]
    #: What a round waits for: delays, and what part of the round each takes.
    critical: tuple[tuple[str, Number], ...]
    bars: tuple[Bar, ...]
    all_overlapped: Optional[Number]
    none_overlapped: Optional[Number]
    document: Document


@dataclass(frozen=True)
class Flow:
    """What limits how often an event happens."""

    event: str
    #: The names of what is saturated or takes turns; empty if nothing was found.
    bottleneck: tuple[str, ...]
    findings: tuple[str, ...]
    changes: tuple[DelayChange, ...]
    cases: tuple[Case, ...]
    document: Document

    @classmethod
    def of(cls, document: Document) -> Flow:
        """Makes one of an answer of the kind `bottleneck`."""
        verdict = document.get("verdict", "undecided")
        names = () if verdict == "undecided" else tuple(verdict.split(" + "))
        return cls(
            document["name"],
            names,
            tuple(document.get("findings", ())),
            tuple(_change(one) for one in document.get("changes", ())),
            tuple(_case(one) for one in document.get("cases", ())),
            document,
        )

    def plot(self, case: int = 0, *, ax: Optional[Axes] = None) -> Axes:
        """Draws when each resource is busy, if matplotlib is there."""
        from . import figures

        if not self.cases:
            raise ArgumentError(f"there is no exact run of `{self.event}` to draw: some delay is random")
        return figures.timeline(self.cases[case], ax)

    def plot_changes(self, *, ax: Optional[Axes] = None) -> Axes:
        """Draws what cutting each delay by 10 % gains, if matplotlib is there."""
        from . import figures

        return figures.changes(self, ax)


def _optional(value: Any) -> Optional[Number]:
    return None if value is None else number(value)


def _change(one: Document) -> DelayChange:
    now, less, more = (_optional(one.get(key)) for key in ("now", "less", "more"))
    return DelayChange(one["delay"], one["view"], now, less, more)


def _case(one: Document) -> Case:
    bars = tuple(
        Bar(lane["resource"], float(start), float(end)) for lane in one["gantt"] for start, end in lane["bars"]
    )
    return Case(
        one["case"],
        number(one["throughput"]),
        number(one["period"]),
        one["count"],
        {busy["resource"]: number(busy["part"]) for busy in one["busy"]},
        tuple((link["delay"], number(link["part"])) for link in one["critical"]),
        bars,
        _optional(one.get("all_overlapped")),
        _optional(one.get("none_overlapped")),
        one,
    )


class Bottleneck(StudyResult):
    """The answers of a study, and what its bottleneck is."""

    @property
    def flows(self) -> tuple[Flow, ...]:
        """For each event, what limits how often it happens."""
        # What a study asks about a bottleneck is another answer, which is but its name.
        told = (one for one in self.answers if one.kind == "bottleneck" and "cases" in one.document)
        return tuple(Flow.of(one.document) for one in told)

    @property
    def overlaps(self) -> tuple[Answer, ...]:
        """Which resources are never, possibly or inevitably busy at the same time."""
        return tuple(one for one in self.answers if one.kind == "overlap")

    @property
    def findings(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        return tuple(finding for flow in self.flows for finding in flow.findings)

    def charts(self) -> dict[str, str]:
        """Draws the charts of the report, as SVG."""
        return dict(self._native.charts())

    def plot(self, event: Union[int, str] = 0, *, case: int = 0, ax: Optional[Axes] = None) -> Axes:
        """Draws when each resource is busy in the worst run, if matplotlib is there."""
        return self.flow(event).plot(case, ax=ax)

    def flow(self, event: Union[int, str] = 0) -> Flow:
        """Returns what limits an event, by its number or its name."""
        flows = self.flows
        if isinstance(event, int):
            return flows[event]
        for one in flows:
            if one.event == event:
                return one
        known = ", ".join(f"`{one.event}`" for one in flows) or "none"
        raise KeyError(f"no event `{event}`; there is {known}")

    def _repr_html_(self) -> str:
        parts = ["".join(f"<p>{page.escape(finding)}</p>" for finding in self.findings)]
        charts = self.charts()
        parts.extend(charts[name] for name in list(charts)[:2])
        return page.titled(self.title or self.model, *parts) + super()._repr_html_()


class Study:
    """A model with delays, events and questions. `narrows.load_study` makes one."""

    def __init__(self, native: _narrows.Study, arguments: dict[str, Any]) -> None:
        self._native = native
        self._arguments = arguments
        about, warnings = native.about()
        self._about: dict[str, Any] = json.loads(about)
        #: What is odd in the text, but does no harm.
        self.warnings: list[Diagnostic] = diagnostics(warnings)

    @property
    def name(self) -> str:
        """The name of its file, with what was changed."""
        return str(self._about["name"])

    @property
    def title(self) -> str:
        """What it is about."""
        return str(self._about["title"])

    @property
    def unit(self) -> str:
        """The unit of time."""
        return str(self._about["unit"])

    @property
    def questions(self) -> list[str]:
        """The names of what it asks."""
        return list(self._about["questions"])

    @property
    def delays(self) -> list[str]:
        """The statements that take time."""
        return list(self._about["delays"])

    @property
    def events(self) -> list[str]:
        """What is counted."""
        return list(self._about["events"])

    @property
    def model(self) -> Model:
        """The model that it is about."""
        return Model(self._native.model(limits()))

    def what_if(self, *changes: str, **constants: object) -> Study:
        """Returns the study with changes: `"dma:done = 100"`, or constants, as in `BUFFERS=2`.

        What the study expects is expected of it as it is, and not of this one.
        """
        given = [*changes, *(f"{name}={value}" for name, value in constants.items())]
        arguments = {**self._arguments, "changes": [*self._arguments["changes"], *given]}
        return _study(arguments, None)

    def _found(
        self, wanted: dict[str, object], allowed: tuple[Optional[float], int, int], progress: Show
    ) -> tuple[_narrows.Measured, bool]:
        """Does what is wanted; also returns whether Ctrl-C ended it."""
        with Display(progress) as shown:
            return self._native.measure(wanted, allowed, shown.function)

    def measure(
        self,
        *,
        engine: str = "automatic",
        model_engine: str = "auto",
        time: Time = None,
        memory: Memory = None,
        threads: Optional[int] = None,
        progress: Show = None,
    ) -> StudyResult:
        """Answers its questions: how long, how often, how fast. `narrows measure`, without the sweep.

        `engine` is `automatic`, `exact` or `simulation`; `model_engine` answers what is asked of the model
        as such. Ctrl-C raises `narrows.Interrupted`, which has what was found.
        """
        wanted = _wanted(engine, model_engine, bottleneck=False, sweep=False)
        found, stopped = self._found(wanted, limits(time, memory, threads), progress)
        result = StudyResult(found)
        if stopped:
            raise Interrupted(result)
        return result

    def sweep(
        self,
        *,
        engine: str = "automatic",
        model_engine: str = "auto",
        time: Time = None,
        memory: Memory = None,
        threads: Optional[int] = None,
        progress: Show = None,
    ) -> Sweep:
        """Answers its questions with each combination of values that its `[sweep]` names."""
        if self._about["combinations"] < 2:
            raise ArgumentError(f"`{self.name}` varies nothing: add a [sweep], or vary by `what_if`")
        wanted = _wanted(engine, model_engine, bottleneck=False, sweep=True)
        found, stopped = self._found(wanted, limits(time, memory, threads), progress)
        result = StudyResult(found).sweep
        if stopped:
            raise Interrupted(result)
        return result

    def bottleneck(
        self,
        *,
        engine: str = "automatic",
        model_engine: str = "auto",
        time: Time = None,
        memory: Memory = None,
        threads: Optional[int] = None,
        progress: Show = None,
    ) -> Bottleneck:
        """Answers its questions, and finds what limits the design and what would help: `narrows bottleneck`."""
        wanted = _wanted(engine, model_engine, bottleneck=True, sweep=False)
        found, stopped = self._found(wanted, limits(time, memory, threads), progress)
        result = Bottleneck(found)
        if stopped:
            raise Interrupted(result)
        return result

    def chain(
        self,
        *,
        time: Time = None,
        memory: Memory = None,
        threads: Optional[int] = None,
        progress: Show = None,
    ) -> Graph:
        """Returns the stochastic view as a graph with rates; its `chain()` is the Markov chain as arrays."""
        with Display(progress) as shown:
            return Graph(self._native.chain(limits(time, memory, threads), shown.function))

    def __repr__(self) -> str:
        return f"<Study {self.name}: {len(self.questions)} questions, {len(self.delays)} delays>"

    def _repr_html_(self) -> str:
        rows = [["model", str(self._about["model"])], ["unit", self.unit]]
        rows += [["delay", one] for one in self.delays] + [["event", one] for one in self.events]
        rows += [["question", one] for one in self.questions]
        return page.titled(self.title or self.name, page.table(["", "name"], rows))


def _wanted(engine: str, model_engine: str, *, bottleneck: bool, sweep: bool) -> dict[str, object]:
    return {"time_engine": engine, "engine": model_engine, "bottleneck": bottleneck, "sweep": sweep}


def _study(arguments: dict[str, Any], time: Time) -> Study:
    native = _narrows.Study(limits=limits(time), **arguments)
    return Study(native, arguments)


def load_study(
    path: PathLike,
    *,
    text: Optional[str] = None,
    model: Union[PathLike, tuple[str, str], None] = None,
    define: Optional[Mapping[str, object]] = None,
    include: Iterable[PathLike] = (),
    time: Time = None,
) -> Study:
    """Reads a study and its model from files, or from texts.

    The model is looked for beside the study, as the study names it. `model` is another file, or a name and
    a text. `define` gives other values to constants of the model.

    Raises `narrows.InputError`, with all messages, if the study or the model has errors.
    """
    read = read_text(path) if text is None else text
    if model is not None and not isinstance(model, tuple):
        model = (os.fspath(model), read_text(model))
    constants = {} if define is None else define
    arguments = {
        "name": os.fspath(path),
        "text": read,
        "model": model,
        "definitions": [(name, str(value)) for name, value in constants.items()],
        "changes": [],
        "include": paths(include),
    }
    return _study(arguments, time)
