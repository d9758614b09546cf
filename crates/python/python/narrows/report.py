"""What several answers have in common: finding them, tables, files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterator, Optional, Union

from . import page
from .errors import ArgumentError
from .results import Answer, Document

if TYPE_CHECKING:
    import pandas
    import polars

Row = dict[str, Any]


def find(answers: tuple[Answer, ...], name: Union[int, str], view: Optional[str] = None) -> Answer:
    """Returns an answer by its number, its name or its kind; of several, the one of a view or the first."""
    if isinstance(name, int):
        return answers[name]
    wanted = " ".join(name.split())
    of_view = [one for one in answers if view is None or one.view == view]
    for is_it in (
        lambda one: one.name == wanted,
        lambda one: f"{one.kind} {one.name}".strip() == wanted,
        lambda one: one.kind == wanted,
    ):
        for one in of_view:
            if is_it(one):
                return one
    known = ", ".join(f"`{one.title}`" for one in answers) or "nothing"
    raise KeyError(f"no answer to `{name}`; there is {known}")


def row(answer: Answer) -> Row:
    """Returns an answer as a row of a table; `low` and `high` are numbers or missing."""
    value = answer.value
    return {
        "kind": answer.kind,
        "name": answer.name,
        "view": answer.view,
        "verdict": answer.verdict,
        "low": None if value is None else float(value.low),
        "high": None if value is None else float(value.high),
        "unit": None if value is None else value.unit,
        "exact": None if value is None else value.exact,
        "reason": answer.reason,
        "message": answer.message,
        "file": answer.file,
        "line": answer.line,
    }


def to_pandas(rows: list[Row]) -> pandas.DataFrame:
    """Makes a frame of rows, if pandas is there."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("frames of pandas need pandas: pip install pandas") from error
    return pandas.DataFrame.from_records(rows)


def to_polars(rows: list[Row]) -> polars.DataFrame:
    """Makes a frame of rows, if polars is there."""
    try:
        import polars
    except ImportError as error:
        raise ImportError("frames of polars need polars: pip install polars") from error
    return polars.DataFrame(rows, infer_schema_length=None)


class Report:
    """Answers about a model or a study."""

    #: The document that `--format json` prints.
    document: Document
    #: What was asked, and what came out.
    answers: tuple[Answer, ...]

    def __init__(self, document: Document) -> None:
        self.document = document
        self.answers = tuple(Answer.of(one) for one in document.get("answers", ()))

    @property
    def model(self) -> str:
        """The name of the model or the study."""
        name: str = self.document["model"]
        return name

    @property
    def seconds(self) -> float:
        """How long it took."""
        return float(self.document.get("seconds", 0.0))

    @property
    def status(self) -> int:
        """The exit status that the program would have: 0 everything holds, 1 something fails, 2 undecided."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """The report as the program prints it for people."""
        raise NotImplementedError

    def html(self) -> str:
        """Writes the report as a page for a browser, which needs no other file."""
        raise NotImplementedError

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the report to a file: a page (`.html`), a document (`.json`) or a text (`.txt`)."""
        import json

        name = os.fspath(path)
        if name.endswith((".html", ".htm")):
            written = self.html()
        elif name.endswith(".json"):
            written = json.dumps(self.document, indent=2, ensure_ascii=False) + "\n"
        elif name.endswith(".txt"):
            written = self.text
        else:
            raise ArgumentError(f"`{name}` should end with .html, .json or .txt")
        with open(name, "w", encoding="utf-8") as file:
            file.write(written)

    @property
    def holds(self) -> bool:
        """Whether everything was answered and nothing fails."""
        return self.status == 0

    @property
    def failures(self) -> tuple[Answer, ...]:
        """What fails."""
        return tuple(one for one in self.answers if one.fails)

    @property
    def undecided(self) -> tuple[Answer, ...]:
        """What was left open."""
        return tuple(one for one in self.answers if one.undecided)

    def answer(self, name: Union[int, str], view: Optional[str] = None) -> Answer:
        """Returns an answer by its number, its name or its kind."""
        return find(self.answers, name, view)

    def __getitem__(self, name: Union[int, str]) -> Answer:
        return find(self.answers, name)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.answers)

    def __len__(self) -> int:
        return len(self.answers)

    def rows(self) -> list[Row]:
        """Returns a row for each answer."""
        return [row(answer) for answer in self.answers]

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the rows as a frame of pandas."""
        return to_pandas(self.rows())

    def to_polars(self) -> polars.DataFrame:
        """Returns the rows as a frame of polars."""
        return to_polars(self.rows())

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        words = {0: "holds", 1: "fails", 2: "undecided"}
        return f"<{type(self).__name__} {self.model}: {words[self.status]}, {len(self)} answers>"

    def _repr_html_(self) -> str:
        rows = [[answer.title, answer.result] for answer in self.answers]
        return page.titled(self.model, page.table(["question", "answer"], rows))


