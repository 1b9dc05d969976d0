"""Faults: what can go wrong with sources, simulated on purpose in the sandbox.

```toml
stale = ["EUR", "BTC"]           # or "all": their quotes stand still …
since = 2026-11-20T10:00:00Z     # … at this moment's
missing = [2026-11-19]           # days without fixings
slow = 2.5                       # seconds by which all quotes lag
[outlier]
XAU = 1.5                        # its price times this
```
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from math import isfinite
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct

from cambist.errors import SettingRefused, shorten
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Quote
from cambist.reference.currency_tables import CURRENCIES
from cambist.sandbox.decimals import Floats
from cambist.sandbox.market import Market
from cambist.sandbox.pegs import floating_on
from cambist.sandbox.quote_board import QuoteColumns
from cambist.sandbox.quoting import scaled
from cambist.suggestions import near_names
from cambist.validation import explain_validation_error

_LONGEST = 86_400


class Faults(Struct, frozen=True, forbid_unknown_fields=True):
    """The faults to simulate; by default none."""

    stale: Literal["all"] | tuple[str, ...] = ()
    since: Annotated[datetime, Meta(tz=True)] | None = None
    missing: frozenset[date] = frozenset()
    outlier: dict[str, float] = {}
    slow: Annotated[float, Meta(ge=0, le=_LONGEST)] = 0.0


def read_faults(text: str, where: str, codes: Collection[str]) -> Faults:
    """Parse faults from TOML. `where` is the name of the file in errors, `codes` are the codes that may be named.

    Errors: SettingRefused, with `where` and the field.
    """
    try:
        faults = msgspec.toml.decode(text, type=Faults)
    except msgspec.ValidationError as error:
        field, reason = explain_validation_error(error)
        raise SettingRefused(f"The faults file [{where}] is refused: {_in_field(field)}{reason}") from error
    except (ValueError, RecursionError) as error:
        raise SettingRefused(f"The faults file [{where}] is no TOML: {error}") from error
    if problem := _find_problem(faults, codes):
        field, reason = problem
        raise SettingRefused(f"The faults file [{where}] is refused: {_in_field(field)}{reason}")
    return faults


def _in_field(field: str) -> str:
    return f"[{field}] " if field else ""


def _find_problem(faults: Faults, codes: Collection[str]) -> tuple[str, str] | None:
    if faults.stale and faults.since is None:
        return "since", "is missing: [stale] quotes stand still at that moment"
    named = {"outlier": tuple(faults.outlier), "stale": () if faults.stale == "all" else faults.stale}
    for field, used in named.items():
        for code in used:
            if code not in codes:
                near = near_names(code, codes, edits=1)
                hint = f"; did you mean [{near[0]}]?" if near else ""
                return field, f"names an unknown code [{shorten(code)}]{hint}"
    for code, factor in faults.outlier.items():
        if not (factor > 0 and isfinite(factor)):
            return f"outlier.{code}", f"takes a factor above 0, not [{factor}]"
    return None


def with_faults(market: Market, faults: Faults) -> Market:
    """Return the market with these faults."""
    return _FaultyMarket(market, faults)


@dataclass(frozen=True)
class _FaultyMarket:
    market: Market
    faults: Faults

    @property
    def known(self) -> frozenset[str]:
        return self.market.known

    def codes(self, day: date) -> tuple[str, ...]:
        return self.market.codes(day)

    def pairs(self) -> tuple[Pair, ...]:
        return self.market.pairs()

    def quote(self, code: str, moment: datetime) -> Quote:
        normal = self.market.quote(code, moment)
        quoted_at = self._quoted_at((code,), moment)
        return self._distorted(normal if quoted_at == moment else self.market.quote(code, quoted_at), moment)

    def pair_quote(self, pair: Pair, moment: datetime) -> Quote:
        normal = self.market.pair_quote(pair, moment)
        quoted_at = self._quoted_at((pair.base, pair.quote), moment)
        return self._distorted(normal if quoted_at == moment else self.market.pair_quote(pair, quoted_at), moment)

    def quotes(self, day: date, moment: datetime, received_at: datetime) -> QuoteColumns:
        quoted_at = moment - timedelta(seconds=self.faults.slow)
        if self.faults.stale == "all" and self.faults.since is not None:
            quoted_at = min(quoted_at, self.faults.since)
        columns = self.market.quotes(day, quoted_at, received_at)
        alone = self._quoted_alone(day, quoted_at)
        if not alone:
            return columns
        rows = [row for row, listing in enumerate(columns.listings) if alone & {listing.pair.base, listing.pair.quote}]
        return columns.replace(rows, [self._quote(columns.listings[row].name, moment) for row in rows])

    def _quoted_alone(self, day: date, quoted_at: datetime) -> frozenset[str]:
        """Return the codes that are not quoted with all others: stale, distorted, or without a quote at that moment."""
        stale = () if self.faults.stale == "all" else self.faults.stale
        too_young = floating_on(day) - floating_on(quoted_at.astimezone(UTC).date())
        return too_young | {*stale, *self.faults.outlier}

    def _quote(self, name: str | Pair, moment: datetime) -> Quote:
        return self.quote(name, moment) if isinstance(name, str) else self.pair_quote(name, moment)

    def daily(self, code: str, first_day: date, days: int) -> Floats:
        fixed = self.market.daily(code, first_day, days)
        rows = [(day - first_day).days for day in self.faults.missing]
        fixed[[row for row in rows if 0 <= row < days]] = np.nan
        return fixed

    def _quoted_at(self, codes: tuple[str, ...], moment: datetime) -> datetime:
        """Return the moment whose quote is used; `moment` itself if there was no quote at the earlier one."""
        quoted_at = moment - timedelta(seconds=self.faults.slow)
        stale = self.faults.stale == "all" or any(code in self.faults.stale for code in codes)
        if stale and self.faults.since is not None:
            quoted_at = min(quoted_at, self.faults.since)
        return quoted_at if all(_is_quoted(code, quoted_at) for code in codes) else moment

    def _distorted(self, quote: Quote, moment: datetime) -> Quote:
        base, other = (self.faults.outlier.get(code, 1.0) for code in (quote.pair.base, quote.pair.quote))
        return scaled(quote, base / other, moment.astimezone(UTC))


def _is_quoted(code: str, moment: datetime) -> bool:
    return code == PIVOT or code not in CURRENCIES or code in floating_on(moment.astimezone(UTC).date())
