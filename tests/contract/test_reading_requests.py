"""Requests are parsed leniently: real clients send all of these."""

from __future__ import annotations

from dataclasses import replace

import pytest

SAME_MULTI = '{"base":"EUR","results":{"USD":1.1172,"JPY":175.68},"updated":"2026-10-30T13:15:00Z","ms":'
ENDPOINTS = [
    "/fetch-one?from=EUR&to=USD",
    "/fetch-multi?from=EUR&to=USD,JPY",
    "/fetch-all?from=EUR",
    "/fetch-many-to-one?from=EUR,USD&to=JPY",
    "/fetch-matrix?from=EUR,USD&to=JPY",
    "/convert?from=EUR&to=USD&amount=1",
    "/historical?date=2026-10-30&from=EUR",
    "/time-series?from=EUR&to=USD&start=2026-10-29&end=2026-10-30",
    "/currencies",
]


def without_ms(text: str) -> str:
    return text[: text.rindex('"ms":')]


@pytest.mark.parametrize(
    "query",
    [
        "from=EUR&to=USD,JPY",
        "from=eur&to=usd,jpy",
        "from=Eur&to=Usd,jpy",
        "to=USD,JPY&from=EUR",
        "from=EUR&to=USD%2CJPY",
        "from=EUR&to=USD%2cJPY",
        "from=EUR&to=USD,%20JPY",
        "from=EUR&to=USD%20,JPY",
        "from=EUR&to=%20USD%20%2C%20JPY%20",
        "from=EUR&to=USD,+JPY",
        "from=EUR&to=USD, JPY",
        "from=EUR&to=,USD,,JPY,",
        "from=EUR&to=USD,%20,JPY",
        "from=EUR&to=USD,JPY,USD,JPY,usd",
        "from=%20EUR%20&to=USD,JPY",
        "%66rom=EUR&t%6F=%55SD,JPY",
        "from=EUR&to=USD,JPY&",
        "&&from=EUR&&to=USD,JPY",
    ],
)
def test_these_all_ask_the_same(client, query):
    reply = client.get(f"/fetch-multi?{query}")
    assert reply.status == 200, reply.text
    assert reply.text.startswith(SAME_MULTI)


def test_answers_use_upper_case(client):
    matrix = client.get("/fetch-matrix?from=eur&to=usd,Jpy").json
    assert (matrix["from"], matrix["to"], list(matrix["matrix"])) == (["EUR"], ["USD", "JPY"], ["EUR"])
    assert client.get("/fetch-many-to-one?from=eur&to=usd").json["to"] == "USD"
    assert client.get("/convert?from=eur&to=usd&amount=1").json["base"] == "EUR"
    assert client.get("/historical?date=2026-10-30&from=eur&to=usd").json["results"] == {"USD": 1.1172}
    assert list(client.get("/time-series?from=eur&to=usd").json["results"]) == ["USD"]


@pytest.mark.parametrize(
    ("path", "calls"),
    [
        ("/fetch-many-to-one?from=EUR,eur,EUR,JPY&to=USD", 2),
        ("/fetch-matrix?from=EUR,EUR&to=USD,usd,JPY", 2),
        ("/fetch-matrix?from=EUR,,EUR,%20&to=USD", 1),
    ],
)
def test_a_repeat_counts_and_is_charged_once(client, path, calls):
    reply = client.get(path)
    assert (reply.json["calls"], reply.headers["x-calls-cost"]) == (calls, str(calls))


def test_a_list_may_name_250_currencies_however_often(client):
    repeated = ",".join(["USD", "JPY"] * 400)
    assert client.get(f"/fetch-multi?from=EUR&to={repeated}").text.startswith(SAME_MULTI)


@pytest.mark.parametrize("more", ["x=1", "pretty=true", "callback=f", "base=GBP", "=", "=1", "x"])
def test_unknown_parameters_are_ignored(client, more):
    for query in (f"from=EUR&to=USD,JPY&{more}", f"{more}&from=EUR&to=USD,JPY"):
        assert client.get(f"/fetch-multi?{query}").text.startswith(SAME_MULTI)


@pytest.mark.parametrize(
    "query",
    [
        "from=GBP&from=EUR&to=USD,JPY",
        "from=EUR&from=&to=USD,JPY",
        "from=&from=EUR&to=USD,JPY",
        "from=EUR&to=USD,JPY&from=%20",
        "from=EUR&to=GBP&to=ZZZ&to=USD,JPY&to=",
    ],
)
def test_the_last_non_empty_value_of_a_repeated_parameter_counts(client, query):
    assert client.get(f"/fetch-multi?{query}").text.startswith(SAME_MULTI)


@pytest.mark.parametrize("query", ["api_key=&api_key={key}", "api_key={key}&api_key=", "api_key=x&api_key={key}"])
def test_the_last_non_empty_value_of_a_repeated_key_counts(client, key, query):
    reply = client.get(f"/fetch-one?from=EUR&to=USD&{query.format(key=key)}", key=None)
    assert reply.status == 200


@pytest.mark.parametrize("target", ENDPOINTS)
def test_a_trailing_slash_is_the_same_endpoint_and_never_a_redirect(client, target):
    path, _, query = target.partition("?")
    with_slash = client.get(f"{path}/?{query}")
    assert with_slash.status == 200
    assert "location" not in with_slash.headers
    assert without_ms(with_slash.text) == without_ms(client.get(target).text)


@pytest.mark.parametrize("path", ["/docs/", "/openapi.json/"])
def test_a_trailing_slash_is_the_same_page(client, path):
    assert client.get(path, key=None).status == 200


@pytest.mark.parametrize("content_type", ["application/json", "text/html; charset=utf-8", "nonsense", ""])
@pytest.mark.parametrize("length", ["0", ""])
def test_a_content_type_and_an_empty_body_are_fine(client, content_type, length):
    def app(environ, start):
        return client.app(environ | {"CONTENT_TYPE": content_type, "CONTENT_LENGTH": length}, start)

    for _ in range(2):  # made, then kept
        assert replace(client, app=app).get("/fetch-one?from=EUR&to=USD").json["result"] == {"USD": 1.1172}


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "*/*", ""])
def test_any_accept_header_gets_json(client, accept):
    assert client.get("/fetch-one?from=EUR&to=USD", headers={"Accept": accept}).json["base"] == "EUR"


@pytest.mark.parametrize("target", ENDPOINTS)
def test_head_returns_the_same_headers_and_no_body(client, target):
    for _ in range(2):  # made, then kept
        head, got = client.request("HEAD", target), client.get(target)
        assert (head.status, head.content) == (200, b"")
        # Of a kept answer the HTTP server writes the length; the milliseconds may have more digits.
        got_length = int(got.headers.pop("content-length", len(got.content)))
        assert abs(int(head.headers.pop("content-length")) - got_length) <= 3
        costs = [reply.headers.pop("x-calls-cost") for reply in (head, got)]
        assert costs[0] in {"0", costs[1]}  # what is kept costs a HEAD nothing
        assert head.headers == got.headers


@pytest.mark.parametrize(("target", "status"), [("/fetch-one?to=ZZZ", 400), ("/nowhere", 404)])
def test_head_of_an_error_has_its_status_and_headers_and_no_body(client, target, status):
    head = client.request("HEAD", target)
    assert (head.status, head.content) == (status, b"")
    assert head.headers == client.get(target).headers


PATHS = [
    *(target.partition("?")[0] for target in ENDPOINTS),
    "/docs",
    "/openapi.json",
    "/nowhere",
    "/",
    "//",
    "/x/y%00",
]


@pytest.mark.parametrize("path", PATHS)
def test_a_preflight_is_answered_without_a_key(client, path):
    asked = {
        "Origin": "https://example.org",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "authorization,cache-control,if-none-match,traceparent,x-requested-with",
    }
    reply = client.request("OPTIONS", path, key=None, headers=asked)
    assert (reply.status, reply.content) == (204, b"")
    assert reply.headers["access-control-allow-origin"] == "*"
    assert reply.headers["access-control-allow-headers"] == asked["Access-Control-Request-Headers"]
    assert "GET" in reply.headers["access-control-allow-methods"]


@pytest.mark.parametrize("asked", [None, "", " ", "x\r\nSet-Cookie: a=b", "x" * 1001, "\xe9", "a;b", '"'])
def test_options_without_valid_headers_lists_the_allowed_ones(client, asked):
    headers = {} if asked is None else {"Access-Control-Request-Headers": asked}
    for path in ("/fetch-one", "/nowhere"):
        reply = client.request("OPTIONS", path, key=None, headers=headers)
        assert (reply.status, reply.content) == (204, b"")
        assert reply.headers["access-control-allow-headers"] == "X-API-Key, Authorization, Content-Type"
        assert reply.headers["allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("target", ENDPOINTS)
def test_the_service_works_under_a_path_prefix_and_without_it(make_client, target):
    client = make_client(path_prefix="/rates/v1")
    for _ in range(2):  # made, then kept
        under, plain = client.get(f"/rates/v1{target}"), client.get(target)
        assert under.status == plain.status == 200
        assert without_ms(under.text) == without_ms(plain.text)


@pytest.mark.parametrize("path", ["/rates/v1/docs", "/rates/v1/docs/", "/rates/v1/openapi.json", "/docs"])
def test_pages_work_under_the_prefix_too(make_client, path):
    assert make_client(path_prefix="/rates/v1").get(path, key=None).status == 200


def test_the_trailing_slash_works_under_the_prefix_too(make_client):
    assert make_client(path_prefix="/rates/v1").get("/rates/v1/fetch-one/?to=EUR").status == 200


@pytest.mark.parametrize("path", ["/rates/v1", "/rates/v1/", "/rates/v10/fetch-one", "/rates/v1/rates/v1/fetch-one"])
def test_other_paths_around_the_prefix_are_unknown(make_client, path):
    reply = make_client(path_prefix="/rates/v1").get(f"{path}?to=EUR")
    assert (reply.status, reply.json["code"]) == (404, "unknown_path")


def test_a_prefix_ends_where_a_path_segment_ends(make_client):
    reply = make_client(path_prefix="/rates/v1").get("/rates/v1fetch-one?to=EUR")
    assert (reply.status, reply.json["code"]) == (404, "unknown_path")


def test_a_prefix_that_begins_like_an_endpoint_does_not_hide_it(make_client):
    client = make_client(path_prefix="/c")
    assert client.get("/c/currencies").status == 200
    assert client.get("/currencies").status == 200


def test_without_the_option_there_is_no_prefix(client):
    assert client.get("/rates/v1/fetch-one?to=EUR").status == 404


@pytest.mark.parametrize(("prefix", "url"), [("/rates/v1", "/rates/v1"), ("", "/")])
def test_the_openapi_document_names_the_prefix_as_its_server(make_client, prefix, url):
    assert make_client(path_prefix=prefix).get(f"{prefix}/openapi.json").json["servers"] == [{"url": url}]
