"""What people read tables with reads those of the service over HTTP, and finds the rates of the JSON answer."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from tests.programs.conftest import SCRIPTS, Place

QUERY = "from=EUR&to=USD,JPY,KWD&start=1999-01-04&end=1999-12-31"


@pytest.mark.long
def test_every_reader_finds_the_rates_of_json(place: Place) -> None:
    out = place.run(place.python, str(SCRIPTS / "read_tables.py"), "http://127.0.0.1/time-series", QUERY, place.key)
    results = place.ask(f"/time-series?{QUERY}")["results"]
    expected = [(day, "EUR", quote, rate) for quote, rates in results.items() for day, rate in rates.items()]
    assert len(expected) > 700
    for reader, rows in json.loads(out).items():
        assert [(day, base, quote, float(rate)) for day, base, quote, rate in rows] == expected, reader
        if "decimal" in reader or "duckdb" in reader:
            continue
        assert all(Decimal(row[3]) == Decimal(str(rate[3])) for row, rate in zip(rows, expected, strict=True)), reader
