"""Books: from the days' fixings and the tape to the next book, recomputing what changed and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cambist.ingest.fixing_quotes import by_code
from cambist.ingest.tick_store import TickStore
from cambist.pricing.consensus import FRESH_FOR, Offer, agree
from cambist.pricing.forward_adjusted import FORWARD, forward_adjusted
from cambist.pricing.freshness import carried
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.pivot_legs import LEGS, direct, through
from cambist.pricing.quote import Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.rate_book_assembly import assemble_rate_book
from cambist.pricing.trading_hours import age_when_traded
from cambist.reference.assets import METALS
from cambist.reference.tables import CURRENCIES

_LOOK_AGAIN = timedelta(seconds=20)
"""How often everything is looked at anew: words age also where nobody says anything."""

_AGAIN_AT_ONCE = 40
"""How many pairs are looked at anew with one edition: all at once would hold up the ticks."""


@dataclass(slots=True)
class RateBookBuilder:
    """Makes books; `version` is that of the last one published."""

    tick_store: TickStore
    version: int = 0
    _offers: dict[str, Mapping[str, Offer]] = field(default_factory=dict)
    _daily: dict[str, Quote] = field(default_factory=dict)
    _pairs: dict[Pair, Quote] = field(default_factory=dict)
    _resumed: set[Pair] = field(default_factory=set)
    _legs: dict[str, tuple[str, Pair]] = field(default_factory=dict)
    _crossed: dict[str, tuple[Quote, Quote, Quote]] = field(default_factory=dict)
    _rounds: list[Pair] = field(default_factory=list)
    _last: RateBook | None = None
    _is_due: bool = True
    _has_news: bool = False
    _looked_at: datetime | None = None

    @property
    def last(self) -> RateBook | None:
        """The book given last; None before the first."""
        return self._last

    def resume(self, book: RateBook) -> None:
        """Go on from a book: what was dealt before is the last word until there is a newer one."""
        self.version, self._pairs, self._resumed = book.version, dict(book.pairs), set(book.pairs)

    def fixed(self, source: str, offers: Mapping[str, Offer], now: datetime) -> None:
        """Take a source's newest fixings in place of those of before."""
        concerned = {*offers, *self._offers.get(source, {})}
        self._offers[source] = offers
        gathered = by_code(dict(each) for each in self._offers.values())
        for code in concerned:
            quote = agree(gathered.get(code, ()), now)
            if quote is None:
                self._daily.pop(code, None)
            else:
                self._daily[code] = quote
                self._expect(quote)
        self._is_due = True

    def prepare(self, now: datetime) -> None:
        """Agree on what has changed so far, so that less is left to do when the next book is due."""
        if self._agree(self.tick_store.changed(), now):
            self._choose_legs(now)

    def edition(self, now: datetime) -> RateBook | None:
        """Give the next book; None where nothing has changed since the last."""
        changed = self.tick_store.changed()
        is_look = self._looked_at is None or not timedelta() <= now - self._looked_at < _LOOK_AGAIN
        if is_look:
            self._looked_at = now
            self._rounds = list(self.tick_store.pairs())
        again = {self._rounds.pop() for _ in range(min(_AGAIN_AT_ONCE, len(self._rounds)))}
        is_new = self._agree(changed | again, now)
        if is_new or is_look:
            self._choose_legs(now)
        if not (self._is_due or self._has_news or is_look):
            return None
        book = self._composed(now)
        has_looked_only = not (self._is_due or self._has_news)
        is_same = has_looked_only and self._last is not None and _says_the_same(book, self._last)
        self._is_due = self._has_news = False
        if is_same:
            return None
        self.version, self._last = book.version, book
        return book

    def _composed(self, now: datetime) -> RateBook:
        pairs = {pair: quote for pair, quote in self._pairs.items() if not pair.base.endswith(FORWARD)}
        return assemble_rate_book(
            self._quotes(now), self.version + 1, now, carried(pairs, now), self.tick_store.listing
        )

    def _agree(self, pairs: Iterable[Pair], now: datetime) -> bool:
        """Agree anew on these pairs; say whether one is among them that was not there before."""
        is_new = False
        for pair in pairs:
            quote, before = self.tick_store.agreed(pair, now), self._pairs.get(pair)
            if quote is None or quote == before or (before and self._stands(before, quote, now)):
                continue
            is_new = is_new or before is None
            self._pairs[pair] = quote
            self._resumed.discard(pair)
            self._has_news = True
        return is_new

    def _stands(self, before: Quote, quote: Quote, now: datetime) -> bool:
        """Say whether a word from before the start still stands: it is newer, or a close on which all were heard."""
        if before.pair not in self._resumed:
            return False
        is_close = not self.tick_store.is_open(before.pair, now) and _is_fresh(before, now)
        return is_close or quote.as_of < before.as_of

    def _choose_legs(self, now: datetime) -> None:
        """Choose for each code the most liquid pair that has been heard of lately, else the most liquid one.

        Money is priced in money alone: what a coin fetches in a currency is another market than the currency's own.
        """
        money = {pair: quote for pair, quote in self._pairs.items() if {pair.base, pair.quote} <= CURRENCIES.keys()}
        fresh, fresh_money = (
            {pair: quote for pair, quote in pairs.items() if _is_fresh(quote, now)} for pairs in (self._pairs, money)
        )
        self._legs = {}
        for code in {code for pair in self._pairs for code in (pair.base, pair.quote)} - {PIVOT}:
            places = (fresh_money, money) if code in CURRENCIES else (fresh, self._pairs)
            found = next(filter(None, (direct(code, pairs) for pairs in places)), None)
            if found is not None:
                self._legs[code] = (found[0], found[1].pair)
        # A leg has to be priced before what is dealt in it.
        rank = {code: place for place, code in enumerate(LEGS)}
        self._legs = dict(sorted(self._legs.items(), key=lambda item: rank.get(item[0], len(rank))))

    def _quotes(self, now: datetime) -> dict[str, Quote]:
        """Give one quote a code, against the pivot: what is dealt where it is fresh, else what was fixed."""
        quotes = {code: quote for code, quote in self._daily.items() if not code.endswith(FORWARD)}
        for code in self._legs:
            quote = self._dealt(code, quotes)
            if quote is None or code.endswith(FORWARD):
                continue
            # A currency falls back on its fixing; anything else on whatever is newer, with its own time.
            fixed = quotes.get(code)
            is_newer = fixed is None or (code not in CURRENCIES and quote.as_of > fixed.as_of)
            if is_newer or _is_fresh(quote, now):
                quotes[code] = quote
        for code in METALS:
            quote = self._moved(code, now)
            if quote is not None:
                quotes[code] = quote
        return quotes

    def _dealt(self, code: str, quotes: Mapping[str, Quote]) -> Quote | None:
        leg, pair = self._legs[code]
        quote = self._pairs[pair]
        if leg == PIVOT:
            return quote
        leg_quote = quotes.get(leg)
        if leg_quote is None:
            return None
        before = self._crossed.get(code)
        # The same legs give the same quote: as one object, so that nobody has to write or read it again.
        if before is None or before[0] is not quote or before[1] is not leg_quote:
            before = self._crossed[code] = (quote, leg_quote, through(code, leg, quote, leg_quote))
        return before[2]

    def _moved(self, code: str, now: datetime) -> Quote | None:
        """Move a base metal's official cash price by its three-month price, where both are known.

        In closed hours the last of it stands; a three-month price that stopped while it should trade moves nothing.
        """
        cash, then = self._daily.get(code), self._daily.get(code + FORWARD)
        forward = self._pairs.get(Pair(code + FORWARD, PIVOT))
        if cash is None or then is None or forward is None:
            return None
        is_later = forward.as_of > cash.as_of == then.as_of
        is_fresh = age_when_traded(forward.pair, forward.as_of, now) <= FRESH_FOR[forward.origin.pace]
        return forward_adjusted(cash, then, forward) if is_later and is_fresh else None

    def _expect(self, quote: Quote) -> None:
        self.tick_store.expect(quote.pair, float(quote.mid))
        self.tick_store.expect(quote.pair.inverse, 1 / float(quote.mid))


def _is_fresh(quote: Quote, now: datetime) -> bool:
    """Say whether a quote is young for its class; in closed hours the last one stands."""
    return age_when_traded(quote.pair, quote.as_of, now) <= FRESH_FOR[quote.origin.pace]


def _says_the_same(book: RateBook, other: RateBook) -> bool:
    return (book.quotes, book.pairs, book.listed, book.listing) == (
        other.quotes,
        other.pairs,
        other.listed,
        other.listing,
    )
