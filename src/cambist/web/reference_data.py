"""The reference tables as one JSON document for the page: what exists, for how long, and by which law it changed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec
from msgspec.structs import asdict

from cambist.reference.assets import COINS, METALS
from cambist.reference.code_aliases import ALIASES
from cambist.reference.countries import COUNTRIES
from cambist.reference.currency_tables import CURRENCIES, EURO_RATES, PEGS, REDENOMINATIONS, Currency
from cambist.reference.minor_units import MINOR_UNITS, MinorUnit
from cambist.reference.weights import GRADES, PURITIES, UNITS

REFERENCE_PATH = "data/reference.json"
COINS_PATH = "data/coins.json"
Record = dict[str, Any]


def reference_json() -> bytes:
    """Return the document. Days are ISO dates, exact numbers are texts, and what is unknown is null.

    A long table has a list for each of its fields, which compresses better than a list of records. What can be derived
    from the rest is left to `lib/reference.js`: the only life of a currency, its laws, and the events.
    """
    return msgspec.json.encode(
        {
            "currencies": _columns(map(_currency, CURRENCIES.values())),
            "pegs": _columns({**asdict(peg), "factor": exact(peg.factor)} for peg in PEGS),
            "redenominations": _columns({**asdict(each), "factor": exact(each.factor)} for each in REDENOMINATIONS),
            "euro_rates": _columns({**asdict(each), "rate": exact(each.rate)} for each in EURO_RATES.values()),
            "minor_units": [_minor_unit(unit) for unit in MINOR_UNITS.values()],
            "aliases": dict(ALIASES),
            "metals": [*METALS.values()],
            "units": [{"handle": unit.handle, "name": unit.name, "grams": str(unit.grams)} for unit in UNITS.values()],
            "purities": dict(PURITIES),
            "grades": dict(GRADES),
        },
        enc_hook=str,
    )


def coins_json() -> bytes:
    """Return the codes and names of all coins: half of all bytes, and not for every view."""
    return msgspec.json.encode(_columns({"code": coin.symbol, "name": coin.name} for coin in COINS.values()))


def _columns(records: Iterable[Record]) -> dict[str, list[Any]]:
    rows = list(records)
    return {name: [row[name] for row in rows] for name in rows[0]}


def _currency(currency: Currency) -> Record:
    return {
        "code": currency.code,
        "name": currency.name,
        "kind": currency.kind,
        "minor_units": currency.minor_units,
        "first_day": currency.first_day,
        "last_day": currency.last_day,
        "lives": [dataclasses.asdict(life) for life in currency.lives] if len(currency.lives) > 1 else 0,
        "countries": COUNTRIES.get(currency.code, ()),
        "successor": currency.successor,
        "factor": None if currency.factor is None else exact(currency.factor),
    }


def _minor_unit(unit: MinorUnit) -> Record:
    return {"code": unit.code, "name": unit.name, "currency": unit.currency, "units": unit.units}


def exact(value: Fraction) -> str:
    """Write a legal rate with all its digits; as a ratio if it has no end as a decimal."""
    scale = 0
    while scale < 30 and (value * 10**scale).denominator != 1:
        scale += 1
    scaled = value * 10**scale
    if scaled.denominator != 1:
        return str(value)
    digits = str(scaled.numerator).rjust(scale + 1, "0")
    return f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits
