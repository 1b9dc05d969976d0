"""The tables of docs/reference/coverage.md: which sources each currency has, and which currencies have one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from cambist.pricing.parity import parity_on
from cambist.reference.tables import CURRENCIES
from cambist.registry.declared_coverage import DeclaredCoverage, declared_coverage
from cambist.registry.sources import adapters

_UNENDED = date(2200, 1, 1)
"""A day that only currencies and laws without a known end reach, so that the tables do not change with the calendar."""


def found() -> list[DeclaredCoverage]:
    """Return the coverage of all living currencies."""
    return declared_coverage(adapters().values(), _UNENDED)


def coverage_rows() -> Iterator[Sequence[str]]:
    """Yield a row for each living currency: its sources, with the first year of each."""
    for each in found():
        sources = ", ".join(
            f"{source.key} {first:%Y}{'' if source.is_on_by_default else ' (off)'}{'*' if source.compiled else ''}"
            for source, first in each.sources
        )
        yield each.code, CURRENCIES[each.code].name, law(each.code), str(each.independent), sources


def single_rows() -> Iterator[Sequence[str]]:
    """Yield a row for each currency that no law fixes and that has fewer than two independent words."""
    for each in found():
        if each.independent < 2 and not law(each.code):
            on = [source.key for source, _ in each.sources if source.is_on_by_default]
            yield each.code, CURRENCIES[each.code].name, ", ".join(on) or "none"


def law(code: str) -> str:
    """Return the currency that a law fixes the rate to; empty if there is none."""
    parity = parity_on(_UNENDED, code)
    return parity.anchor if parity else ""
