"""Writing the answers of the National Bank of Poland's interface, in JSON and XML, with its names and digits.

A rate has at least four decimals. A table without a certain number has no `no`. Names of currencies are those of CLDR.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any
from xml.sax.saxutils import escape

import msgspec

from cambist.api.faces.dialects.bank_rates import written_rate
from cambist.api.faces.dialects.nbp.table_a import TABLE, PublishedTable
from cambist.reference.currency_names import names_in

_DECIMALS = 4
_PROLOG = '<?xml version="1.0" encoding="utf-8"?>'
_SCHEMAS = 'xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
_LAST = "XDR"
"""The special drawing right ends every table; the others are in the order of their names."""


def rates_as_json(code: str, tables: Iterable[PublishedTable]) -> bytes:
    """Write the rates of one currency."""
    rates = [{**_number(table), "effectiveDate": table.day, "mid": _mid(table, code)} for table in tables]
    return msgspec.json.encode({"table": TABLE, "currency": _name(code), "code": code, "rates": rates})


def tables_as_json(tables: Iterable[PublishedTable]) -> bytes:
    """Write whole tables."""
    return msgspec.json.encode([_table(table) for table in tables])


def rates_as_xml(code: str, tables: Iterable[PublishedTable]) -> bytes:
    """Write the rates of one currency."""
    rates = [_element("Rate", *_head(table), _element("Mid", _text(table, code))) for table in tables]
    about = (_element("Table", TABLE), _element("Currency", escape(_name(code))), _element("Code", code))
    return _document("ExchangeRatesSeries", *about, _element("Rates", *rates))


def tables_as_xml(tables: Iterable[PublishedTable]) -> bytes:
    """Write whole tables."""
    return _document("ArrayOfExchangeRatesTable", *(_table_as_xml(table) for table in tables))


def gold_as_json(prices: Mapping[date, str]) -> bytes:
    """Write prices of gold."""
    return msgspec.json.encode([{"data": day, "cena": msgspec.Raw(price)} for day, price in prices.items()])


def gold_as_xml(prices: Mapping[date, str]) -> bytes:
    """Write prices of gold."""
    listed = (
        _element("CenaZlota", _element("Data", str(day)), _element("Cena", price)) for day, price in prices.items()
    )
    return _document("ArrayOfCenaZlota", *listed)


def _table(table: PublishedTable) -> Mapping[str, Any]:
    rates = [{"currency": _name(code), "code": code, "mid": _mid(table, code)} for code in _ordered(table)]
    return {"table": TABLE, **_number(table), "effectiveDate": table.day, "rates": rates}


def _table_as_xml(table: PublishedTable) -> str:
    rates = [
        _element(
            "Rate",
            _element("Currency", escape(_name(code))),
            _element("Code", code),
            _element("Mid", _text(table, code)),
        )
        for code in _ordered(table)
    ]
    return _element("ExchangeRatesTable", _element("Table", TABLE), *_head(table), _element("Rates", *rates))


def _head(table: PublishedTable) -> Sequence[str]:
    number = () if table.number is None else (_element("No", table.number),)
    return (*number, _element("EffectiveDate", str(table.day)))


def _number(table: PublishedTable) -> Mapping[str, str]:
    return {} if table.number is None else {"no": table.number}


def _ordered(table: PublishedTable) -> list[str]:
    return sorted(table.rates, key=lambda code: (code == _LAST, _name(code).casefold()))


def _mid(table: PublishedTable, code: str) -> msgspec.Raw:
    return msgspec.Raw(_text(table, code))


def _text(table: PublishedTable, code: str) -> str:
    return written_rate(table.rates[code], _DECIMALS)


def _name(code: str) -> str:
    return names_in("pl").get(code, code)


def _element(name: str, *content: str) -> str:
    return f"<{name}>{''.join(content)}</{name}>"


def _document(name: str, *content: str) -> bytes:
    return f"{_PROLOG}<{name} {_SCHEMAS}>{''.join(content)}</{name}>".encode()
