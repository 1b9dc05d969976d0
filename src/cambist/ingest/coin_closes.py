"""Closes of coins: what each coin was worth in the last rate book before midnight UTC, filed when the day has ended."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal

from cambist.errors import CambistError
from cambist.history.archive import DeliveryFiling
from cambist.history.coin_closes import written_origin
from cambist.history.fixing import DeliveryRecord, FilingResult, Fixing
from cambist.history.typed_series import CLOSES
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.reference.assets import AssetKind, kind_of

log = logging.getLogger(__name__)

_POLL_EVERY = 0.5
_ATTEMPTS = 5
_RETRY_AFTER = 60.0

_ONE_DAY = timedelta(days=1)
_DIGITS = Context(prec=20, rounding=ROUND_HALF_UP)
"""The precision of a close: midpoints that are crossed have endless digits."""


@dataclass(frozen=True, slots=True)
class CoinCloses:
    """The closes of one day that have the same sources, with the record to file them with."""

    record: DeliveryRecord
    fixings: tuple[Fixing, ...]


def build_coin_closes(book: QuotedBook, day: date, limit: timedelta, received_at: datetime) -> list[CoinCloses]:
    """Return the closes of a day from its last rate book, for coins whose quote was at most `limit` old at its end."""
    midnight = datetime.combine(day, time(), UTC) + _ONE_DAY
    by_origin: dict[str, list[Fixing]] = {}
    for code, quote in sorted(book.quotes.items()):
        # A quote of midnight itself belongs to the next day.
        is_fresh = timedelta() < midnight - quote.as_of <= limit
        if kind_of(code) is AssetKind.COIN and is_fresh and quote.mid > 0:
            close = Fixing(CLOSES, Pair(code, PIVOT), day, _value(quote, code))
            by_origin.setdefault(written_origin(quote.origin), []).append(close)
    return [
        CoinCloses(DeliveryRecord(CLOSES, received_at, origin, _digest(fixings)), tuple(fixings))
        for origin, fixings in by_origin.items()
    ]


def _value(quote: Quote, code: str) -> Decimal:
    mid = quote.worth(code)
    return _DIGITS.divide(Decimal(mid.numerator), Decimal(mid.denominator))


def _digest(fixings: Iterable[Fixing]) -> str:
    lines = (f"{fixing.day} {fixing.pair} {fixing.value}\n" for fixing in fixings)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def file_closes(archive: DeliveryFiling, closes: Iterable[CoinCloses]) -> FilingResult:
    """File closes; those that are stored already stay unchanged. Errors: StoreBroken."""
    filed = [archive.file(each.record, each.fixings) for each in closes]
    return FilingResult(
        added=sum(each.added for each in filed),
        corrected=sum(each.corrected for each in filed),
        unchanged=sum(each.unchanged for each in filed),
    )


@dataclass(slots=True)
class DayEnd:
    """Detects the end of a day; `limit` is how old a coin's quote may be by then."""

    limit: timedelta
    _day: date = date.max
    _book: QuotedBook | None = None

    def due(self, book: QuotedBook | None, now: datetime) -> list[CoinCloses]:
        """Return the closes of the day that has ended since the last call, if one has; `book` is the current rate book.

        They are taken from the rate book of the last call: the current one already contains quotes from after midnight.
        """
        day, last = self._day, self._book
        self._day, self._book = now.astimezone(UTC).date(), book
        return build_coin_closes(last, day, self.limit, now) if last is not None and self._day > day else []


async def archive_closes(
    limit: timedelta,
    book: Callable[[], QuotedBook | None],
    file: Callable[[Sequence[CoinCloses]], Awaitable[FilingResult | None]],
    clock: Callable[[], datetime],
) -> None:
    """File the closes of every day that ends, for ever. An unexpected error costs one day only.

    `file` returns None if another node has filed them.
    """
    end = DayEnd(limit)
    while True:
        try:
            due = end.due(book(), clock())
            if due:
                await _file_with_retries(due, file)
        except Exception:
            log.exception("Closes: unexpected error; those of the day that ended are not archived")
        await asyncio.sleep(_POLL_EVERY)


async def _file_with_retries(
    closes: Sequence[CoinCloses], file: Callable[[Sequence[CoinCloses]], Awaitable[FilingResult | None]]
) -> None:
    day, coins = closes[0].fixings[0].day, sum(len(each.fixings) for each in closes)
    for _ in range(_ATTEMPTS):
        try:
            filed = await file(closes)
        except CambistError as error:
            log.warning("Closes: %d coins of %s cannot be archived now: %s", coins, day, error)
            await asyncio.sleep(_RETRY_AFTER)
        else:
            if filed is not None:
                log.info("Closes: %d coins of %s archived", coins, day)
            return
    log.error("Closes: %d coins of %s could not be archived and are lost", coins, day)
