"""The reference tables as one JSON document for the page: what exists, for how long, and by which law it changed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from operator import itemgetter
from typing import Any

import msgspec

from cambist.reference.assets import COINS, METALS
from cambist.reference.countries import COUNTRIES
from cambist.reference.tables import CURRENCIES, EURO_RATES, PEGS, REDENOMINATIONS, Currency, Peg
from cambist.reference.weights import GRADES, PURITIES, UNITS

REFERENCE_PATH = "data/reference.json"
Record = dict[str, Any]


def reference_json() -> bytes:
    """Return the document. Days are ISO dates, exact numbers are texts, and what is unknown is null."""
    return msgspec.json.encode(
        {
            "currencies": [_currency(currency) for currency in CURRENCIES.values()],
            "coins": [{"code": coin.symbol, "name": coin.name} for coin in COINS.values()],
            "metals": [*METALS.values()],
            "units": [{"handle": unit.handle, "name": unit.name, "grams": str(unit.grams)} for unit in UNITS.values()],
            "purities": dict(PURITIES),
            "grades": dict(GRADES),
            "events": sorted(_events(), key=itemgetter("day", "code")),
        },
        enc_hook=str,
    )


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
        "lives": [{"first_day": life.first_day, "last_day": life.last_day} for life in currency.lives],
        "countries": COUNTRIES.get(code, ()),
        "successor": currency.successor,
        "factor": None if currency.factor is None else exact(currency.factor),
        "pegs": [_peg(peg) for peg in PEGS if peg.code == code],
        "redenominations": [{**msgspec.structs.asdict(change), "factor": exact(change.factor)} for change in changes],
        "euro": euro_rate and {**msgspec.structs.asdict(euro_rate), "rate": exact(euro_rate.rate)},
    }


def _peg(peg: Peg) -> Record:
    return {**msgspec.structs.asdict(peg), "factor": exact(peg.factor)}


def _events() -> Iterator[Record]:
    """Yield what a chart of a currency marks: each with its day, code, kind, a short text, and the law."""
    for change in REDENOMINATIONS:
        text = f"{exact(change.factor)} {change.old} became 1 {change.new}"
        for code in dict.fromkeys((change.old, change.new)):
            yield _event(change.first_day, code, "redenomination", text, change.authority)
    for peg in PEGS:
        fixed = f"{exact(peg.factor)} {peg.code} for 1 {peg.anchor}"
        yield _event(peg.first_day, peg.code, "peg-begun", f"Peg begun: {fixed}", peg.authority)
        if peg.last_day:
            yield _event(peg.last_day, peg.code, "peg-ended", f"Peg ended: {fixed}", peg.authority)
    for rate in EURO_RATES.values():
        text = f"Euro: {exact(rate.rate)} {rate.code} for 1 EUR"
        yield _event(rate.fixed_on, rate.code, "euro", text, rate.authority)


def _event(day: date, code: str, kind: str, text: str, law: str) -> Record:
    return {"day": day.isoformat(), "code": code, "kind": kind, "text": text, "law": law}


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
