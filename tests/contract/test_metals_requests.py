"""`GET /metals/spot`: parsing, errors, and how old a price may be."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import product
from urllib.parse import quote

import pytest
from msgspec import structs

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest
from cambist.accounts.plan import default_plans, read_plans
from cambist.pricing.source_kind import Pace
from cambist.reference.assets import AssetKind

PLANS = read_plans(default_plans(), "plans.toml")
TODAY = date(2026, 11, 20)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
"""A Friday: gold trades until 22:00 UTC and copper until 19:00."""

SATURDAY = datetime(2026, 11, 21, 12, tzinfo=UTC)
SUNDAY_NIGHT = datetime(2026, 11, 22, 23, 30, tzinfo=UTC)
BOXING_DAY = datetime(2026, 12, 28, 12, tzinfo=UTC)
"""A Monday: the London Metal Exchange is closed since Thursday 19:00, gold trades."""

METALS = "XAU, XAG, XPT, XPD, XAL, XCU, XPB, XNI, XZN"
UNITS = "gram, kilogram, metric_tonne, grain, pennyweight, oz_t, lb_t, oz_av, lb_av, tael, baht, tola"
GOLD_CODES = "9999, 999, 995, 990, 965, 958, 916, 900, 875, 833, 800, 750, 625, 585, 500, 417, 375, 333"
ENDPOINTS = ["spot", "quote?instruments=XAUUSD", "instruments", "purities", "units", "list"]


def priced(client, query=""):
    reply = client.get(f"/metals/spot?{query}")
    assert reply.status == 200, reply.text
    return reply.json


def is_refused(reply, status, code, *fragments):
    assert (reply.status, reply.json["code"]) == (status, code), reply.text
    assert list(reply.json) == ["error", "code"]
    assert reply.headers["x-calls-cost"] == "0"
    for fragment in fragments:
        assert fragment in reply.json["error"]
    return True


def later(client, wait):
    client.clock.read = (NOON + wait).timestamp
    client.worker_state.tick()


# How a request is read


@pytest.mark.parametrize(
    ("query", "same"),
    [
        ("metal=xag&currency=jpy&unit=GRAM", "metal=XAG&currency=JPY&unit=gram"),
        ("metal=Xag&currency=Jpy&unit=Metric_Tonne", "metal=XAG&currency=JPY&unit=metric_tonne"),
        ("metal=%20XAG%20&unit=+gram+&purity=%20925%20", "metal=XAG&unit=gram&purity=925"),
        ("metal=", "metal=XAU"),
        ("metal=&currency=&unit=&purity=&verbose=", ""),
        ("metal=&metal=XAG", "metal=XAG"),
        ("metal=XAG&metal=", "metal=XAG"),
        ("metal=XAU&metal=XCU", "metal=XCU"),
        ("currency=&currency=JPY", "currency=JPY"),
        ("unit=gram&unit=&purity=750&purity=", "unit=gram&purity=750"),
        ("metal=XAG&callback=show&_=1795175998", "metal=XAG"),
    ],
)
def test_a_request_is_read_as_it_was_meant(client_dealing, query, same):
    assert priced(client_dealing, query) | {"ms": 0} == priced(client_dealing, same) | {"ms": 0}


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("metal=XAG&amount=5", "[amount] is not taken by /metals/spot"),
        ("metal=XAG&from=EUR", "[from] is not taken by /metals/spot"),
        ("metal=XAG&instruments=XPTUSD", "[instruments] is not taken by /metals/spot, only by /metals/quote"),
        ("metal=XAG&Metal=XCU", "[Metal], did you mean [metal]?"),
    ],
)
def test_a_parameter_that_would_have_changed_another_answer_is_refused(client_dealing, query, said):
    reply = client_dealing.get(f"/metals/spot?{query}")
    assert reply.status == 400
    assert said in reply.json["error"]


@pytest.mark.parametrize("flag", ["true", "TRUE", "True", "1", "yes", "YES", "y", "Y", "%20y%20", "&verbose=y"])
def test_what_means_yes_adds_display_names(client_dealing, flag):
    answer = priced(client_dealing, f"verbose={flag}&metal=XAG&currency=JPY&unit=baht")
    plain = priced(client_dealing, "metal=XAG&currency=JPY&unit=baht")
    assert list(answer) == [*list(plain)[:-1], "metal_name", "currency_name", "unit_name", "ms"]
    assert [answer[name] for name in list(answer)[-4:-1]] == ["Silver", "Japanese Yen", "Baht (15.244 g)"]


@pytest.mark.parametrize(
    "flag", ["", "0", "maybe", "on", "t", "ja", "false", "no", "n", "2", "11", "yes!", "true,true", "%C3%BF", "-1"]
)
@pytest.mark.parametrize("metal", ["XAU", "XCU"])
def test_what_does_not_mean_yes_adds_nothing(client_dealing, metal, flag):
    answer = priced(client_dealing, f"verbose={flag}&metal={metal}")
    assert list(answer) == list(priced(client_dealing, f"metal={metal}"))


@pytest.mark.parametrize(
    ("metal", "name", "grade"),
    [
        ("XAL", "Aluminium", ["high_grade_primary", "High Grade Primary Aluminium", 99.7]),
        ("XCU", "Copper", ["grade_a", "Copper Grade A cathode", 99.9935]),
        ("XPB", "Lead", ["standard_lead", "Standard Lead (refined pig)", 99.97]),
        ("XNI", "Nickel", ["primary_nickel", "Primary Nickel", 99.8]),
        ("XZN", "Zinc", ["special_high_grade", "Special High Grade Zinc", 99.995]),
    ],
)
def test_a_base_metal_has_its_grade_beside_its_names(dealing, quote_of, metal, name, grade):
    answer = priced(dealing(**{metal: quote_of(f"{metal}/USD", "2000", "2001")}), f"metal={metal}&verbose=true")
    names = ["metal_name", "currency_name", "unit_name", "grade", "grade_name", "grade_min_purity_pct"]
    assert list(answer)[-7:-1] == names
    assert [answer[each] for each in names] == [name, "US Dollar", "Metric tonne", *grade]


def test_names_and_a_purity_go_together(client_dealing):
    answer = priced(client_dealing, "metal=XPT&purity=950&verbose=y")
    assert (answer["purity"], answer["metal_name"]) == ("950", "Platinum")
    assert not [name for name in answer if name.startswith("grade")]


# What is refused


@pytest.mark.parametrize(
    ("text", "echoed"),
    [
        ("XXX", "XXX"),
        ("XAU,XAG", "XAU,XAG"),
        ("gold", "gold"),
        ("USD", "USD"),
        ("BTC", "BTC"),
        ("XAUUSD", "XAUUSD"),
        ("XAU/USD", "XAU/USD"),
        ("XCU-3M", "XCU-3M"),
        ("%EF%BC%B8AU", "\uff38AU"),
        ("XAU%00", "XAU\0"),
    ],
)
def test_what_is_no_metal_is_refused_with_all_that_are(client_dealing, text, echoed):
    reply = client_dealing.get(f"/metals/spot?metal={text}")
    assert is_refused(reply, 400, "unknown_metal", f"Invalid/unsupported metal: [{echoed}]", f"[{METALS}]")


@pytest.mark.parametrize(
    "text", ["ounce", "oz", "g", "kg", "troy_ounce", "gram,kilogram", "1", "oz-t", "%E2%84%AAilogram"]
)
@pytest.mark.parametrize("metal", ["XAU", "XCU"])
def test_what_is_no_unit_is_refused_with_all_that_are(client_dealing, metal, text):
    reply = client_dealing.get(f"/metals/spot?metal={metal}&unit={text}")
    echoed = text.replace("%E2%84%AA", "\u212a")  # the sign of the Kelvin, whose lower case is a k
    assert is_refused(reply, 400, "bad_parameter", f"Invalid unit: [{echoed}]", f"[{UNITS}]")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("ZZZ", ""),
        ("BTC", "coin"),
        ("XAU", "/metals/spot"),
        ("xag", "/metals/spot"),
        ("XCU", "/metals/spot"),
        ("EUR,JPY", ""),
        ("EURO", ""),
    ],
)
def test_a_code_of_another_kind_is_refused_with_its_endpoints(client_dealing, text, hint):
    reply = client_dealing.get(f"/metals/spot?currency={text}")
    assert is_refused(reply, 400, "unknown_currency", f"currency: [{text}]", hint)


@pytest.mark.parametrize(
    "text",
    [
        *("0", "0.999999", "0.99999999999999999999", "1000.1", "1001", "9995", "10000", "1000.00000000000000000001"),
        *("abc", "24K", "24k", "18ct", "-1", "-916", "+916", "1e3", "9e2", "NaN", "sNaN", "inf"),
        *("916,7", "750,585", ".5", "916.", "0x10", "1_0", "9 1 6", "750/1000", "91.6%", "\u0669\u0661\u0666"),
    ],
)
def test_what_is_no_purity_is_refused_with_the_codes(client_dealing, text):
    reply = client_dealing.get(f"/metals/spot?purity={quote(text, safe='')}")
    assert is_refused(reply, 400, "bad_parameter", f"Invalid purity: [{text}]", f"[{GOLD_CODES}]", "from 1 to 1000")


@pytest.mark.parametrize(("metal", "codes"), [("XPT", "9995, 999, 950, 900, 850, 585, 500"), ("XPD", "9995, 999, 950")])
def test_the_codes_are_those_of_the_metal(client_dealing, metal, codes):
    reply = client_dealing.get(f"/metals/spot?metal={metal}&purity=9999")
    assert is_refused(reply, 400, "bad_parameter", "[9999]", f"Options for {metal} are [{codes}")


def test_a_purity_that_is_very_long_is_refused_in_short(client_dealing):
    reply = client_dealing.get(f"/metals/spot?purity={'9' * 10_000}")
    assert is_refused(reply, 400, "bad_parameter", "10000 characters")
    assert len(reply.json["error"]) < 400


SOME_METALS = ["", "XAU", "xpd", "XCU", "XPB", "XXX"]
MONEY = ["", "EUR", "jpy", "XDR", "BTC", "XAU"]
SOME_UNITS = ["", "gram", "METRIC_TONNE", "ounce"]
PURITIES = ["", "750", "916.67", "1", "0", "24K"]


@pytest.mark.parametrize("metal", SOME_METALS)
def test_any_price_of_a_metal_is_answered_or_refused_in_the_one_shape(client_dealing, metal):
    for currency, unit, purity in product(MONEY, SOME_UNITS, PURITIES):
        query = f"metal={metal}&currency={currency}&unit={unit}&purity={purity}"
        reply = client_dealing.get(f"/metals/spot?{query}")
        is_bad = metal == "XXX" or currency in {"BTC", "XAU"} or unit == "ounce"
        is_impure = purity in {"0", "24K"} and metal not in {"XCU", "XPB"}
        is_missing = metal == "XPB" or currency == "XDR"
        assert reply.status == (400 if is_bad or is_impure else 503 if is_missing else 200), query
        assert list(reply.json)[-1] == ("ms" if reply.status == 200 else "code")


@pytest.mark.parametrize("query", ["purity=24K", "unit=ounce", "currency=BTC", "purity=0&currency=JPY"])
def test_a_bad_request_is_refused_also_before_any_price_arrived(dealing, query):
    client = dealing(XAU=None, XAU_USD=None, XAU_EUR=None)
    assert client.get(f"/metals/spot?{query}").status == 400
    assert client.get("/metals/spot").status == 503


@pytest.mark.parametrize("plan", ["one", "extra"])
@pytest.mark.parametrize("path", ENDPOINTS)
def test_a_plan_without_metals_is_refused_with_the_reason(dealing, key, plan, path):
    client = dealing(options={"stored_keys": {digest(key): StoredKey(1, Account(1, "one", plan))}})
    assert is_refused(client.get(f"/metals/{path}"), 403, "not_in_plan", f"[{plan}]", "[metals]")
    assert client.ledger.spent(1, TODAY) == 0


@pytest.mark.parametrize("plan", ["premium", "unlimited"])
@pytest.mark.parametrize("path", ENDPOINTS)
def test_a_plan_with_metals_is_answered(dealing, key, plan, path):
    client = dealing(options={"stored_keys": {digest(key): StoredKey(1, Account(1, "one", plan))}})
    later(client, timedelta(seconds=2))  # it sees a new book once a second
    assert client.get(f"/metals/{path}").status == 200


def test_a_cross_that_costs_more_than_remains_is_refused_whole(dealing, key):
    plans = PLANS | {"p": structs.replace(PLANS["unlimited"], name="p", calls_a_month=3)}
    client = dealing(options={"stored_keys": {digest(key): StoredKey(1, Account(1, "one", "p"))}, "plans": plans})
    assert client.get("/metals/spot?currency=JPY").status == 200
    for _ in range(2):
        reply = client.get("/metals/spot?currency=JPY")
        assert is_refused(reply, 429, "quota_spent", "costs [2]", "[1] remain")
        assert int(reply.headers["retry-after"]) > 0
    assert client.get("/metals/spot").status == 200
    assert client.ledger.spent(1, TODAY) == 3


# How old a price may be


AGES = [
    # A metal, now, how the newest price is written, and whether it is served.
    ("XAU", NOON, "2026-11-20T11:45:00Z", True),
    ("XAU", NOON, "2026-11-20T11:44:59Z", False),
    ("XAU", NOON, "2026-11-20T11:44:00Z", False),
    ("XAU", SATURDAY, "2026-11-20T21:59:50Z", True),
    ("XAU", SATURDAY, "2026-11-20T21:45:00Z", True),
    ("XAU", SATURDAY, "2026-11-20T21:44:59Z", False),
    ("XAU", SUNDAY_NIGHT, "2026-11-20T21:59:50Z", False),
    ("XAU", datetime(2026, 11, 20, 22, 30, tzinfo=UTC), "2026-11-20T21:59:50Z", True),
    ("XAU", datetime(2026, 11, 18, 22, 30, tzinfo=UTC), "2026-11-18T21:50:00Z", True),  # the hour's pause
    ("XAU", datetime(2026, 11, 18, 23, 30, tzinfo=UTC), "2026-11-18T21:50:00Z", False),
    ("XAG", SATURDAY, "2026-11-20T21:59:50Z", True),
    ("XCU", NOON, "2026-11-20T11:44:00Z", False),
    ("XCU", datetime(2026, 11, 20, 21, tzinfo=UTC), "2026-11-20T18:50:00Z", True),
    ("XCU", datetime(2026, 11, 20, 21, tzinfo=UTC), "2026-11-20T18:44:00Z", False),
    ("XCU", SATURDAY, "2026-11-20T18:50:00Z", True),
    ("XCU", BOXING_DAY, "2026-12-24T18:50:00Z", True),
    ("XCU", BOXING_DAY, "2026-12-24T18:44:00Z", False),
    ("XCU", BOXING_DAY + timedelta(days=1), "2026-12-24T18:50:00Z", False),
    ("XAU", BOXING_DAY, "2026-12-24T21:59:00Z", False),
]


@pytest.mark.parametrize(("metal", "now", "written", "is_served"), AGES)
def test_a_price_is_served_with_its_own_time_or_not_at_all(dealing, quote_of, metal, now, written, is_served):
    as_of = datetime.fromisoformat(written)
    client = dealing(now=now, XAU_EUR=None, **{metal: quote_of(f"{metal}/USD", "4000", "4001", as_of=as_of)})
    for query in ("", "&currency=JPY", "&currency=EUR&unit=gram"):
        reply = client.get(f"/metals/spot?metal={metal}{query}")
        if is_served:
            assert reply.status == 200, reply.text
        else:
            assert is_refused(reply, 503, "rate_unavailable", f"[{metal}]", f"[{written}]")
            assert int(reply.headers["retry-after"]) > 0
    if is_served:
        answer = priced(client, f"metal={metal}")
        assert (answer["dtm"], answer["tsp"]) == (written, as_of.timestamp() * 1000)


def test_a_cached_answer_expires_with_its_price(client_dealing):
    assert priced(client_dealing)["bid"] == "4000.1200"
    later(client_dealing, timedelta(minutes=15))
    assert is_refused(client_dealing.get("/metals/spot"), 503, "rate_unavailable", "[XAU]")


@pytest.mark.parametrize("days", [1, 9, 14])
@pytest.mark.parametrize("query", ["metal=XPD", "metal=XAL", "metal=XPD&currency=JPY"])
def test_a_daily_fixing_is_served_for_two_weeks(dealing, quote_of, query, days):
    metal, as_of = query[6:9], NOON - timedelta(days=days)
    fixing = quote_of(f"{metal}/USD", "1400", "1400", "nbp", as_of=as_of, pace=Pace.DAILY)
    assert priced(dealing(**{metal: fixing}), query)["tsp"] == as_of.timestamp() * 1000


@pytest.mark.parametrize("query", ["metal=XPD", "metal=XAL"])
def test_an_older_fixing_is_served_to_who_allows_its_age(dealing, quote_of, query):
    metal, as_of = query[6:9], NOON - timedelta(days=58)
    client = dealing(**{metal: quote_of(f"{metal}/USD", "1400", "1400", "nbp", as_of=as_of, pace=Pace.DAILY)})
    refused = client.get(f"/metals/spot?{query}")
    assert is_refused(refused, 503, "rate_unavailable", f"[{metal}] is of [2026-09-23T12:00:00Z] (nbp)")
    assert "[cambist serve --sandbox]" in refused.json["error"]
    found = priced(client, f"{query}&max_age=P90D")
    assert (found["bid"], found["tsp"]) == (found["ask"], as_of.timestamp() * 1000)
    assert is_refused(client.get(f"/metals/spot?{query}&max_age=P50D"), 503, "rate_unavailable", f"[{metal}]")


def test_a_stale_instrument_in_another_currency_is_crossed_instead(dealing, quote_of):
    old = NOON - timedelta(minutes=16)
    client = dealing(XAU_EUR=quote_of("XAU/EUR", "1", "2", "swissquote", as_of=old))
    reply = client.get("/metals/spot?currency=EUR")
    answer = reply.json
    assert (answer["cross_rate"], answer["source_instrument"]) == (True, "XAU/USD")
    assert answer["dtm"] == "2026-11-20T11:59:58Z"
    assert 3447 < float(answer["bid"]) < float(answer["ask"]) < 3450
    assert reply.headers["x-calls-cost"] == "2"


def test_at_the_weekend_an_instrument_in_another_currency_keeps_its_own_close(dealing, quote_of):
    closed = datetime(2026, 11, 20, 21, 59, tzinfo=UTC)
    client = dealing(now=SATURDAY, XAU_EUR=quote_of("XAU/EUR", "3448.1", "3448.9", "swissquote", as_of=closed))
    answer = priced(client, "currency=EUR")
    assert (answer["cross_rate"], answer["source_instrument"]) == (False, "XAU/EUR")
    assert answer["dtm"] == "2026-11-20T21:59:00Z"


def test_an_instrument_in_another_currency_is_priced_also_where_the_dollars_is_missing(dealing):
    client = dealing(XAU=None, XAU_USD=None)
    assert priced(client, "currency=EUR")["source_instrument"] == "XAU/EUR"
    assert client.get("/metals/spot").status == 503


@pytest.mark.parametrize("query", ["metal=XPB", "metal=XZN&currency=EUR", "metal=XNI&unit=gram", "currency=XDR"])
def test_a_price_that_has_not_arrived_yet_is_503_with_retry_after(client_dealing, query):
    reply = client_dealing.get(f"/metals/spot?{query}")
    assert is_refused(reply, 503, "rate_unavailable", f"[{query[-3:] if 'XDR' in query else query[6:9]}]")
    assert int(reply.headers["retry-after"]) > 0
    assert client_dealing.ledger.spent(1, TODAY) == 0


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("max_age=PT3S", 200),
        ("max_age=PT1S", 503),
        ("currency=PLN&max_age=PT22H", 503),
        ("currency=PLN&max_age=PT23H", 200),
        ("metal=XPD&max_age=PT1H", 503),
        ("max_age=1h", 400),
    ],
)
def test_a_client_may_ask_for_younger_prices(client_dealing, query, status):
    for _ in range(2):
        assert client_dealing.get("/metals/spot").status == 200
        assert client_dealing.get(f"/metals/spot?{query}").status == status


def test_an_operator_sets_how_old_a_metal_may_be(dealing, quote_of):
    gold = quote_of("XAU/USD", "4000", "4001", as_of=NOON - timedelta(minutes=40))
    assert dealing(XAU=gold, ages={AssetKind.METAL: timedelta(hours=1)}).get("/metals/spot").status == 200
    assert dealing(XAU=gold, ages={AssetKind.METAL: timedelta(minutes=39)}).get("/metals/spot").status == 503


def test_a_direct_price_older_than_max_age_is_replaced_by_a_cross(dealing, quote_of):
    client = dealing(
        XAU_EUR=quote_of("XAU/EUR", "3448.10", "3448.90", "swissquote", as_of=NOON - timedelta(minutes=10))
    )
    assert client.get("/metals/spot?currency=EUR").json["cross_rate"] is False
    crossed = client.get("/metals/spot?currency=EUR&max_age=PT1M")
    assert (crossed.status, crossed.json["cross_rate"], crossed.headers["x-calls-cost"]) == (200, True, "2")
