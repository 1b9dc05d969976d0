import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters import fed
from cambist.sources.adapters.fred import adapter

RECORDED = Path(__file__).parents[4] / "shared/payloads/fed_h10"
RATE = ("2026-03-05", "153.30")


def answer(*rates: tuple[str, str], **changed: Any) -> bytes:
    observations = [{"date": day, "value": value, "realtime_start": "2026-03-10"} for day, value in rates]
    nominal = {"units": "lin", "count": len(rates), "offset": 0, "limit": 100000, "observations": observations}
    return json.dumps({**nominal, **changed}).encode()


def read(series: str, *rates: tuple[str, str], **changed: Any) -> list[Fixing]:
    return list(adapter.parse(answer(*rates, **changed), series))


# What is read


def test_most_series_are_foreign_units_per_dollar() -> None:
    (fixing,) = read("DEXJPUS", RATE)
    assert fixing == Fixing("fred", Pair("USD", "JPY"), date(2026, 3, 5), Decimal("153.30"), 1)
    assert str(fixing.value) == "153.30"


@pytest.mark.parametrize(
    ("series", "code"), [("DEXUSAL", "AUD"), ("DEXUSEU", "EUR"), ("DEXUSUK", "GBP"), ("DEXUSNZ", "NZD")]
)
def test_four_series_are_dollars_per_foreign_unit(series: str, code: str) -> None:
    assert read(series, ("2026-03-05", "0.7101"))[0].pair == Pair(code, "USD")


def test_a_holiday_has_no_rate() -> None:
    assert [fixing.day for fixing in read("DEXJPUS", ("2026-01-01", "."), RATE)] == [date(2026, 3, 5)]


def test_a_week_that_was_not_published_yet_is_reported_as_nothing_published() -> None:
    for rates in ((), (("2026-01-01", "."),)):
        with pytest.raises(NothingPublished, match="DEXJPUS"):
            read("DEXJPUS", *rates)


@pytest.mark.parametrize(
    ("day", "published", "code", "value"),
    [
        ("2007-12-31", "2.1446", "VEB", "2144.6"),
        ("2008-01-02", "2.1446", "VEF", "2.1446"),
        ("2018-08-17", "248209.9219", "VEF", "248209.9219"),
        ("2018-08-20", "2.4821", "VES", "2.4821"),
        ("2021-10-01", "4133444.25", "VES", "4.13344425"),
        ("2021-10-04", "4.1713", "VES", "4.1713"),
    ],
)
def test_venezuelas_series_is_the_money_of_the_day_in_its_own_scale(
    day: str, published: str, code: str, value: str
) -> None:
    (fixing,) = read("DEXVZUS", (day, published))
    assert (fixing.source, fixing.pair, fixing.value) == ("fred", Pair("USD", code), Decimal(value))


@pytest.mark.parametrize(("day", "published"), [("2007-12-31", "2144.6"), ("2021-10-01", "4.1334")])
def test_venezuelas_series_is_refused_when_it_was_restated(day: str, published: str) -> None:
    with pytest.raises(SourceBroken, match="not in the scale"):
        read("DEXVZUS", (day, published))


# What is refused


@pytest.mark.parametrize("subject", ["", "DTWEXBGS", "DGS10"])
def test_an_answer_about_an_unknown_series_is_refused(subject: str) -> None:
    with pytest.raises(SourceBroken, match="daily rate"):
        read(subject, RATE)


@pytest.mark.parametrize("changed", [{"units": "pch"}, {"count": 2}, {"count": 0}, {"offset": 1}])
def test_an_answer_that_is_not_whole_or_not_as_published_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(SourceBroken, match="not whole or not as published"):
        read("DEXJPUS", RATE, **changed)


def test_the_interfaces_own_error_is_refused() -> None:
    with pytest.raises(SourceBroken, match="units"):
        list(
            adapter.parse(b'{"error_code":400,"error_message":"Bad Request.  The value is not registered."}', "DEXJPUS")
        )


@pytest.mark.parametrize("value", ["", "ND", "0", "-1.1", "1e2", "NaN"])
def test_an_invalid_rate_is_refused(value: str) -> None:
    with pytest.raises(SourceBroken, match="DEXJPUS on 2026-03-05 is no rate"):
        read("DEXJPUS", ("2026-03-05", value))


def test_a_day_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-03-05 is given twice"):
        read("DEXJPUS", RATE, RATE)


# What is asked


def test_it_is_requested_one_series_after_the_other_with_the_operators_key() -> None:
    asked = list(adapter.requests(date(2026, 3, 2), date(2026, 3, 6)))
    assert asked[0].url == (
        "https://api.stlouisfed.org/fred/series/observations?series_id=DEXUSAL&api_key={key}&file_type=json"
        "&observation_start=2026-03-02&observation_end=2026-03-06"
    )
    assert (asked[0].first, asked[0].last, asked[0].content_types) == (
        date(2026, 3, 2),
        date(2026, 3, 6),
        ("application/json",),
    )
    assert not list(adapter.requests(date(1960, 1, 1), date(1970, 12, 31)))


def test_it_asks_for_the_series_that_are_read_without_a_key() -> None:
    days = (date(2026, 3, 2), date(2026, 3, 6))
    assert [each.subject for each in adapter.requests(*days)] == [each.subject for each in fed.adapter.requests(*days)]


def test_it_reads_every_series_as_the_adapter_without_a_key() -> None:
    for request in adapter.requests(date(2026, 3, 2), date(2026, 3, 6)):
        (mine,) = read(request.subject, RATE)
        (other,) = fed.adapter.parse(f"DATE,{request.subject}\n{','.join(RATE)}\n".encode())
        assert (mine.pair, mine.day, mine.value) == (other.pair, other.day, other.value)


def test_it_is_off_until_there_is_a_key() -> None:
    assert not adapter.source.is_on_by_default
    assert adapter.source.disabled_reason == "needs a key of one's own (setting fred_key)"
    assert (adapter.source.key, adapter.source.setting) == ("fred", "fred_key")


# What was really sent


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
@pytest.mark.parametrize(
    ("name", "series", "last"),
    [("fred_01", "DEXBZUS", "5.2914"), ("fred_07", "DEXJPUS", "159.54"), ("fred_11", "DEXNOUS", "9.7425")],
)
def test_the_recorded_answers_are_parsed_completely(name: str, series: str, last: str) -> None:
    fixings = list(adapter.parse((RECORDED / f"{name}.json").read_bytes(), series))
    assert len(fixings) == 10
    assert (fixings[-1].day, str(fixings[-1].value)) == (date(2026, 3, 13), last)


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_every_recorded_answer_is_read() -> None:
    files = sorted(RECORDED.glob("fred_*.json"))
    assert [len(list(adapter.parse(path.read_bytes(), "DEXJPUS"))) for path in files] == [10] * 11
