"""What an export is to contain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from cambist.accounts.names import echo
from cambist.errors import BadParameter, UnknownSymbol
from cambist.pricing.pair import PIVOT
from cambist.reference.assets import AssetKind, kind_of
from cambist.suggestions import did_you_mean

_KINDS = (AssetKind.CURRENCY, AssetKind.METAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportPlan:
    """The period, both days inclusive, the base, the codes (empty for all) and the format of an export.

    `forced` also exports the rates of sources that forbid passing them on.
    """

    since: date
    until: date
    base: str = PIVOT
    codes: tuple[str, ...] = ()
    format: str = "csv"
    forced: bool = False

    def years(self, first_day: date) -> Iterator[tuple[date, date]]:
        """Yield the first and the last day of each year, from `first_day` on if that is later than the plan's."""
        start = max(self.since, first_day)
        for year in range(start.year, self.until.year + 1):
            yield max(start, date(year, 1, 1)), min(self.until, date(year, 12, 31))


def parse_code(text: str, role: str) -> str:
    """Parse the code of a currency or a metal. Errors: UnknownSymbol."""
    code = text.strip().upper()
    if kind_of(code) not in _KINDS:
        raise UnknownSymbol(text.strip(), role)
    return code


def parse_codes(text: str) -> tuple[str, ...]:
    """Parse a comma-separated list of codes into sorted codes, each once. Errors: UnknownSymbol."""
    return tuple(sorted({parse_code(item, "target") for item in text.split(",") if item.strip()}))


def parse_format(text: str, formats: Iterable[str]) -> str:
    """Parse the name of a format. Errors: BadParameter."""
    names = list(formats)
    if text not in names:
        raise BadParameter(f"Unknown --format: [{echo(text)}]; {did_you_mean(text, names)}")
    return text
