"""Rates that a source gives more than once for the same day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cambist.errors import shorten
from cambist.sources.declaration.raw_rate import RawRate
from cambist.sources.parsing import PayloadReader


def merge_repeats(rows: Iterable[RawRate], reader: PayloadReader) -> Iterator[RawRate]:
    """Yield every row once, in the order of the answer. Rows that contradict each other are left out.

    Errors: CellBroken for each contradiction, which `parse_tolerantly` reports.
    """
    found: dict[tuple[str | None, str | None, str], dict[RawRate, None]] = {}
    for row in rows:
        found.setdefault((row.day, row.code, row.rate_type), {})[row] = None
    for (day, code, _), several in found.items():
        with reader.cell:
            if len(several) > 1:
                what = " ".join(filter(None, (code, day)))
                rates = " and ".join(row.rate for row in several)
                raise reader.cell_broken(f"[{shorten(what)}] is given several times, as {shorten(rates)}")
            yield from several
