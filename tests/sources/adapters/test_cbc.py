"""Taiwan's rates: columns without names, of which three are the other way round."""

from datetime import date
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.sources.adapters.cbc import adapter

ALL = Path(__file__).parents[2] / "payloads/cbc/all.json"
RECORDED = Path(__file__).parents[4] / "shared/payloads/cbc/cbc_01.json"


def read(content: bytes) -> dict[tuple[str, date], str]:
    return {(str(fixing.pair), fixing.day): str(fixing.value) for fixing in adapter.parse(content)}


def test_pound_australian_dollar_and_euro_are_in_dollars_and_the_rest_for_dollars() -> None:
    fixings = read(ALL.read_bytes())
    day = date(2026, 3, 4)
    assert fixings["USD/TWD", day] == "31.802"
    assert fixings["USD/VND", day] == "26110.0"
    assert (fixings["GBP/USD", day], fixings["AUD/USD", day], fixings["EUR/USD", day]) == ("1.3401", "0.7041", "1.1662")
    assert fixings["USD/DEM", date(1993, 2, 2)] == "1.6402"


def test_the_swap_rates_of_the_yuan_before_1994_are_left_out() -> None:
    assert [day for pair, day in read(ALL.read_bytes()) if pair == "USD/CNY"] == [date(2026, 3, 4), date(2026, 3, 5)]


def test_a_row_with_another_number_of_columns_and_another_table_are_refused() -> None:
    content = ALL.read_bytes()
    with pytest.raises(SourceBroken, match="2026-03-04 has 17 columns instead of 18"):
        read(content.replace(b'"31.802",', b""))
    with pytest.raises(SourceBroken, match="not the table of daily rates"):
        read(content.replace(b'"BP01"', b'"BP02"'))


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded answer is not beside the project")
def test_the_recorded_days_are_read() -> None:
    text = RECORDED.read_text(encoding="utf-8")
    # The recording was cut at 400,000 bytes; the row in which that was is left away.
    fixings = read((text[: text.rindex("],[")] + "]]}}").encode())
    days = {day for _, day in fixings}
    assert (min(days), max(days)) == (date(1993, 1, 5), date(2002, 12, 9))
    bounds = {"USD/TWD": (24, 36), "USD/JPY": (79, 150), "EUR/USD": (0.8, 1.2), "USD/CNY": (8.2, 8.8)}
    for pair, (lowest, highest) in bounds.items():
        assert all(lowest < float(value) < highest for (each, _), value in fixings.items() if each == pair)
