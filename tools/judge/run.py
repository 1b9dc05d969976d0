"""Print the tables by which the rules of verdicts are measured.

    make judge
    make judge ABOUT="scenarios crises order held speed rules" HISTORY=folder

`HISTORY` is a folder with longer series (`fred_daily/`); without it, crises before 1999 are left out and only the ECB's
fixings are counted.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from tools.judge.ablation import earnings
from tools.judge.crises import CRISES, tolerance
from tools.judge.held_rates import all_held
from tools.judge.order import orders_that_matter
from tools.judge.panel import Outcome, run
from tools.judge.scenarios import SCENARIOS
from tools.judge.series import HISTORY
from tools.judge.speed import measure_speed

SEEDS = (1, 2, 3)


def main() -> None:
    """Print the chosen tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("about", nargs="*", help=f"what to measure, of {', '.join(_TABLES)}; without any, all")
    parser.add_argument("--history", type=Path, default=HISTORY)
    parser.add_argument("--sources", type=lambda text: tuple(map(int, text.split(","))), default=(1, 2, 3, 5, 8))
    arguments = parser.parse_args()
    unknown = [name for name in arguments.about if name not in _TABLES]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(_TABLES)}")
    for name in arguments.about or _TABLES:
        print(f"\n{name}", flush=True)
        _TABLES[name](arguments)


def _scenarios(arguments: argparse.Namespace) -> None:
    print("wrong days of 40 live / in the end, and hours until a true jump is served, with so many sources")
    for scenario in SCENARIOS:
        outcomes = [
            [run(scenario.panel(number, is_reversed=is_reversed)) for is_reversed in (False, True)]
            if number >= scenario.least
            else []
            for number in arguments.sources
        ]
        print(
            f"{scenario.name:38}",
            *(f"{number}: {_worst(o)}" for number, o in zip(arguments.sources, outcomes, strict=True)),
            sep=" | ",
            flush=True,
        )


def _crises(arguments: argparse.Namespace) -> None:
    print("wrong days live / in the end, the mean of three panels, with so many sources")
    totals = {number: [0.0, 0.0] for number in arguments.sources}
    for crisis in CRISES:
        line = f"{crisis.code} {crisis.first[:7]}"
        for number in arguments.sources:
            panels = [crisis.panel(number, seed, arguments.history) for seed in SEEDS]
            outcomes = [run(panel, tolerance=tolerance) for panel in panels if panel]
            live, final = (sum(getattr(each, name) for each in outcomes) / len(SEEDS) for name in ("live", "final"))
            totals[number][0] += live
            totals[number][1] += final
            line += f" | {number}: {live:.1f} / {final:.1f}"
        print(line, flush=True)
    print("all", *(f"{number}: {live:.1f} / {final:.1f}" for number, (live, final) in totals.items()), sep=" | ")


def _order(_arguments: argparse.Namespace) -> None:
    tried, different = orders_that_matter(10_000)
    print(f"{different} of {tried} orders of arrival led to other verdicts")


def _held(arguments: argparse.Namespace) -> None:
    held = all_held(folder=arguments.history)
    for each in held:
        counts = f"{len(each.on_arrival)} held on arrival, {len(each.finally_held)} in the end"
        print(f"{each.code}: {each.fixings} fixings, {counts}")
    of = sum(each.fixings for each in held) / 10_000
    first, final = sum(len(each.on_arrival) for each in held), sum(len(each.finally_held) for each in held)
    print(f"of 10,000: {first / of:.1f} held on arrival, {final / of:.1f} in the end")


def _speed(_arguments: argparse.Namespace) -> None:
    for line in measure_speed():
        print(line)


def _rules(arguments: argparse.Namespace) -> None:
    print("without each rule: wrong days of scenarios and of crises, live / in the end, and fixings of 10,000 held")
    for each in earnings(arguments.history):
        scenarios, crises = (f"{live} / {final}" for live, final in (each.scenarios, each.crises))
        print(f"{each.name:34} | {scenarios} | {crises} | {each.held:.1f}", flush=True)


def _worst(outcomes: list[Outcome]) -> str:
    if not outcomes:
        return "-"
    hours = max(each.hours for each in outcomes)
    served = f" {hours:.0f} h" if hours >= 0 else ""
    return f"{max(each.live for each in outcomes)} / {max(each.final for each in outcomes)}{served}"


_TABLES: dict[str, Callable[[argparse.Namespace], None]] = {
    "scenarios": _scenarios,
    "crises": _crises,
    "order": _order,
    "held": _held,
    "speed": _speed,
    "rules": _rules,
}

if __name__ == "__main__":
    main()
