"""Scenarios from seeds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise

from tools.simulation.market_generator import company, jumps_of, long_mistakes, peg_breaks
from tools.simulation.scenario import INGEST, LEADER, QUOTA, YEAR, Call, Fault, Mistake, Scenario
from tools.simulation.truth import FREE_CODES, PEGGED_CODES

from cambist.registry.sources.source_adapters import built_in
from cambist.sources.adapters import ADAPTERS
from cambist.sources.base import FixingAdapter

SOURCES = ("fed", "boe", "boc", "norges", "riksbank", "dnb", "rba", "boj", "hkma", "sarb")
"""Sources of the short scenarios, which play in the 1970s: the rate matrix begins in 1970, and is small then."""

_KINDS = (
    "hundred", "hundredth", "inverted", "swapped", "typed", "slipped", "revised", "revised", "late", "late", "hanging",
    "twice", "ahead", "off", "drift", "stale",
)  # fmt: skip
_FAULTS = ("killed", "killed", "power", "locked", "full")
_WITHOUT_DISK = ("killed", "killed", "locked", "full")
_FIRST, _LAST = date(1971, 1, 1), date(1974, 6, 30)


_QUOTAS_EVERY, _LONG_SEEDS = 3, 10
_PEGGED = 0.25
_MISTAKES_A_DAY = 0.6
_FIRST_OF_YEAR = date(1971, 1, 4)
_JUMP_EVERY = 15
"""A true jump of some currency in so many days of a year."""

_LONG_EVERY = 12
"""A source that is wrong for long in so many days of a year."""

_FAULT_EVERY = 6
"""A fault of the machine in so many days of a year."""


def make_scenario(seed: int) -> Scenario:
    """Return the scenario of a seed: each third is about quotas, and of the others each tenth is long."""
    if seed % _QUOTAS_EVERY == 0:
        return _quotas(seed)
    return _long(seed) if seed % _LONG_SEEDS == 0 else _ingest(seed)


def _quotas(seed: int) -> Scenario:
    chance = random.Random(f"scenario {seed}")  # noqa: S311  the same for each seed
    first, days, nodes = _FIRST + timedelta(days=chance.randrange(1000)), 3, chance.randint(1, 3)
    seconds = sorted(_second(chance, days) for _ in range(chance.randint(30, 90)))
    calls = [
        Call(second, chance.randrange(nodes), chance.randint(1, 2), chance.choice((1, 1, 1, 2, 3, 8)))
        for second in seconds
    ]
    kinds = ("cut off", "ended", "ended")
    faults = [
        Fault(chance.choice(kinds), chance.uniform(0, 24 * days), chance.randrange(nodes), 0, chance.uniform(0.1, 9))
        for _ in range(chance.randint(0, 4))
    ]
    return Scenario(seed, QUOTA, first, days, nodes=nodes, calls=tuple(calls), faults=tuple(faults))


def _second(chance: random.Random, days: int) -> float:
    """Return a moment; many are around midnight."""
    if chance.random() < 0.4:
        return 86_400 * chance.randint(1, days - 1) + chance.uniform(-100, 200)
    return chance.uniform(0, 86_400 * days)


def _ingest(seed: int) -> Scenario:
    chance = random.Random(f"scenario {seed}")  # noqa: S311  the same for each seed
    days = chance.randint(5, 12)
    chosen = set(chance.sample(SOURCES, chance.randint(2, 5)))
    sources = tuple(key for key in SOURCES if key in chosen)
    first = _FIRST + timedelta(days=chance.randrange((_LAST - _FIRST).days))
    mistakes = [_mistake(chance, sources, days) for _ in range(chance.choice((0, 0, 1, 2, 4)))]
    mistakes += long_mistakes(chance, sources, days) + company(chance, seed, sources, days)
    faults = [_fault(chance, days) for _ in range(chance.randint(0, 3))]
    pegged = PEGGED_CODES if chance.random() < _PEGGED else ()
    jumps = peg_breaks(chance, pegged, days) + jumps_of(chance, FREE_CODES, days, chance.choice((0, 0, 1, 1, 2)))
    return Scenario(
        seed=seed,
        world=INGEST,
        first_day=first,
        days=days,
        sources=sources,
        mistakes=tuple(mistakes),
        faults=tuple(faults),
        jumps=tuple(jumps),
        pegged=pegged,
    )


def _long(seed: int) -> Scenario:
    """Return some months of a few sources: long enough that verdicts are continued from a day before."""
    chance = random.Random(f"long {seed}")  # noqa: S311  the same for each seed
    days = chance.randint(100, 160)
    chosen = set(chance.sample(SOURCES, chance.randint(2, 5)))
    sources = tuple(key for key in SOURCES if key in chosen)
    mistakes = [_mistake(chance, sources, days) for _ in range(chance.randint(0, 12))]
    for _ in range(chance.randint(0, 3)):
        mistakes += long_mistakes(chance, sources, days)
    faults = [_fault(chance, days, _WITHOUT_DISK) for _ in range(chance.randint(0, 4))]
    jumps = jumps_of(chance, FREE_CODES, days, chance.randint(0, 4))
    first = _FIRST + timedelta(days=chance.randrange((_LAST - _FIRST).days))
    return Scenario(seed, YEAR, first, days, sources, tuple(mistakes), tuple(faults), jumps=tuple(jumps))


def _fault(chance: random.Random, days: int, kinds: Sequence[str] = _FAULTS) -> Fault:
    """Return a fault of the machine; the last two days have none."""
    kind = chance.choice(kinds)
    amount = chance.uniform(0.5, 12.0) if kind in {"locked", "full"} else chance.random()
    return Fault(kind=kind, hour=chance.uniform(0, 24 * (days - 2)), step=chance.randrange(40), amount=amount)


def _mistake(chance: random.Random, sources: tuple[str, ...], days: int) -> Mistake:
    return Mistake(
        source=chance.choice(sources),
        kind=chance.choice(_KINDS),
        pair=chance.randrange(4),
        day=chance.randrange(days),
        days=chance.randint(1, 3),
        shown_days=chance.randint(0, 3),
    )


def make_year(seed: int, days: int = 365, parts: int = 4) -> list[Scenario]:
    """Return a year of all sources of fixings as scenarios, one for each part of it, that can run side by side."""
    ends = [days * number // parts for number in range(parts + 1)]
    return [_part_of_year(seed, begin, end - begin) for begin, end in pairwise(ends)]


def _part_of_year(seed: int, begin: int, days: int) -> Scenario:
    """Return a part that begins so many days after the first: mistakes of most sources, and faults of the machine."""
    chance = random.Random(f"year {seed} {begin}")  # noqa: S311  the same for each seed
    sources = tuple(key for key in ADAPTERS if isinstance(built_in(key), FixingAdapter))
    mistakes = [_mistake(chance, sources, days) for _ in range(round(days * _MISTAKES_A_DAY))]
    for _ in range(days // _LONG_EVERY):
        mistakes += long_mistakes(chance, sources, days)
    jumps = jumps_of(chance, FREE_CODES, days, days // _JUMP_EVERY)
    faults = [_fault(chance, days, _WITHOUT_DISK) for _ in range(days // _FAULT_EVERY)]
    first_day = _FIRST_OF_YEAR + timedelta(days=begin)
    return Scenario(seed, YEAR, first_day, days, sources, tuple(mistakes), tuple(faults), jumps=tuple(jumps))


def make_leadership(seed: int) -> Scenario:
    """Return the scenario of a seed about several nodes of which one leads: some minutes with faults of any of them."""
    chance = random.Random(f"leadership {seed}")  # noqa: S311  the same for each seed
    kinds = ("paused", "paused", "no database", "no database", "no Redis", "ended", "flushed")
    faults = [
        Fault(chance.choice(kinds), chance.uniform(0, 4) / 60, chance.randrange(3), chance.randrange(2),
              chance.uniform(0.5, 40.0))
        for _ in range(chance.randint(1, 8))
    ]  # fmt: skip
    first_day = _FIRST + timedelta(days=chance.randrange(1000))
    return Scenario(seed, LEADER, first_day, 1, faults=tuple(faults), nodes=chance.randint(2, 3))
