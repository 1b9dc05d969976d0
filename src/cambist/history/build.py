"""Building the columnar image from fixings: carry, pivot, peg, convert, list."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from math import isnan, nan

from cambist.history.as_of import Cut, carried
from cambist.history.fixing import Fixing
from cambist.history.image import FIRST_DAY, RateImage
from cambist.market.pair import PIVOT
from cambist.market.parity import Parity, parities_on, stretches
from cambist.market.quote import Made
from cambist.reference.tables import CURRENCIES, REDENOMINATIONS, Currency

Column = list[float]


@dataclass(slots=True)
class Publication:
    """What one source published: its anchor (the currency that all its pairs share) and its fixings.

    Publications are given best first: a cell is taken from the first that has one.
    """

    anchor: str
    fixings: Iterable[Fixing]


@dataclass(slots=True)
class _Draft:
    days: int
    columns: dict[str, Column] = field(default_factory=dict)
    last_row: int = 0


def build(publications: Iterable[Publication], last_day: date, revision: str) -> RateImage:
    """Build the image of all days from 1970 to `last_day`."""
    draft = _Draft(days=(last_day - FIRST_DAY).days + 1)
    draft.columns[PIVOT] = [1.0] * draft.days
    for publication in publications:
        _add(draft, publication)
    _end_and_begin(draft)
    _fix_parities(draft)
    return _image(draft, revision)


def _add(draft: _Draft, publication: Publication) -> None:
    """Carry a source's fixings forward as it published them, then express them against the pivot."""
    rows = _rows(draft, publication)
    per_anchor = {code: carried(rows[code], draft.days, _cuts(code, publication.anchor)) for code in rows}
    per_anchor[publication.anchor] = [1.0] * draft.days
    pivot = per_anchor.get(PIVOT)
    if pivot is None:
        return
    for code, column in per_anchor.items():
        if code in CURRENCIES:
            crossed = [units / one for units, one in zip(column, pivot, strict=True)]
            _fill(draft.columns.setdefault(code, [nan] * draft.days), crossed)


def _rows(draft: _Draft, publication: Publication) -> Mapping[str, dict[int, float]]:
    """Give units of each code per one anchor, by row."""
    rows: dict[str, dict[int, float]] = {}
    for fixing in publication.fixings:
        code = fixing.pair.other(publication.anchor)
        row = (fixing.day - FIRST_DAY).days
        rate = float(fixing.value) / fixing.nominal
        rows.setdefault(code, {})[row] = rate if fixing.pair.base == publication.anchor else 1 / rate
        draft.last_row = max(draft.last_row, row)
    return rows


def _cuts(code: str, anchor: str) -> list[Cut]:
    """Give what happens to units of `code` per one `anchor` where either is cut under its own code."""
    return [
        ((change.first_day - FIRST_DAY).days, float(change.factor if change.old == anchor else 1 / change.factor))
        for change in REDENOMINATIONS
        if change.old == change.new and change.old in (code, anchor)
    ]


def _fill(column: Column, better_than_nothing: Column) -> None:
    for row, cell in enumerate(better_than_nothing):
        if isnan(column[row]):
            column[row] = cell


def _end_and_begin(draft: _Draft) -> None:
    """A currency has no market before its first and after its last day."""
    for code, column in draft.columns.items():
        first, last = _life(CURRENCIES[code], draft.days)
        column[:first] = [nan] * first
        column[last:] = [nan] * (draft.days - last)


def _life(currency: Currency, days: int) -> tuple[int, int]:
    first = max(0, (currency.first_day - FIRST_DAY).days)
    last = days if currency.last_day is None else (currency.last_day - FIRST_DAY).days + 1
    return min(first, days), max(0, min(last, days))


def _fix_parities(draft: _Draft) -> None:
    """Write what is fixed by law: conversions always, pegs where no source publishes the currency."""
    for first, end in stretches(FIRST_DAY, draft.days):
        for parity in parities_on(FIRST_DAY + timedelta(days=first)):
            _fix(draft, parity, first, end)


def _fix(draft: _Draft, parity: Parity, first: int, end: int) -> None:
    anchor = draft.columns.get(parity.anchor)
    if anchor is None:
        return
    column = draft.columns.setdefault(parity.code, [nan] * draft.days)
    factor = float(parity.factor)
    yields = parity.made is Made.PEGGED
    for row in range(first, end):
        if not yields or isnan(column[row]):
            column[row] = anchor[row] * factor


def _image(draft: _Draft, revision: str) -> RateImage:
    codes = tuple(sorted(code for code, column in draft.columns.items() if not all(map(isnan, column))))
    cells = array("d", [nan]) * (draft.days * len(codes))
    for number, code in enumerate(codes):
        cells[number :: len(codes)] = array("d", draft.columns[code])
    eras, era_of_day = _eras(draft, codes)
    return RateImage(
        revision=revision,
        first_day=FIRST_DAY,
        last_fixing=FIRST_DAY + timedelta(days=draft.last_row),
        codes=codes,
        eras=eras,
        era_of_day=era_of_day,
        cells=memoryview(cells),
    )


def _eras(draft: _Draft, codes: tuple[str, ...]) -> tuple[tuple[tuple[int, ...], ...], array[int]]:
    """Number the sets of listed currencies: those that live on the day and have a value."""
    masks = [_mask(draft.columns[code], CURRENCIES[code], draft.days) for code in codes]
    numbers: dict[tuple[int, ...], int] = {}
    era_of_day = array("H", (numbers.setdefault(flags, len(numbers)) for flags in zip(*masks, strict=True)))
    return tuple(tuple(n for n, flag in enumerate(flags) if flag) for flags in numbers), era_of_day


def _mask(column: Column, currency: Currency, days: int) -> bytes:
    first, last = _life(currency, days)
    return bytes(first <= row < last and not isnan(cell) for row, cell in enumerate(column))
