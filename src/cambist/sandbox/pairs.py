"""Pairs: those that are quoted directly, in addition to everything against the dollar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.trading_hours import Hours, hours_of
from cambist.sandbox.levels import METALS

_CROSSES_OF = {
    "EUR": ("GBP", "JPY", "CHF", "AUD", "NZD", "CAD", "SGD", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "TRY", "ZAR"),
    "GBP": ("JPY", "CHF", "AUD", "NZD", "CAD"),
    "AUD": ("JPY", "NZD", "CAD", "CHF"),
    "NZD": ("JPY", "CAD", "CHF"),
    "CAD": ("JPY", "CHF"),
    "CHF": ("JPY",),
    "SGD": ("JPY",),
}
CROSSES = tuple(Pair(base, quote) for base, quotes in _CROSSES_OF.items() for quote in quotes)
"""The usual currency crosses."""

_METALS_IN = (PIVOT, "EUR", "GBP", "CHF", "AUD", "JPY")
_COINS_IN = ("EUR", "USDT", "BTC")
_LARGE = 150
_BASES = frozenset({"EUR", "GBP", "AUD", "NZD"})


def against_pivot(code: str, *, in_dollars: bool) -> Pair:
    """Return the pair of a code with the dollar, in the usual direction."""
    return Pair(code, PIVOT) if in_dollars or code in _BASES else Pair(PIVOT, code)


def direct_pairs(coins: Sequence[str]) -> Iterator[Pair]:
    """Yield the crosses, the metals, all coins in dollars, and the first 150 coins in EUR, USDT and BTC.

    Precious metals are quoted in six currencies, those of the London Metal Exchange in dollars only.
    """
    yield from CROSSES
    for metal in METALS:
        is_of_lme = hours_of(Pair(metal, PIVOT)) is Hours.LME
        yield from (Pair(metal, currency) for currency in ((PIVOT,) if is_of_lme else _METALS_IN))
    for coin in coins:
        yield Pair(coin, PIVOT)
    for quote in _COINS_IN:
        if quote == "EUR" or quote in coins:
            yield from (Pair(coin, quote) for coin in coins[:_LARGE] if coin != quote)
