"""Banco Central del Paraguay: the table of days and months."""

from datetime import date
from pathlib import Path

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.sources.adapters.bcp import adapter

PAGE = (Path(__file__).parents[2] / "payloads/bcp/dollar.html").read_text(encoding="utf-8")
EMPTY = PAGE.replace("6.481,02", "ND").replace("6.490,75", "ND").replace("6.502,10", "ND").replace("979,5", "ND")


def test_columns_are_months_and_lines_are_days() -> None:
    read = {fixing.day: (str(fixing.pair), str(fixing.value)) for fixing in adapter.parse(PAGE.encode(), "USD")}
    assert read[date(2026, 3, 5)] == ("USD/PYG", "6502.10")
    assert read[date(2026, 2, 27)] == ("USD/PYG", "979.5")


def test_the_page_of_another_currency_is_refused() -> None:
    with pytest.raises(SourceBroken, match="DOLAR AMERICANO"):
        list(adapter.parse(PAGE.encode(), "EUR"))


def test_a_rate_on_a_day_that_there_is_not_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-02-30"):
        list(
            adapter.parse(
                EMPTY.replace("<th>30</th><td>ND</td><td>ND", "<th>30</th><td>ND</td><td>1,5").encode(), "USD"
            )
        )


def test_a_year_without_rates_is_no_fault() -> None:
    with pytest.raises(NothingPublished):
        list(adapter.parse(EMPTY.encode(), "USD"))


def test_each_currency_is_asked_for_each_year() -> None:
    asked = [request for request in adapter.requests(date(2025, 12, 20), date(2026, 1, 5)) if request.subject == "JPY"]
    assert [request.url[-20:] for request in asked] == ["anho=2025&moneda=JPY", "anho=2026&moneda=JPY"]
    assert [(request.first, request.last) for request in asked] == [
        (date(2025, 12, 20), date(2025, 12, 31)),
        (date(2026, 1, 1), date(2026, 1, 5)),
    ]
