"""Sampling prices: every five minutes, what each code of the rate book is worth."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from cambist.errors import CambistError, NoLongerLeading
from cambist.history.price_samples import SAMPLED_EVERY, PriceSample
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.pricing.unix_time import unix_us
from cambist.reference.assets import AssetKind, kind_of

log = logging.getLogger(__name__)


def price_sample(quoted: QuotedBook, at: datetime, coin_max_age: timedelta) -> PriceSample:
    """Return what each live code is worth; a coin only if its price is new, because its market never closes."""
    book = RateBook.of(quoted)
    oldest = unix_us(at - coin_max_age)
    return PriceSample(
        at,
        {
            code: mid
            for code, mid in book.mids.items()
            if kind_of(code) is not AssetKind.COIN or book.times[code] >= oldest
        },
    )


async def sample_prices(
    book: Callable[[], QuotedBook | None],
    coin_max_age: timedelta,
    file: Callable[[PriceSample], Awaitable[None]],
    clock: Callable[[], datetime],
) -> None:
    """File a sample at every full five minutes, for ever. One that cannot be filed is left out."""
    seconds, is_failing = SAMPLED_EVERY.total_seconds(), False
    while True:
        now = clock().timestamp()
        due = now - now % seconds + seconds
        await asyncio.sleep(due - now)
        quoted = book()
        if quoted is None or not quoted.quotes:
            continue
        try:
            await file(price_sample(quoted, datetime.fromtimestamp(due, UTC), coin_max_age))
            is_failing = False
        except NoLongerLeading:
            continue  # the node that leads files its own
        except CambistError as error:
            if not is_failing:
                log.warning("Price samples cannot be stored now: %s", error)
            is_failing = True
        except Exception:
            log.exception("Price samples: unexpected error; that of %s is left out", datetime.fromtimestamp(due, UTC))
