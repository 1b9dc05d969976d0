import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.registry.sources.source_adapters import built_in

adapter = built_in("bcb")
RECORDED = Path(__file__).parents[4] / "shared/payloads/bcb"
CONTEXT = "https://example.org/odata$metadata#_CotacaoMoedaPeriodo"
DAY = date(2026, 3, 5)


def source_reports(moment: str = "2026-03-05 13:04:29.746", selling: str = "6.30180", kind: str = "Fechamento") -> str:
    return (
        f'{{"paridadeCompra":1.1,"paridadeVenda":1.2,"cotacaoCompra":6.1,"cotacaoVenda":{selling},'
        f'"dataHoraCotacao":"{moment}","tipoBoletim":"{kind}"}}'
    )


def read(*bulletins: str, subject: str = "EUR", context: str = CONTEXT) -> list[Fixing]:
    text = f'{{"@odata.context":{json.dumps(context)},"value":[{",".join(bulletins)}]}}'
    return list(adapter.parse(text.encode(), subject))


# What is read


def test_a_fixing_is_the_selling_rate_in_reais_with_its_digits() -> None:
    (fixing,) = read(source_reports())
    assert fixing == Fixing("bcb", Pair("EUR", "BRL"), DAY, Decimal("6.30180"), published_at=fixing.published_at)
    assert str(fixing.value) == "6.30180"


def test_the_publication_time_is_in_brasilia_time() -> None:
    (fixing,) = read(source_reports(moment="2026-03-05 13:04:17.123"))
    assert fixing.published_at == datetime(2026, 3, 5, 16, 4, 17, tzinfo=UTC)


def test_the_currency_is_the_one_that_was_requested() -> None:
    assert read(source_reports(), subject="JPY")[0].pair == Pair("JPY", "BRL")


@pytest.mark.parametrize("fraction", ["0", "63", "433", "1234567"])
def test_the_fraction_of_the_second_may_have_any_length(fraction: str) -> None:
    assert read(source_reports(f"2026-03-05 13:04:29.{fraction}"))[0].day == DAY


def test_the_real_at_this_rate_alone_has_a_code_of_its_own() -> None:
    assert (adapter.source.anchor, adapter.source.alias) == ("BRL", "BRX")


def test_days_without_a_bulletin_are_no_fault() -> None:
    with pytest.raises(NothingPublished, match="BCB: there is no bulletin"):
        read()


def test_a_fixing_shows_the_market_of_ten_past_one_in_brasilia() -> None:
    assert adapter.source.market_time(DAY) == datetime(2026, 3, 5, 16, 10, tzinfo=UTC)


# What is asked


def test_each_currency_is_requested_by_itself() -> None:
    asked = list(adapter.requests(date(2026, 3, 1), date(2026, 3, 7)))
    codes = ["AUD", "CAD", "CHF", "DKK", "EUR", "GBP", "JPY", "NOK", "SEK", "USD"]
    assert [request.subject for request in asked] == codes
    assert {(request.first, request.last) for request in asked} == {(date(2026, 3, 1), date(2026, 3, 7))}
    assert asked[4].url == (
        "https://olinda.bcb.gov.br/olinda/servico/PTAX/versao/v1/odata/CotacaoMoedaPeriodo(moeda=@moeda,"
        "dataInicial=@dataInicial,dataFinalCotacao=@dataFinalCotacao)?$filter=tipoBoletim%20eq%20%27Fechamento%27"
        "&$format=json&@dataFinalCotacao=%2703-07-2026%27&@dataInicial=%2703-01-2026%27&@moeda=%27EUR%27"
    )


def test_years_are_requested_one_after_the_other() -> None:
    asked = list(adapter.requests(date(1999, 1, 4), date(2000, 2, 1)))
    assert len(asked) == 20
    assert (asked[0].first, asked[0].last) == (date(1999, 1, 4), date(1999, 12, 31))
    assert (asked[-1].first, asked[-1].last) == (date(2000, 1, 1), date(2000, 2, 1))


def test_before_1999_the_series_of_the_dollar_is_requested_a_year_at_a_time() -> None:
    asked = list(adapter.requests(date(1980, 1, 1), date(1999, 1, 3)))
    assert len(asked) == 16
    assert asked[0].url == (
        "https://api.bcb.gov.br/dados/serie/bcdata.sgs.1/dados?formato=json&dataInicial=28/11/1984&dataFinal=31/12/1984"
    )
    assert {(request.subject, request.no_data_statuses) for request in asked} == {("SGS 1", frozenset({404}))}
    assert (asked[-1].first, asked[-1].last) == (date(1999, 1, 1), date(1999, 1, 3))
    assert list(adapter.requests(date(1980, 1, 1), date(1984, 11, 27))) == []


# The series of the dollar


def series(*values: tuple[str, str]) -> list[Fixing]:
    rows = [{"data": day, "valor": value} for day, value in values]
    return list(adapter.parse(json.dumps(rows).encode(), "SGS 1"))


@pytest.mark.parametrize(
    ("day", "value", "money"),
    [
        ("28/11/1984", "2828.0000", "BRB"),
        ("27/02/1986", "13840.0000", "BRB"),
        ("03/03/1986", "13.8400", "BRC"),
        ("13/01/1989", "827.0000", "BRC"),
        ("16/01/1989", "1.0000", "BRN"),
        ("16/03/1990", "42.4000", "BRE"),
        ("02/08/1993", "72.2000", "BRR"),
        ("30/06/1994", "2750.0000", "BRR"),
        ("01/07/1994", "1.0000", "BRL"),
    ],
)
def test_a_value_of_the_series_is_in_the_money_of_its_day(day: str, value: str, money: str) -> None:
    (fixing,) = series((day, value))
    on = datetime.strptime(day, "%d/%m/%Y").replace(tzinfo=UTC).date()
    assert fixing == Fixing("bcb", Pair("USD", money), on, Decimal(value))
    assert str(fixing.value) == value


def test_a_day_of_the_series_may_be_there_once() -> None:
    with pytest.raises(SourceBroken, match="USD/BRB on 1984-11-28 is given twice"):
        series(("28/11/1984", "2828.0000"), ("28/11/1984", "2828.0000"))


@pytest.mark.parametrize(
    ("day", "value"),
    [("27/11/1984", "2828.0000"), ("1984-11-28", "2828.0000"), ("28/11/1984", "0"), ("28/11/1984", "2.828,0000")],
)
def test_another_day_or_value_of_the_series_is_refused(day: str, value: str) -> None:
    with pytest.raises(SourceBroken, match=r"^BCB: "):
        series((day, value))


def test_a_bulletin_in_place_of_the_series_is_refused() -> None:
    with pytest.raises(SourceBroken, match="has another structure"):
        read(source_reports(), subject="SGS 1")


# What is refused


@pytest.mark.parametrize("kind", ["Abertura", "Intermediário", "Fechamento Interbancário", ""])
def test_another_bulletin_than_the_closing_one_is_refused(kind: str) -> None:
    with pytest.raises(SourceBroken, match="no closing one"):
        read(source_reports(), source_reports("2026-03-06 10:04:29.7", kind=kind))


@pytest.mark.parametrize("moment", ["2026-03-05", "2026-03-05T13:04:29.746", "05/03/2026 13:04:29.7", ""])
def test_a_moment_in_another_form_is_refused(moment: str) -> None:
    with pytest.raises(SourceBroken, match="no moment"):
        read(source_reports(moment))


def test_a_bulletin_before_the_first_day_is_refused() -> None:
    with pytest.raises(SourceBroken, match="not a date since 1999"):
        read(source_reports("1998-12-30 18:04:29.7"))


def test_a_day_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-03-05 is given twice"):
        read(source_reports(), source_reports("2026-03-05 13:05:00.1"))


def test_an_answer_of_another_kind_is_refused() -> None:
    with pytest.raises(SourceBroken, match="another kind"):
        read(source_reports(), context="https://example.org/odata$metadata#_CotacaoDolarPeriodo")


@pytest.mark.parametrize("rate", ["0", "-1.5", "null", '"-"', '"6,3"'])
def test_an_invalid_rate_is_refused(rate: str) -> None:
    with pytest.raises(SourceBroken, match=r"^BCB: "):
        read(source_reports(selling=rate))


def test_an_answer_to_an_unknown_question_is_refused() -> None:
    with pytest.raises(SourceBroken, match="not a currency code"):
        read(source_reports(), subject="")


# What was recorded


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
@pytest.mark.parametrize(
    ("name", "subject", "value"),
    [
        ("bcb_01", "AUD", "3.67020"),
        ("bcb_02", "CAD", "3.79570"),
        ("bcb_03", "CHF", "6.66590"),
        ("bcb_04", "DKK", "0.81300"),
        ("bcb_05", "EUR", "6.07420"),
    ],
)
def test_the_recorded_weeks_are_parsed_completely(name: str, subject: str, value: str) -> None:
    fixings = list(adapter.parse((RECORDED / f"{name}.json").read_bytes(), subject))
    assert [fixing.day.day for fixing in fixings] == [2, 3, 4, 5, 6]
    told = fixings[0].published_at
    assert told is not None
    assert (told.date(), told.hour) == (date(2026, 3, 2), 16)
    assert fixings[0] == Fixing("bcb", Pair(subject, "BRL"), date(2026, 3, 2), Decimal(value), published_at=told)
    assert str(fixings[0].value) == value
