"""Building rate books: from the latest ticks and fixings to the next rate book, computing only what has changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cambist.ingest.agreed_prices import AgreedPrices
from cambist.ingest.pair_consensus import PairConsensus
from cambist.ingest.pair_quotes import PairQuotes
from cambist.ingest.pivot_quotes import PivotQuotes
from cambist.ingest.tick_store import TickStore
from cambist.ingest.venue_listings import VenueListings
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book_assembly import RateBookAssembler
from cambist.reference.assets import COINS

_RECHECK_EVERY = timedelta(seconds=20)
"""How often every pair is checked again: quotes age even if no tick arrives."""

_RECHECKED_AT_ONCE = 40
"""How many pairs are checked again with each rate book: all at once would hold up the ticks."""


@dataclass(slots=True)
class RateBookBuilder:
    """Builds rate books; `version` and `last` are those of the newest one, `fixings` the daily quotes by code."""

    tick_store: TickStore
    pair_consensus: PairConsensus
    pair_quotes: PairQuotes
    agreed: AgreedPrices
    listings: VenueListings
    version: int = 0
    last: QuotedBook | None = None
    fixings: dict[str, Quote] = field(default_factory=dict)
    _pivot_quotes: PivotQuotes = field(default_factory=PivotQuotes)
    _assembler: RateBookAssembler = field(default_factory=RateBookAssembler)
    _to_recheck: list[Pair] = field(default_factory=list)
    _rechecked_at: datetime | None = None
    _has_changed: bool = True

    def resume(self, book: QuotedBook) -> None:
        """Go on from the last rate book before a restart: its pairs are current until there is something newer."""
        self.version = book.version
        self.pair_quotes.resume(book.pairs)

    def go_on_from(self, version: int) -> None:
        """Build the next rate book even if nothing changes, with a higher version than that of another process."""
        self.version, self._has_changed = max(self.version, version), True

    def apply_fixings(self, quotes: Mapping[str, Quote | None]) -> None:
        """Replace the daily quotes of some codes; None for a code that has none any more."""
        for code, quote in quotes.items():
            if quote is None:
                self.fixings.pop(code, None)
            else:
                self.fixings[code] = quote
                if code not in COINS:  # yesterday's price of a coin says little of today's
                    self.agreed.expect(quote)
        self._has_changed = True

    def prepare(self, now: datetime) -> None:
        """Agree on the pairs that have changed so far, so that less is left to do when the next rate book is due."""
        if self._update_pairs(self.tick_store.pop_changed(), now):
            self._pivot_quotes.select_legs(self.pair_quotes.quotes, now)

    def build(self, now: datetime) -> QuotedBook | None:
        """Return the next rate book; None if nothing has changed since the last."""
        changed = self.tick_store.pop_changed()
        is_recheck = self._begin_recheck(now)
        has_new_pair = self._update_pairs(changed | self._next_to_recheck(), now)
        if has_new_pair or is_recheck:
            self._pivot_quotes.select_legs(self.pair_quotes.quotes, now)
        if not (self._has_changed or is_recheck):
            return None
        book = self._assemble(now)
        is_same = not self._has_changed and self.last is not None and _is_same(book, self.last)
        self._has_changed = False
        if is_same:
            return None
        self.version, self.last = book.version, book
        return book

    def _begin_recheck(self, now: datetime) -> bool:
        """Return whether every pair is due to be checked again, and begin with that if so."""
        # The difference is negative if the machine's clock was set back.
        if self._rechecked_at is not None and timedelta() <= now - self._rechecked_at < _RECHECK_EVERY:
            return False
        self._rechecked_at = now
        self._to_recheck = list(self.tick_store.pairs())
        return True

    def _next_to_recheck(self) -> set[Pair]:
        return {self._to_recheck.pop() for _ in range(min(_RECHECKED_AT_ONCE, len(self._to_recheck)))}

    def _update_pairs(self, pairs: Iterable[Pair], now: datetime) -> bool:
        """Agree on these pairs again; return whether one of them is new."""
        has_new_pair = False
        for pair in pairs:
            quote = self.pair_consensus.agree(pair, self.tick_store.by_source(pair), now)
            is_new = pair not in self.pair_quotes.quotes
            if quote is not None and self.pair_quotes.update(quote, now):
                has_new_pair |= is_new
                self._has_changed = True
        return has_new_pair

    def _assemble(self, now: datetime) -> QuotedBook:
        quotes = self._pivot_quotes.build(self.fixings, self.pair_quotes.quotes, now)
        pairs = self.pair_quotes.traded(now)
        return self._assembler.assemble(quotes, self.version + 1, now, pairs, self.listings.pairs)


def _is_same(book: QuotedBook, other: QuotedBook) -> bool:
    """Return whether two rate books differ in version and time only."""
    return (book.quotes, book.pairs, book.listed, book.venue_pairs) == (
        other.quotes,
        other.pairs,
        other.listed,
        other.venue_pairs,
    )
