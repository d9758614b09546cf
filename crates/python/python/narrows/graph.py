"""Graphs and Markov chains as arrays: of NumPy where it is there, else of Python."""

from __future__ import annotations

import json
import os
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, Optional, Union

from . import _narrows
from .errors import ArgumentError
from .limits import Display, Memory, Show, Time, limits
from .results import Document

if TYPE_CHECKING:
    import scipy.sparse

#: An array of NumPy, or `array.array` where NumPy is not there.
Array = Any


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def _array(values: bytes, integers: bool) -> Array:
    numpy = _numpy()
    if numpy is not None:
        return numpy.frombuffer(values, dtype=numpy.uint32 if integers else numpy.float64)
    made = array("I" if integers else "d")
    made.frombytes(values)
    return made


def integers(values: bytes) -> Array:
    """Returns an array of whole numbers, without a copy."""
    return _array(values, True)


def floats(values: bytes) -> Array:
    """Returns an array of numbers, without a copy."""
    return _array(values, False)


@dataclass(frozen=True, repr=False)
class Chain:
    """A continuous-time Markov chain as a sparse matrix.

    The transition `k` leads from `rows[k]` to `columns[k]` with `rates[k]`; no state has one to itself that
    counts. `initial` has the states to begin with, `probabilities` how likely each is.
    """

    #: For each state, which one of the graph it is: states that are left at once are not in the chain.
    states: Array
    rows: Array
    columns: Array
    rates: Array
    initial: Array
    probabilities: Array
    #: For each visible action, how often it happens per time in each state.
    frequencies: dict[str, Array]
    #: Whether the graph leaves choices open, which are equally likely here.
    has_choices: bool

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the matrix of rates."""
        return len(self.states), len(self.states)

    def matrix(self) -> scipy.sparse.csr_matrix:
        """Returns the matrix of rates, if SciPy is there."""
        try:
            import scipy.sparse
        except ImportError as error:
            raise ImportError("sparse matrices need SciPy: pip install scipy") from error
        made = scipy.sparse.coo_matrix((self.rates, (self.rows, self.columns)), shape=self.shape)
        return made.tocsr()

    def generator(self) -> scipy.sparse.csr_matrix:
        """Returns the generator: the matrix of rates, with what leaves each state on the diagonal."""
        import scipy.sparse

        rates = self.matrix()
        rates.setdiag(0)
        rates.eliminate_zeros()
        leaves = scipy.sparse.diags(rates.sum(axis=1).A1)
        return (rates - leaves).tocsr()

    def start(self) -> Array:
        """Returns the initial distribution, as long as there are states."""
        made = [0.0] * len(self.states)
        for state, probability in zip(self.initial, self.probabilities):
            made[int(state)] = float(probability)
        numpy = _numpy()
        return array("d", made) if numpy is None else numpy.array(made)

    def __len__(self) -> int:
        return len(self.states)

    def __repr__(self) -> str:
        return f"<Chain: {len(self)} states, {len(self.rates)} transitions>"


class Graph:
    """A labelled graph: all states of a model, a stochastic view, or a file of the format AUT."""

    def __init__(self, native: _narrows.Graph) -> None:
        self._native = native
        #: Its name, how many states it has, the first of them, and what its edges are called.
        self.name, self.states, self.initial, self.labels = native.about()
        sources, labels, targets = native.edges()
        #: For each edge, the state that it leaves.
        self.sources: Array = integers(sources)
        #: For each edge, the number of its label.
        self.edge_labels: Array = integers(labels)
        #: For each edge, the state that it leads to.
        self.targets: Array = integers(targets)

    def chain(
        self,
        *,
        time: Time = None,
        memory: Memory = None,
        progress: Show = None,
    ) -> Chain:
        """Returns the Markov chain of a graph with rates, with choices of a state equally likely."""
        with Display(progress) as shown:
            made = self._native.chain(limits(time, memory), shown.function)
        states, rows, columns, rates, initial, probabilities, actions, frequencies, has_choices = made
        return Chain(
            integers(states),
            integers(rows),
            integers(columns),
            floats(rates),
            integers(initial),
            floats(probabilities),
            dict(zip(actions, map(floats, frequencies))),
            has_choices,
        )

    def steady(self, *, accuracy: float = 1e-6, time: Time = None, progress: Show = None) -> Document:
        """Computes how often each action happens in the long run: the document of `narrows lts steady`."""
        return self._solve(None, accuracy, time, progress)

    def transient(
        self,
        times: Union[float, Iterable[float]],
        *,
        accuracy: float = 1e-6,
        time: Time = None,
        progress: Show = None,
    ) -> Document:
        """Computes how often each action happens at some times: the document of `narrows lts transient`."""
        wanted = [float(times)] if isinstance(times, (int, float)) else [float(one) for one in times]
        return self._solve(wanted, accuracy, time, progress)

    def _solve(
        self, times: Optional[list[float]], accuracy: float, time: Time, progress: Show
    ) -> Document:
        with Display(progress) as shown:
            document = self._native.solve(times, accuracy, limits(time), shown.function)
        solved: Document = json.loads(document)
        return solved

    def to_aut(self) -> str:
        """Writes it in the format AUT."""
        return self._native.aut()

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes it to a file in the format AUT."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_aut())

    def __len__(self) -> int:
        return len(self.targets)

    def __repr__(self) -> str:
        return f"<Graph {self.name}: {self.states} states, {len(self)} edges, {len(self.labels)} labels>"


def load_graph(path: Union[str, os.PathLike[str]], *, text: Optional[str] = None, time: Time = None) -> Graph:
    """Reads a graph in the format AUT from a file, or from a text that is given with a name."""
    name = os.fspath(path)
    if text is None:
        with open(name, encoding="utf-8", errors="replace") as file:
            text = file.read()
    if not text.strip():
        raise ArgumentError(f"`{name}` is empty")
    return Graph(_narrows.Graph(name, text, limits(time)))
