"""Agreement: how many independent sources confirm a rate, and how far apart they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

TOLERANCE = 0.05
"""How far a source may be from a rate and still agree with it, as in the consensus."""


class Word(NamedTuple):
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


def agreement(rate: float, words: Iterable[Word]) -> Agreement:
    """Return how many sources are within 5 % of a rate.

    A source that compiles the rates of others is no further word beside one that does not. Where all compile, they
    count as one, because they may repeat the same publisher.
    """
    near = [word for word in words if abs(word.rate / rate - 1) <= TOLERANCE]
    originals = [word for word in near if not word.compiled]
    rates = [word.rate for word in originals or near]
    return Agreement(len(originals) or min(len(near), 1), max(rates) - min(rates) if len(rates) > 1 else None)
