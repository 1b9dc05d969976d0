"""Agreement: how many independent sources confirm a rate, and how far apart they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

TOLERANCE = 0.05
"""How far a source may be from a rate and still agree with it, as in the consensus."""


class SourceRate(NamedTuple):
    """What one source says of a rate, in the same unit as the rate; a `compiled` source repeats others."""

    source: str
    rate: float
    compiled: bool = False


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many independent sources agree with a rate.

    `deviation` is the highest minus the lowest of their rates, in the unit of the rate; None for fewer than two.
    """

    sources: int
    deviation: float | None = None


def agreement(rate: float, rates: Iterable[SourceRate]) -> Agreement:
    """Return how many sources are within 5 % of a rate.

    A source that compiles the rates of others counts for nothing beside one that does not. Where all compile, they
    count as one, because they may repeat the same publisher.
    """
    near = [each for each in rates if abs(each.rate / rate - 1) <= TOLERANCE]
    originals = [each for each in near if not each.compiled]
    agreed = [each.rate for each in originals or near]
    return Agreement(len(originals) or min(len(near), 1), max(agreed) - min(agreed) if len(agreed) > 1 else None)
