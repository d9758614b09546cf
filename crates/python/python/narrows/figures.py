"""Figures of matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

from .errors import ArgumentError
from .results import Answer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .study import Case, Flow, Sweep


def _axes(ax: Optional[Axes]) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install matplotlib") from error
    return matplotlib.pyplot.subplots()[1]


def sweep(
    points: Sweep, name: Union[int, str], x: Optional[str], view: Optional[str], ax: Optional[Axes]
) -> Axes:
    """Draws an answer against what is varied: a line for each combination of all else, a band for bounds."""
    if not points.varied:
        raise ArgumentError("the sweep has no points")
    x = points.varied[0] if x is None else x
    if x not in points.varied:
        raise ArgumentError(f"`{x}` is not varied; there is {', '.join(points.varied)}")
    lines: dict[str, list[tuple[Any, float, float, float]]] = {}
    unit = title = ""
    for point in points:
        if not point.answers:
            continue
        answer = point.answer(name, view)
        title = answer.title
        if answer.value is None:
            continue
        others = ", ".join(f"{key} = {value}" for key, value in point.settings.items() if key != x)
        unit, value = answer.value.unit, answer.value
        place = _place(point.settings[x])
        lines.setdefault(others, []).append((place, float(value.low), value.middle, float(value.high)))
    axes = _axes(ax)
    for label, values in lines.items():
        places = [value[0] for value in values]
        axes.plot(places, [value[2] for value in values], marker="o", label=label or None)
        axes.fill_between(places, [value[1] for value in values], [value[3] for value in values], alpha=0.2)
    axes.set_xlabel(x)
    axes.set_ylabel(f"{title} ({unit})" if unit else title)
    if any(lines):
        axes.legend()
    drawn: Axes = axes
    return drawn


def _place(text: str) -> Union[float, str]:
    try:
        return float(text)
    except ValueError:
        return text


def distribution(answer: Answer, ax: Optional[Axes]) -> Axes:
    """Draws between what bounds the probability is to be no greater than a value."""
    if not answer.distribution:
        raise ArgumentError(f"{answer.title} has no distribution")
    axes = _axes(ax)
    values = [one[0] for one in answer.distribution]
    lows, highs = [one[1] for one in answer.distribution], [one[2] for one in answer.distribution]
    axes.plot(values, [(low + high) / 2 for low, high in zip(lows, highs)])
    axes.fill_between(values, lows, highs, alpha=0.2)
    axes.set_ylim(0, 1.05)
    axes.set_xlabel("value" if answer.value is None else answer.value.unit or "value")
    axes.set_ylabel("probability")
    axes.set_title(answer.title)
    drawn: Axes = axes
    return drawn


def timeline(case: Case, ax: Optional[Axes]) -> Axes:
    """Draws when each resource is busy."""
    axes = _axes(ax)
    resources = list(dict.fromkeys(bar.resource for bar in case.bars)) or list(case.busy)
    for index, resource in enumerate(resources):
        bars = [(bar.start, bar.end - bar.start) for bar in case.bars if bar.resource == resource]
        axes.broken_barh(bars, (index - 0.4, 0.8), edgecolor="white")
    axes.set_yticks(range(len(resources)), resources)
    axes.invert_yaxis()
    axes.set_xlabel("time")
    axes.set_title(f"{case.case} case: {case.count} in {case.period}")
    drawn: Axes = axes
    return drawn


def changes(flow: Flow, ax: Optional[Axes]) -> Axes:
    """Draws what cutting each delay by 10 % gains."""
    gains = [(one.delay, one.gain * 100) for one in flow.changes if one.gain is not None]
    if not gains:
        raise ArgumentError(f"what changed delays do to `{flow.event}` was not decided")
    axes = _axes(ax)
    gains.sort(key=lambda one: one[1])
    axes.barh([delay for delay, _ in gains], [gain for _, gain in gains])
    axes.set_xlabel("gain in % of cutting the delay by 10 %")
    axes.set_title(flow.event)
    drawn: Axes = axes
    return drawn
