"""Whether the order in which fixings arrive, and how often verdicts are derived meanwhile, makes a difference."""

from __future__ import annotations

from random import Random

import numpy as np
from tools.judge.panel import Event, Known, Panel
from tools.judge.scenarios import SCENARIOS

from cambist.verdicts.judge import judge
from cambist.verdicts.rules import RULES
from cambist.verdicts.verdict import Judgement


def orders_that_matter(count: int, seed: int = 1) -> tuple[int, int]:
    """Return how many orders were tried, and how many led to other verdicts. Revisions of a fixing stay in order."""
    random = Random(seed)
    panels = [
        scenario.panel(sources, seed) for scenario in SCENARIOS for sources in (2, 3, 5) if sources >= scenario.least
    ]
    expected = [_judged(panel, panel.events) for panel in panels]
    different = 0
    for number in range(count):
        place = number % len(panels)
        different += not same_verdicts(
            expected[place], _in_batches(panels[place], _shuffled(panels[place], random), random)
        )
    return count, different


def same_verdicts(one: Judgement, other: Judgement) -> bool:
    """Return whether two judgements are the same, bit for bit."""
    names = ("level", "status", "source", "source_day", "other", "fixing_status", "reason", "weight", "distance")
    return all(np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True) for name in names)


def _judged(panel: Panel, events: list[Event]) -> Judgement:
    known = Known(panel)
    for event in events:
        known.receive(event)
    return known.judge(RULES)


def _shuffled(panel: Panel, random: Random) -> list[Event]:
    by_fixing: dict[tuple[str, int], list[Event]] = {}
    for event in panel.events:
        by_fixing.setdefault((event.source, event.day), []).append(event)
    keys = [key for key, events in by_fixing.items() for _ in events]
    random.shuffle(keys)
    remaining = {key: iter(events) for key, events in by_fixing.items()}
    return [next(remaining[key]) for key in keys]


def _in_batches(panel: Panel, events: list[Event], random: Random) -> Judgement:
    """Judge again after two batches, each time from the frontier before the oldest day that changed."""
    known = Known(panel)
    judgement: Judgement | None = None
    cuts = sorted(random.sample(range(1, len(events)), 2))
    for first, end in zip([0, *cuts], [*cuts, len(events)], strict=True):
        oldest = min(event.day for event in events[first:end])
        for event in events[first:end]:
            known.receive(event)
        judgement = _continued(known, judgement, oldest)
    return known.judge(RULES) if judgement is None else judgement


def _continued(known: Known, before: Judgement | None, oldest: int) -> Judgement:
    whole = known.judge(RULES)
    if before is None or (row := int(np.searchsorted(before.days, oldest)) - 1) < 0:
        return whole
    part = judge(known.fixings(), known.reference(), RULES, before.frontier(row))
    rows = len(part.days) - 1
    for name in ("level", "status", "source", "fixing_status", "weight"):
        if not np.array_equal(getattr(whole, name)[-rows:], getattr(part, name)[-rows:], equal_nan=True):
            return part
    return whole
