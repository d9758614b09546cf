"""Exceptions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Generic, Mapping, Optional, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Diagnostic:
    """A message about a text, with its place."""

    code: str
    severity: str
    message: str
    file: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    help: Optional[str] = None

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Diagnostic:
        """Makes one of what a document says."""
        return cls(
            code=document["code"],
            severity=document["severity"],
            message=document["message"],
            file=document.get("file"),
            line=document.get("line"),
            column=document.get("column"),
            help=document.get("help"),
        )

    def __str__(self) -> str:
        place = "" if self.file is None else f"{self.file}:{self.line}:{self.column}: "
        remedy = "" if self.help is None else f" ({self.help})"
        return f"{place}{self.severity}[{self.code}]: {self.message}{remedy}"


def diagnostics(document: str) -> list[Diagnostic]:
    """Reads the messages of a document."""
    return [Diagnostic.of(entry) for entry in json.loads(document).get("diagnostics", [])]


class NarrowsError(Exception):
    """What goes wrong here, beside Ctrl-C and what Python itself says about files."""


class InputError(NarrowsError, ValueError):
    """A model or a study can't be used. Its text shows each message at its place."""

    #: All messages, in the order of their places.
    diagnostics: list[Diagnostic]

    def __init__(self, text: str, document: str) -> None:
        super().__init__(text)
        self.diagnostics = diagnostics(document)

    def __reduce__(self) -> tuple[Any, ...]:
        entries = [
            {key: value for key, value in vars(one).items() if value is not None} for one in self.diagnostics
        ]
        return (type(self), (str(self), json.dumps({"diagnostics": entries})))


class RefusedError(NarrowsError):
    """Something can't be done with this model, and the message says why."""


class ArgumentError(NarrowsError, ValueError):
    """An argument can't be used, and the message says why."""


class LimitError(NarrowsError, TimeoutError):
    """A limit was hit before there was anything to return."""


class InternalError(NarrowsError, RuntimeError):
    """This package is wrong, and not what it was given."""


class Interrupted(KeyboardInterrupt, Generic[T]):
    """Ctrl-C ended a run; `result` is what was found until then."""

    #: What was found; what was not, is undecided.
    result: T

    def __init__(self, result: T) -> None:
        super().__init__("interrupted; what was found until then is in `result` of this exception")
        self.result = result
