"""Make a scenario that breaks an invariant smaller, as long as it breaks the same one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from msgspec.structs import replace
from tools.simulation.scenario import Scenario

T = TypeVar("T")
IsBroken = Callable[[Scenario], bool]


def shrink(scenario: Scenario, is_broken: IsBroken, most_runs: int = 200) -> Scenario:
    """Return a smaller scenario that is still broken: fewer events, sources and days, by delta debugging."""
    runs = 0
    while True:
        for smaller in _smaller(scenario):
            runs += 1
            if runs > most_runs:
                return scenario
            if is_broken(smaller):
                scenario = smaller
                break
        else:
            return scenario


def _smaller(scenario: Scenario) -> Iterator[Scenario]:
    """Yield smaller scenarios, much smaller ones first."""
    yield from (replace(scenario, calls=part) for part in _without(scenario.calls))
    yield from (replace(scenario, faults=part) for part in _without(scenario.faults))
    yield from (replace(scenario, mistakes=part) for part in _without(scenario.mistakes))
    yield from (replace(scenario, sources=part) for part in _without(scenario.sources) if part)
    for days in (scenario.days // 2, scenario.days - 1):
        if 0 < days < scenario.days:
            yield replace(scenario, days=days)
    if scenario.nodes > 1:
        yield replace(scenario, nodes=scenario.nodes - 1)


def _without(items: Sequence[T]) -> Iterator[tuple[T, ...]]:
    """Yield the items without some that stand together: all, then halves, quarters, and so on, down to each one."""
    size = len(items)
    while size:
        for start in range(0, len(items), size):
            yield (*items[:start], *items[start + size :])
        size //= 2
