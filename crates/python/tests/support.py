"""What several tests need: files of the repository, and small models."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(os.environ.get("NARROWS_ROOT", Path(__file__).parents[3]))
EXAMPLES = ROOT / "examples"

#: The check sets this where all packages are installed: then nothing may be skipped.
ALL = os.environ.get("NARROWS_ALL") == "1"

#: So many states that no machine is done with them in the time of a test.
ENDLESS = """
byte a[40];
active [4] proctype P() {
    byte i;
    do
    :: i < 39 -> i++
    :: i > 0 -> i--
    :: a[i]++
    od
}
"""

COUNTER = """
MODULE main
VAR n : 0..3;
ASSIGN init(n) := 0; next(n) := (n + 1) mod 4;
CTLSPEC AG n < 4
CTLSPEC AG n < 3
"""

QUEUE = """
byte n;
active proctype source() { do :: make: d_step { n < 3 -> n++ } od }
active proctype server() { do :: serve: d_step { n > 0 -> n-- } od }
"""

#: An M/M/1/3 queue: arrivals take 1, services half of that, on average.
STUDY = """
title = "One server"
model = "queue.pml"
unit = "s"
[resource]
server = "n > 0"
[delay]
"source:make" = { exponential = 1 }
"server:serve" = { exponential = 0.5 }
[event]
done = "server:serve"
[[ask]]
throughput = "done"
[[ask]]
mean = "n"
[sweep]
"server:serve" = [0.5, 1, 2]
"""


def has(module: str) -> bool:
    """Returns whether a package is there; where all are installed, it has to be."""
    import importlib.util

    return ALL or importlib.util.find_spec(module) is not None


def throughput(arrival: float, service: float) -> float:
    """Returns how often the queue serves, by the textbook."""
    states = [(service / arrival) ** number for number in range(4)]
    return (1 - states[0] / sum(states)) / service


assert sys.version_info >= (3, 9)
