from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.bdi import adapter

RECORDED = Path(__file__).parents[4] / "shared/payloads/bdi"
HEADER = "Country,Currency,ISO Code,UIC Code,Rate,Rate convention,Reference date (CET)\n"
FOOTER = "\n\n# DISCLAIMER\n# These figures, all of them, were made up.\n"
CONVENTION = "Foreign currency amount for 1 Euro."


def line(code: str, rate: str, day: str = "2026-03-03", convention: str = CONVENTION) -> str:
    return f"A COUNTRY,A Currency,{code},042,{rate},{convention},{day}\n"


def read(*lines: str) -> list[Fixing]:
    return list(adapter.parse((HEADER + "".join(lines) + FOOTER).encode()))


def codes(*lines: str) -> list[str]:
    return [fixing.pair.quote for fixing in read(*lines)]


def dollar(day: str = "2026-03-03") -> str:
    return line("USD", "1.2200", day)


# What is read


def test_a_rate_is_so_much_foreign_currency_per_euro_in_the_digits_published() -> None:
    (fixing,) = read(dollar())
    assert fixing == Fixing("bdi", Pair("EUR", "USD"), date(2026, 3, 3), Decimal("1.2200"), 1)
    assert str(fixing.value) == "1.2200"


def test_na_is_no_rate() -> None:
    assert codes(line("IRR", "N.A."), dollar()) == ["USD"]


def test_a_currency_of_many_countries_is_one_fixing() -> None:
    assert codes(line("XOF", "655.957"), dollar(), line("XOF", "655.957")) == ["XOF", "USD"]


def test_the_lines_of_a_currency_may_differ_in_zeros_only() -> None:
    fixings = read(line("XCD", "3.2"), line("XCD", "3.200"), dollar())
    assert [str(fixing.value) for fixing in fixings] == ["3.2", "1.2200"]


@pytest.mark.parametrize("other", ["655.958", "N.A."])
def test_lines_of_a_currency_that_disagree_are_refused(other: str) -> None:
    with pytest.raises(SourceBroken, match="XOF has two rates on 2026-03-03"):
        read(line("XOF", "655.957"), dollar(), line("XOF", other))


@pytest.mark.parametrize("convention", ["Foreign currency amount for 1 Euro", "Foreign currency amount for 1 Euro "])
def test_the_convention_is_also_written_without_its_stop(convention: str) -> None:
    assert len(read(line("USD", "1.22", convention=convention))) == 1


@pytest.mark.parametrize(
    "convention",
    [
        "Foreign currency amount for 1 Dollar",
        "Dollars amount per 1 units of foreign currency",
        "Liras amount per 1 units of foreign currency",
        "Euro amount per 1 units of foreign currency",
        "Foreign currency amount for 100 Euro.",
        "Quantita' di valuta estera per 1 Euro",
        "",
    ],
)
def test_another_convention_is_refused_and_never_turned_round(convention: str) -> None:
    with pytest.raises(SourceBroken, match="otherwise than per euro"):
        read(dollar(), line("JPY", "181.25", convention=convention))


def test_the_footer_is_not_read() -> None:
    assert len(list(adapter.parse((HEADER + dollar() + "#\n# JPY, 181.25\n\n# a, b, c, d, e, f, g\n").encode()))) == 1


def test_the_afghani_is_the_old_one_until_its_rate_was_changed() -> None:
    assert codes(line("AFN", "5806.4", "2004-03-31"), dollar("2004-03-31")) == ["AFA", "USD"]
    assert codes(line("AFN", "58.52", "2004-04-01"), dollar("2004-04-01")) == ["AFN", "USD"]


@pytest.mark.parametrize(
    ("day", "code"),
    [
        ("2006-07-31", "ZWD"),
        ("2006-08-01", "ZWN"),
        ("2008-07-31", "ZWN"),
        ("2008-08-01", "ZWR"),
        ("2009-02-02", "ZWR"),
        ("2009-02-03", "ZWL"),
        ("2013-05-02", "ZWL"),
    ],
)
def test_zimbabwes_one_label_is_the_dollar_of_the_day(day: str, code: str) -> None:
    assert codes(line("ZWD", "361.9", day), dollar(day)) == [code, "USD"]


def test_a_day_without_lines_says_that_nothing_was_published() -> None:
    with pytest.raises(NothingPublished, match="no rates of that day"):
        read()


# What is refused


def test_a_day_of_nothing_but_missing_rates_is_refused_as_broken() -> None:
    with pytest.raises(SourceBroken, match="dollar") as caught:
        read(line("USD", "N.A."), line("JPY", "N.A."))
    assert not isinstance(caught.value, NothingPublished)


def test_a_file_without_its_disclaimer_was_cut_off() -> None:
    with pytest.raises(SourceBroken, match="disclaimer"):
        list(adapter.parse((HEADER + dollar()).encode()))


def test_a_rate_after_the_disclaimer_is_refused() -> None:
    with pytest.raises(SourceBroken, match="disclaimer"):
        list(adapter.parse((HEADER + dollar() + FOOTER + line("JPY", "181.25")).encode()))


@pytest.mark.parametrize("header", ["", HEADER.replace("Rate,", "Euro,"), HEADER.replace(",", ";"), "﻿" + HEADER])
def test_another_header_is_refused(header: str) -> None:
    with pytest.raises(SourceBroken, match="header"):
        list(adapter.parse((header + dollar() + FOOTER).encode()))


def test_another_number_of_cells_is_refused() -> None:
    with pytest.raises(SourceBroken, match="8 cells"):
        read(line("USD", "1,22"))


def test_a_comma_in_quotes_belongs_to_a_name() -> None:
    assert len(read(dollar().replace("A COUNTRY", '"COUNTRY, A"'))) == 1


@pytest.mark.parametrize("rate", ["0", "0.0000", "-1.2", "n.a.", "", "1.2E3", "1.189,40"])
def test_an_invalid_rate_is_refused(rate: str) -> None:
    with pytest.raises(SourceBroken, match=r"EUR/JPY on 2026-03-03 is no rate"):
        read(dollar(), line("JPY", f'"{rate}"'))


def test_rates_of_two_days_are_refused() -> None:
    with pytest.raises(SourceBroken, match="2 days"):
        read(dollar(), line("JPY", "181.25", "2026-03-02"))


def test_the_euro_against_itself_is_refused() -> None:
    with pytest.raises(SourceBroken, match="EUR on 2026-03-03"):
        read(dollar(), line("EUR", "1"))


# What is asked


def test_it_is_requested_one_working_day_after_the_other() -> None:
    asked = list(adapter.requests(date(2026, 2, 13), date(2026, 2, 17)))
    assert [each.first for each in asked] == [date(2026, 2, 13), date(2026, 2, 16), date(2026, 2, 17)]
    assert all(each.first == each.last for each in asked)
    assert asked[0].url == (
        "https://tassidicambio.bancaditalia.it/terzevalute-wf-web/rest/v1.0/dailyRates"
        "?referenceDate=2026-02-13&currencyIsoCode=EUR&lang=en"
    )
    assert (asked[0].headers, asked[0].content_types) == ((("Accept", "text/csv"),), ("text/csv",))


def test_no_day_before_the_first_is_requested() -> None:
    assert [each.first for each in adapter.requests(date(1990, 1, 1), date(1999, 1, 5))] == [
        date(1999, 1, 4),
        date(1999, 1, 5),
    ]


def test_it_is_used_beside_the_central_banks() -> None:
    assert (adapter.source.key, adapter.source.anchor, adapter.source.compiled) == ("bdi", "EUR", False)


# What was really sent


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
@pytest.mark.parametrize(
    ("name", "day", "afghani", "dirham"),
    [("bdi_01.csv", date(2026, 2, 9), "75.5197", "0.447"), ("bdi_02.csv", date(2026, 2, 10), "75.2664", "0.447")],
)
def test_the_recorded_days_are_parsed_completely(name: str, day: date, afghani: str, dirham: str) -> None:
    fixings = {fixing.pair.quote: fixing for fixing in adapter.parse((RECORDED / name).read_bytes())}
    assert len(fixings) == 150
    assert {fixing.day for fixing in fixings.values()} == {day}
    assert (str(fixings["AFN"].value), str(fixings["BHD"].value)) == (afghani, dirham)
    assert not {"BYN", "IRR", "KPW", "RUB", "EUR"} & set(fixings)
