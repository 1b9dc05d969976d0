"""A bad request is refused with one sentence and never causes an internal error."""

from __future__ import annotations

import string
from collections.abc import Callable
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cambist.accounts.api_key import mint
from cambist.api.answer.endpoint import Endpoint
from cambist.api.errors import PROBLEMS
from cambist.api.questions.parameters import Param, declared_params
from cambist.reference.currency_tables import CURRENCIES
from cambist.registry.wiring.components import endpoints

UNKNOWN_KEY = mint(lambda alphabet: alphabet[9])
CODES = list(CURRENCIES)
MADE_UP = [f"{number:03}" for number in range(500)]
ENDPOINTS = [endpoint.path for endpoint in endpoints()]
ERRORS = {problem.code for problem in PROBLEMS.values() if problem.status < 500 or problem.status == 503}
PARAMS = [(endpoint, param) for endpoint in endpoints() for param in declared_params(endpoint.params).values()]
STATUSES = {200, 304, 400, 401, 404, 405, 503}


def joined(count: int) -> str:
    return ",".join((CODES + MADE_UP)[:count])


def request_without(endpoint: Endpoint, name: str) -> str:
    """Return a request with the examples of all required parameters but one."""
    required = [param for param in declared_params(endpoint.params).values() if param.required and param.name != name]
    return f"{endpoint.path}?" + "&".join(f"{param.name}={param.example}" for param in required)


def request_with(endpoint: Endpoint, param: Param, text: str) -> str:
    return f"{request_without(endpoint, param.name)}&{param.name}={text}"


def params_where(condition: Callable[[Param], object]) -> list[tuple[Endpoint, Param]]:
    return [(endpoint, param) for endpoint, param in PARAMS if condition(param)]


def is_list(param: Param) -> bool:
    return "(," in param.schema.get("pattern", "")


KEYS = [
    ("no key", None, "key_missing", "No API key"),
    ("a blank key", " ", "key_missing", "No API key"),
    ("an unknown key", UNKNOWN_KEY, "key_unknown", "unknown"),
    ("a key cut off", UNKNOWN_KEY[:-1], "key_malformed", "mistyped or cut off"),
    ("a key with a typo", UNKNOWN_KEY[:-1] + "~", "key_malformed", "mistyped or cut off"),
    ("a password", "hunter2", "key_malformed", "mistyped or cut off"),
    ("a long key", "x" * 10_000, "key_malformed", "mistyped or cut off"),
]

UNKNOWN_CODES = [
    ("unknown", "ZZZ", "[ZZZ]"),
    ("lower case", "zzz", "[zzz]"),
    ("two letters", "EU", "[EU]"),
    ("four letters", "EURO", "[EURO]"),
    ("seven letters", "EURUSDX", "[EURUSDX]"),
    ("digits", "978", "[978]"),
    ("a pair", "EUR/USD", "[EUR/USD]"),
    ("a pair percent-encoded", "EUR%2FUSD", "[EUR/USD]"),
    ("not ASCII", "%E2%82%AC", "[\u20ac]"),
    ("not ASCII, as raw bytes", "\xe2\x82\xac", "[\u20ac]"),
    ("a dotless i, whose upper case is an I", "%C4%B1dr", "[\u0131dr]"),
    ("a long s, whose upper case is an S", "u%C5%BFd", "[u\u017fd]"),
    ("wide letters", "%EF%BC%B5%EF%BC%B3%EF%BC%A4", "[\uff35\uff33\uff24]"),
    ("a NUL inside", "US%00D", "currency: [US"),
    ("a NUL behind", "USD%00", "currency: [USD"),
    ("a newline inside", "US%0AD", "currency: [US"),
    ("quotes and a brace", "%22%7D", '["}]'),
    ("markup", "%3Cb%3E", "[<b>]"),
    ("10,000 characters", "A" * 10_000, "10000 characters]"),
    ("a surrogate pair", "%F0%9F%92%B6", "[\U0001f4b6]"),
]

ROLES = {"from": "source", "to": "target", "currency": "target"}
CODE_PARAMS = params_where(lambda param: param.name in ROLES)
LATER_DAYS = ("2026-11-22", "9999-12-31")
BAD_DAYS = [
    ("2026-02-30", "2026-02-30"),
    ("2025-02-29", "2025-02-29"),
    ("1969-12-31", "1969-12-31"),
    ("0000-00-00", "0000-00-00"),
    ("2026-11-22", "2026-11-22"),
    ("9999-12-31", "9999-12-31"),
    ("2026-1-1", "2026-1-1"),
    ("20260101", "20260101"),
    ("2026-W01-1", "2026-W01-1"),
    ("01-01-2026", "01-01-2026"),
    ("2026-01-01T00:00", "2026-01-01T00:00"),
    ("2026-01-01%2000:00:00", "2026-01-01 00:00:00"),
    ("yesterday", "yesterday"),
    ("-1", "-1"),
    ("%D9%A2%D9%A0%D9%A2%D9%A6-01-01", "\u0662\u0660\u0662\u0666-01-01"),
]

BAD = [
    ("to and from missing", "/fetch-one", "[to]"),
    ("to empty", "/fetch-multi?from=EUR&to=", "[to]"),
    ("to of commas", "/fetch-multi?from=EUR&to=,,%20,", "[to]"),
    *(
        (f"{param.name} missing", request_without(endpoint, param.name), f"[{param.name}]")
        for endpoint, param in params_where(lambda param: param.required)
    ),
    *(
        (f"{param.name} of commas", request_with(endpoint, param, ",,%20,"), f"[{param.name}] holds no ")
        for endpoint, param in params_where(is_list)
    ),
    ("501 targets", f"/fetch-multi?to={joined(501)}", "[to]: [501], at most 500"),
    ("501 sources", f"/fetch-many-to-one?to=EUR&from={joined(501)}", "[from]: [501], at most 500"),
    ("501 sources", f"/fetch-matrix?to=EUR&from={joined(501)}", "[from]: [501], at most 500"),
    ("501 targets", f"/historical?date=2026-10-30&to={joined(501)}", "[to]: [501], at most 500"),
    ("10,100 pairs", f"/fetch-matrix?from={joined(101)}&to={joined(100)}", "[10100], at most 10000"),
    ("62,500 pairs", f"/fetch-matrix?from={joined(250)}&to={joined(250)}", "[62500], at most 10000"),
    *(
        (f"amount {text}", f"/convert?to=EUR&amount={text}", f"amount: [{shown}]")
        for text, shown in [
            ("0", "0"),
            ("0.00", "0.00"),
            ("0.009", "0.009"),
            ("0.00999999999999999999999999999999999999", "0.00999999999999999999999999999999999999"),
            ("-1", "-1"),
            ("%2B1", "+1"),
            ("1e400", "1e400"),
            ("1e-3", "1e-3"),
            ("1e309", "1e309"),
            ("10e308", "10e308"),
            ("1E999999999999", "1E999999999999"),
            ("1e", "1e"),
            ("e7", "e7"),
            ("1e+", "1e"),
            ("1e1.5", "1e1.5"),
            ("1e%20%207", "1e  7"),
            ("-1e7", "-1e7"),
            ("NaN", "NaN"),
            ("sNaN", "sNaN"),
            ("inf", "inf"),
            ("Infinity", "Infinity"),
            ("1,5", "1,5"),
            ("1.2.3", "1.2.3"),
            (".", "."),
            ("1_000", "1_000"),
            ("1%20000", "1 000"),
            ("0x10", "0x10"),
            ("%D9%A3", "\u0663"),
            ("%EF%BC%91", "\uff11"),
            ("ten", "ten"),
            ("1%00", "1\0"),
        ]
    ),
    *(
        (f"precision {text}", f"/convert?to=EUR&amount=1&precision={text}", f"precision: [{shown}]")
        for text, shown in [
            ("-1", "-1"),
            ("21", "21"),
            ("99", "99"),
            ("100", "100"),
            ("2.5", "2.5"),
            ("two", "two"),
            ("1e1", "1e1"),
            ("%D9%A2", "\u0662"),
            ("%C2%B2", "\u00b2"),
        ]
    ),
    *(
        (f"{param.name} {text}", request_with(endpoint, param, text), f"{param.name}: [{shown}]")
        for endpoint, param in params_where(lambda param: param.schema.get("format") == "date")
        for text, shown in BAD_DAYS
        if param.name != "end" or text not in LATER_DAYS  # a period that ends later ends today
    ),
    *(
        (f"{param.name} {text}", request_with(endpoint, param, text), f"{param.name}: [{text}]. Options are [")
        for endpoint, param in params_where(lambda param: "enum" in param.schema and param.name != "metal")
        for text in ("P2D", "bids", "1")
    ),
    *(
        (f"limit {text}", request_with(endpoint, param, text), f"limit: [{text}]")
        for endpoint, param in params_where(lambda param: param.name == "limit")
        for text in ("0", "-1", "101", "1.5", "1e1", "all")
    ),
    ("start after end", "/time-series?to=EUR&start=2026-10-02&end=2026-10-01", "start: [2026-10-02]"),
    ("interval P2D", "/time-series?to=EUR&interval=P2D", "[P2D]. Options are [P1D"),
    *(
        (f"max_age {text}", request_with(endpoint, param, text), f"max_age: [{text}]")
        for endpoint, param in params_where(lambda param: param.name == "max_age")
        for text in ("2h", "PT", "P", "-PT1H", "PT0S", "3600", "P1Y", "P999999999999D", "nan")
    ),
    ("broken percent-encoding", "/fetch-one?to=%zz", "percent-encoding: [%zz]"),
    ("cut percent-encoding", "/fetch-one?to=EUR&x=%", "percent-encoding: [%]"),
    ("half a percent-encoding", "/fetch-one?to=EUR&x=%4", "percent-encoding: [%4]"),
    ("not UTF-8", "/fetch-one?to=%e9", "UTF-8"),
    ("an overlong UTF-8 slash", "/fetch-one?to=%c0%af", "UTF-8"),
    ("a surrogate in UTF-8", "/fetch-one?to=%ed%a0%80", "UTF-8"),
    ("not UTF-8, as raw bytes", "/fetch-one?to=\xe9", "UTF-8"),
    ("a query of 64 KB", "/fetch-one?to=EUR&x=" + "x" * 65_536, "too long"),
]

FINE = [
    ("lower case", "/fetch-one?from=eur&to=usd"),
    ("60 digits", f"/convert?to=EUR&amount={'9' * 60}"),
    ("the smallest amount", "/convert?to=EUR&amount=0.01"),
    ("the smallest amount in exponent form", "/convert?to=EUR&amount=1e-2"),
    ("the largest amount in exponent form", "/convert?to=EUR&amount=9.99e308"),
    ("a precision with a zero before it", "/convert?to=EUR&amount=1&precision=02"),
    ("precision 0", "/convert?to=EUR&amount=1&precision=0"),
    ("precision 20", "/convert?to=EUR&amount=1&precision=20"),
    ("today", "/historical?date=2026-11-20&to=AED"),
    ("the first day", "/historical?date=1970-01-01&to=PAB"),
    ("a leap day", "/historical?date=2024-02-29&to=EUR"),
    ("an unknown parameter", "/fetch-one?to=EUR&x=%00"),
    ("an old fixing that is young enough", "/fetch-one?to=EUR&max_age=P30D"),
    ("500 targets", f"/historical?date=2026-10-30&partial=1&to={joined(500)}"),
    ("500 targets", f"/fetch-multi?partial=1&to={joined(500)}"),
    ("a query just short enough", "/fetch-one?to=EUR&x=" + "x" * 16_000),
]


def named(rows: list) -> list:
    return [pytest.param(*rest, id=f"{number}: {name}") for number, (name, *rest) in enumerate(rows)]


def is_error(reply) -> bool:
    body = reply.json
    return list(body) == ["error", "code"] and all(isinstance(text, str) for text in body.values())


@pytest.mark.long(every=3)
@pytest.mark.parametrize("path", ENDPOINTS)
@pytest.mark.parametrize(("key", "code", "fragment"), named(KEYS))
def test_a_request_without_a_good_key_is_401(client, path, key, code, fragment):
    reply = client.get(path, key=key)
    assert (reply.status, is_error(reply), reply.json["code"]) == (401, True, code)
    assert fragment in reply.json["error"]
    assert len(reply.content) < 300


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    ("target", "role"),
    [
        (request_with(endpoint, param, f"{param.example},{{}}" if is_list(param) else "{}"), ROLES[param.name])
        for endpoint, param in CODE_PARAMS
    ],
)
@pytest.mark.parametrize(("text", "fragment"), named(UNKNOWN_CODES))
def test_an_unknown_code_is_400_and_echoed_with_its_side(kept_client, target, role, text, fragment):
    reply = kept_client.get(target.format(text))
    assert (reply.status, is_error(reply), reply.json["code"]) == (400, True, "unknown_currency")
    assert reply.json["error"].startswith(f"Invalid/unsupported {role} currency: [")
    assert fragment in reply.json["error"]
    assert len(reply.json["error"]) < 150


@pytest.mark.long(every=3)
@pytest.mark.parametrize(("target", "fragment"), named(BAD))
def test_a_bad_parameter_is_400_and_named_with_its_value(kept_client, target, fragment):
    reply = kept_client.get(target)
    assert (reply.status, is_error(reply), reply.json["code"]) == (400, True, "bad_parameter")
    assert fragment in reply.json["error"]
    assert len(reply.json["error"]) < 250


@pytest.mark.parametrize("target", named(FINE))
def test_unusual_but_valid_requests_are_answered(kept_client, target):
    assert kept_client.get(target).status == 200


@pytest.mark.parametrize("path", ENDPOINTS)
def test_post_is_405(kept_client, path):
    reply = kept_client.request("POST", path)
    assert (reply.status, is_error(reply), reply.json["code"]) == (405, True, "wrong_method")
    assert "[POST]" in reply.json["error"]
    assert reply.headers["allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "//",
        "/fetch-one/x",
        "/fetch-one//",
        "/../etc/passwd",
        "/docs/../x",
        "/%00",
        "/a\0b",
        "/\xe9",
        "/" + "x" * 9000,
    ],
)
def test_an_unknown_path_is_404(kept_client, path):
    reply = kept_client.get(path)
    assert (reply.status, is_error(reply), reply.json["code"]) == (404, True, "unknown_path")
    assert "Unknown path: [/" in reply.json["error"]


@pytest.mark.parametrize("path", ["/fetch-one?to=EUR", "/fetch-all?from=EUR", "/convert?to=EUR&amount=1"])
def test_rates_older_than_max_age_are_503_with_retry_after(client, path):
    reply = client.get(f"{path}&max_age=PT1S")
    assert (reply.status, is_error(reply), reply.json["code"]) == (503, True, "rate_unavailable")
    assert "[2026-10-30T13:15:00Z]" in reply.json["error"]
    assert int(reply.headers["retry-after"]) > 0


def test_a_list_of_250_codes_is_not_too_long(client):
    reply = client.get(f"/fetch-multi?to={joined(250)}")
    assert reply.status == 503  # most of them have no source
    assert "at most" not in reply.json["error"]


def test_an_amount_as_long_as_a_query_is_answered_in_full(client):
    reply = client.get(f"/convert?from=EUR&to=EUR&amount={'9' * 16_000}")
    body, _, _ms = reply.content.partition(b',"ms":')
    assert (reply.status, body.count(b"9")) == (200, 32_000)


NAMES = [
    *("from", "to", "date", "start", "end", "interval", "amount", "precision", "max_age", "api_key", "x", ""),
    *("metal", "currency", "unit", "purity", "verbose", "instruments", "pairs", "pair", "limit", "dtmfmt", "price"),
]
WORDS = [
    "EUR",
    "usd",
    "RUB",
    "XDR",
    "EUR,USD,,eur",
    "ZZZ",
    "",
    "%20",
    "%00",
    "%zz",
    "%e9",
    "%C4%B1dr",
    "+",
    "100",
    "0.01",
    "1e400",
    "-1",
    "20",
    "2026-10-30",
    "2026-02-30",
    "1970-01-01",
    "2026-11-20",
    "P1D",
    "PT1M",
    "EURUSD",
    "usd/jpy,EURPLN",
    "1795175998000",
    "2026-11-20T12:00:00+02:00",
    "TSP",
    "PT1S",
    "P400D",
    "*",
    ";",
    "9" * 70,
    *("XAU", "xcu", "XPB", "BTC", "USDT", "JPY", "PLN", "BTC/USD", "sol/usdt,ETH/BTC", "USD/BTC", "/", "BTC/XAU"),
    *("XAUUSD", "xau/eur,XAUXAG,NOPE", "XPBUSD", "gram", "Tael", "ounce", "750", "916.67", "24K", "NaN", "yes"),
]
PIECES = st.builds("{}={}".format, st.sampled_from(NAMES), st.sampled_from(WORDS))
ASCII = st.text(alphabet=string.printable.strip() + "%&=,;+", max_size=40)
ENCODED = st.binary(max_size=30).map(lambda raw: quote(raw, safe="&=,"))
# A WSGI server hands raw bytes over as Latin-1.
RAW = st.text(alphabet=st.characters(max_codepoint=255), max_size=40)
QUERIES = st.one_of(st.lists(st.one_of(PIECES, PIECES, ASCII, ENCODED), max_size=6).map("&".join), RAW)


@pytest.mark.long(every=2)
@pytest.mark.parametrize("which", ["client", "client_dealing"])
@settings(
    max_examples=1000, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(path=st.sampled_from(ENDPOINTS), query=QUERIES)
def test_any_query_on_any_endpoint_is_answered_or_refused_in_the_one_shape(request, which, path, query):
    reply = request.getfixturevalue(which).get(f"{path}?{query}")
    assert reply.status in STATUSES, (path, query)
    if reply.status == 200:
        assert list(reply.json)[-1] == "ms"
    else:
        assert is_error(reply)
        assert reply.json["code"] in ERRORS


@pytest.mark.long
@settings(
    max_examples=400, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(path=RAW, query=QUERIES, method=st.sampled_from(["GET", "HEAD", "POST", "DELETE"]))
def test_any_path_is_answered_or_refused_in_the_one_shape(client, path, query, method):
    reply = client.request(method, f"/{path.replace('?', '')}?{query}")
    assert reply.status in STATUSES
    if method == "HEAD":
        assert reply.content == b""
    elif reply.status != 200:
        assert is_error(reply)


@pytest.mark.long
@settings(
    max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    name=st.sampled_from(["X-API-Key", "Authorization", "If-None-Match"]),
    value=RAW,
    scheme=st.sampled_from(["", "Basic ", "Bearer "]),
)
def test_any_header_is_answered_or_refused_in_the_one_shape(make_client, name, value, scheme):
    client = make_client()  # one that no failed key has reached yet
    reply = client.get("/historical?date=2026-10-30&to=EUR", headers={name: scheme + value})
    assert reply.status in STATUSES
    if reply.content and reply.status != 200:
        assert msgspec.json.decode(reply.content)["code"].startswith("key")
