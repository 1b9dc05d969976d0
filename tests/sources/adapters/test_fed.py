from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.fed import adapter

RECORDED = Path(__file__).parents[4] / "shared/history/fred_daily"
recorded = pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")


def read(series: str, *lines: str, header: str = "observation_date", subject: str = "") -> list[Fixing]:
    text = f"{header},{series}\n" + "".join(f"{line}\n" for line in lines)
    return list(adapter.parse(text.encode(), subject))


def real(name: str) -> list[Fixing]:
    return list(adapter.parse((RECORDED / f"fred_{name}_usd.csv").read_bytes()))


# What is read


def test_most_series_are_foreign_units_per_dollar() -> None:
    (fixing,) = read("DEXJPUS", "2026-03-05,153.30")
    assert fixing == Fixing("fed", Pair("USD", "JPY"), date(2026, 3, 5), Decimal("153.30"), 1)
    assert str(fixing.value) == "153.30"


@pytest.mark.parametrize(
    ("series", "code"), [("DEXUSAL", "AUD"), ("DEXUSEU", "EUR"), ("DEXUSUK", "GBP"), ("DEXUSNZ", "NZD")]
)
def test_four_series_are_dollars_per_foreign_unit(series: str, code: str) -> None:
    assert read(series, "2026-03-05,0.7101")[0].pair == Pair(code, "USD")


@pytest.mark.parametrize(("header", "missing"), [("observation_date", ""), ("DATE", "."), ("observation_date", ".")])
def test_a_holiday_has_no_rate_in_the_new_and_in_the_old_form(header: str, missing: str) -> None:
    fixings = read("DEXCAUS", f"2026-01-01,{missing}", "2026-01-02,1.3700", header=header)
    assert [fixing.day for fixing in fixings] == [date(2026, 1, 2)]


def test_a_week_that_was_not_published_yet_is_reported_as_nothing_published() -> None:
    with pytest.raises(NothingPublished, match="DEXCAUS"):
        read("DEXCAUS")
    with pytest.raises(NothingPublished, match="DEXCAUS"):
        read("DEXCAUS", "2026-01-01,")


def test_a_fixing_shows_new_yorks_noon() -> None:
    assert adapter.source.market_time(date(2026, 7, 1)) == datetime(2026, 7, 1, 16, tzinfo=UTC)


# Venezuela


@pytest.mark.parametrize(
    ("line", "code", "value"),
    [
        ("2000-01-03,0.6498", "VEB", "649.8"),
        ("2007-12-31,2.1446", "VEB", "2144.6"),
        ("2008-01-02,2.1446", "VEF", "2.1446"),
        ("2018-08-17,248209.9219", "VEF", "248209.9219"),
        ("2018-08-20,2.4821", "VES", "2.4821"),
        ("2021-09-30,4171327.3820", "VES", "4171327.3820"),
        ("2021-10-01,4133444.25", "VES", "4.13344425"),
        ("2021-10-04,4.1713", "VES", "4.1713"),
    ],
)
def test_venezuelas_series_is_the_money_of_the_day_in_its_own_scale(line: str, code: str, value: str) -> None:
    (fixing,) = read("DEXVZUS", line)
    assert (fixing.pair, fixing.value) == (Pair("USD", code), Decimal(value))


@pytest.mark.parametrize("line", ["2007-12-31,2144.6", "2021-10-01,4.1334"])
def test_venezuelas_series_is_refused_when_it_was_restated(line: str) -> None:
    with pytest.raises(SourceBroken, match="not in the scale"):
        read("DEXVZUS", line)


# What is refused


def test_another_series_than_the_requested_one_is_refused() -> None:
    assert read("DEXJPUS", "2026-03-05,153.30", subject="DEXJPUS")
    with pytest.raises(SourceBroken, match="DEXJPUS"):
        read("DEXJPUS", "2026-03-05,153.30", subject="DEXCAUS")


@pytest.mark.parametrize("series", ["DTWEXBGS", "EXJPUS", "DEXJPUS,DEXCAUS", ""])
def test_a_series_that_is_no_daily_rate_is_refused(series: str) -> None:
    with pytest.raises(SourceBroken, match="series"):
        read(series, "2026-03-05,153.30")


def test_another_header_is_refused() -> None:
    with pytest.raises(SourceBroken, match="header"):
        read("DEXJPUS", "2026-03-05,153.30", header="date")


@pytest.mark.parametrize("line", ["2026-03-05", "2026-03-05,1,2", ""])
def test_another_number_of_cells_is_refused(line: str) -> None:
    with pytest.raises(SourceBroken, match="cells"):
        read("DEXJPUS", line)


@pytest.mark.parametrize("cell", ["ND", "N/A", "#N/A", "0", "-1.1", " ", "1e2"])
def test_an_invalid_rate_is_refused(cell: str) -> None:
    with pytest.raises(SourceBroken, match="DEXJPUS on 2026-03-05 is no rate"):
        read("DEXJPUS", f"2026-03-05,{cell}")


def test_a_day_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-03-05 is given twice"):
        read("DEXJPUS", "2026-03-05,153.30", "2026-03-05,")


# What is asked


def test_it_is_requested_one_series_after_the_other() -> None:
    asked = list(adapter.requests(date(2026, 3, 2), date(2026, 3, 6)))
    assert len(asked) == 23
    assert asked[0].url == "https://fred.stlouisfed.org/graph/fredgraph.csv?id=DEXUSAL&cosd=2026-03-02&coed=2026-03-06"
    assert (asked[0].subject, asked[0].first, asked[0].last) == ("DEXUSAL", date(2026, 3, 2), date(2026, 3, 6))
    assert len({each.subject for each in asked}) == 23


def test_no_day_before_the_first_is_requested() -> None:
    assert next(adapter.requests(date(1960, 1, 1), date(1971, 1, 5))).first == date(1971, 1, 4)
    assert not list(adapter.requests(date(1960, 1, 1), date(1970, 12, 31)))


# What was really sent


@recorded
@pytest.mark.parametrize(
    ("name", "count", "pair", "first", "last"),
    [
        ("jpy", 13785, Pair("USD", "JPY"), "357.73", "156.80"),
        ("gbp", 13791, Pair("GBP", "USD"), "2.3938", "1.3447"),
        ("eur", 6770, Pair("EUR", "USD"), "1.1812", "1.1736"),
        ("zar", 11534, Pair("USD", "ZAR"), "0.8271", "16.5496"),
    ],
)
def test_the_recorded_series_are_parsed_completely(name: str, count: int, pair: Pair, first: str, last: str) -> None:
    fixings = real(name)
    assert len(fixings) == count
    assert {fixing.pair for fixing in fixings} == {pair}
    assert (str(fixings[0].value), str(fixings[-1].value)) == (first, last)


@recorded
def test_every_recorded_currency_is_one_that_is_known() -> None:
    files = list(RECORDED.glob("fred_*_usd.csv"))
    assert len(files) == 23
    for path in files:
        assert path.name[5:8].upper() in {"VEF", next(adapter.parse(path.read_bytes())).pair.other("USD")}


@recorded
def test_no_break_is_left_in_the_recorded_series_of_venezuela() -> None:
    """What is left are the devaluations of 2010 to 2018, but no scale: a cut of 1000 or more within a code."""
    fixings = real("vef")
    codes = [fixing.pair.quote for fixing in fixings]
    assert (codes.count("VEB"), codes.count("VEF")) == (codes.index("VEF"), codes.index("VES") - codes.index("VEF"))
    by_day = {fixing.day: fixing.value for fixing in fixings}
    assert by_day[date(2021, 10, 1)] == Decimal("4.13344425")
    assert by_day[date(2007, 12, 31)] / by_day[date(2008, 1, 2)] == 1000
