"""What each rule earns: the tables again, with one rule taken out in turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path

import msgspec
from tools.judge.crises import CRISES, tolerance
from tools.judge.held_rates import all_held
from tools.judge.panel import run
from tools.judge.scenarios import SCENARIOS
from tools.judge.series import HISTORY

from cambist.verdicts.rules import RULES, Rules

WITHOUT: dict[str, dict[str, object]] = {
    "all rules": {},
    "older hours weigh less": {"older_hour": 1.0},
    "published before the event": {"before_event": 1.0},
    "carried fixings": {"carried_weight": 0.0},
    "aftershocks": {"aftershock": 0.0},
    "restless markets": {"short_window": 30},
    "the wider limit of a lone fixing": {"lone_least": 0.0, "lone_moves": 0.0},
    "mistaken units": {"units": (), "unit_tolerance": -1.0},
    "an unproven level yields": {"unproven_yields": 9.0},
    "the smoother wins": {"rough": 0.0},
    "repeated digits": {"repeats": 1 << 30},
    "a day late": {"late_volatility": 9.0},
    "the issuer": {"issuer_weight": 1.0, "beside_issuer_most": 99.0},
    "the packaged level": {"plausible": inf},
    "leaving a peg": {"leaves_peg": 0.0},
    "the best-ranked first": {"best_ranked": 0.0},
}
"""The constants without each rule."""


@dataclass(frozen=True, slots=True)
class Earnings:
    """Wrong days of all scenarios and crises, live and in the end, and fixings of 10,000 held in the end."""

    name: str
    scenarios: tuple[int, int]
    crises: tuple[int, int]
    held: float


def earnings(folder: Path = HISTORY, sources: tuple[int, ...] = (1, 2, 3, 5), seeds: int = 1) -> Iterator[Earnings]:
    """Yield what is wrong with all rules, and then without each."""
    for name, changes in WITHOUT.items():
        rules = msgspec.structs.replace(RULES, **changes)
        scenarios = [
            run(scenario.panel(number, is_reversed=is_reversed), rules)
            for scenario in SCENARIOS
            for number in sources
            for is_reversed in (False, True)
            if number >= scenario.least
        ]
        panels = [
            panel
            for crisis in CRISES
            for number in sources
            for seed in range(1, seeds + 1)
            if number > 1 and (panel := crisis.panel(number, seed, folder))
        ]
        crises = [run(panel, rules, tolerance) for panel in panels]
        yield Earnings(
            name,
            (sum(each.live for each in scenarios), sum(each.final for each in scenarios)),
            (sum(each.live for each in crises), sum(each.final for each in crises)),
            _finally_held(rules, folder),
        )


def _finally_held(rules: Rules, folder: Path) -> float:
    held = all_held(rules, folder, arrivals=False)
    return 10_000 * sum(len(each.finally_held) for each in held) / max(sum(each.fixings for each in held), 1)
