"""Daily quotes: of each code what was published of its newest day, as the quote that the rate book starts from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction

import numpy as np

from cambist.history.archive import PublishedArchive
from cambist.history.as_of import CARRY_DAYS
from cambist.history.code_rates import AGREED, NO_COLUMN, WITHDRAWN_COLUMN, CodeRates
from cambist.history.fixing import ReceivedFixing
from cambist.history.judging import Judging
from cambist.history.published_fixings import fixings_for
from cambist.history.rate_matrix import FIRST_DAY
from cambist.pricing.forward_adjusted import FORWARD
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.parity import Parity, parity_on
from cambist.pricing.quote import Derivation, Origin, Quote, Vote
from cambist.reference.assets import COINS, METALS
from cambist.reference.currency_tables import CURRENCIES
from cambist.sources.base import Source

_COMPILED_WEIGHT = 0.7
_OFF_PEG = 0.03


class DailyQuotes:
    """Makes quotes of what judging found. `sources` are those of fixings, by key."""

    def __init__(self, archive: PublishedArchive, judging: Judging, sources: Mapping[str, Source]) -> None:
        self._archive = archive
        self._judging = judging
        self._sources = sources

    def quotes(self, codes: Iterable[str], now: datetime) -> dict[str, Quote | None]:
        """Return the quotes of codes against the pivot; None for one that has none, or only one by law."""
        return {code: self._quote(code, now) for code in codes}

    def all_quotes(self, now: datetime) -> dict[str, Quote]:
        """Return the quotes of all codes."""
        codes = sorted({code for history in self._judging.histories.values() for code in history.codes})
        return {code: quote for code, quote in self.quotes(codes, now).items() if quote is not None}

    def _quote(self, code: str, now: datetime) -> Quote | None:
        today = now.date()
        rates = self._judging.rates(code) if _is_quoted(code, today) else None
        if rates is None:
            return None
        published = rates.published(self._judging.outcomes.get(code, {}))
        said = np.flatnonzero(published != NO_COLUMN)
        until_today = said[rates.days[said] <= (today - FIRST_DAY).days]
        if not len(said):
            return None
        row = int(until_today[-1]) if len(until_today) else int(said[0])
        if published[row] == WITHDRAWN_COLUMN:
            return None
        column = int(published[row])
        if not self._counts_beside_law(rates, row, column, today):
            return None
        key, day = rates.histories[column].key, _day(int(rates.days[row]))
        return self._published(code, key, day, self._votes(rates, row, column, now))

    def _counts_beside_law(self, rates: CodeRates, row: int, column: int, today: date) -> bool:
        """Return whether a rate is used where a peg fixes one: of an issuer, one that is above it, or a broken peg."""
        parity, history = parity_on(today, rates.code), rates.histories[column]
        if parity is None or parity.made is not Derivation.PEGGED:
            return True
        return history.outranks_pegs or history.issues(rates.code) or self._is_broken(parity, rates, row, column)

    def _is_broken(self, parity: Parity, rates: CodeRates, row: int, column: int) -> bool:
        anchor = 1.0 if parity.anchor == PIVOT else self._units(parity.anchor, int(rates.days[row]))
        units = rates.units[row, column]
        recent = slice(int(np.searchsorted(rates.days, rates.days[row] - CARRY_DAYS)), row + 1)
        near = replace(rates, days=rates.days[recent], units=rates.units[recent])
        is_confirmed = near.confirmed(np.full(len(near.days), column))[-1]
        return bool(is_confirmed and abs(units / (anchor * float(parity.factor)) - 1) > _OFF_PEG)

    def _units(self, code: str, day: int) -> float:
        """Return what was published of a code last, up to a day; NaN if nothing was."""
        rates = self._judging.rates(code)
        if rates is None:
            return float("nan")
        published = rates.published(self._judging.outcomes.get(code, {}))
        said = np.flatnonzero((published >= 0) & (rates.days <= day))
        return float(rates.units[said[-1], published[said[-1]]]) if len(said) else float("nan")

    def _votes(self, rates: CodeRates, row: int, column: int, now: datetime) -> tuple[Vote, ...]:
        """Return what each source said last, within two weeks before the day; older votes weigh less."""
        units, day, votes = rates.units[row, column], int(rates.days[row]), []
        first = int(np.searchsorted(rates.days, day - CARRY_DAYS))
        for place, history in enumerate(rates.histories):
            rows = np.flatnonzero(~np.isnan(rates.units[first : row + 1, place]))
            if not len(rows):
                continue
            own, behind = rates.units[first + rows[-1], place], day - int(rates.days[first + rows[-1]])
            weight = (_COMPILED_WEIGHT if history.compiled else 1.0) * 0.5**behind
            is_near = abs(own / units - 1) <= AGREED
            market_time = min(self._sources[history.key].market_time(_day(day - behind)), now)
            votes.append((place != column, Vote(history.key, float(own), market_time, weight if is_near else 0.0)))
        return tuple(vote for _, vote in sorted(votes, key=lambda each: each[0]))

    def _published(self, code: str, key: str, day: date, votes: tuple[Vote, ...]) -> Quote | None:
        source = self._sources[key]
        own_code = source.anchor if code == source.alias else code
        known = self._archive.published_fixings(key, own_code, day, self._judging.judged.delivery)
        legs = fixings_for(own_code, [each for each in known if each.fixing.day == day])
        if not legs:
            return None
        pair = _pair(legs, code, own_code)
        mid = legs[0].fixing.rate
        if len(legs) > 1:
            own, pivot = legs
            anchor = own.fixing.pair.other(own_code)
            mid = _worth(own, anchor) / _worth(pivot, anchor)
        mids = [vote.mid if pair.base == PIVOT else 1 / vote.mid for vote in votes]
        received_at = max(each.received_at for each in legs)
        return Quote(
            pair=pair,
            bid=mid,
            ask=mid,
            # A rate may be set for a later day, but its market time cannot be after it was received.
            as_of=min(source.market_time(day), *(each.received_at for each in legs)),
            received_at=received_at,
            origin=Origin(
                Derivation.PUBLISHED if len(legs) == 1 else Derivation.CROSSED,
                (key,),
                () if len(legs) == 1 else (legs[1].fixing.pair, legs[0].fixing.pair),
                tuple(Vote(vote.source, mid, vote.as_of, vote.weight) for vote, mid in zip(votes, mids, strict=True)),
            ),
        )


def _pair(legs: list[ReceivedFixing], code: str, own_code: str) -> Pair:
    """Return the pair as it was published, with the alias in place of the anchor; a cross is units per pivot."""
    return legs[0].fixing.pair.renamed(own_code, code) if len(legs) == 1 else Pair(PIVOT, code)


def _worth(known: ReceivedFixing, anchor: str) -> Fraction:
    """Return what one unit of the anchor is in the other currency of a fixing."""
    rate = known.fixing.rate
    return rate if known.fixing.pair.base == anchor else 1 / rate


def _is_quoted(code: str, today: date) -> bool:
    if code in CURRENCIES:
        return CURRENCIES[code].lives_on(today)
    return code.removesuffix(FORWARD) in METALS or code in COINS


def _day(row: int) -> date:
    return date.fromordinal(FIRST_DAY.toordinal() + row)
