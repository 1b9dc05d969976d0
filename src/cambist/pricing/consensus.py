"""Consensus: many sources' words on one price become one quote.

The freshest class of sources that has something to say is heard, and in it one type of rate only. From three sources
up those far from the median are left out and the weighted median of the rest decides, each weighing the less the
older its word; of fewer the best-ranked decides. What is published is always the word of one source, digits and all:
nothing is averaged (ADR 14).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from math import exp
from statistics import median

from cambist.pricing.quote import Quote, Vote
from cambist.pricing.source_kind import Pace, RateType

FRESH_FOR = {Pace.REALTIME: timedelta(minutes=15), Pace.INTRADAY: timedelta(hours=6), Pace.DAILY: timedelta.max}
"""How long a word counts in its class. Monthly rates have no class: they are never passed off as younger ones."""

_FADES_IN = {Pace.REALTIME: 60.0, Pace.INTRADAY: 3600.0, Pace.DAILY: 2 * 86400.0}
"""Seconds in which a word loses all but a third of its weight against the newest."""

_TYPES = (RateType.OFFICIAL, RateType.MARKET, RateType.OFFSHORE, RateType.PARALLEL, RateType.SIMULATED)
_QUORUM = 3
_DEVIATIONS = 10
_TOLERANCE = 0.05
_CARRIED = timedelta(days=14)
"""How far a word may lie behind the newest of its class and still be compared with it."""

_SAME_TIME = timedelta(days=4)
"""Two words no further apart than a long weekend are of the same time: rank decides between them."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One source's word on one price, with its standing; a lower `rank` is better.

    All offers of one price quote the same pair, or its inverse.
    """

    source: str
    quote: Quote
    pace: Pace
    rate_type: RateType
    rank: int
    compiled: bool = False
    mid: float = field(init=False, compare=False)
    """The midpoint for comparing; what is published stays exact."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "mid", (float(self.quote.bid) + float(self.quote.ask)) / 2)


def agree(offers: Iterable[Offer], now: datetime) -> Quote | None:
    """Make one quote of what the sources offer; None where none has a word that counts."""
    # In the order of rank, so that it does not matter who was heard first.
    ranked = sorted(offers, key=lambda offer: (offer.rank, offer.source))
    for group in _classes(ranked, now):
        return _decide(group)
    return None


def _classes(offers: list[Offer], now: datetime) -> Iterator[list[Offer]]:
    """Give groups that may be compared, the one to be heard first."""
    for types in (_TYPES[:2], _TYPES[2:]):
        for pace, limit in FRESH_FOR.items():
            fresh = [offer for offer in offers if offer.pace is pace and now - offer.quote.as_of <= limit]
            for rate_type in types:
                group = [offer for offer in fresh if offer.rate_type is rate_type]
                if group:
                    yield _comparable(group)


def _comparable(group: list[Offer]) -> list[Offer]:
    """Leave out who is long silent; and who only compiles, where others speak for themselves."""
    newest = max(offer.quote.as_of for offer in group)
    carried = [offer for offer in group if newest - offer.quote.as_of <= _CARRIED]
    return [offer for offer in carried if not offer.compiled] or carried


def _decide(group: Sequence[Offer]) -> Quote:
    if len(group) == 1:
        return _published(group[0], (_vote(group[0], 1.0),))
    pair = group[0].quote.pair
    mids = [offer.mid if offer.quote.pair == pair else 1 / offer.mid for offer in group]
    weights = _weights(group, mids)
    if len(group) < _QUORUM:
        newest = max(offer.quote.as_of for offer in group)
        chosen = min((one for one in group if newest - one.quote.as_of <= _SAME_TIME), key=lambda one: one.rank)
    else:
        chosen = group[_weighted_median(mids, weights, [offer.rank for offer in group])]
    if chosen.quote.pair != pair:
        mids = [1 / mid for mid in mids]
    votes = tuple(Vote(one.source, mid, one.quote.as_of, w) for one, mid, w in zip(group, mids, weights, strict=True))
    return _published(chosen, votes)


def _weights(group: Sequence[Offer], mids: Sequence[float]) -> list[float]:
    """Weigh each word by its age; one far from the others' median weighs nothing."""
    newest = max(offer.quote.as_of for offer in group)
    fades_in = _FADES_IN[group[0].pace]
    weights = [exp(-(newest - offer.quote.as_of).total_seconds() / fades_in) for offer in group]
    if len(group) < _QUORUM:
        return weights
    middle = median(mids)
    limit = max(_DEVIATIONS * median(abs(mid - middle) for mid in mids), _TOLERANCE * middle)
    return [0.0 if abs(mid - middle) > limit else weight for mid, weight in zip(mids, weights, strict=True)]


def _weighted_median(mids: Sequence[float], weights: Sequence[float], ranks: Sequence[int]) -> int:
    """Give the place of the word at which half the weight is reached; of two in the middle the better-ranked."""
    order = sorted(range(len(mids)), key=mids.__getitem__)
    half, reached = sum(weights) / 2, 0.0
    for place, index in enumerate(order):
        reached += weights[index]
        if reached > half:
            return index
        if reached == half:
            following = next(other for other in order[place + 1 :] if weights[other])
            return min(index, following, key=ranks.__getitem__)
    return order[-1]


def _vote(offer: Offer, weight: float) -> Vote:
    return Vote(offer.source, offer.mid, offer.quote.as_of, weight)


def _published(offer: Offer, votes: tuple[Vote, ...]) -> Quote:
    return replace(offer.quote, origin=replace(offer.quote.origin, votes=votes))
