from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.imf import adapter
from cambist.sources.base import Redistribution

RECORDED = Path(__file__).parents[4] / "shared/payloads/imf"
SAMPLES = Path(__file__).parents[2] / "payloads/imf"
TITLE = "Representative Exchange Rates for Selected Currencies for March 2026"
NOTES = "Notes:\n\n(1) which are in terms of U.S. dollars per currency unit, and those indicated by"
HEADER = "Currency\tMarch 02, 2026\tMarch 03, 2026"


def read(*lines: str, header: str = HEADER, title: str = TITLE, notes: str = NOTES) -> list[Fixing]:
    return list(adapter.parse("\n".join((title, header, *lines, "", notes)).encode(), "REP"))


def sample(name: str, subject: str) -> list[Fixing]:
    return list(adapter.parse((SAMPLES / name).read_bytes(), subject))


# What is read


def test_rates_are_units_per_dollar() -> None:
    assert read("Japanese yen\t156.500000\t157.500000") == [
        Fixing("imf", Pair("USD", "JPY"), date(2026, 3, 2), Decimal("156.500000")),
        Fixing("imf", Pair("USD", "JPY"), date(2026, 3, 3), Decimal("157.500000")),
    ]


def test_a_currency_marked_with_a_one_is_quoted_in_dollars_per_unit() -> None:
    first, _ = read("Euro(1)\t1.170000\t1.165000")
    assert (first.pair, str(first.value)) == (Pair("EUR", "USD"), "1.170000")


def test_thousands_have_commas() -> None:
    assert [str(fixing.value) for fixing in read("Korean won\t1,435.500000\t999.250000")] == [
        "1435.500000",
        "999.250000",
    ]


@pytest.mark.parametrize("missing", ["NA", ""])
def test_where_a_bank_reported_nothing_there_is_no_fixing(missing: str) -> None:
    assert [fixing.day.day for fixing in read(f"Thai baht\t{missing}\t31.500000")] == [3]


def test_the_dollar_is_no_fixing_of_itself() -> None:
    fixings = read("U.S. dollar\t1.000000\t1.000000", "Thai baht\t31.250000\t31.500000")
    assert {fixing.pair.quote for fixing in fixings} == {"THB"}


def test_the_month_goes_on_in_a_second_table() -> None:
    days = {fixing.day.day for fixing in sample("rates.tsv", "REP") if fixing.pair.base == "EUR"}
    assert days == {2, 4, 17}


def test_of_the_report_of_sdrs_the_dollars_line_alone_is_read() -> None:
    first, second = sample("sdr.tsv", "SDRCV")
    assert first == Fixing("imf", Pair("USD", "XDR"), date(2026, 3, 2), Decimal("0.7300000000"))
    assert str(second.value) == "0.7325000000"


def test_names_are_read_in_capitals_or_not() -> None:
    assert read("Japanese Yen\t156.500000\tNA") == read("Japanese yen\t156.500000\tNA")


@pytest.mark.parametrize(
    ("day", "code"),
    [
        ("December 31, 2007", "VEB"),
        ("January 02, 2008", "VEF"),
        ("August 19, 2018", "VEF"),
        ("August 20, 2018", "VES"),
    ],
)
def test_the_bolivar_has_the_code_of_its_day(day: str, code: str) -> None:
    (fixing,) = read("Bolivar Fuerte\t4.300000", header=f"Currency\t{day}")
    assert fixing.pair == Pair("USD", code)


# What is refused


def test_a_name_that_no_table_knows_is_refused_and_not_skipped() -> None:
    with pytest.raises(SourceBroken, match="moon dollar"):
        read("Moon dollar\t1.500000\t1.500000")


def test_an_unknown_name_is_refused_even_without_a_rate() -> None:
    with pytest.raises(SourceBroken, match="moon dollar"):
        read("Moon dollar\tNA\tNA", "Thai baht\t31.250000\t31.500000")


def test_another_mark_behind_a_name_is_refused() -> None:
    with pytest.raises(SourceBroken, match="euro"):
        read("Euro(2)\t1.170000\t1.165000")


def test_a_dollar_that_is_not_worth_a_dollar_is_refused() -> None:
    with pytest.raises(SourceBroken, match="dollar"):
        read("U.S. dollar\t0.730000\t0.731000")


@pytest.mark.parametrize("line", ["Thai baht\t31.250000", "Thai baht\t31.25\t31.50\t31.75", "Thai baht"])
def test_a_line_with_fewer_or_more_cells_than_days_is_refused(line: str) -> None:
    with pytest.raises(SourceBroken, match="cells"):
        read(line)


@pytest.mark.parametrize("cell", ["1.435,50", "14,35.00", "0.000000", "-1.5", "N/A", "1 435.5", "n.a."])
def test_an_invalid_rate_is_refused(cell: str) -> None:
    with pytest.raises(SourceBroken, match="USD/KRW on 2026-03-02"):
        read(f"Korean won\t{cell}\t1,435.500000")


@pytest.mark.parametrize(
    "header",
    [
        "Name\tMarch 02, 2026\tMarch 03, 2026",
        "Currency",
        "Currency\tMarch 02, 2026\tApril 03, 2026",
        "Currency\tMarch 02, 2026\tMarch 02, 2026",
        "Currency\tMarch 2, 2026\tMarch 03, 2026",
        "Currency\tMärz 02, 2026\tMarch 03, 2026",
        "Currency\t2026-03-02\t2026-03-03",
        "Currency\tFebruary 30, 2026\tMarch 03, 2026",
    ],
)
def test_another_header_is_refused(header: str) -> None:
    with pytest.raises(SourceBroken):
        read("Thai baht\t31.250000\t31.500000", header=header)


@pytest.mark.parametrize("title", ["", "SDRs per Currency unit for March 2026", TITLE + " Continued", "<html>"])
def test_another_title_is_refused(title: str) -> None:
    with pytest.raises(SourceBroken, match="title"):
        read("Thai baht\t31.250000\t31.500000", title=title)


@pytest.mark.parametrize("notes", ["", "Notes:", NOTES[:-1], NOTES.replace("Notes:", ""), f"{NOTES}\n{NOTES}"])
def test_a_report_without_its_notes_is_refused_as_cut_off(notes: str) -> None:
    with pytest.raises(SourceBroken, match="notes"):
        read("Thai baht\t31.250000\t31.500000", notes=notes)


def test_a_report_without_any_rate_is_refused() -> None:
    with pytest.raises(SourceBroken, match="no rate"):
        read("Thai baht\tNA\tNA")


def test_the_same_currency_twice_under_two_names_is_refused() -> None:
    with pytest.raises(SourceBroken, match="twice"):
        read("Omani rial\t0.384500\t0.384500", "Rial Omani\t0.384500\t0.384500")


def test_a_report_that_was_not_requested_is_refused() -> None:
    with pytest.raises(SourceBroken, match="title"):
        list(adapter.parse((SAMPLES / "rates.tsv").read_bytes(), ""))


# What is asked


def test_both_reports_are_requested_month_by_month() -> None:
    asked = list(adapter.requests(date(2026, 1, 20), date(2026, 2, 3)))
    address = "https://www.imf.org/external/np/fin/data/rms_mth.aspx?SelectDate="
    assert [request.url for request in asked] == [
        f"{address}2026-01-31&reportType=REP&tsvflag=Y",
        f"{address}2026-01-31&reportType=SDRCV&tsvflag=Y",
        f"{address}2026-02-28&reportType=REP&tsvflag=Y",
        f"{address}2026-02-28&reportType=SDRCV&tsvflag=Y",
    ]
    assert [(request.first, request.last) for request in asked[::2]] == [
        (date(2026, 1, 20), date(2026, 1, 31)),
        (date(2026, 2, 1), date(2026, 2, 3)),
    ]
    assert [request.subject for request in asked] == ["REP", "SDRCV"] * 2


def test_nothing_is_requested_before_the_first_day() -> None:
    first, *_ = adapter.requests(date(1970, 1, 1), date(2003, 4, 30))
    assert (first.first, first.last) == (date(2003, 4, 1), date(2003, 4, 30))


def test_it_is_off_because_the_fund_requires_permission() -> None:
    assert not adapter.source.is_on_by_default
    assert adapter.source.redistribution is Redistribution.UNCLEAR


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_month_is_parsed_completely() -> None:
    fixings = list(adapter.parse((RECORDED / "imf_01.tsv").read_bytes(), "REP"))
    assert len(fixings) == 712
    assert len({fixing.day for fixing in fixings}) == 22
    assert fixings[0] == Fixing("imf", Pair("USD", "CNY"), date(2026, 3, 2), Decimal("6.882900"))
    assert Fixing("imf", Pair("AUD", "USD"), date(2026, 3, 31), Decimal("0.684500")) in fixings
    assert Fixing("imf", Pair("USD", "KRW"), date(2026, 3, 31), Decimal("1513.400000")) in fixings


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_sdrs_are_parsed_completely() -> None:
    fixings = list(adapter.parse((RECORDED / "imf_02.tsv").read_bytes(), "SDRCV"))
    assert len(fixings) == 22
    assert fixings[0] == Fixing("imf", Pair("USD", "XDR"), date(2026, 3, 2), Decimal("0.7296240000"))
    assert fixings[-1] == Fixing("imf", Pair("USD", "XDR"), date(2026, 3, 31), Decimal("0.7372510000"))
