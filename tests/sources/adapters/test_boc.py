import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.boc import adapter

RECORDED = Path(__file__).parents[4] / "shared/payloads/boc/boc_01.json"
LABELS = {"FXUSDCAD": "USD/CAD", "FXJPYCAD": "JPY/CAD", "FXRUBCAD": "RUB/CAD"}
DOLLAR = {"FXUSDCAD": {"v": "1.3860"}}


def read(*observations: dict[str, Any], labels: dict[str, str] = LABELS) -> list[Fixing]:
    details = {series: {"label": label, "description": "Made up"} for series, label in labels.items()}
    return list(adapter.parse(json.dumps({"seriesDetail": details, "observations": observations}).encode()))


def day(text: str, **series: Any) -> dict[str, Any]:
    return {"d": text, **DOLLAR, **series}


# What is read


def test_a_rate_is_so_many_canadian_dollars_per_unit_in_the_digits_published() -> None:
    (fixing,) = read(day("2026-03-05"))
    assert fixing == Fixing("boc", Pair("USD", "CAD"), date(2026, 3, 5), Decimal("1.3860"), 1)
    assert str(fixing.value) == "1.3860"


def test_a_currency_that_has_ended_is_named_and_has_no_rate() -> None:
    fixings = read(day("2026-03-04", FXJPYCAD={"v": "0.0091"}), day("2026-03-05"))
    assert [(fixing.pair.base, fixing.day.day) for fixing in fixings] == [("USD", 4), ("JPY", 4), ("USD", 5)]


def test_a_currency_that_is_new_is_read() -> None:
    fixings = read(day("2026-05-04", FXPLNCAD={"v": "0.3790"}), labels={**LABELS, "FXPLNCAD": "PLN/CAD"})
    assert fixings[1].pair == Pair("PLN", "CAD")


def test_a_range_without_a_working_day_is_reported_as_nothing_published() -> None:
    with pytest.raises(NothingPublished, match="days asked"):
        read()


# What is refused


@pytest.mark.parametrize(
    ("series", "label"),
    [
        ("FXUSDCAD", "CAD/USD"),
        ("FXCADUSD", "CAD/USD"),
        ("FXMUSDCAD", "USD/CAD"),
        ("IEXE0101", "USD_NOON"),
        ("FXCADCAD", "CAD/CAD"),
    ],
)
def test_a_series_whose_name_and_label_do_not_agree_is_refused(series: str, label: str) -> None:
    with pytest.raises(SourceBroken):
        read(day("2026-03-05"), labels={**LABELS, series: label})


def test_a_rate_of_a_series_without_a_name_is_refused() -> None:
    with pytest.raises(SourceBroken, match=r"FXPLNCAD.* has a rate, but no name"):
        read(day("2026-05-04", FXPLNCAD={"v": "0.3790"}))


def test_a_day_without_its_dollar_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-03-05 has no rate of the dollar"):
        read({"d": "2026-03-05", "FXJPYCAD": {"v": "0.0091"}})


@pytest.mark.parametrize("value", ["0.0091", {"v": ""}, {"v": None}, {"v": 0.0091}, {"v": "0"}, {"v": "N/A"}, {}, None])
def test_an_invalid_rate_is_refused(value: Any) -> None:
    with pytest.raises(SourceBroken):
        read(day("2026-03-05", FXJPYCAD=value))


@pytest.mark.parametrize("text", [{"v": "2026-03-05"}, "2016-12-30", "05/03/2026", "2026-3-5"])
def test_a_bad_date_is_refused(text: Any) -> None:
    with pytest.raises(SourceBroken, match="date"):
        read(day(text))


def test_a_day_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-03-05 is given twice"):
        read(day("2026-03-05"), day("2026-03-05"))


# What is asked


def test_it_is_requested_all_days_at_once() -> None:
    (asked,) = adapter.requests(date(2015, 1, 1), date(2026, 3, 6))
    assert asked.url == (
        "https://www.bankofcanada.ca/valet/observations/group/FX_RATES_DAILY/json"
        "?start_date=2017-01-03&end_date=2026-03-06"
    )
    assert (asked.first, asked.last, asked.content_types) == (date(2017, 1, 3), date(2026, 3, 6), ("application/json",))
    assert not list(adapter.requests(date(2015, 1, 1), date(2016, 12, 31)))


# What was really sent


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_days_are_parsed_completely() -> None:
    fixings = {(fixing.pair.base, fixing.day): str(fixing.value) for fixing in adapter.parse(RECORDED.read_bytes())}
    assert len(fixings) == 5 * 23
    assert fixings["USD", date(2026, 3, 18)] == "1.3706"
    assert fixings["TRY", date(2026, 3, 18)] == "0.03100"
    assert not {"MYR", "THB", "VND"} & {code for code, _ in fixings}
