"""The simulated market: the same prices for the same seed, at any moment from 1970 to 2100, in any process.

It quotes floating currencies, metals and coins. What law ties (pegs, conversions) is left to the law. The pivot itself
is not quoted.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime
from functools import cached_property
from math import exp
from typing import Protocol

import numpy as np

from cambist.errors import NoRate, UnknownSymbol
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Quote
from cambist.pricing.trading_hours import Hours, TradingMoment, hours_of, last_trading_moment
from cambist.reference.tables import CURRENCIES
from cambist.sandbox.fixing_days import fixing_rows, fixing_seconds
from cambist.sandbox.levels import METALS
from cambist.sandbox.noise import Floats
from cambist.sandbox.pairs import against_pivot, direct_pairs
from cambist.sandbox.pegs import floating_on
from cambist.sandbox.price_paths import PricePaths
from cambist.sandbox.quoting import quoted, spread_of


class Market(Protocol):
    """What quotes like the simulated market: it, and it with faults."""

    @property
    def known(self) -> frozenset[str]:
        """All codes that are quoted at some time."""

    def codes(self, day: date) -> tuple[str, ...]:
        """Give what is quoted on a day."""

    def pairs(self) -> tuple[Pair, ...]:
        """Give the pairs that are quoted directly."""

    def quote(self, code: str, moment: datetime) -> Quote:
        """Quote a code against the dollar. Errors: UnknownSymbol, NoRate."""

    def pair_quote(self, pair: Pair, moment: datetime) -> Quote:
        """Quote a direct pair. Errors: NoRate."""

    def daily(self, code: str, first_day: date, days: int) -> Floats:
        """Give units a dollar at each day's fixing, NaN where there is none. Errors: UnknownSymbol."""


class SimulatedMarket:
    """The market of one seed.

    `coins` are symbols, the largest first; one that is a currency's or a metal's code as well is left out, for a code
    is one thing here.
    """

    def __init__(self, seed: int, coins: Iterable[str] = ()) -> None:
        taken = {*CURRENCIES, *METALS}
        self._coins = tuple(dict.fromkeys(coin for coin in coins if coin not in taken))
        self._courses = PricePaths(seed, self._coins)
        self._hours = {code: hours_of(Pair(code, PIVOT)) for code in (*CURRENCIES, *METALS, *self._coins)}
        self._spreads = {code: spread_of(code, self._courses.level(code).volatility_class) for code in self._hours}
        self._against_pivot = {
            code: against_pivot(code, in_dollars=hours is not Hours.CURRENCIES) for code, hours in self._hours.items()
        }

    @cached_property
    def known(self) -> frozenset[str]:
        """All codes that are quoted at some time, and those that law always ties."""
        return frozenset(self._hours) - {PIVOT}

    def codes(self, day: date) -> tuple[str, ...]:
        """Give what is quoted on a day: the floating currencies of that day by code, the metals, the coins."""
        return (*sorted(floating_on(day)), *METALS, *self._coins)

    def pairs(self) -> tuple[Pair, ...]:
        """Give the pairs that are quoted directly: currency crosses, metals, coins."""
        return tuple(self._direct)

    @cached_property
    def _direct(self) -> dict[Pair, Hours]:
        return {pair: hours_of(pair) for pair in direct_pairs(self._coins)}

    def quote(self, code: str, moment: datetime) -> Quote:
        """Quote a code against the dollar, the way round that dealers write it.

        In closed hours it is the last quote before them. Errors: UnknownSymbol; NoRate where it is not quoted that day.
        """
        self._check_known(code)
        self._check_floats(code, moment)
        return self._quote(self._against_pivot[code], moment, self._hours[code], self._spreads[code])

    def pair_quote(self, pair: Pair, moment: datetime) -> Quote:
        """Quote a direct pair: the cross of its two prices, with the wider of their spreads.

        It trades while its base does; in closed hours both prices are those of the base's last moment of trade.
        Errors: NoRate for a pair that is not direct, or whose side is not quoted that day.
        """
        hours = self._direct.get(pair)
        if hours is None:
            raise NoRate(f"The sandbox does not quote [{pair}] directly")
        for side in (pair.base, pair.quote):
            self._check_floats(side, moment)
        spread = max(self._spreads[side] for side in (pair.base, pair.quote) if side != PIVOT)
        return self._quote(pair, moment, hours, spread)

    def _quote(self, pair: Pair, moment: datetime, hours: Hours, spread: float) -> Quote:
        traded = last_trading_moment(hours, moment)
        price = exp(self._height(pair.quote, traded) - self._height(pair.base, traded))
        return quoted(pair, price, spread, traded.as_of, moment.astimezone(UTC))

    def _height(self, code: str, traded: TradingMoment) -> float:
        if code == PIVOT:
            return 0.0
        return self._courses.of(code).at(last_trading_moment(self._hours[code], traded.as_of).seconds)

    def _check_floats(self, code: str, moment: datetime) -> None:
        if code in CURRENCIES and code != PIVOT and code not in floating_on(moment.astimezone(UTC).date()):
            raise NoRate(f"The sandbox does not quote [{code}] on {moment.astimezone(UTC).date()}")

    def daily(self, code: str, first_day: date, days: int) -> Floats:
        """Give units a dollar at 14:15 UTC of each of `days` days.

        NaN on weekends (not for coins), for a base metal where the exchange is closed, outside a currency's life and
        while law ties it. A cut of the unit under the same code shows as what it is, a jump by its factor.
        Errors: UnknownSymbol.
        """
        self._check_known(code)
        fixed = np.full(days, np.nan)
        rows = fixing_rows(code, self._hours[code], first_day, days)
        fixed[rows] = np.exp(self._courses.of(code).over(fixing_seconds(first_day, rows)))
        return fixed

    def _check_known(self, code: str) -> None:
        if code not in self.known:
            raise UnknownSymbol(f"The sandbox does not know [{code}]")
