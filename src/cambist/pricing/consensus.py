"""Consensus: the choice of one quote for a price among the offers of several sources.

Only the offers of the fastest pace that has a fresh one are compared, and of these only one type of rate. With three or
more offers, those far from the median are excluded and the weighted median of the rest is chosen; older offers weigh
less. With fewer, the best-ranked source is chosen. The result is always one source's quote with all its digits: nothing
is averaged (ADR 14).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from math import exp
from statistics import median

from msgspec import Struct
from msgspec.structs import force_setattr

from cambist.pricing.quote import Origin, Quote, Vote
from cambist.pricing.source_kind import Pace, RateType

FRESH_FOR = {Pace.REALTIME: timedelta(minutes=15), Pace.INTRADAY: timedelta(hours=6), Pace.DAILY: timedelta.max}
"""How long an offer of a pace is fresh. Monthly rates are not among them: they never stand for a current price."""

_DECAY_SECONDS = {Pace.REALTIME: 60.0, Pace.INTRADAY: 3600.0, Pace.DAILY: 2 * 86400.0}
"""Seconds after which an offer weighs only about a third (1/e) of the newest one."""

_TYPES = (RateType.OFFICIAL, RateType.MARKET, RateType.OFFSHORE, RateType.PARALLEL, RateType.SIMULATED)
_QUORUM = 3
_DEVIATIONS = 10
_TOLERANCE = 0.05
_COMPARABLE_FOR = timedelta(days=14)
"""How far an offer may be behind the newest of its pace and still be compared with it."""

_SAME_TIME = timedelta(days=4)
"""Two offers no further apart than a long weekend count as simultaneous: the rank of their sources decides."""


class Offer(Struct, frozen=True):
    """One source's quote for one price, with what the consensus must know of the source; a lower `rank` is better.

    All offers for one price quote the same pair or its inverse. `compiled` is true if the source compiles the rates of
    others. `mid` is the midpoint as a float, for comparisons only; without it, it is computed from the quote.
    """

    source: str
    quote: Quote
    pace: Pace
    rate_type: RateType
    rank: int
    compiled: bool = False
    mid: float = 0.0

    def __post_init__(self) -> None:
        if not self.mid:
            force_setattr(self, "mid", (float(self.quote.bid) + float(self.quote.ask)) / 2)


def agree(offers: Iterable[Offer], now: datetime) -> Quote | None:
    """Return the agreed quote with its votes; None if no offer is fresh."""
    offers = list(offers)
    if len(offers) == 1:
        (only,) = offers
        limit = FRESH_FOR.get(only.pace)
        is_fresh = limit is not None and now - only.quote.as_of <= limit
        return _published(only, (_vote(only, 1.0),)) if is_fresh else None
    # Sorted, so that the result does not depend on the order in which the offers arrived.
    ranked = sorted(offers, key=lambda offer: (offer.rank, offer.source))
    for group in _comparable_groups(ranked, now):
        return _decide(group)
    return None


def _comparable_groups(offers: list[Offer], now: datetime) -> Iterator[list[Offer]]:
    """Yield the groups of offers that may be compared with each other, the preferred group first."""
    for types in (_TYPES[:2], _TYPES[2:]):
        for pace, limit in FRESH_FOR.items():
            fresh = [offer for offer in offers if offer.pace is pace and now - offer.quote.as_of <= limit]
            for rate_type in types:
                group = [offer for offer in fresh if offer.rate_type is rate_type]
                if group:
                    yield _comparable(group)


def _comparable(group: list[Offer]) -> list[Offer]:
    """Return the group without offers that are much older than the newest, and without compilers if others remain."""
    newest = max(offer.quote.as_of for offer in group)
    carried = [offer for offer in group if newest - offer.quote.as_of <= _COMPARABLE_FOR]
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
    """Return the weight of each offer by its age; 0 for one that is far from the median."""
    newest = max(offer.quote.as_of for offer in group)
    decay = _DECAY_SECONDS[group[0].pace]
    weights = [exp(-(newest - offer.quote.as_of).total_seconds() / decay) for offer in group]
    if len(group) < _QUORUM:
        return weights
    middle = median(mids)
    limit = max(_DEVIATIONS * median(abs(mid - middle) for mid in mids), _TOLERANCE * middle)
    return [0.0 if abs(mid - middle) > limit else weight for mid, weight in zip(mids, weights, strict=True)]


def _weighted_median(mids: Sequence[float], weights: Sequence[float], ranks: Sequence[int]) -> int:
    """Return the index of the weighted median. If two share the middle, the one with the better rank."""
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
    quote, origin = offer.quote, offer.quote.origin
    origin = Origin(origin.made, origin.sources, origin.legs, votes, origin.pace)
    return Quote(quote.pair, quote.bid, quote.ask, quote.as_of, quote.received_at, origin)
