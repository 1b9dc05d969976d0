"""What happens to rates in a scenario: true jumps of all sources, devaluations, pegs that break, and lasting liars."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import log

from tools.simulation.scenario import ALL_PAIRS, Jump, Mistake
from tools.simulation.scripted_source import codes_of
from tools.simulation.truth import FREE_CODES

from cambist.registry.sources.source_adapters import built_in
from cambist.verdicts.rules import RULES

_FACTORS = (1.06, 1.1, 1.25, 1.6, 2.3, 4.0, 26.0)
_AFTERSHOCK = 0.03
_LONG_KINDS = ("hundred", "hundredth", "typed", "slipped", "drift", "stale", "late")
_COMPANY_FACTORS = (1.15, 1.4, 0.8, 100.0)


def jumps_of(chance: random.Random, codes: Sequence[str], days: int, count: int) -> list[Jump]:
    """Return so many true jumps, of a currency each: up or down, at once, or as a devaluation with days that follow."""
    found = []
    for code in chance.sample(codes, min(count, len(codes))):
        factor = chance.choice(_FACTORS) * chance.uniform(0.99, 1.01)
        if chance.random() < 0.4:
            factor = 1 / factor
        day, hour = chance.randrange(1, days), chance.uniform(0, 24)
        found.append(Jump(code, day, hour, factor))
        if chance.random() < 0.4:
            steps = range(1, min(4, days - day))
            found += [Jump(code, day + step, hour, 1 + chance.uniform(-_AFTERSHOCK, _AFTERSHOCK)) for step in steps]
    return found


def peg_breaks(chance: random.Random, codes: Sequence[str], days: int) -> list[Jump]:
    """Return the ends of pegs: most hold, some break."""
    breaking = [code for code in codes if chance.random() < 0.6]
    return [
        Jump(code, chance.randrange(1, days), chance.uniform(0, 24), chance.choice((0.7, 1.2, 1.7, 3.0)))
        for code in breaking
    ]


def long_mistakes(chance: random.Random, sources: Sequence[str], days: int) -> list[Mistake]:
    """Return what a source is wrong about for many days, perhaps from its first one: nothing, some of it, or all."""
    if chance.random() < 0.5:
        return []
    kind, day = chance.choice(_LONG_KINDS), chance.choice((0, 0, chance.randrange(days)))
    pair = ALL_PAIRS if kind in {"stale", "late"} else chance.randrange(4)
    shown = chance.randint(1, 3) if kind == "late" else chance.choice((0, 0, 2))
    length = chance.choice((days, chance.randint(2, days)))
    return [Mistake(chance.choice(sources), kind, pair, day, length, shown)]


def company(chance: random.Random, seed: int, sources: Sequence[str], days: int) -> list[Mistake]:
    """Return the same mistake of two sources about one currency, in some scenarios."""
    if chance.random() > 0.2 or len(sources) < 2:
        return []
    codes = {key: codes_of(built_in(key).source, FREE_CODES, seed) for key in chance.sample(sources, 2)}
    one, other = codes
    common = sorted(set(codes[one]) & set(codes[other]))
    if not common:
        return []
    code, size = chance.choice(common), chance.choice(_COMPANY_FACTORS)
    day, length = chance.randrange(days), chance.randint(1, days)
    return [Mistake(key, "factor", of_source.index(code), day, length, size=size) for key, of_source in codes.items()]


def is_unit(factor: float) -> bool:
    """Return whether a factor is that of a unit, so that a jump by it may be taken for a mistake."""
    return any(abs(abs(log(factor)) - log(unit)) < 2 * RULES.unit_tolerance for unit in RULES.units)
