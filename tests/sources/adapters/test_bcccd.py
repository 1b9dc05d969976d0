import json
from datetime import date

import pytest

from cambist.errors import SourceBroken
from cambist.history.fixing import Fixing
from cambist.sources.adapters.bcccd import adapter


def row(day: str, average: float, unit: int = 1) -> dict[str, object]:
    return {"date": day, "buy": 1, "average": average, "sell": 3, "unit": unit}


def read(*histories: dict[str, object]) -> list[Fixing]:
    document = ["$", "div", None, {f"part{number}": {"history": each} for number, each in enumerate(histories)}]
    return list(adapter.parse(f'1:I[1,"x"]\n0:{json.dumps(document)}\n'.encode()))


def test_the_average_is_francs_per_unit() -> None:
    (fixing,) = read({"USD": [row("2026-03-05", 2301.57)]})
    assert (str(fixing.pair), str(fixing.value), fixing.day) == ("USD/CDF", "2301.57", date(2026, 3, 5))
    assert read({"JPY": [row("2026-03-05", 1453.5, 100)]})[0].nominal == 100


def test_the_later_of_two_rates_of_a_day_counts() -> None:
    (fixing,) = read({"USD": [row("2026-03-05", 2301.57), row("2026-03-05", 2303.25)]})
    assert str(fixing.value) == "2303.25"


def test_days_of_the_weekly_history_and_coarse_rates_are_left_out() -> None:
    days = [row("2025-08-22", 2899.5), row("2025-09-01", 2870.25)]
    assert [fixing.day for fixing in read({"USD": days, "BIF": [row("2026-03-05", 0.77)]})] == [date(2025, 9, 1)]


def test_the_same_history_twice_is_read_once_and_two_that_differ_are_refused() -> None:
    one, other = {"USD": [row("2026-03-05", 2301.57)]}, {"USD": [row("2026-03-05", 2302.57)]}
    assert len(read(one, one)) == 1
    with pytest.raises(SourceBroken, match="two that differ"):
        read(one, other)


def test_the_page_is_requested_once() -> None:
    (asked,) = adapter.requests(date(2025, 1, 1), date(2026, 3, 5))
    assert (asked.first, asked.headers) == (date(2025, 9, 1), (("RSC", "1"),))
