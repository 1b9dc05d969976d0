from datetime import date
from pathlib import Path

import pytest
from tests.sources.workbook_files import packed_sheets

from cambist.errors import SourceBroken
from cambist.ingest.request_tokens import with_token
from cambist.sources.adapters.boa import adapter

YEN = (Path(__file__).parents[2] / "payloads/boa/JPY_-_DZD.sheet.csv").read_text(encoding="utf-8")
EURO = YEN.replace("100 JPY / DZD", " EURO / DZD").replace("JPY", "EUR")


def test_every_sheet_is_a_currency_with_the_units_of_its_title() -> None:
    sheets = packed_sheets({"JPY - DZD": YEN, "EURO - DZD": EURO, "MRO - DZD": 'MRO / DZD,""\n"",MRO / DZD\n'})
    found = [(str(each.pair), str(each.value), each.nominal, each.day) for each in adapter.parse(sheets)]
    assert found == [
        ("JPY/DZD", "84.1023", 100, date(2026, 3, 4)),
        ("JPY/DZD", "84.2561", 100, date(2026, 3, 5)),
        ("JPY/DZD", "84.2011", 100, date(2026, 3, 9)),
        ("EUR/DZD", "84.1023", 1, date(2026, 3, 4)),
        ("EUR/DZD", "84.2561", 1, date(2026, 3, 5)),
        ("EUR/DZD", "84.2011", 1, date(2026, 3, 9)),
    ]


@pytest.mark.parametrize("title", ["1000 JPY / DZD", "USD / DZD", "DZD / JPY", ""])
def test_a_sheet_that_does_not_name_one_currency_is_refused(title: str) -> None:
    with pytest.raises(SourceBroken, match=r"the sheet \[JPY - DZD\] has the titles"):
        list(adapter.parse(packed_sheets({"JPY - DZD": YEN.replace("100 JPY / DZD", title)})))


def test_the_page_has_the_folder_and_the_name_of_the_newest_file() -> None:
    (request,) = adapter.requests(date(2026, 5, 1), date(2026, 5, 2))
    address = "https://www.bank-of-algeria.dz/stoodroa/2026/05/Cotation-DZD-2000-2026-journalier.xlsx"
    assert with_token("boa", request, f'<a href="{address}">'.encode()).url == address
