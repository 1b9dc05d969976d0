"""`/crypto/fetch-prices`: the midpoints of pairs that venues quote."""

from __future__ import annotations

from datetime import timedelta

from cambist.api.direct.answer import DirectBody
from cambist.api.direct.book_view import BookView
from cambist.api.direct.cross import shown
from cambist.api.direct.declined import Declined
from cambist.api.direct.legs import CODES, MARGIN, certain_until
from cambist.api.questions.symbol_parameters import MAX_PAIRS
from cambist.api.state.worker_state import WorkerState
from cambist.pricing.crypto_pairs import is_coin_pair
from cambist.pricing.pair import Pair
from cambist.pricing.rate_book import RateBook
from cambist.reference.assets import AssetKind

_MOST_PAIRS = 8192


class CoinPrices:
    """Each price is written once a book: 0.2 µs a pair. A pair that no venue quotes lately is declined."""

    names = ("pairs",)

    def __init__(self, state: WorkerState, _max_age: timedelta) -> None:
        """Read the longest ages of the service when they are needed."""
        self._choices = state.choices

    def answer(self, values: list[bytes], view: BookView, now: float) -> DirectBody:
        """Return the price of each pair."""
        pairs = values[1].split(b",")
        if len(pairs) > MAX_PAIRS or len({*pairs}) < len(pairs):
            raise Declined
        prices, texts = view.memo(CoinPrices), []
        for pair in pairs:
            text, until = prices.get(pair, (b"", 0.0))
            if now >= until:
                if len(prices) >= _MOST_PAIRS:
                    prices.clear()
                text, until = prices[pair] = self._price(view.book, pair, now)
            texts.append(text)
        return b'{"prices":{%b},"ms":' % b",".join(texts), 1, b""

    def _price(self, book: RateBook, name: bytes, now: float) -> tuple[bytes, float]:
        """Return the price of a pair as JSON, and until when it may be used for certain."""
        base, _, quote = name.partition(b"/")
        pair = Pair(CODES[base], CODES[quote])
        price = book.pair_price(pair) if is_coin_pair(pair) else None
        if price is None:
            raise Declined
        until, longest_age = certain_until(price, AssetKind.COIN, self._choices.ages, now), self._choices.longest_age
        if longest_age is not None:
            until = min(until, price.as_of.timestamp() + longest_age.total_seconds() - MARGIN)
        if now >= until:
            raise Declined
        return b'"%b":%b' % (name, shown(price.mid)), until
