"""The reference tables as one JSON document for the page: what exists, for how long, and by which law it changed."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from typing import Any

import msgspec

from cambist.reference.assets import COINS, METALS
from cambist.reference.code_aliases import ALIASES
from cambist.reference.countries import COUNTRIES
from cambist.reference.currency_tables import CURRENCIES, EURO_RATES, PEGS, REDENOMINATIONS, Currency, Peg
from cambist.reference.minor_units import MINOR_UNITS, MinorUnit
from cambist.reference.weights import GRADES, PURITIES, UNITS

REFERENCE_PATH = "data/reference.json"
COINS_PATH = "data/coins.json"
Record = dict[str, Any]


def reference_json() -> bytes:
    """Return the document. Days are ISO dates, exact numbers are texts, and what is unknown is null.

    What can be derived from the rest is left to `lib/reference.js`: the only life of a currency, and the events.
    """
    return msgspec.json.encode(
        {
            "currencies": [_currency(currency) for currency in CURRENCIES.values()],
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
    return msgspec.json.encode([{"code": coin.symbol, "name": coin.name} for coin in COINS.values()])


def _currency(currency: Currency) -> Record:
    code, euro_rate = currency.code, EURO_RATES.get(currency.code)
    changes = [change for change in REDENOMINATIONS if code in (change.old, change.new)]
    return {
        "code": code,
        "name": currency.name,
        "kind": currency.kind,
        "minor_units": currency.minor_units,
        "first_day": currency.first_day,
        "last_day": currency.last_day,
        "lives": [asdict(life) for life in currency.lives] if len(currency.lives) > 1 else [],
        "countries": COUNTRIES.get(code, ()),
        "successor": currency.successor,
        "factor": None if currency.factor is None else exact(currency.factor),
        "pegs": [_peg(peg) for peg in PEGS if peg.code == code],
        "redenominations": [{**msgspec.structs.asdict(change), "factor": exact(change.factor)} for change in changes],
        "euro": euro_rate and {**msgspec.structs.asdict(euro_rate), "rate": exact(euro_rate.rate)},
    }


def _minor_unit(unit: MinorUnit) -> Record:
    return {"code": unit.code, "name": unit.name, "currency": unit.currency, "units": unit.units}


def _peg(peg: Peg) -> Record:
    return {**msgspec.structs.asdict(peg), "factor": exact(peg.factor)}


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
