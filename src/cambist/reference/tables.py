"""The currencies that exist or existed, and the relations between them that the law fixed.

Read once at import from the CSV files beside this module; a broken row stops the import with a ValueError
that names its file, line and field. Each fact stands in one file only: what a currency turned into is joined
from the redenominations and the euro rates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from fractions import Fraction
from hashlib import blake2b
from importlib import resources
from types import MappingProxyType

from cambist.reference.records import Currency, EuroRate, Kind, Life, Peg, Redenomination
from cambist.reference.rows import Row, read_rows

__all__ = [
    "CURRENCIES",
    "EURO_RATES",
    "PEGS",
    "REDENOMINATIONS",
    "Currency",
    "EuroRate",
    "Kind",
    "Life",
    "Peg",
    "Redenomination",
    "reference_digest",
]

_ONE_DAY = timedelta(days=1)


def _redenominations(text: str) -> tuple[Redenomination, ...]:
    rows = read_rows("redenominations.csv", text, "old,new,factor,first_day,authority")
    return tuple(
        Redenomination(
            old=row.code("old"),
            new=row.code("new"),
            factor=row.factor("factor"),
            first_day=row.day("first_day"),
            authority=row.text("authority"),
        )
        for row in rows
    )


def _euro_rates(text: str) -> Mapping[str, EuroRate]:
    rates: dict[str, EuroRate] = {}
    for row in read_rows("euro_rates.csv", text, "code,rate,fixed_on,authority"):
        rate = EuroRate(
            code=row.code("code"),
            rate=row.factor("rate"),
            fixed_on=row.day("fixed_on"),
            authority=row.text("authority"),
        )
        if rate.code in rates:
            raise row.broken("code", f"{rate.code} stands here twice")
        rates[rate.code] = rate
    return MappingProxyType(dict(sorted(rates.items())))


def _pegs(text: str) -> tuple[Peg, ...]:
    rows = read_rows("pegs.csv", text, "code,anchor,factor,authority,first_day,last_day")
    return tuple(
        Peg(
            code=row.code("code"),
            anchor=row.code("anchor"),
            factor=row.factor("factor"),
            authority=row.text("authority"),
            first_day=row.day("first_day"),
            last_day=row.last_day(),
        )
        for row in rows
    )


def _currencies(text: str, heirs: Mapping[str, tuple[str, Fraction]]) -> Mapping[str, Currency]:
    currencies: dict[str, Currency] = {}
    for row in read_rows("currencies.csv", text, "code,name,minor_units,kind,first_day,last_day"):
        code = row.code("code")
        currencies[code] = _currency(row, currencies.get(code), heirs)
    return MappingProxyType(dict(sorted(currencies.items())))


def _currency(row: Row, before: Currency | None, heirs: Mapping[str, tuple[str, Fraction]]) -> Currency:
    code, life = row.code("code"), Life(row.day("first_day"), row.last_day())
    successor, factor = heirs.get(code, (None, None))
    if before is not None and not (before.last_day and before.last_day + _ONE_DAY < life.first_day):
        raise row.broken("code", f"{code} stands here twice, and no day without it lies between")
    return Currency(
        code=code,
        name=row.text("name"),
        minor_units=row.minor_units("minor_units"),
        kind=row.kind("kind"),
        lives=(*(before.lives if before else ()), life),
        successor=successor,
        factor=factor,
    )


def _heirs(
    redenominations: Iterable[Redenomination], euro_rates: Iterable[EuroRate]
) -> Mapping[str, tuple[str, Fraction]]:
    found: dict[str, list[tuple[str, Fraction]]] = {}
    for change in redenominations:
        if change.old != change.new:
            found.setdefault(change.old, []).append((change.new, change.factor))
    for rate in euro_rates:
        found.setdefault(rate.code, []).append(("EUR", rate.rate))
    # A currency that split (CSK into CZK and SKK) goes on as neither: only the reader knows which is meant.
    return {code: heirs[0] for code, heirs in found.items() if len(heirs) == 1}


def _files() -> Mapping[str, bytes]:
    folder = resources.files(__package__)
    entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
    return {entry.name: entry.read_bytes() for entry in entries if entry.name.endswith(".csv")}


def _digest(files: Mapping[str, bytes]) -> str:
    digest = blake2b(digest_size=8)
    for name, content in files.items():
        # Name and length stand between the files, so that moving a row from one to the next shows.
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


_FILES = _files()
_DIGEST = _digest(_FILES)


def reference_digest() -> str:
    """Sixteen hex digits that change whenever any CSV file of this package changes.

    What is built from the tables keeps the digest beside it and is built anew when the two differ.
    """
    return _DIGEST


REDENOMINATIONS: tuple[Redenomination, ...] = _redenominations(_FILES["redenominations.csv"].decode())
EURO_RATES: Mapping[str, EuroRate] = _euro_rates(_FILES["euro_rates.csv"].decode())
PEGS: tuple[Peg, ...] = _pegs(_FILES["pegs.csv"].decode())
CURRENCIES: Mapping[str, Currency] = _currencies(
    _FILES["currencies.csv"].decode(), _heirs(REDENOMINATIONS, EURO_RATES.values())
)
