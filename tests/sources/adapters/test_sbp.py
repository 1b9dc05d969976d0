from datetime import date
from pathlib import Path

import pytest
from tests.sources.workbook_files import packed_sheets

from cambist.errors import SourceBroken
from cambist.sources.adapters.sbp import adapter

CELLS = (Path(__file__).parents[2] / "payloads/sbp/rates.sheet.csv").read_text(encoding="utf-8")


def test_a_line_is_a_currency_and_a_column_a_day() -> None:
    found = [(str(each.pair), str(each.value), each.day) for each in adapter.parse(packed_sheets({"Sheet1": CELLS}))]
    assert found[:3] == [
        ("JPY/PKR", "1.780251", date(2026, 3, 4)),
        ("JPY/PKR", "1.779133", date(2026, 3, 5)),
        ("THB/PKR", "8.6102", date(2026, 3, 4)),
    ]
    assert found[-1] == ("USD/PKR", "279.4964285", date(2026, 3, 6))


@pytest.mark.parametrize(
    ("old", "new"),
    [("per Currency Unit", "per 100 Units"), ("Japnese", "Martian"), (",2026-03-06", ',""'), ("Currency,", "Money,")],
)
def test_another_sheet_is_refused(old: str, new: str) -> None:
    with pytest.raises(SourceBroken):
        list(adapter.parse(packed_sheets({"Sheet1": CELLS.replace(old, new)})))


def test_the_archive_is_asked_for_long_ranges_only() -> None:
    def files(first: date) -> list[str]:
        return [each.url.rpartition("/")[2] for each in adapter.requests(first, date(2026, 3, 5))]

    assert files(date(2026, 1, 2)) == ["BFER_Daily.xlsx"]
    assert files(date(2026, 1, 1)) == ["BFER_Daily_Arch.xlsx", "BFER_Daily.xlsx"]
    assert not list(adapter.requests(date(2013, 1, 1), date(2013, 7, 1)))
