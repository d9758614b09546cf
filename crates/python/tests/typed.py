"""Uses of the package whose types are checked; nothing here is run."""

from __future__ import annotations

from typing import Optional, Union

import narrows


def checks(path: str) -> list[str]:
    result: narrows.CheckResult = narrows.load(path).check(ltl="[] p", time="1m", memory=1 << 30)
    states: Optional[int] = result.states
    failing = [answer for answer in result if answer.fails]
    lines: list[Optional[int]] = [answer.line for answer in failing]
    traces: list[Optional[narrows.Trace]] = [answer.trace for answer in failing]
    print(states, lines, traces)
    return [answer.title for answer in failing]


def simulates(model: narrows.Model) -> dict[str, str]:
    session = model.simulate(seed=3).step(0).step("x = 1").back()
    reason: str = session.random(10)
    print(reason)
    return session.state


def measures(path: str) -> Union[int, float]:
    study = narrows.load_study(path, define={"N": 3})
    try:
        value: Optional[narrows.Value] = study.measure(progress=print)["throughput"].value
    except narrows.Interrupted as stopped:
        print(stopped.result)
        raise
    flows: tuple[narrows.Flow, ...] = study.bottleneck().flows
    print(flows[0].changes[0].gain)
    assert value is not None
    return value.low


def errors(path: str) -> list[tuple[str, Optional[int]]]:
    try:
        narrows.load(path)
    except narrows.InputError as error:
        return [(one.code, one.line) for one in error.diagnostics]
    return []
