"""What is written down of a request has no key, and names its endpoint and pair."""

from __future__ import annotations

import pytest

from cambist.admin.shadow.request_target import is_secret_name, read_target, without_secrets

HEX = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("raw", "shown", "for_ours"),
    [
        (
            "/latest?access_key=K1&symbols=USD",
            "/latest?access_key=…&symbols=USD",
            "/latest?access_key=OURS&symbols=USD",
        ),
        ("/api/latest.json?app_id=K1", "/api/latest.json?app_id=…", "/api/latest.json?app_id=OURS"),
        ("/api/v7/convert?q=USD_PHP&apiKey=K1", "/api/v7/convert?q=USD_PHP&apiKey=…", None),
        ("/latest?apikey=K1", "/latest?apikey=…", "/latest?apikey=OURS"),
        ("/x?API_KEY=K1", "/x?API_KEY=…", "/x?API_KEY=OURS"),
        ("/x?api%5Fkey=K1", "/x?api%5Fkey=…", "/x?api%5Fkey=OURS"),
        ("/api/v3/ping?x_cg_demo_api_key=K1", "/api/v3/ping?x_cg_demo_api_key=…", None),
        ("/v6/K1/latest/USD", "/v6/…/latest/USD", "/v6/OURS/latest/USD"),
        ("/v6/K1/pair/EUR/USD/12.5", "/v6/…/pair/EUR/USD/12.5", "/v6/OURS/pair/EUR/USD/12.5"),
        ("/v6/latest/USD", "/v6/latest/USD", "/v6/latest/USD"),
        ("/v4/latest/USD", "/v4/latest/USD", "/v4/latest/USD"),
        (f"/rates/{HEX}/now", "/rates/…/now", "/rates/OURS/now"),
        (f"/rates?who={HEX}", "/rates?who=…", "/rates?who=OURS"),
        (f"/rates?{HEX}", "/rates?…", "/rates?OURS"),
        ("/rates?id=123e4567-e89b-12d3-a456-426614174000", "/rates?id=…", "/rates?id=OURS"),
        ("/api/v3/coins/wrapped-bitcoin-2024/history", "/api/v3/coins/wrapped-bitcoin-2024/history", None),
        ("/historical?from=EUR&to=USD&date=2026-11-20T12:00:00Z", None, None),
        ("/x?contract=0x2260fac5e5542a773aa44fbcfedf7c193bc2c599", None, None),
    ],
)
def test_a_key_is_neither_shown_nor_sent_to_ours(raw: str, shown: str | None, for_ours: str | None) -> None:
    target = read_target(raw)
    assert target.shown == (raw if shown is None else shown)
    expected = target.shown.replace("…", "OURS") if for_ours is None else for_ours
    assert target.with_key("OURS") == expected
    assert ("…" in target.shown) == bool(target.secrets)


def test_our_key_is_written_so_that_it_stays_one_value() -> None:
    assert read_target("/latest?apikey=K1&x=1").with_key("a&b/c") == "/latest?apikey=a%26b%2Fc&x=1"


@pytest.mark.parametrize(
    ("raw", "endpoint", "pair"),
    [
        ("/latest?access_key=K&base=EUR&symbols=USD,GBP", "/latest", "EUR/USD,GBP"),
        ("/2026-11-20?symbols=USD", "/{date}", "USD"),
        ("/api/historical/2026-11-20.json?app_id=K&base=USD", "/api/historical/{date}.json", "USD"),
        ("/v6/K1/latest/USD", "/v6/{key}/latest/{code}", "USD"),
        ("/v6/K1/pair/EUR/USD/12.5", "/v6/{key}/pair/{code}/{code}/{number}", "EUR/USD"),
        ("/v2/prices/BTC-EUR/spot", "/v2/prices/{pair}/spot", "BTC-EUR"),
        ("/api/v3/simple/price?ids=bitcoin&vs_currencies=eur", "/api/v3/simple/price", "bitcoin/eur"),
        ("/api/v3/coins/bitcoin/history?date=20-11-2026", "/api/v3/coins/{id}/history", ""),
        ("/api/v3/coins/list", "/api/v3/coins/list", ""),
        ("/api/v7/convert?q=USD_PHP", "/api/v7/convert", "USD_PHP"),
        ("/fetch-one?from=EUR&to=JPY", "/fetch-one", "EUR/JPY"),
        ("/", "/", ""),
    ],
)
def test_endpoint_and_pair(raw: str, endpoint: str, pair: str) -> None:
    target = read_target(raw)
    assert (target.endpoint, target.pair) == (endpoint, pair)


def test_what_cannot_be_printed_is_escaped_and_what_is_long_is_cut() -> None:
    target = read_target(f"/a%0Ab/{'x/' * 400}?from=%1b[31m")
    assert target.endpoint.isprintable()
    assert target.pair == "\\x1b[31m"
    assert max(map(len, (target.endpoint, target.shown))) <= 301


@pytest.mark.parametrize("name", ["Authorization", "X-API-Key", "apikey", "X-CoinAPI-Key", "Cookie", "X-Auth-Token"])
def test_headers_that_may_have_a_key(name: str) -> None:
    assert is_secret_name(name)
    assert not is_secret_name("Accept-Language")


def test_keys_are_removed_from_a_text() -> None:
    assert without_secrets("Invalid key: abcdef", ["abcdef"]) == "Invalid key: …"
