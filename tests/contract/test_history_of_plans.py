"""Every door that takes a day, on a plan with limited history: an older day is refused, a newer one answered."""

from __future__ import annotations

import json
import re
from datetime import date, datetime
from importlib import import_module

import pytest
from msgspec import structs
from tests.banks import ask_banks
from tests.conftest import KEY, OWNER, PLANS
from tests.reading import read_with

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest, mint
from cambist.api.faces.dialects import DIALECTS
from cambist.api.questions.parameters import declared_params
from cambist.registry.signing.node_signer import NodeSigner
from cambist.registry.wiring.components import endpoints
from cambist.storage.key_folder import KeyFolder

LIMIT = 30
OLD, RECENT = "2026-03-05", "2026-11-12"
LIMITED_KEY = mint(lambda alphabet: alphabet[9])
DAYS = {"date", "start", "end", "as_of", "since"}

ENDPOINTS = {
    "/historical": ["from=EUR&to=USD&date={day}", "from=EUR&date={day}"],
    "/time-series": ["from=EUR&to=USD&start={day}", "from=EUR&to=USD&start={day}&end={day}"],
    "/price-list": ["from=EUR&to=USD,GBP&amount=12.50&date={day}"],
    "/averages": ["from=EUR&to=USD&start={day}", "from=EUR&to=USD&start={day}&end={day}"],
    "/convert": ["from=EUR&to=USD&amount=1&date={day}"],
    "/explain": ["from=EUR&to=USD&date={day}", "from=EUR&to=USD&date={day}&verbose=1"],
    "/corrections": ["from=EUR&to=USD&start={day}", "start={day}&since=1-000000000000-0000000000000000"],
    "/vintages": ["from=EUR&to=USD&date={day}"],
    "/fx/quote/time-series": ["pair=EURUSD&start={day}T00:00:00Z"],
    "/fx/ohlc/time-series": ["pair=EURUSD&start={day}T00:00:00Z"],
}
BESIDE = {
    "/historical.csv": ["from=EUR&to=USD&date={day}"],
    "/time-series.xlsx": ["from=EUR&to=USD&start={day}"],
    "/corrections.atom": ["start={day}"],
}
TARGETS = [f"{path}?{query}" for path, queries in {**ENDPOINTS, **BESIDE}.items() for query in queries]
SPOKEN = {
    "frankfurter": [
        "/v1/{day}",
        "/v1/{day}..",
        "/v1/{day}..{day}?to=USD",
        "/{day}?from=USD",
        "/{day}..{day}",
        "/v2/rates?from={day}",
        "/v2/rates?date={day}",
        "/v2/rates?date={day}&providers=ecb",
        "/v2/rates.csv?from={day}&to={day}",
        "/v2/rate/EUR/USD?date={day}",
    ],
    "openexchangerates": [
        "/api/historical/{day}.json",
        "/api/time-series.json?start={day}&end={day}",
        "/api/time-series.json?start={day}&end=" + RECENT,
    ],
    "fixer": [
        f"{folder}{target}"
        for folder in ("", "/api", "/fixer", "/v1-of-key", "/exchangerates_data")
        for target in (
            "/{day}",
            "/timeseries?start_date={day}&end_date={day}",
            "/fluctuation?start_date={day}&end_date=" + RECENT,
            *(["/convert?from=EUR&to=USD&amount=1&date={day}"] if folder else []),
        )
    ],
    "exchangerateapi": ["/v6-of-key/history/USD/{slashed}", "/v6-of-key/history/USD/{slashed}/100"],
    "coinbase": ["/v2/prices/EUR-USD/spot?date={day}"],
    "cryptocompare": [f"/data/{folder}histoday?fsym=EUR&tsym=USD&limit=1&toTs={{seconds}}" for folder in ("", "v2/")],
    "currconv": ["/api/v7/convert?q=USD_EUR&date={day}"],
    "yahoo": ["/v8/finance/chart/EURUSD=X?period1={seconds}&period2={seconds}"],
    "mempool": ["/api/v1/historical-price?timestamp={seconds}"],
    "firefly": ["/firefly/{week}/USD.json"],
    "coingecko": ["/api/v3/coins/bitcoin/history?date={turned}"],
    "currencylayer": [
        f"{folder}{target}"
        for folder in ("", "/api", "/currency_data", "/currencylayer")
        for target in (
            "/timeframe?start_date={day}&end_date={day}",
            "/change?start_date={day}&end_date=" + RECENT,
            *(["/historical?date={day}", "/convert?from=EUR&to=USD&amount=1&date={day}"] if folder else []),
        )
    ],
    "nbp": [
        f"/api/{path}/{days}"
        for path in ("exchangerates/rates/a/usd", "exchangerates/tables/a", "cenyzlota")
        for days in ("{day}", "{day}/{day}")
    ],
    "cnb": [
        f"{folder}/{file}"
        for files, folders in (
            (
                ("daily.txt?date={dotted}", "selected.txt?currency=USD&from={dotted}&to={dotted}"),
                (
                    f"/en/financial-markets/foreign-exchange-market{'/central-bank-exchange-rate-fixing' * 2}",
                    "/en/financial_markets/foreign_exchange_market/exchange_rate_fixing",
                ),
            ),
            (
                ("denni_kurz.txt?date={dotted}", "vybrane.txt?mena=USD&od={dotted}&do={dotted}"),
                (
                    f"/cs/financni-trhy/devizovy-trh{'/kurzy-devizoveho-trhu' * 2}",
                    "/cs/financni_trhy/devizovy_trh/kurzy_devizoveho_trhu",
                ),
            ),
        )
        for folder in folders
        for file in files
    ],
    "boe": ["/boeapps/database/_iadb-fromshowcolumns.asp?SeriesCodes=XUDLUSS&Datefrom={worded}&Dateto={worded}"],
    "sdmx": [
        "/service/data/EXR?startPeriod={day}",
        "/service/data/EXR/D.USD.EUR.SP00.A/ECB?startPeriod={day}",
        "/service/data/EXR/D.USD.EUR.SP00.A?startPeriod={day}",
        "/service/data/EXR/D.USD.EUR.SP00.A?startPeriod={day}&endPeriod={day}",
    ],
}


WITHOUT_DAY = re.compile(
    r"/v[12]|/v1/currencies|/v1/latest|/v2/providers|/latest|/v2/currencies|/v2/currency/\{code\}"
    r"|/api/(latest|currencies|usage)\.json|/api/convert/.*|/api/ohlc\.json"  # bars are tried in their own tests
    r"|(/api|/fixer|/v1-of-key|/exchangerates_data)?/(latest|symbols)"
    r"|/v2/exchange-rates|/data/(price|pricemulti|all/coinlist)|/api/v1/prices|/api/v7/currencies"
    r"|/v11/finance/quoteSummary/.*"
    r"|(/api|/currency_data|/currencylayer)?/(live|list)"
    r"|/api/v3/(ping|simple/.*|coins/(list|markets|.*/market_chart)|exchange_rates)"  # charts: test_coingecko
    r"|/v6-of-key/(latest|pair|enriched)/.*|/v6-of-key/(codes|quota)|/v[46]/latest/.*"
    r"|/service/(dataflow|datastructure|codelist|conceptscheme)/.*"
    r"|/api/exchangerates/(rates/\{table\}/\{code\}|tables/\{table\})|/api/cenyzlota"
    r"|/(en|cs)/.*/(year|rok)\.txt"  # a whole year: below
)
"""Templates of dialects that take no day."""


def week_of(day):
    year, week, _ = date.fromisoformat(str(day)).isocalendar()
    return f"{year}/{week}"


def on_day(target, day):
    turned = "-".join(reversed(str(day).split("-")))
    seconds = int(datetime.fromisoformat(f"{day}T12:00:00+00:00").timestamp())
    return target.format(
        day=day,
        slashed=str(day).replace("-", "/"),
        week=week_of(day),
        turned=turned,
        dotted=turned.replace("-", "."),
        worded=f"{date.fromisoformat(str(day)):%d/%b/%Y}",
        seconds=seconds,
    )


@pytest.fixture
def make_limited(make_client, small_store, tmp_path):
    """Make a client of two accounts, one of them on a plan with 30 days of history."""
    plan = structs.replace(PLANS["unlimited"], name="limited", history_days=LIMIT)
    keys = {digest(KEY): OWNER, digest(LIMITED_KEY): StoredKey(9, Account(9, "limited", "limited"))}

    def make(**options):
        client = make_client(stored_keys=keys, plans=PLANS | {"limited": plan}, **options)
        read_with(client.worker_state, receipts=NodeSigner(KeyFolder(tmp_path / "keys"), small_store.public_keys))
        return client

    return make


def spoken(name):
    return import_module(f"cambist.api.faces.dialects.{DIALECTS[name]}").dialect


def is_refused(reply):
    return (reply.status, reply.json["code"]) == (403, "not_in_plan")


@pytest.mark.long(every=3)
@pytest.mark.parametrize("receipt", ["", "&receipt=1"])
@pytest.mark.parametrize("target", TARGETS)
def test_an_endpoint_refuses_older_days_than_the_plan_has(make_limited, target, receipt):
    client, target = make_limited(), target + receipt
    assert client.get(on_day(target, OLD)).status != 403
    assert is_refused(client.get(on_day(target, OLD), key=LIMITED_KEY))
    assert client.get(on_day(target, RECENT), key=LIMITED_KEY).status != 403


@pytest.mark.long(every=2)
@pytest.mark.parametrize("target", TARGETS)
def test_a_question_for_a_receipt_refuses_the_same(make_limited, target):
    client = make_limited()

    def ask(day):
        body = json.dumps({"get": on_day(target, day)}).encode()
        return client.request("POST", "/receipts", key=LIMITED_KEY, body=body)

    assert is_refused(ask(OLD))
    assert ask(RECENT).status != 403


def test_every_endpoint_that_takes_a_day_is_among_them():
    names = {each.path: {param.name for param in declared_params(each.params).values()} for each in endpoints()}
    assert {path for path, taken in names.items() if taken & DAYS} == set(ENDPOINTS)
    assert {each.path for each in endpoints() if each.earliest_day is not None} == set(ENDPOINTS)


@pytest.mark.long(every=3)
@pytest.mark.parametrize(("name", "target"), [(name, target) for name, targets in SPOKEN.items() for target in targets])
def test_a_dialect_refuses_the_same(make_limited, bank_store, name, target):
    client = ask_banks(make_limited(dialects=(spoken(name),)), bank_store)
    found = 404 if name == "mempool" else 200  # no coin has a close here
    assert client.get(on_day(target, OLD)).status == found
    sentence = f"limited to {LIMIT} days"
    refused = client.get(on_day(target, OLD), key=LIMITED_KEY).text
    assert sentence in refused
    assert '"rates"' not in refused
    answered = client.get(on_day(target, RECENT), key=LIMITED_KEY)
    assert (answered.status, sentence in answered.text) == (found, False)


def test_files_of_the_ecb_with_more_days_are_refused(make_limited):
    client = make_limited(dialects=(spoken("ecb"),))
    for route in spoken("ecb").routes:
        assert client.get(route.template).status == 200
        assert client.get(route.template, key=LIMITED_KEY).status == (403 if "hist" in route.template else 200)


def test_the_list_of_a_year_with_more_days_is_refused(make_limited, bank_store):
    client = ask_banks(make_limited(dialects=(spoken("cnb"),)), bank_store)
    for route in spoken("cnb").routes:
        if route.template.endswith(("year.txt", "rok.txt")):
            assert client.get(route.template).status == 200
            refused = client.get(route.template, key=LIMITED_KEY)
            assert (refused.status, f"limited to {LIMIT} days" in refused.text) == (403, True)


def test_every_template_of_a_dialect_is_among_them():
    assert set(SPOKEN) == set(DIALECTS) - {"ecb"}
    for name, targets in SPOKEN.items():
        tried = [on_day(target, OLD).partition("?")[0] for target in targets]
        for route in spoken(name).routes:
            pattern = re.compile(re.sub(r"\\\{\w+(:\w+)?\\\}", "[^/]+", re.escape(route.template)))
            is_tried = any(pattern.fullmatch(path) for path in tried)
            assert is_tried or WITHOUT_DAY.fullmatch(route.template), (name, route.template)
