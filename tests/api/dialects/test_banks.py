"""The dialects of three central banks: their lists and tables, with the numbers, days and digits that they published.

The store of these tests has what the banks published on the working days of 2026 until 19 November; it is the 20th.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from tests.banks import RECEIVED, WEEKLY, ask_banks, working_days

from cambist.api.faces.dialects import DIALECTS as ALL_DIALECTS
from cambist.api.faces.dialects import boe, cnb, nbp
from cambist.api.faces.dialects.bank_rates import numbers_of
from cambist.api.faces.dialects.routes import find_series
from cambist.history.fixing import DeliveryRecord
from cambist.registry.sources.source_adapters import adapters
from cambist.registry.wiring.components import dialects
from cambist.settings import Settings
from cambist.storage.sql import SqlStore

NBP = "/api/exchangerates"
CNB_EN = (
    "/en/financial-markets/foreign-exchange-market/central-bank-exchange-rate-fixing/central-bank-exchange-rate-fixing"
)
CNB_CS = "/cs/financni-trhy/devizovy-trh/kurzy-devizoveho-trhu/kurzy-devizoveho-trhu"
OLD_CNB_EN = "/en/financial_markets/foreign_exchange_market/exchange_rate_fixing"
OLD_CNB_CS = "/cs/financni_trhy/devizovy_trh/kurzy_devizoveho_trhu"
BOE = "/boeapps/database/_iadb-fromshowcolumns.asp"
NO_DATA = "404 NotFound - Not Found - Brak danych"
RECORDED = Path(__file__).parents[4] / "shared/payloads"
DIALECTS = tuple(each.dialect for each in (nbp, cnb, boe))


@pytest.fixture
def banks(make_client, bank_store):
    return ask_banks(make_client(dialects=DIALECTS), bank_store)


def good(client, target, calls=1):
    reply = client.get(target)
    assert (reply.status, reply.headers["x-calls-cost"]) == (200, str(calls)), reply.text
    return reply


def published(client, source, base, quote, day):
    """Return the number that the endpoint says a source published."""
    answer = client.get(f"/historical?from={base}&to={quote}&date={day}&source={source}").json
    (leg,) = answer["published"][quote]
    assert leg["date"] == day
    return leg


def numbers(text):
    return json.loads(text, parse_float=Decimal)


# National Bank of Poland


def test_nbp_has_one_currency_of_a_day_as_it_was_published(banks):
    reply = good(banks, f"{NBP}/rates/a/usd/2026-03-02/?format=json")
    (rate,) = numbers(reply.text)["rates"]
    assert reply.text == (
        '{"table":"A","currency":"dolar amerykański","code":"USD","rates":'
        f'[{{"no":"041/A/NBP/2026","effectiveDate":"2026-03-02","mid":{rate["mid"]}}}]}}'
    )
    assert str(rate["mid"]) == published(banks, "nbp", "USD", "PLN", "2026-03-02")["value"] == "3.6040"
    assert reply.headers["content-type"] == "application/json; charset=utf-8"


def test_nbp_has_the_newest_the_last_and_those_of_a_period(banks):
    (newest,) = good(banks, f"{NBP}/rates/A/USD/").json["rates"]
    assert newest["effectiveDate"] == "2026-11-19"
    last = good(banks, f"{NBP}/rates/A/USD/last/3/").json["rates"]
    assert [rate["effectiveDate"] for rate in last] == ["2026-11-17", "2026-11-18", "2026-11-19"]
    period = good(banks, f"{NBP}/rates/A/USD/2026-11-07/2026-11-12/").json["rates"]
    assert [rate["effectiveDate"] for rate in period] == ["2026-11-09", "2026-11-10", "2026-11-12"]
    assert last[-1] == newest
    year = good(banks, f"{NBP}/rates/A/USD/2026-01-01/2026-11-20/").json["rates"]
    assert [rate["effectiveDate"] for rate in year] == list(map(str, working_days("PL")))
    assert [rate["no"] for rate in year] == [f"{number:03d}/A/NBP/2026" for number in range(1, len(year) + 1)]


def test_nbp_has_whole_tables_without_gold_and_without_what_is_in_table_b(banks):
    reply = good(banks, f"{NBP}/tables/a/2026-03-04/")  # a Wednesday
    (table,) = numbers(reply.text)
    assert [table["table"], table["no"], table["effectiveDate"]] == ["A", "043/A/NBP/2026", "2026-03-04"]
    assert [rate["code"] for rate in table["rates"]] == ["USD", "JPY", "XDR"]
    assert [str(rate["mid"]) for rate in table["rates"]] == ["3.6042", "0.022942", "4.9042"]
    tables = good(banks, f"{NBP}/tables/A/2026-03-02/2026-03-08/", calls=3).json
    assert [each["no"][:3] for each in tables] == ["041", "042", "043", "044", "045"]
    assert tables[2] == json.loads(reply.text)[0]
    assert len(good(banks, f"{NBP}/tables/A/last/67", calls=3).json) == 67
    assert good(banks, f"{NBP}/tables/A").json[0]["effectiveDate"] == "2026-11-19"


def test_nbp_answers_xml_with_the_same(banks):
    reply = good(banks, f"{NBP}/tables/a/2026-03-04/?format=xml")
    assert reply.headers["content-type"] == "application/xml; charset=utf-8"
    root = ET.fromstring(reply.content)  # noqa: S314
    assert (root.tag, [each.tag for each in root]) == ("ArrayOfExchangeRatesTable", ["ExchangeRatesTable"])
    assert [each.tag for each in root[0]] == ["Table", "No", "EffectiveDate", "Rates"]
    assert [rate.findtext("Mid") for rate in root[0][3]] == ["3.6042", "0.022942", "4.9042"]
    one = banks.get(f"{NBP}/rates/a/usd/2026-03-04", headers={"Accept": "text/html, application/xml;q=0.9, */*;q=0.8"})
    root = ET.fromstring(one.content)  # noqa: S314
    assert [root.tag, *(each.tag for each in root)] == ["ExchangeRatesSeries", "Table", "Currency", "Code", "Rates"]
    assert [each.text for each in root[3][0]] == ["043/A/NBP/2026", "2026-03-04", "3.6042"]
    assert "Accept" in one.headers["vary"]
    wanted = banks.get(f"{NBP}/rates/a/usd/?format=json", headers={"Accept": "application/xml"})
    assert wanted.json["code"] == "USD"


def test_nbp_has_the_prices_of_gold_as_they_were_published(banks):
    reply = good(banks, "/api/cenyzlota/2026-03-02/?format=json")
    assert reply.text == '[{"data":"2026-03-02","cena":601.50}]'
    assert published(banks, "nbp", "XAU", "PLN", "2026-03-02")["value"] == "601.5"
    assert [each["data"] for each in good(banks, "/api/cenyzlota/last/2").json] == ["2026-11-18", "2026-11-19"]
    assert good(banks, "/api/cenyzlota").json == [{"data": "2026-11-19", "cena": 601.5}]
    year = good(banks, "/api/cenyzlota/2026-01-01/2026-11-20/").json
    assert [each["data"] for each in year] == list(map(str, working_days("PL")))
    root = ET.fromstring(good(banks, "/api/cenyzlota/2026-03-02/2026-03-03?format=xml").content)  # noqa: S314
    assert (root.tag, [each.tag for each in root]) == ("ArrayOfCenaZlota", ["CenaZlota", "CenaZlota"])
    assert [each.text for each in root[1]] == ["2026-03-03", "601.50"]


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("/2026-03-01", 404, NO_DATA),
        ("/today", 404, NO_DATA),
        ("/2026-13-01", 400, "400 BadRequest - Invalid date: [2026-13-01], it takes the form 2026-03-02"),
        ("/last/256", 400, "400 BadRequest - Maximum size of 255 data series has been exceeded: [256]"),
        ("/2025-01-01/2026-03-01", 400, "400 BadRequest - Limit of 367 days has been exceeded: [424], ask for parts"),
    ],
)
def test_nbp_refuses_days_without_a_price_of_gold_and_periods_that_are_too_long(banks, path, status, text):
    reply = banks.get(f"/api/cenyzlota{path}")
    assert (reply.status, reply.headers.get("x-calls-cost", "0")) == (status, "0"), reply.text
    assert reply.text.startswith(text)


@pytest.mark.parametrize(
    "target",
    [
        "rates/a/usd/2026-03-07",  # a Saturday
        "rates/a/usd/2026-01-06",  # a holiday
        "rates/a/usd/today",
        "tables/a/today",
        "rates/a/usd/2001-12-28",
        "rates/a/usd/1850-01-02/1850-02-02",
        "rates/a/zzz/2026-03-04",
        "rates/a/pln",
        "rates/a/xau/2026-03-04",
        f"rates/a/{WEEKLY}/2026-03-04",
        f"rates/b/{WEEKLY}/2026-03-04",
        "rates/a/rub/2026-03-04",  # table B has it by now
        "rates/c/usd",
        "tables/b",
        "tables/d/2026-03-04",
    ],
)
def test_nbp_has_nothing_in_the_words_of_the_original(banks, target):
    reply = banks.get(f"{NBP}/{target}/")
    assert (reply.status, reply.text, reply.headers["x-calls-cost"]) == (404, NO_DATA, "0")
    assert reply.headers["content-type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("rates/a/usd/2025-01-01/2026-03-04", "Limit of 367 days has been exceeded"),
        ("tables/a/2026-01-01/2026-04-05", "Limit of 93 days has been exceeded"),
        ("rates/a/usd/last/256", "Maximum size of 255 data series has been exceeded"),
        ("tables/a/last/68", "Maximum size of 67 data series has been exceeded"),
        ("rates/a/usd/last/0", "[0]"),
        ("rates/a/usd/last/-1", "[-1]"),
        ("rates/a/usd/last/%D9%A3", "Invalid number"),
        ("rates/a/usd/2026-13-45", "Invalid date: [2026-13-45]"),
        ("rates/a/usd/20260304", "Invalid date"),
        ("rates/a/usd/last", "Invalid date: [last]"),
        ("rates/a/usd/today/2026-03-04", "Invalid date: [today]"),
        ("rates/a/usd/2026-03-04/2026-03-02", "Invalid date range"),
        ("rates/a/usd/2026-11-01/2026-12-01", "Invalid date range"),
        ("rates/a/usd/2027-01-01", "Invalid date range"),
        ("rates/a/usd?format=csv", "[csv]"),
        ("rates/a/usd?source=ecb", "[source]"),
    ],
)
def test_nbp_refuses_in_a_line_of_text(banks, target, says):
    reply = banks.get(f"{NBP}/{target}")
    assert (reply.status, reply.headers["x-calls-cost"]) == (400, "0")
    assert reply.text.startswith("400 BadRequest - ")
    assert says in reply.text
    assert reply.headers["content-type"] == "text/plain; charset=utf-8"


def test_nbp_allows_the_longest_period_of_tables(banks):
    assert len(good(banks, f"{NBP}/tables/a/2026-01-01/2026-04-04", calls=3).json) == 65


def test_periods_of_nbp_wait_where_long_answers_do():
    is_series = find_series(DIALECTS)
    assert is_series(f"{NBP}/tables/a/2026-01-01/2026-04-04/", {})
    assert is_series(f"{NBP}/rates/a/usd/last/9", {})
    assert not is_series(f"{NBP}/rates/a/usd/2026-01-01/", {})


# Numbers of tables


def test_the_numbers_are_those_that_the_banks_gave():
    """The days and numbers are known from recorded tables of NBP and lists of CNB."""
    for country, number, day in (
        ("PL", 41, date(2026, 3, 2)), ("PL", 44, date(2026, 3, 5)), ("PL", 47, date(2022, 3, 9)),
        ("PL", 249, date(2020, 12, 22)), ("PL", 248, date(2023, 12, 22)), ("PL", 132, date(2010, 7, 9)),
        ("PL", 21, date(2012, 1, 31)), ("CZ", 65, date(2016, 4, 5)), ("CZ", 70, date(2025, 4, 9)),
        ("CZ", 248, date(2025, 12, 23)), ("CZ", 242, date(2023, 12, 15)),
    ):  # fmt: skip
        assert numbers_of(working_days(country, date(day.year, 1, 1), day), country)[day] == number


def test_a_holiday_on_which_a_table_was_published_is_counted():
    days = sorted([*working_days("PL", date(2018, 1, 1), date(2018, 12, 24)), date(2018, 11, 12)])
    assert numbers_of(days, "PL")[date(2018, 12, 24)] == 249


def test_after_a_missing_working_day_no_table_of_the_year_has_a_number():
    days = working_days("PL", date(2025, 12, 1), date(2027, 1, 15))
    gap = date(2026, 3, 3)
    numbers = numbers_of([day for day in days if day != gap], "PL")
    assert date(2025, 12, 30) not in numbers  # the year begins before the days
    assert numbers[gap - timedelta(days=1)] == 41
    assert gap + timedelta(days=1) not in numbers
    assert numbers[date(2027, 1, 4)] == 1


def test_without_a_certain_number_it_is_left_out(make_client, bank_store):
    client = ask_banks(make_client(dialects=DIALECTS), bank_store)
    read = client.worker_state.readers.source_rates
    object.__setattr__(
        client.worker_state.readers,
        "source_rates",
        lambda anchors, codes, first, last: read(anchors, codes, max(first, date(2026, 6, 1)), last),
    )
    (rate,) = good(client, f"{NBP}/rates/a/usd/2026-11-19").json["rates"]
    assert list(rate) == ["effectiveDate", "mid"]
    assert good(client, f"{CNB_EN}/daily.txt?date=19.11.2026").text.startswith("19 Nov 2026\nCountry|")


# Czech National Bank


def test_cnb_has_the_list_of_a_day_as_it_was_published(banks):
    english = good(banks, f"{CNB_EN}/daily.txt?date=27.02.2026")
    assert english.text == (
        "27 Feb 2026 #41\nCountry|Currency|Amount|Code|Rate\nBulgaria|lev|1|BGN|12.941\nJapan|yen|100|JPY|13.250\n"
        "Thailand|baht|1|THB|0.657\nUSA|dollar|1|USD|20.640\n"
    )
    assert english.headers["content-type"] == "text/plain;charset=UTF-8"
    czech = good(banks, f"{CNB_CS}/denni_kurz.txt?date=27.2.2026")
    assert czech.text == (
        "27.02.2026 #41\nzemě|měna|množství|kód|kurz\nBulharsko|lev|1|BGN|12,941\nJaponsko|jen|100|JPY|13,250\n"
        "Thajsko|baht|1|THB|0,657\nUSA|dolar|1|USD|20,640\n"
    )
    leg = published(banks, "cnb", "JPY", "CZK", "2026-02-27")
    assert (leg["value"], leg["nominal"]) == ("13.250", 100)
    assert good(banks, f"{OLD_CNB_EN}/daily.txt?date=27.02.2026").text == english.text
    assert good(banks, f"{OLD_CNB_CS}/denni_kurz.txt?date=27.02.2026").text == czech.text


def test_cnb_has_the_list_before_on_a_day_without_one(banks):
    monday = good(banks, f"{CNB_EN}/daily.txt?date=16.11.2026").text
    assert monday.startswith("16 Nov 2026 #220\n")
    assert "BGN" not in monday  # it has ended
    assert good(banks, f"{CNB_EN}/daily.txt?date=17.11.2026").text == monday
    newest = good(banks, f"{CNB_EN}/daily.txt").text
    assert newest.startswith("19 Nov 2026 #")
    assert good(banks, f"{CNB_EN}/daily.txt?date=31.12.2027").text == newest


def test_cnb_has_a_line_for_each_day_of_a_year_and_a_heading_where_it_changes(banks):
    lines = good(banks, f"{CNB_EN}/year.txt?year=2026", calls=4).text.splitlines()
    headings = [(place, line) for place, line in enumerate(lines) if line.startswith("Date|")]
    assert [line for _, line in headings] == [
        "Date|1 BGN|100 JPY|1 THB|1 USD",
        "Date|100 JPY|1 THB|1 USD",
        "Date|100 JPY|100 THB|1 USD",
    ]
    assert lines[1] == "02.01.2026|12.941|13.250|0.657|20.600"
    assert [lines[place + 1][:10] for place, _ in headings] == ["02.01.2026", "02.03.2026", "01.06.2026"]
    days = [line[:10] for line in lines if not line.startswith("Date|")]
    assert days == [f"{day:%d.%m.%Y}" for day in working_days("CZ")]
    assert lines[-1].split("|")[1:3] == ["13.250", "65.700"]
    czech = good(banks, f"{CNB_CS}/rok.txt?rok=2026", calls=4).text.splitlines()
    assert czech[:2] == ["Datum|1 BGN|100 JPY|1 THB|1 USD", "02.01.2026|12,941|13,250|0,657|20,600"]
    assert good(banks, f"{CNB_EN}/year.txt", calls=4).text.splitlines() == lines


@pytest.mark.parametrize("folder", [CNB_CS, OLD_CNB_CS])
def test_cnb_has_one_currency_of_a_period_under_its_amount(banks, folder):
    found = good(banks, f"{folder}/vybrane.txt?od=28.02.2026&do=04.03.2026&mena=usd&format=txt").text
    assert found == "Měna: USD|Množství: 1\nDatum|Kurz\n02.03.2026|20,641\n03.03.2026|20,642\n04.03.2026|20,643\n"
    year = good(banks, f"{CNB_CS}/rok.txt?rok=2026", calls=4).text.splitlines()
    assert "02.03.2026|13,250|0,657|20,641" in year
    yen = good(banks, f"{folder}/vybrane.txt?mena=JPY&od=02.03.2026&do=02.03.2026").text
    assert yen == "Měna: JPY|Množství: 100\nDatum|Kurz\n02.03.2026|13,250\n"


@pytest.mark.parametrize("folder", [CNB_EN, OLD_CNB_EN])
def test_cnb_has_the_amount_of_the_last_day_of_a_period_and_nothing_for_what_has_no_rate(banks, folder):
    baht = good(banks, f"{folder}/selected.txt?currency=THB&from=29.05.2026&to=01.06.2026").text
    assert baht == "Currency: THB|Amount: 100\nDate|Rate\n29.05.2026|65.700\n01.06.2026|65.700\n"
    newest = good(banks, f"{folder}/selected.txt?currency=USD&from=18.11.2026").text
    assert [line[:10] for line in newest.splitlines()[2:]] == ["18.11.2026", "19.11.2026"]
    for nothing in ("currency=VND&from=01.06.2026&to=05.06.2026", "currency=USD&from=06.06.2026&to=07.06.2026"):
        assert good(banks, f"{folder}/selected.txt?{nothing}", calls=0).text == ""


@pytest.mark.parametrize(
    ("target", "status", "says"),
    [
        (f"{CNB_EN}/selected.txt?currency=USD&from=2026-03-04", 400, "[2026-03-04]"),
        (f"{CNB_EN}/selected.txt?currency=USD&to=04.03.2026", 400, "from"),
        (f"{CNB_EN}/selected.txt?currency=USD&from=05.03.2026&to=04.03.2026", 400, "is after [04.03.2026]"),
        (f"{CNB_EN}/selected.txt?currency=USDX&from=05.03.2026", 400, "[USDX]"),
        (f"{CNB_EN}/selected.txt?from=05.03.2026", 400, "[]"),
        (f"{CNB_EN}/selected.txt?currency=USD&from=05.03.2026&format=xlsx", 400, "[xlsx]"),
        (f"{CNB_CS}/vybrane.txt?mena=USD&od=05.03.2026&currency=EUR", 400, "[currency]"),
        (f"{CNB_EN}/daily.txt?date=2026-03-04", 400, "[2026-03-04]"),
        (f"{CNB_EN}/daily.txt?date=31.02.2026", 400, "[31.02.2026]"),
        (f"{CNB_EN}/daily.txt?date=04.03.0000", 400, "date"),
        (f"{CNB_EN}/daily.txt?date=04.03.2025", 404, "No rate"),
        (f"{CNB_EN}/daily.txt?date=04.03.0001", 404, "No rate"),
        (f"{CNB_EN}/year.txt?year=26", 400, "[26]"),
        (f"{CNB_EN}/year.txt?year=0000", 400, "[0000]"),
        (f"{CNB_EN}/year.txt?year=2027", 404, "2027"),
        (f"{CNB_EN}/year.txt?year=2025", 404, "No rate"),
        (f"{CNB_EN}/year.txt?year=0001", 404, "No rate"),
        (f"{CNB_CS}/rok.txt?rok=letos", 400, "[letos]"),
        (f"{CNB_CS}/rok.txt?year=2026", 400, "[year]"),
        (f"{CNB_EN}/daily.txt?source=ecb", 400, "[source]"),
        ("/en/daily.txt", 404, "path"),
    ],
)
def test_cnb_refuses_with_a_page(banks, target, status, says):
    reply = banks.get(target)
    assert (reply.status, reply.headers.get("x-calls-cost", "0")) == (status, "0"), reply.text
    assert reply.text.startswith("<html>")
    assert says in reply.text
    assert reply.headers["content-type"] == "text/html; charset=utf-8"


# Bank of England


def test_boe_has_a_column_for_each_series_and_a_line_for_each_business_day(banks):
    query = "csv.x=yes&Datefrom=28/Feb/2026&Dateto=05/Mar/2026&SeriesCodes=XUDLUSS,XUDLERS,XUDLJYS"
    form = "CSVF=TN&UsingCodes=Y&VPD=Y&VFD=N"
    reply = good(banks, f"{BOE}?{query}&{form}", calls=3)
    assert reply.content == (
        b"DATE,XUDLUSS,XUDLERS,XUDLJYS\r\n02 Mar 2026,1.3041,,211.833\r\n03 Mar 2026,1.3042,,211.833\r\n"
        b"04 Mar 2026,1.3043,1.152,211.833\r\n05 Mar 2026,1.3044,1.152,211.833\r\n"
    )
    assert reply.headers["content-type"] == "application/csv"
    assert "cambist-ignored" not in reply.headers
    assert published(banks, "boe", "GBP", "USD", "2026-03-03")["value"] == "1.3042"
    other = good(banks, f"/boeapps/database/_iadb-FromShowColumns.asp?{query.lower()}&{form.lower()}", calls=3)
    assert other.content == reply.content
    assert good(banks, f"/boeapps/iadb/fromshowcolumns.asp?{query}", calls=3).content == reply.content


def test_boe_ends_today_at_the_latest(banks):
    lines = good(banks, f"{BOE}?Datefrom=17/Nov/2026&Dateto=now&SeriesCodes=XUDLUSS").text.splitlines()
    assert [line[:6] for line in lines[1:]] == ["17 Nov", "18 Nov", "19 Nov"]
    for end in ("Dateto=31/Dec/2030&", "Dateto=&", ""):
        again = good(banks, f"{BOE}?Datefrom=17/Nov/2026&{end}SeriesCodes=xudluss").text.splitlines()
        assert again == lines


@pytest.mark.parametrize(
    ("query", "status", "says"),
    [
        ("Datefrom=02/Mar/2026", 400, "[SeriesCodes]"),
        ("SeriesCodes=XUDLUSS", 400, "[Datefrom]"),
        ("SeriesCodes=,&Datefrom=02/Mar/2026", 400, "[SeriesCodes]"),
        ("SeriesCodes=IUDBEDR&Datefrom=02/Mar/2026", 400, "[IUDBEDR]"),
        ("SeriesCodes=XUDLUSS,XUDLXXX&Datefrom=02/Mar/2026", 400, "[XUDLXXX]"),
        ("SeriesCodes=XUDLUSS&Datefrom=2026-03-02", 400, "[2026-03-02]"),
        ("SeriesCodes=XUDLUSS&Datefrom=31/Feb/2026", 400, "[31/Feb/2026]"),
        ("SeriesCodes=XUDLUSS&Datefrom=02/Mar/26", 400, "[02/Mar/26]"),
        ("SeriesCodes=XUDLUSS&Datefrom=05/Mar/2026&Dateto=02/Mar/2026", 400, "after"),
        ("SeriesCodes=XUDLUSS&Datefrom=02/Mar/2026&CSVF=TT", 400, "[TT]"),
        ("SeriesCodes=XUDLUSS&Datefrom=02/Mar/2026&UsingCodes=N", 400, "[N]"),
        ("SeriesCodes=XUDLUSS&Datefrom=02/Mar/2026&source=ecb", 400, "[source]"),
        ("SeriesCodes=XUDLUSS&Datefrom=07/Mar/2026&Dateto=08/Mar/2026", 404, "No rate"),
        ("SeriesCodes=XUDLUSS&Datefrom=01/Jan/1850&Dateto=02/Jan/1850", 404, "No rate"),
        ("SeriesCodes=XUDLUSS&Datefrom=01/Jan/2030&Dateto=02/Jan/2030", 404, "No rate"),
    ],
)
def test_boe_refuses_with_a_page(banks, query, status, says):
    reply = banks.get(f"{BOE}?{query}")
    assert (reply.status, reply.headers["x-calls-cost"]) == (status, "0"), reply.text
    assert reply.text.startswith("<html>")
    assert says in reply.text


def test_boe_has_no_other_file(banks):
    assert banks.get("/boeapps/database/fromshowcolumns.asp?SeriesCodes=XUDLUSS&Datefrom=now").status == 400
    assert banks.get("/boeapps/database").status == 404


# All three


@pytest.mark.parametrize(
    "target",
    [f"{NBP}/rates/a/usd", f"{NBP}/tables/a", f"{CNB_EN}/daily.txt", f"{BOE}?SeriesCodes=XUDLUSS&Datefrom=01/Nov/2026"],
)
def test_they_bring_no_key_and_another_source_never_answers_for_them(banks, make_client, target):
    assert banks.get(target, key=None).status == 401
    elsewhere = make_client(dialects=DIALECTS).get(target)  # nothing is archived there
    assert (elsewhere.status, elsewhere.headers["x-calls-cost"]) == (400, "0")
    assert "Invalid source" in elsewhere.text


@pytest.mark.parametrize("step", [1, -1])
def test_they_are_told_apart_from_all_other_dialects_in_any_order(make_client, bank_store, banks, step):
    spoken = dialects(Settings(dialects=",".join([*ALL_DIALECTS][::step])))
    client = ask_banks(make_client(dialects=spoken), bank_store)
    for target in (
        f"{NBP}/rates/a/usd/last/2/",
        f"{NBP}/tables/a/2026-03-04",
        f"{CNB_EN}/daily.txt",
        f"{OLD_CNB_CS}/rok.txt",
        f"{BOE}?SeriesCodes=XUDLUSS&Datefrom=17/Nov/2026",
    ):
        assert (
            client.get(target).content == good(banks, target, int(client.get(target).headers["x-calls-cost"])).content
        )
    assert client.get("/api/latest.json").json["base"] == "USD"
    assert client.get("/api/v3/ping").status == 200
    assert client.get("/api/v7/convert?q=USD_EUR&compact=ultra").json.keys() == {"USD_EUR"}


# What was recorded


@pytest.fixture
def recorded(make_client, tmp_path):
    """A client of a service whose archive has what was recorded of the three banks."""
    if not RECORDED.exists():
        pytest.skip("the recorded payloads are not beside the project")
    store = SqlStore(f"sqlite:///{tmp_path / 'recorded.db'}")
    store.migrate()
    for source, name, subject in (
        ("nbp", "nbp_01.json", "A"), ("nbp", "nbp_02.json", "B"), ("nbp", "nbp_03.json", "gold"),
        ("cnb", "cnb_01.json", ""), ("boe", "boe_01.csv", ""),
    ):  # fmt: skip
        content = (RECORDED / source / name).read_bytes()
        fixings = list(adapters()[source].parse(content, subject))
        store.archive.file(DeliveryRecord(source, RECEIVED, "recorded", name), fixings)
    yield ask_banks(make_client(dialects=DIALECTS), store)
    store.close()


def test_the_numbers_of_nbp_are_those_that_it_answers(recorded):
    def mids(text):
        return [sorted(re.findall(r'"code":"(...)","mid":([0-9.]+)', table)) for table in text.split('"rates"')[1:]]

    original = (RECORDED / "nbp" / "nbp_01.json").read_text(encoding="utf-8")
    found = mids(good(recorded, f"{NBP}/tables/A/2026-03-01/2026-03-05/", calls=32).text)
    assert found == mids(original)
    assert [len(table) for table in found] == [32] * 4


def test_the_list_of_a_year_of_cnb_has_all_that_it_published(recorded):
    original = numbers((RECORDED / "cnb" / "cnb_01.json").read_text(encoding="utf-8"))["rates"]
    found, columns = set(), []
    for line in good(recorded, f"{CNB_EN}/year.txt?year=2026", calls=30).text.splitlines():
        first, *cells = line.split("|")
        columns = cells if first == "Date" else columns
        if first != "Date":
            found |= {(first, column, value) for column, value in zip(columns, cells, strict=True)}
    days = {each["validFor"]: ".".join(reversed(each["validFor"].split("-"))) for each in original}
    assert found == {
        (days[each["validFor"]], f"{each['amount']} {each['currencyCode']}", str(each["rate"])) for each in original
    }


def test_the_table_of_the_bank_of_england_is_the_same_byte_for_byte(recorded):
    original = (RECORDED / "boe" / "boe_01.csv").read_bytes()
    series = original.split(b"\r\n")[0].decode().removeprefix("DATE,")
    query = f"csv.x=yes&CSVF=TN&Datefrom=17/Mar/2026&Dateto=20/Mar/2026&SeriesCodes={series}&UsingCodes=Y"
    assert good(recorded, f"{BOE}?{query}", calls=26).content == original
