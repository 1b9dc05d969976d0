"""What is easily got wrong about some declared central banks, each on an answer in the source's format."""

from datetime import date
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.history.fixing import GRAM, Fixing
from cambist.registry.sources.source_adapters import built_in
from cambist.sources.base import FixingAdapter

PAYLOADS = Path(__file__).parents[1] / "payloads"


def adapter(key: str) -> FixingAdapter:
    found = built_in(key)
    assert isinstance(found, FixingAdapter)
    return found


def read(key: str, name: str) -> dict[str, Fixing]:
    """Return the fixings of a sample by pair."""
    return {str(fixing.pair): fixing for fixing in adapter(key).parse((PAYLOADS / key / name).read_bytes())}


@pytest.mark.parametrize(
    ("key", "name", "pair", "value", "nominal"),
    [
        ("amcm", "days.json", "JPY/MOP", "5.1207", 100),
        ("banguat", "range.xml", "USD/GTQ", "7.66301", 1),
        ("cba", "range.xml", "JPY/AMD", "23.911", 10),
        ("cbu", "day.json", "IDR/UZS", "7.22", 10),
        ("dnb", "table.csv", "JPY/DKK", "4.1525", 100),
        ("lb", "day.xml", "IDR/LTL", "2.1700", 10_000),
        ("nbkr", "weekly.xml", "JPY/KGS", "5.5108", 10),
        ("nbm", "day.xml", "HUF/MDL", "5.2107", 100),
        ("sbi", "group.xml", "JPY/ISK", "0.771000", 1),
    ],
)
def test_direction_and_nominal_are_the_sources(key: str, name: str, pair: str, value: str, nominal: int) -> None:
    fixing = read(key, name)[pair]
    assert (str(fixing.value), fixing.nominal) == (value, nominal)


@pytest.mark.parametrize(
    ("key", "name", "left_out"),
    [
        ("amcm", "days.json", "LIQ"),
        ("cbu", "day.json", "IRR"),
        ("nbkr", "weekly.xml", "BYR"),
    ],
)
def test_what_is_no_rate_of_a_currency_is_left_out(key: str, name: str, left_out: str) -> None:
    assert not any(left_out in pair for pair in read(key, name))


@pytest.mark.parametrize(
    ("key", "name", "pair"), [("cba", "range.xml", "XAU/AMD"), ("nbm_metals", "day.xml", "XAG/MDL")]
)
def test_metals_by_the_gram_are_not_taken_for_ounces(key: str, name: str, pair: str) -> None:
    assert read(key, name)[pair].unit == GRAM


def test_a_series_of_iceland_is_named_by_its_block_and_buying_rates_are_left_out() -> None:
    fixings = list(adapter("sbi").parse((PAYLOADS / "sbi/group.xml").read_bytes()))
    assert [(str(each.pair), str(each.value)) for each in fixings if each.day == date(2026, 3, 4)] == [
        ("USD/ISK", "120.420000"),
        ("JPY/ISK", "0.771000"),
    ]


def test_the_days_of_the_answers_of_uzbekistan_are_those_on_which_the_rates_hold() -> None:
    assert read("cbu", "day.json")["EUR/UZS"].day == date(2026, 3, 4)


def test_the_range_of_days_is_in_the_bodies_of_posts() -> None:
    for key, days in [
        ("banguat", [b"<fechainit>02/03/2026<", b"<fechafin>05/03/2026<"]),
        ("cba", [b"<DateFrom>2026-03-02<", b"<DateTo>2026-03-05<"]),
        ("dnb", [b'">=2026M03D02<=2026M03D05"']),
    ]:
        (request,) = adapter(key).requests(date(2026, 3, 2), date(2026, 3, 5))
        assert all(each in request.body for each in days)


def test_a_source_that_has_ended_is_asked_for_no_later_day_and_believed_none() -> None:
    litas = adapter("lb")
    assert [each.first for each in litas.requests(date(2014, 12, 30), date(2015, 1, 9))] == [
        date(2014, 12, 30),
        date(2014, 12, 31),
    ]
    assert not list(litas.requests(date(2026, 11, 1), date(2026, 11, 20)))
    later = (PAYLOADS / "lb/day.xml").read_bytes().replace(b"2014-03-05", b"2015-01-02")
    with pytest.raises(SourceBroken, match="after the last day of the source, 2014-12-31"):
        list(litas.parse(later))


def test_a_rate_the_other_way_round_is_refused() -> None:
    other_way = (PAYLOADS / "lb/day.xml").read_bytes().replace(b"LTL", b"EUR").replace(b"USD", b"LTL")
    with pytest.raises(SourceBroken, match="is the anchor"):
        list(adapter("lb").parse(other_way))
