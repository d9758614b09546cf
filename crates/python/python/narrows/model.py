"""Models: reading them, asking, visiting every state."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from . import _narrows, page
from .errors import Diagnostic, Interrupted, diagnostics
from .graph import Graph
from .limits import Display, Memory, Show, Time, limits
from .report import Report
from .results import Unreached, Violation, number
from .simulation import Session

PathLike = Union[str, "os.PathLike[str]"]
Constants = Union[Mapping[str, object], Sequence[str]]


def read_text(path: PathLike) -> str:
    """Reads a text; old models have comments in other encodings than UTF-8."""
    return Path(path).read_bytes().decode("utf-8", errors="replace")


def definitions(constants: Optional[Constants]) -> list[str]:
    """Writes constants as `-D` takes them."""
    if constants is None:
        return []
    if isinstance(constants, Mapping):
        return [f"{name}={_value(value)}" for name, value in constants.items()]
    return list(constants)


def _value(value: object) -> str:
    return str(value).upper() if isinstance(value, bool) else str(value)


def paths(folders: Iterable[PathLike]) -> list[str]:
    """Returns folders as texts."""
    return [os.fspath(folder) for folder in folders]


def listed(texts: Union[str, Iterable[str]]) -> list[str]:
    """Returns one text or several as a list."""
    return [texts] if isinstance(texts, str) else list(texts)


class CheckResult(Report):
    """What was found about a model: what its states are, what goes wrong, answers."""

    def __init__(self, native: _narrows.Checked) -> None:
        super().__init__(json.loads(native.document()))
        self._native = native

    @property
    def status(self) -> int:
        return self._native.status()[0]

    @property
    def text(self) -> str:
        return self._native.text()

    def html(self) -> str:
        return self._native.page()

    def _count(self, name: str) -> Optional[int]:
        value = self.document.get(name)
        return None if value is None else int(number(value))

    @property
    def states(self) -> Optional[int]:
        """How many states were found, where states were counted."""
        return self._count("states")

    @property
    def transitions(self) -> Optional[int]:
        """How many transitions were found."""
        return self._count("transitions")

    @property
    def depth(self) -> Optional[int]:
        """How deep the search went."""
        return self._count("depth")

    @property
    def memory(self) -> int:
        """How many bytes it took."""
        return int(self.document.get("memory", 0))

    @property
    def complete(self) -> bool:
        """Whether every state was visited that had to be."""
        return bool(self.document.get("complete", True))

    @property
    def reason(self) -> Optional[str]:
        """Why it is not complete."""
        reason: Optional[str] = self.document.get("reason")
        return reason

    @property
    def violations(self) -> tuple[Violation, ...]:
        """Every place where something goes wrong."""
        return tuple(
            Violation(one["kind"], one["message"], one["count"], one.get("file"), one.get("line"))
            for one in self.document.get("violations", ())
        )

    @property
    def unreached(self) -> tuple[Unreached, ...]:
        """Statements that no run executes."""
        return tuple(
            Unreached(one["proctype"], one["text"], one.get("file"), one.get("line"), one.get("reached", False))
            for one in self.document.get("unreached", ())
        )

    def __repr__(self) -> str:
        if self.answers:
            return super().__repr__()
        states = "" if self.states is None else f"{self.states} states, "
        return f"<CheckResult {self.model}: {states}{'complete' if self.complete else self.reason}>"

    def _repr_html_(self) -> str:
        facts = [("states", self.states), ("transitions", self.transitions), ("depth", self.depth)]
        told = [f"{value} {name}" for name, value in facts if value is not None]
        told.append("complete" if self.complete else f"undecided: {self.reason}")
        parts = ["<p>" + page.escape(", ".join(told)) + "</p>"]
        if self.answers:
            parts.append(page.table(["question", "answer"], [[one.title, one.result] for one in self.answers]))
        if self.violations:
            rows = [[one.kind, one.message, f"{one.file}:{one.line}" if one.file else ""] for one in self.violations]
            parts.append(page.table(["violation", "message", "place"], rows))
        return page.titled(self.model, *parts)


class Model:
    """A model in Promela, SMV, LOTOS, or a graph. `narrows.load` makes one."""

    def __init__(self, native: _narrows.Model) -> None:
        self._native = native
        about, warnings = native.about()
        self._about: dict[str, Any] = json.loads(about)
        #: What is odd in the text, but does no harm.
        self.warnings: list[Diagnostic] = diagnostics(warnings)

    @property
    def name(self) -> str:
        """The name of its file."""
        name: str = self._about["name"]
        return name

    @property
    def language(self) -> str:
        """The language it is in."""
        language: str = self._about["language"]
        return language

    @property
    def questions(self) -> list[tuple[str, str]]:
        """What its text asks: kinds and names."""
        return [(one["kind"], one["name"]) for one in self._about["questions"]]

    def check(
        self,
        *,
        ltl: Union[str, Iterable[str]] = (),
        ctl: Union[str, Iterable[str]] = (),
        mu: Union[str, Iterable[str]] = (),
        only: Union[str, Iterable[str]] = (),
        engine: str = "auto",
        fair: bool = False,
        runs: int = 1,
        reduction: bool = True,
        time: Time = None,
        memory: Memory = None,
        threads: Optional[int] = None,
        progress: Show = None,
    ) -> CheckResult:
        """Proves every property, or shows a shortest run against it: `narrows check`.

        Formulas are asked beside what the text asks; `only` answers questions of these names or kinds
        alone; `fair` counts only runs that are fair to every process; `runs` is how many counterexamples
        are wanted for each question. What a limit leaves open is undecided. Ctrl-C raises
        `narrows.Interrupted`, which has what was found.
        """
        given = (("ltl", ltl), ("ctl", ctl), ("mu", mu))
        asked = {
            "formulas": [(logic, text) for logic, texts in given for text in listed(texts)],
            "only": listed(only),
            "engine": engine,
            "fair": fair,
            "runs": runs,
            "reduction": reduction,
        }
        with Display(progress) as shown:
            found, stopped = self._native.check(asked, limits(time, memory, threads), shown.function)
        return _result(found, stopped)

    def explore(
        self,
        *,
        engine: str = "auto",
        reduce: bool = False,
        symmetry: bool = False,
        time: Time = None,
        memory: Memory = None,
        threads: Optional[int] = None,
        progress: Show = None,
    ) -> CheckResult:
        """Visits every state: how many there are, what goes wrong, what is never reached."""
        visited = {"engine": engine, "reduce": reduce, "symmetry": symmetry}
        with Display(progress) as shown:
            found, stopped = self._native.explore(visited, limits(time, memory, threads), shown.function)
        return _result(found, stopped)

    def simulate(self, *, seed: int = 1) -> Session:
        """Starts a run that is made step by step."""
        return Session(_narrows.Session(self._native, seed))

    def graph(
        self,
        *,
        labels: str = "text",
        time: Time = None,
        memory: Memory = None,
        threads: Optional[int] = None,
        progress: Show = None,
    ) -> Graph:
        """Makes a graph of all states; `labels` is what steps are called, as for `narrows graph`."""
        with Display(progress) as shown:
            return Graph(self._native.graph(labels, limits(time, memory, threads), shown.function))

    def __repr__(self) -> str:
        return f"<Model {self.name}: {self.language}, {len(self.questions)} questions>"

    def _repr_html_(self) -> str:
        rows = [[kind, name] for kind, name in self.questions]
        return page.titled(f"{self.name} ({self.language})", page.table(["question", "name"], rows))


def _result(found: _narrows.Checked, stopped: bool) -> CheckResult:
    result = CheckResult(found)
    if stopped:
        raise Interrupted(result)
    return result


def load(
    path: PathLike,
    *,
    text: Optional[str] = None,
    define: Optional[Constants] = None,
    include: Iterable[PathLike] = (),
    time: Time = None,
) -> Model:
    """Reads a model from a file, or from a text that is given with the name of a file.

    The language is known by how the name ends, or else by the text. `define` gives values as `-D` does,
    `include` names folders to look for included files in.

    Raises `narrows.InputError`, with all messages, if the text is not a model.
    """
    read = read_text(path) if text is None else text
    native = _narrows.Model(os.fspath(path), read, definitions(define), paths(include), limits(time))
    return Model(native)
