"""Books: from the days' fixings and the tape to the next book, recomputing what changed and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cambist.ingest.daily import by_code
from cambist.ingest.tape import Tape
from cambist.market.book import Book
from cambist.market.compose import compose
from cambist.market.consensus import FRESH_FOR, Offer, agree
from cambist.market.legs import LEGS, direct, through
from cambist.market.moved import FORWARD, moved
from cambist.market.pair import PIVOT, Pair
from cambist.market.quote import Quote
from cambist.market.standing import Pace
from cambist.reference.assets import METALS
from cambist.reference.tables import CURRENCIES

_LOOK_AGAIN = timedelta(seconds=20)
"""How often everything is looked at anew: words age also where nobody says anything."""


@dataclass(slots=True)
class Books:
    """Makes books; `version` is that of the last one published."""

    tape: Tape
    version: int = 0
    _offers: dict[str, Mapping[str, Offer]] = field(default_factory=dict)
    _daily: dict[str, Quote] = field(default_factory=dict)
    _pairs: dict[Pair, Quote] = field(default_factory=dict)
    _legs: dict[str, tuple[str, Pair]] = field(default_factory=dict)
    _crossed: dict[str, tuple[Quote, Quote, Quote]] = field(default_factory=dict)
    _is_due: bool = True
    _looked_at: datetime | None = None

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

    def edition(self, now: datetime) -> Book | None:
        """Give the next book; None where nothing has changed since the last."""
        changed = self.tape.changed()
        if self._looked_at is None or not timedelta() <= now - self._looked_at < _LOOK_AGAIN:
            self._looked_at = now
            changed = self.tape.pairs()
        if not changed and not self._is_due:
            return None
        self._is_due = False
        self._agree(changed, now)
        self.version += 1
        pairs = {pair: quote for pair, quote in self._pairs.items() if FORWARD not in str(pair)}
        return compose(self._quotes(now), self.version, now, pairs)

    def _agree(self, changed: Iterable[Pair], now: datetime) -> None:
        is_new = False
        for pair in changed:
            quote = self.tape.agreed(pair, now)
            if quote is not None:
                is_new = is_new or pair not in self._pairs
                self._pairs[pair] = quote
        if is_new or self._looked_at == now:
            self._choose_legs(now)

    def _choose_legs(self, now: datetime) -> None:
        """Choose for each code the most liquid pair that has been heard of lately, else the most liquid one."""
        fresh = {pair: quote for pair, quote in self._pairs.items() if _is_fresh(quote, now)}
        codes = {code for pair in self._pairs for code in (pair.base, pair.quote)} - {PIVOT}
        for code in codes:
            found = direct(code, fresh) or direct(code, self._pairs)
            if found is not None:
                self._legs[code] = (found[0], found[1].pair)

    def _quotes(self, now: datetime) -> dict[str, Quote]:
        """Give one quote a code, against the pivot: what is dealt where it is fresh, else what was fixed."""
        quotes = {code: quote for code, quote in self._daily.items() if not code.endswith(FORWARD)}
        order = sorted(self._legs, key=lambda code: LEGS.index(code) if code in LEGS else len(LEGS))
        for code in order:
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
        """Move a base metal's official cash price by its three-month price, where both are known."""
        cash, then = self._daily.get(code), self._daily.get(code + FORWARD)
        forward = self._pairs.get(Pair(code + FORWARD, PIVOT))
        if cash is None or then is None or forward is None:
            return None
        is_later = forward.as_of > cash.as_of == then.as_of and now - forward.as_of <= FRESH_FOR[Pace.INTRADAY]
        return moved(cash, then, forward) if is_later else None

    def _expect(self, quote: Quote) -> None:
        self.tape.expect(quote.pair, float(quote.mid))
        self.tape.expect(quote.pair.inverse, 1 / float(quote.mid))


def _is_fresh(quote: Quote, now: datetime) -> bool:
    return now - quote.as_of <= FRESH_FOR[Pace.REALTIME]
