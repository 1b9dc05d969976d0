"""Bars of a sandbox: its simulated quotes are aggregated as the ticks of a live service are."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta
from decimal import Context, Decimal
from fractions import Fraction
from typing import TypeVar

from cambist.errors import StoreBroken
from cambist.history.bars import Interval, PairBar
from cambist.ingest.bar_updater import has_bars, is_within_hours
from cambist.ingest.bar_writer import FORGET_EVERY, oldest_kept
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.tick import Tick
from cambist.reference.tables import CURRENCIES
from cambist.registry.components import open_store
from cambist.registry.open_bars import bar_retention, notify_of_bars, read_open_bars, write_open_bars
from cambist.settings import Settings
from cambist.status.environment import SIMULATED
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import data_changes

log = logging.getLogger(__name__)

N = TypeVar("N", str, Pair)

_SAVE_EVERY = timedelta(seconds=1)
_DIGITS = Context(prec=20)


class SandboxBars:
    """Builds the bars of a sandbox and stores them in its database, in a thread, so that rate books do not wait."""

    def __init__(self, settings: Settings) -> None:
        self._path = DataDirectory(settings.data).open_bars
        self._changes = data_changes(settings.data)
        self._store = open_store(settings)
        self._kept_for = bar_retention(settings)
        self._aggregator = read_open_bars(self._path)
        self._writer = ThreadPoolExecutor(1, "bars")
        self._last: RateBook | None = None
        self._writing: tuple[Future[None], list[PairBar]] | None = None
        self._saved = 0
        self._saved_at: datetime | None = None
        self._forgot_at: datetime | None = None
        self._is_failing = False

    def apply(self, book: RateBook, now: datetime) -> None:
        """Aggregate the new quotes of a rate book; save open bars and store completed ones when that is due."""
        before, self._last = self._last, book
        for quote in _new_quotes(before, book):
            tick = Tick(SIMULATED, quote.pair, _decimal(quote.bid), _decimal(quote.ask), quote.as_of)
            self._aggregator.add(tick, quote.as_of, now)
        if self._saved_at is None or not timedelta() <= now - self._saved_at < _SAVE_EVERY:
            self._saved_at = now
            self._save()
            self._archive(now)

    def _save(self) -> None:
        revision = self._aggregator.revision
        if revision == self._saved:
            return
        try:
            write_open_bars(self._path, self._aggregator.to_bytes())
            self._saved = revision
        except OSError as error:
            self._failed("saved", error)

    def _archive(self, now: datetime) -> None:
        """Store completed bars, unless earlier ones are still being written. Bars that failed are tried again."""
        if self._writing is not None:
            writing, bars = self._writing
            if not writing.done():
                return
            self._writing = None
            try:
                writing.result()
            except StoreBroken as error:
                self._failed("archived", error)
            else:
                self._is_failing = False
                self._aggregator.mark_filed(bars, now)
        is_forgetting = self._forgot_at is None or not timedelta() <= now - self._forgot_at < FORGET_EVERY
        self._forgot_at = now if is_forgetting else self._forgot_at
        oldest = oldest_kept(now, self._kept_for) if is_forgetting else {}
        due = self._aggregator.completed(now)
        if due or oldest:
            self._writing = self._writer.submit(self._write, due, oldest), due

    def _write(self, due: list[PairBar], oldest: Mapping[Interval, datetime]) -> None:
        self._store.bars.file(due)
        removed = sum(self._store.bars.delete_before(interval, before) for interval, before in oldest.items())
        notify_of_bars(self._changes, due, removed)

    def _failed(self, done: str, error: Exception) -> None:
        if not self._is_failing:
            log.warning("Bars: they cannot be %s now, and wait: %s", done, error)
        self._is_failing = True

    def close(self) -> None:
        """Finish writing and save the open bars, with completed bars that are not stored yet."""
        self._writer.shutdown()
        self._save()
        self._store.close()


def _new_quotes(before: RateBook | None, book: RateBook) -> Iterator[Quote]:
    """Yield the published quotes of two currencies that are new in a rate book, within their market's hours."""
    yield from _changed(
        before.quotes if before else {}, book.quotes, (code for code in CURRENCIES if code in book.quotes)
    )
    yield from _changed(before.pairs if before else {}, book.pairs, filter(has_bars, book.pairs))


def _changed(before: Mapping[N, Quote], now: Mapping[N, Quote], names: Iterable[N]) -> Iterator[Quote]:
    for name in names:
        quote = now[name]
        is_new = quote.origin.made is Derivation.PUBLISHED and quote != before.get(name)
        if is_new and has_bars(quote.pair) and is_within_hours(quote.pair, quote.as_of):
            yield quote


def _decimal(side: Fraction) -> Decimal:
    return _DIGITS.divide(Decimal(side.numerator), Decimal(side.denominator))
