"""How far a live price has moved today, within a day and within a week, for the endpoints of live prices."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Annotated, Any

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from cambist.api.answer.rendering import Number, number
from cambist.api.answer.request_context import RequestContext
from cambist.api.questions.parameter_types import flag
from cambist.history.price_moves import PriceMove
from cambist.pricing.cross_rates import midpoint
from cambist.pricing.number_format import plain_float
from cambist.pricing.pair import Pair
from cambist.pricing.unix_time import unix_ms

DAY = timedelta(hours=24)
WEEK = timedelta(days=7)
_PERCENT_PLACES = 4

Moving = Annotated[
    bool,
    flag("verbose", description="Add how far the price has moved today, in 24 hours and in 7 days: true, 1, yes or y."),
]


class PriceMoveRecord(Struct, frozen=True):
    """A price compared with those of a window, which were sampled every five minutes.

    `open` is the price of `since`, the first of the window, and `change_pct` the change since then in percent. `low`
    and `high` are the lowest and highest of the sampled prices and this one. All are in the unit of the price; `since`
    is in milliseconds since 1970.
    """

    open: Number
    change_pct: Number
    low: Number
    high: Number
    since: int
    samples: int


Move = Annotated[
    PriceMoveRecord | UnsetType,
    Meta(description="With `verbose`: how far the price has moved; absent until it has been sampled for that long."),
]


class PriceMovesRecord(Struct, frozen=True):
    """How far one price has moved. `today` began at midnight UTC."""

    today: Move = UNSET
    last_24h: Move = UNSET
    last_7d: Move = UNSET


def move_within(context: RequestContext, pair: Pair, window: timedelta) -> PriceMove | None:
    """Return how far a pair's midpoint, crossed through the pivot, has moved; None if that is not known.

    Errors: RateUnavailable.
    """
    return context.state.readers.moves(pair.base, pair.quote, midpoint(context.book, pair).value, window)


def moves(context: RequestContext, pair: Pair, price: Decimal | float) -> dict[str, Any]:
    """Return the fields of all windows for a price of a pair, in whatever unit the price is.

    Errors: RateUnavailable.
    """
    midnight = context.now.replace(hour=0, minute=0, second=0, microsecond=0)
    windows = {"today": context.now - midnight, "last_24h": DAY, "last_7d": WEEK}
    found = {name: move_within(context, pair, window) for name, window in windows.items()}
    return {
        name: PriceMoveRecord(
            open=_part(price, 1 / move.ratio),
            change_pct=number(round(Decimal((move.ratio - 1) * 100), _PERCENT_PLACES) + 0),  # 0, not -0
            low=_part(price, move.low),
            high=_part(price, move.high),
            since=unix_ms(move.since),
            samples=move.samples,
        )
        for name, move in found.items()
        if move is not None
    }


def _part(price: Decimal | float, part: float) -> Raw:
    """Write a part of a price; the price itself with all its digits."""
    if part == 1:
        return Raw(plain_float(price)) if isinstance(price, float) else number(price)
    return Raw(plain_float(float(price) * part))
