from datetime import date
from pathlib import Path

import pytest
from tests.sources.workbook_files import packed_sheets

from cambist.errors import SourceBroken
from cambist.sources.adapters.nrbt import adapter

CELLS = (Path(__file__).parents[2] / "payloads/nrbt/2025_to_2026.sheet.csv").read_text(encoding="utf-8")


def test_the_middle_rates_are_read_and_neither_holidays_nor_the_banks_address() -> None:
    sheets = packed_sheets({"2025 to 2026": CELLS})
    assert [(str(each.pair), str(each.value), each.day) for each in adapter.parse(sheets)] == [
        ("TOP/JPY", "65.3902", date(2026, 3, 4)),
        ("TOP/USD", "0.4159", date(2026, 3, 4)),
        ("TOP/WST", "1.1102", date(2026, 3, 4)),
        ("TOP/JPY", "65.45", date(2026, 3, 5)),
        ("TOP/USD", "0.4162", date(2026, 3, 5)),
        ("TOP/WST", "1.1113", date(2026, 3, 5)),
    ]


def test_all_sheets_are_read() -> None:
    sheets = packed_sheets({"2025 to 2026": CELLS, "2023 to 2024": CELLS.replace("2026-", "2024-")})
    assert {each.day.year for each in adapter.parse(sheets)} == {2024, 2026}


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("Notes", "", ""),
        ("2023 to 2024", "", ""),
        ("2025 to 2026", "RATES MID", "RATES"),
        ("2025 to 2026", "2026-03-05", "2027-03-05"),
    ],
)
def test_another_sheet_or_a_day_of_another_year_is_refused(name: str, old: str, new: str) -> None:
    with pytest.raises(SourceBroken, match="sheet"):
        list(adapter.parse(packed_sheets({name: CELLS.replace(old, new) if old else CELLS})))
