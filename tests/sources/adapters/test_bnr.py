from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.history.fixing import GRAM, Fixing
from cambist.pricing.pair import Pair
from cambist.registry.sources.source_adapters import built_in

adapter = built_in("bnr")
RECORDED = Path(__file__).parents[4] / "shared/payloads/bnr"
SPACE = "https://www.bnr.ro/xsd"


def rate(currency: str = "USD", value: str = "4.4000", rest: str = "") -> str:
    return f'<Rate currency="{currency}"{rest}>{value}</Rate>'


def cube(*rates: str, day: str = "2026-03-05") -> str:
    return f'<Cube date="{day}">{"".join(rates)}</Cube>'


def document(*cubes: str, space: str = SPACE, currency: str = "RON") -> str:
    head = "<Header><MessageType>DR</MessageType></Header>"
    body = f"<Body><Subject>Reference rates</Subject><OrigCurrency>{currency}</OrigCurrency>{''.join(cubes)}</Body>"
    return f'<?xml version="1.0" encoding="utf-8"?>\n<DataSet xmlns="{space}">{head}{body}</DataSet>'


def read(text: str) -> list[Fixing]:
    return list(adapter.parse(text.encode()))


# What is read


def test_a_rate_is_lei_per_unit_in_the_digits_published() -> None:
    (fixing,) = read(document(cube(rate())))
    assert fixing == Fixing("bnr", Pair("USD", "RON"), date(2026, 3, 5), Decimal("4.4000"), 1)
    assert str(fixing.value) == "4.4000"


def test_a_multiplier_is_the_nominal() -> None:
    (fixing,) = read(document(cube(rate("JPY", "2.8102", ' multiplier="100"'))))
    assert (fixing.value, fixing.nominal) == (Decimal("2.8102"), 100)


def test_gold_is_lei_per_gram_and_the_sdr_is_not() -> None:
    gold, sdr = read(document(cube(rate("XAU", "630.1001"), rate("XDR", "6.0102"))))
    assert gold == Fixing("bnr", Pair("XAU", "RON"), date(2026, 3, 5), Decimal("630.1001"), unit=GRAM)
    assert (sdr.pair, sdr.unit) == (Pair("XDR", "RON"), "")


def test_the_files_before_2026_were_in_another_namespace() -> None:
    assert read(document(cube(rate()), space="http://www.bnr.ro/xsd")) == read(document(cube(rate())))


def test_the_old_leu_is_another_currency_and_skipped() -> None:
    old, new = cube(rate(value="29891"), day="2005-06-30"), cube(rate(value="2.9891"), day="2005-07-01")
    assert [(fixing.day, str(fixing.value)) for fixing in read(document(old, new))] == [(date(2005, 7, 1), "2.9891")]


def test_a_fixing_shows_the_market_of_one_in_bucharest() -> None:
    assert adapter.source.market_time(date(2026, 7, 1)) == datetime(2026, 7, 1, 10, tzinfo=UTC)


def test_the_facts_of_the_source_are_right() -> None:
    assert (adapter.source.key, adapter.source.anchor, adapter.source.first_day) == ("bnr", "RON", date(2005, 7, 1))


# What is asked


def test_the_years_of_the_days_are_requested_at_the_new_host() -> None:
    asked = list(adapter.requests(date(2025, 12, 20), date(2026, 1, 3)))
    assert [(request.url, request.first, request.last) for request in asked] == [
        ("https://curs.bnr.ro/files/xml/years/nbrfxrates2025.xml", date(2025, 12, 20), date(2025, 12, 31)),
        ("https://curs.bnr.ro/files/xml/years/nbrfxrates2026.xml", date(2026, 1, 1), date(2026, 1, 3)),
    ]
    assert asked[0].content_types == ("text/xml",)


def test_nothing_is_requested_before_the_new_leu() -> None:
    (request,) = adapter.requests(date(1990, 1, 1), date(2005, 12, 31))
    assert (request.first, request.last) == (date(2005, 7, 1), date(2005, 12, 31))
    assert list(adapter.requests(date(1990, 1, 1), date(2005, 6, 30))) == []


# What is refused


def test_a_document_in_another_namespace_is_refused() -> None:
    with pytest.raises(SourceBroken, match="not a data set"):
        read(document(cube(rate()), space="https://www.example.com/xsd"))


@pytest.mark.parametrize("currency", ["ROL", "EUR", ""])
def test_a_document_in_another_currency_is_refused(currency: str) -> None:
    with pytest.raises(SourceBroken, match="in RON"):
        read(document(cube(rate()), currency=currency))


@pytest.mark.parametrize("cubes", ["", cube(rate(), day="2005-06-30")])
def test_a_document_without_a_day_of_the_leu_is_refused(cubes: str) -> None:
    with pytest.raises(SourceBroken, match="no day"):
        read(document(cubes))


def test_a_day_without_any_rate_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-03-05 has no rate"):
        read(document(cube()))


def test_a_day_or_a_pair_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-03-05 is given twice"):
        read(document(cube(rate()), cube(rate("EUR"))))
    with pytest.raises(SourceBroken, match="USD/RON is given twice"):
        read(document(cube(rate(), rate())))


@pytest.mark.parametrize("multiplier", ["", "0", "-100", "1e2", "ten"])
def test_an_invalid_multiplier_is_refused(multiplier: str) -> None:
    with pytest.raises(SourceBroken, match="units"):
        read(document(cube(rate(rest=f' multiplier="{multiplier}"'))))


@pytest.mark.parametrize("value", ["", "-", "0", "4,4000", " 4.4"])
def test_an_invalid_rate_is_refused(value: str) -> None:
    with pytest.raises(SourceBroken, match="USD/RON on 2026-03-05 is no rate"):
        read(document(cube(rate(value=value))))


def test_something_else_among_the_rates_is_refused() -> None:
    with pytest.raises(SourceBroken, match="Note"):
        read(document(cube(rate(), "<Note/>")))


# What was really sent


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
@pytest.mark.parametrize(
    ("name", "count", "days", "expected"),
    [
        (
            "bnr_01.xml",
            5809,
            157,
            Fixing("bnr", Pair("HUF", "RON"), date(2026, 1, 5), Decimal("1.3247"), 100),
        ),
        (
            "bnr_01.xml",
            5809,
            157,
            Fixing("bnr", Pair("XAU", "RON"), date(2026, 1, 5), Decimal("621.3365"), unit=GRAM),
        ),
        ("exchanger_nbrfxrates.xml", 31, 1, Fixing("bnr", Pair("USD", "RON"), date(2016, 12, 2), Decimal("4.2393"))),
        (
            "exchanger_nbrfxrates2018.xml",
            864,
            27,
            Fixing("bnr", Pair("AED", "RON"), date(2018, 1, 3), Decimal("1.0510")),
        ),
    ],
)
def test_the_recorded_files_are_parsed_completely(name: str, count: int, days: int, expected: Fixing) -> None:
    fixings = list(adapter.parse((RECORDED / name).read_bytes()))
    assert len(fixings) == count
    assert len({fixing.day for fixing in fixings}) == days
    assert expected in fixings
