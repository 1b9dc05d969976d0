from datetime import date
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.sources.adapters.bceao import adapter

TABLE = (Path(__file__).parents[2] / "payloads/bceao/day.html").read_text(encoding="utf-8")


def test_a_rate_is_francs_per_unit_on_the_day_of_the_heading() -> None:
    fixings = list(adapter.parse(TABLE.encode()))
    assert {str(fixing.pair): str(fixing.value) for fixing in fixings} == {
        "USD/XOF": "604.1100",
        "SEK/XOF": "59.8100",
        "KWD/XOF": "1961.4400",
    }
    assert {fixing.day for fixing in fixings} == {date(2026, 3, 5)}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("jeudi 5 mars 2026", "vendredi 5 mars 2026"),
        ("5 mars", "5 march"),
        ("655,9570", "656,9570"),
        ("Dollar us", "Dollar zimbabwéen"),
        ("<th>CFA</th>", "<th>Achat</th>"),
    ],
)
def test_a_day_a_name_or_a_euro_that_is_not_right_is_refused(old: str, new: str) -> None:
    with pytest.raises(SourceBroken):
        list(adapter.parse(TABLE.replace(old, new).encode()))


def test_weekends_are_not_requested() -> None:
    asked = list(adapter.requests(date(2026, 3, 5), date(2026, 3, 9)))
    assert [request.first.day for request in asked] == [5, 6, 9]
