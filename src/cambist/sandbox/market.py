"""The simulated market: the same prices for the same seed, at any moment from 1970 to 2100, in any process.

It quotes floating currencies, metals and coins. Currencies fixed by law (pegs, conversions) and the pivot itself are
not quoted; the rate book derives them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from functools import cached_property
from math import exp
from typing import Protocol

import numpy as np

from cambist.errors import NoRate, UnknownSymbol
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Quote
from cambist.pricing.trading_hours import Hours, TradingMoment, hours_of, last_trading_moment
from cambist.reference.currency_tables import CURRENCIES
from cambist.sandbox.decimals import Floats
from cambist.sandbox.fixing_days import fixing_rows, fixing_seconds
from cambist.sandbox.levels import METALS
from cambist.sandbox.pairs import against_pivot, direct_pairs
from cambist.sandbox.pegs import floating_on
from cambist.sandbox.price_paths import PricePaths
from cambist.sandbox.quote_board import Listing, QuoteBoard, QuoteColumns
from cambist.sandbox.quoting import quoted, spread_of


class Market(Protocol):
    """The simulated market, with or without faults."""

    @property
    def known(self) -> frozenset[str]:
        """All codes that are quoted at some time."""

    def codes(self, day: date) -> tuple[str, ...]:
        """Return the codes that are quoted on a day."""

    def pairs(self) -> tuple[Pair, ...]:
        """Return the pairs that are quoted directly."""

    def quote(self, code: str, moment: datetime) -> Quote:
        """Quote a code against the dollar. Errors: UnknownSymbol, NoRate."""

    def pair_quote(self, pair: Pair, moment: datetime) -> Quote:
        """Quote a direct pair. Errors: NoRate."""

    def quotes(self, day: date, moment: datetime, received_at: datetime) -> QuoteColumns:
        """Quote at a moment everything that is quoted on a day: its codes, then its direct pairs.

        Each quote is the one that `quote` or `pair_quote` returns, received at another moment.
        """

    def daily(self, code: str, first_day: date, days: int) -> Floats:
        """Return the units for a dollar at each day's fixing; NaN if there is none. Errors: UnknownSymbol."""


class SimulatedMarket:
    """The market of one seed.

    `coins` are symbols, the largest coin first. A symbol that is also the code of a currency or metal is left out.
    """

    def __init__(self, seed: int, coins: Iterable[str] = ()) -> None:
        taken = {*CURRENCIES, *METALS}
        self._coins = tuple(dict.fromkeys(coin for coin in coins if coin not in taken))
        self._paths = PricePaths(seed, self._coins)
        self._hours = {code: hours_of(Pair(code, PIVOT)) for code in (*CURRENCIES, *METALS, *self._coins)}
        self._spreads = {code: spread_of(code, self._paths.level(code).volatility_class) for code in self._hours}
        self._against_pivot = {
            code: against_pivot(code, in_dollars=hours is not Hours.CURRENCIES) for code, hours in self._hours.items()
        }
        self._board: tuple[date, QuoteBoard] | None = None

    @cached_property
    def known(self) -> frozenset[str]:
        """All codes that are quoted at some time, and those that are always fixed by law."""
        return frozenset(self._hours) - {PIVOT}

    def codes(self, day: date) -> tuple[str, ...]:
        """Return the codes that are quoted on a day: floating currencies, sorted, then metals, then coins."""
        return (*sorted(floating_on(day)), *METALS, *self._coins)

    def pairs(self) -> tuple[Pair, ...]:
        """Return the pairs that are quoted directly: currency crosses, metals, coins."""
        return tuple(self._direct)

    @cached_property
    def _direct(self) -> dict[Pair, Hours]:
        return {pair: hours_of(pair) for pair in direct_pairs(self._coins)}

    def quote(self, code: str, moment: datetime) -> Quote:
        """Quote a code against the dollar, in the usual direction.

        While the market is closed it is the last quote before. Errors: UnknownSymbol; NoRate if not quoted that day.
        """
        self._check_known(code)
        self._check_floats(code, moment)
        return self._quote(self._against_pivot[code], moment, self._hours[code], self._spreads[code])

    def pair_quote(self, pair: Pair, moment: datetime) -> Quote:
        """Quote a direct pair: the cross of its two prices, with the wider of their spreads.

        It is traded while its base is; when that market is closed, both prices are of the moment at which it closed.
        Errors: NoRate for a pair that is not quoted directly, or with a side that is not quoted that day.
        """
        hours = self._direct.get(pair)
        if hours is None:
            raise NoRate(f"The sandbox does not quote [{pair}] directly")
        for side in (pair.base, pair.quote):
            self._check_floats(side, moment)
        return self._quote(pair, moment, hours, self._spread(pair))

    def quotes(self, day: date, moment: datetime, received_at: datetime) -> QuoteColumns:
        """Quote at a moment everything that is quoted on a day: its codes, then its direct pairs."""
        if self._board is None or self._board[0] != day:
            self._board = day, QuoteBoard(tuple(self._listings(day)), self._paths, self._hours)
        return self._board[1].at(moment, received_at)

    def _listings(self, day: date) -> Iterator[Listing]:
        codes = self.codes(day)
        for code in codes:
            yield Listing(code, self._against_pivot[code], self._hours[code], self._spreads[code])
        quoted_codes = {*codes, PIVOT}
        for pair, hours in self._direct.items():
            if pair.base in quoted_codes and pair.quote in quoted_codes:
                yield Listing(pair, pair, hours, self._spread(pair))

    def _spread(self, pair: Pair) -> float:
        return max(self._spreads[side] for side in (pair.base, pair.quote) if side != PIVOT)

    def _quote(self, pair: Pair, moment: datetime, hours: Hours, spread: float) -> Quote:
        traded = last_trading_moment(hours, moment)
        price = exp(self._height(pair.quote, traded) - self._height(pair.base, traded))
        return quoted(pair, price, spread, traded.as_of, moment.astimezone(UTC))

    def _height(self, code: str, traded: TradingMoment) -> float:
        if code == PIVOT:
            return 0.0
        return self._paths.path(code).at(last_trading_moment(self._hours[code], traded.as_of).seconds)

    def _check_floats(self, code: str, moment: datetime) -> None:
        if code in CURRENCIES and code != PIVOT and code not in floating_on(moment.astimezone(UTC).date()):
            raise NoRate(f"The sandbox does not quote [{code}] on {moment.astimezone(UTC).date()}")

    def daily(self, code: str, first_day: date, days: int) -> Floats:
        """Return the units for a dollar at 14:15 UTC of each of `days` days.

        A day is NaN at weekends (not for coins), when the exchange of a base metal is closed, outside a currency's
        life, and while the currency is fixed by law. A redenomination under the same code is a jump by its factor.
        Errors: UnknownSymbol.
        """
        self._check_known(code)
        fixed = np.full(days, np.nan)
        rows = fixing_rows(code, self._hours[code], first_day, days)
        fixed[rows] = np.exp(self._paths.path(code).over(fixing_seconds(first_day, rows)))
        return fixed

    def _check_known(self, code: str) -> None:
        if code not in self.known:
            raise UnknownSymbol(f"The sandbox does not know [{code}]")
