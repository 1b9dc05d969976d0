"""The newest fixings as quotes against the pivot, which the rate book uses where no live price is fresh."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime

from cambist.history.fixing import ReceivedFixing
from cambist.pricing.forward_adjusted import FORWARD
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.reference.assets import METALS
from cambist.reference.tables import CURRENCIES

MarketTime = Callable[[date], datetime]


def latest_quotes(
    newest: Iterable[ReceivedFixing],
    pivots: Iterable[ReceivedFixing],
    anchor: str,
    market_time: MarketTime,
    today: date,
) -> Iterator[tuple[str, Quote]]:
    """Yield each existing currency of one source with its quote against the pivot.

    `newest` has one fixing for each pair. `pivots` has the anchor's fixings in the pivot on the same days, because both
    legs of a cross rate must be of one day. `anchor` is the currency that all pairs of the source share.
    """
    pivot_on = {known.fixing.day: known for known in pivots}
    for known in newest:
        code = known.fixing.pair.other(anchor)
        if code == PIVOT:
            yield anchor, _published(known, market_time)
        elif anchor == PIVOT and _is_quoted(code, today):
            yield code, _published(known, market_time)
        elif _is_quoted(code, today) and known.fixing.day in pivot_on:
            yield code, _crossed(known, pivot_on[known.fixing.day], anchor, market_time)


def _is_quoted(code: str, today: date) -> bool:
    return code.removesuffix(FORWARD) in METALS or (code in CURRENCIES and CURRENCIES[code].lives_on(today))


def _published(known: ReceivedFixing, market_time: MarketTime) -> Quote:
    fixing = known.fixing
    return Quote(
        pair=fixing.pair,
        bid=fixing.rate,
        ask=fixing.rate,
        # A rate may be set for a later day, but its market time cannot be after its receipt.
        as_of=min(market_time(fixing.day), known.received_at),
        received_at=known.received_at,
        origin=Origin(Derivation.PUBLISHED, (fixing.source,)),
    )


def _crossed(known: ReceivedFixing, pivot: ReceivedFixing, anchor: str, market_time: MarketTime) -> Quote:
    units, dollars = (_published(leg, market_time).worth(anchor) for leg in (known, pivot))
    return Quote(
        pair=Pair(PIVOT, known.fixing.pair.other(anchor)),
        bid=units / dollars,
        ask=units / dollars,
        as_of=min(market_time(known.fixing.day), known.received_at),
        received_at=max(known.received_at, pivot.received_at),
        origin=Origin(Derivation.CROSSED, (known.fixing.source,), (pivot.fixing.pair, known.fixing.pair)),
    )
