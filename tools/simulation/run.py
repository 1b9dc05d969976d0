"""Run simulations by their seeds, and report the first that breaks an invariant with a command that replays it.

    make simulate SEEDS=10000
    make simulate SEED=17
    make simulate-leaders SEEDS=1000
    make simulate-year SEED=1

The exit code is 1 if an invariant did not hold.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from rich.progress import track
from tools.simulation.generator import make_leadership, make_scenario, make_year
from tools.simulation.scenario import Scenario, decode_scenario
from tools.simulation.shrinking import shrink
from tools.simulation.simulate import simulate
from tools.simulation.violation import ViolationError

T = TypeVar("T")
_MAKERS = {"ingest and quotas": make_scenario, "leaders": make_leadership}

_SEEDS_AT_ONCE = 5
_MOST_LONG_RUNS = 40
"""How often a long scenario is run to make it smaller."""


def main() -> None:
    """Run what the arguments say."""
    arguments = _arguments()
    if arguments.scenario:
        sys.exit(_run_one(decode_scenario(arguments.scenario), arguments.trace))
    if arguments.year is not None:
        sys.exit(_run_side_by_side(make_year(arguments.year, arguments.days, arguments.parts)))
    if arguments.seed is not None:
        sys.exit(_run_one(_MAKERS[arguments.about](arguments.seed), arguments.trace))
    sys.exit(_run_many(_MAKERS[arguments.about], arguments.first, arguments.seeds))


def replay_command(scenario: Scenario) -> str:
    """Return the command that runs a scenario again."""
    return f"python -m tools.simulation.run --scenario '{scenario.encoded()}'"


def _run_one(scenario: Scenario, trace: Path | None) -> int:
    outcome = simulate(scenario)
    if trace is not None:
        trace.write_text("\n".join(outcome.lines) + "\n", encoding="utf-8")
    if outcome.violation is None:
        print(f"All held: {len(outcome.lines)} events, trace {outcome.digest}")
        return 0
    print(*outcome.lines[-20:], sep="\n")
    print(f"VIOLATION {outcome.violation}")
    print(f"Again: {replay_command(scenario)}")
    return 1


def _run_many(made: Callable[[int], Scenario], first: int, count: int) -> int:
    """Run the scenarios of many seeds, as many at once as there are processors."""
    started, events = time.monotonic(), 0
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        running = pool.map(partial(_run_seed, made), range(first, first + count), chunksize=_SEEDS_AT_ONCE)
        for seed, (seen, violation) in enumerate(_tracked(running, count), first):
            events += seen
            if violation is not None:
                pool.shutdown(wait=False, cancel_futures=True)
                print(f"Seed {seed}:")
                _report(made(seed), violation)
                return 1
    print(f"All held in {count} simulations with {events} events, in {time.monotonic() - started:.0f} s.")
    return 0


def _run_seed(made: Callable[[int], Scenario], seed: int) -> tuple[int, ViolationError | None]:
    """Return how many events there are in the scenario of a seed, and what does not hold."""
    outcome = simulate(made(seed))
    return len(outcome.lines), outcome.violation


def _tracked(running: Iterable[T], count: int) -> Iterable[T]:
    return track(running, description="Simulating", total=count, disable=not sys.stderr.isatty())


def _run_side_by_side(scenarios: Sequence[Scenario]) -> int:
    """Run scenarios, as many at once as there are processors."""
    started = time.monotonic()
    with ProcessPoolExecutor(min(len(scenarios), os.cpu_count() or 1)) as pool:
        outcomes = list(_tracked(pool.map(simulate, scenarios), len(scenarios)))
    for scenario, outcome in zip(scenarios, outcomes, strict=True):
        if outcome.violation is not None:
            _report(scenario, outcome.violation, _MOST_LONG_RUNS)
            return 1
    digest = hashlib.sha256("".join(outcome.digest for outcome in outcomes).encode()).hexdigest()
    days, events = sum(scenario.days for scenario in scenarios), sum(len(outcome.lines) for outcome in outcomes)
    print(f"All held in {days} days of {len(scenarios[0].sources)} sources, {events} events, "
          f"in {time.monotonic() - started:.0f} s: trace {digest}")  # fmt: skip
    return 0


def _report(scenario: Scenario, violation: ViolationError, most_runs: int = 200) -> None:
    print(f"VIOLATION {violation}")
    print("Making the scenario smaller ...", flush=True)
    smaller = shrink(scenario, lambda tried: _breaks_as(violation, tried), most_runs)
    print(f"Again: {replay_command(smaller)}")


def _breaks_as(violation: ViolationError, scenario: Scenario) -> bool:
    """Return whether a scenario breaks the same invariant."""
    found = simulate(scenario).violation
    return found is not None and found.invariant == violation.invariant


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--about", choices=_MAKERS, default=next(iter(_MAKERS)), help="what the scenarios of seeds are about"
    )
    parser.add_argument("--seeds", type=int, default=100, help="how many seeds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="one seed only")
    parser.add_argument("--year", type=int, metavar="SEED", help="a year of all sources, by one seed")
    parser.add_argument("--days", type=int, default=365, help="how many days the year has")
    parser.add_argument("--parts", type=int, default=4, help="in how many parts it is simulated, side by side")
    parser.add_argument("--scenario", help="a scenario as JSON")
    parser.add_argument("--trace", type=Path, help="write the events of the one scenario to this file")
    return parser.parse_args()


if __name__ == "__main__":
    main()
