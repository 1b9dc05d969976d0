"""Errors have one shape everywhere; headers have the cost, the caching and the CORS rules."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from msgspec import Struct

from cambist.accounts.meter import Meter
from cambist.api.answer.endpoint import Endpoint
from cambist.api.application import ApiOptions, build_application
from cambist.errors import RateMatrixDamaged
from cambist.ingest.filing import Delivery, file_delivery
from cambist.ingest.snapshot_builder import rate_matrix_from_archive
from cambist.pricing.rate_book import RateBook
from cambist.sources.adapters.ecb import adapter

LIVE = [
    "/fetch-one?from=EUR&to=USD",
    "/fetch-multi?to=EUR,JPY",
    "/fetch-all",
    "/fetch-many-to-one?from=EUR,JPY&to=USD",
    "/fetch-matrix?from=EUR,JPY&to=USD",
    "/convert?to=EUR&amount=1",
    "/currencies",
    "/historical?date=2026-10-31&from=EUR",
    "/historical?date=2026-11-20&to=AED",
    "/time-series?from=EUR&to=USD",
    "/time-series?from=EUR&to=USD&start=2026-10-01&end=2026-10-31",
]
CLOSED = [
    "/historical?date=2026-10-30&from=EUR",
    "/historical?date=2026-10-25&from=EUR&to=USD",
    "/time-series?from=EUR&to=USD&start=2026-10-01&end=2026-10-30",
]
ERRORS = [
    ("GET", "/nowhere", 404, "unknown_path"),
    ("GET", "/", 404, "unknown_path"),
    ("GET", "/fetch-one/more", 404, "unknown_path"),
    ("POST", "/fetch-one", 405, "wrong_method"),
    ("POST", "/docs", 405, "wrong_method"),
    ("GET", "/fetch-one", 400, "bad_parameter"),
    ("GET", "/fetch-one?to=ZZZ", 400, "unknown_currency"),
    ("GET", "/historical?date=1998-01-01&from=EUR", 404, "no_rate"),
    ("GET", "/fetch-one?to=XDR", 503, "rate_unavailable"),
]


class Nothing(Struct, frozen=True):
    """Parameters of the broken endpoint."""


class Something(Struct, frozen=True):
    """What it never answers."""

    value: str


class Heard(logging.Handler):
    """Hears what a logger says, formatted whole."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def heard():
    handler, logger = Heard(), logging.getLogger("cambist")
    logger.addHandler(handler)
    yield handler.lines
    logger.removeHandler(handler)


@pytest.fixture(params=[RuntimeError, RateMatrixDamaged, KeyError, RecursionError])
def broken(request, client):
    """A client of a service with one endpoint, which fails with a secret in its error."""

    def answer(_view, _params):
        raise request.param("the secret of /var/lib/inside")

    endpoint = Endpoint("/broken", "currency", "Breaks.", Nothing, Something, answer)
    return replace(
        client, app=build_application([endpoint], client.worker_state, Meter(client.ledger, {}), ApiOptions())
    )


@pytest.mark.parametrize(("method", "target", "status", "code"), ERRORS)
def test_every_error_has_the_one_shape(client, method, target, status, code):
    reply = client.request(method, target)
    assert (reply.status, list(reply.json), reply.json["code"]) == (status, ["error", "code"], code)
    assert re.fullmatch(r"[A-Z].{10,}", reply.json["error"])


@pytest.mark.parametrize(("method", "target", "status", "code"), ERRORS)
def test_every_error_has_cors_headers_and_is_never_cached(client, method, target, status, code):
    headers = client.request(method, target).headers
    assert headers["access-control-allow-origin"] == "*"
    assert headers["cache-control"] == "no-store"
    assert headers["content-type"] == "application/json"
    assert int(headers["content-length"]) > 0
    assert ("retry-after" in headers) == (status == 503), code


@pytest.mark.parametrize("target", LIVE + CLOSED)
def test_every_answer_is_open_to_browsers(client, target):
    for _ in range(2):  # made, then kept
        headers = client.get(target, headers={"Origin": "https://example.org"}).headers
        assert headers["access-control-allow-origin"] == "*"
        exposed = headers["access-control-expose-headers"].lower()
        assert all(name in exposed for name in ("etag", "retry-after", "x-calls-cost"))


def test_a_401_is_open_to_browsers(client):
    assert client.get("/fetch-one?to=EUR", key=None).headers["access-control-allow-origin"] == "*"


def test_the_origin_is_the_one_that_the_operator_chose(make_client):
    client = make_client(cors_origin="https://shop.example")
    for target in ("/fetch-one?to=EUR", "/fetch-one?to=EUR", "/fetch-one?to=ZZZ", "/nowhere"):
        headers = client.get(target).headers
        assert headers["access-control-allow-origin"] == "https://shop.example"
        assert headers["vary"] == "Origin"


@pytest.mark.parametrize("path", ["/nowhere", "/fetch", "/fetch-one/x", "/Fetch-One", "/docs/none.js", "/openapi"])
def test_an_unknown_path_is_404_and_named(client, path):
    reply = client.get(path)
    assert (reply.status, reply.json["code"]) == (404, "unknown_path")
    assert f"[{path}]" in reply.json["error"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "TRACE", "BREW"])
@pytest.mark.parametrize("path", ["/nowhere", "/fetch-one/x", "/convert/bulk/x", "/mcp/x", "/historical.txt"])
def test_an_unknown_path_is_404_whatever_the_method(client, method, path):
    reply = client.request(method, path)
    assert (reply.status, reply.json["code"]) == (404, "unknown_path")
    assert "allow" not in reply.headers


def test_a_long_unknown_path_is_shortened(client):
    assert len(client.get("/" + "x" * 5000).content) < 300


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "TRACE", "BREW"])
@pytest.mark.parametrize("path", ["/fetch-one", "/fetch-one/", "/historical", "/docs", "/openapi.json"])
def test_another_method_is_405_and_the_right_ones_are_named(client, method, path):
    reply = client.request(method, path)
    assert (reply.status, reply.json["code"]) == (405, "wrong_method")
    assert set(reply.headers["allow"].replace(" ", "").split(",")) == {"GET", "HEAD", "OPTIONS"}
    assert f"[{method}]" in reply.json["error"]


def test_a_preflight_names_the_methods_that_an_error_names(client):
    allowed = client.request("POST", "/fetch-one").headers["allow"]
    assert client.request("OPTIONS", "/fetch-one").headers["allow"] == allowed


def test_an_internal_error_is_500_and_reveals_nothing(broken, heard):
    reply = broken.get("/broken")
    assert (reply.status, list(reply.json), reply.json["code"]) == (500, ["error", "code"], "internal")
    assert "secret" not in reply.text
    assert "Error" not in reply.text
    assert ".py" not in reply.text
    assert heard


def test_an_internal_error_has_cors_headers_and_is_never_cached(broken, heard):
    headers = broken.get("/broken").headers
    assert headers["access-control-allow-origin"] == "*"
    assert headers["cache-control"] == "no-store"
    assert "x-calls-cost" not in headers
    assert heard


def test_a_failure_inside_is_logged_with_its_trace_but_without_the_query(broken, heard, key):
    broken.get(f"/broken?from=EUR&api_key={key}", key=None)
    (line,) = heard
    assert "/broken" in line
    assert "the secret of /var/lib/inside" in line
    assert "Traceback" in line
    assert key not in line
    assert "api_key=" not in line
    assert "from=EUR" not in line


def test_a_refusal_is_not_logged(client, heard):
    for method, target, *_ in ERRORS:
        client.request(method, target)
    assert not heard


@pytest.mark.parametrize("target", [target for target in LIVE if target != "/currencies"])
def test_live_answers_are_not_cacheable(client, target):
    for _ in range(2):  # made, then kept
        headers = client.get(target).headers
        assert headers["cache-control"] == "no-store"
        assert "etag" not in headers


@pytest.mark.parametrize("target", CLOSED)
def test_immutable_history_is_cacheable(client, target):
    for _ in range(2):  # made, then kept
        headers = client.get(target).headers
        assert "max-age=3600" in headers["cache-control"]
        assert "no-store" not in headers["cache-control"]
        assert re.fullmatch(r'"[^"]+"', headers["etag"])


def test_how_long_is_the_operators_choice(make_client):
    client = make_client(closed_max_age=timedelta(minutes=5))
    assert "max-age=300" in client.get(CLOSED[0]).headers["cache-control"]


@pytest.mark.parametrize("target", CLOSED)
@pytest.mark.parametrize("form", ["{0}", '"other", {0}', '{0},"other"', "W/{0}", ' "x" ,  {0} '])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_matching_etag_is_304_and_costs_nothing(client, target, form, method):
    etag = client.get(target).headers["etag"]
    reply = client.request(method, target, headers={"If-None-Match": form.format(etag)})
    assert (reply.status, reply.content) == (304, b"")
    assert reply.headers["etag"] == etag
    assert reply.headers["x-calls-cost"] == "0"
    assert "max-age=3600" in reply.headers["cache-control"]
    assert reply.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("tag", ['"other"', "", '""', "x", '"{0}"x', "{0}".strip('"')[:5]])
def test_another_etag_gets_the_answer(client, tag):
    client.get(CLOSED[0])
    reply = client.get(CLOSED[0], headers={"If-None-Match": tag})
    assert (reply.status, reply.json["date"], reply.headers["x-calls-cost"]) == (200, "2026-10-30", "1")


@pytest.mark.parametrize("target", LIVE[:2])
def test_a_live_answer_is_never_304(client, target):
    assert client.get(target, headers={"If-None-Match": "*"}).status == 200


def test_an_error_is_never_304(client):
    assert client.get("/historical?date=1998-01-01&from=EUR", headers={"If-None-Match": "*"}).status == 404


def test_the_etag_is_made_of_the_content_alone(make_client):
    etags = {make_client().get(CLOSED[0]).headers["etag"] for _ in range(2)}
    assert len(etags) == 1
    assert etags != {make_client().get(CLOSED[1]).headers["etag"]}


def test_a_correction_of_the_data_changes_the_etag_of_what_it_changed(client, small_store, small_ecb, now):
    changed, other = "/historical?date=2026-02-28&from=EUR&to=USD", "/historical?date=2026-03-03&from=EUR&to=USD"
    client.worker_state.apply_matrix(rate_matrix_from_archive(small_store, [adapter.source], now.date()))
    before = {target: client.get(target) for target in (changed, other)}
    corrected = small_ecb.replace(b"2026-02-27,1.1000", b"2026-02-27,1.1111")
    assert (
        file_delivery(
            small_store.archive,
            adapter,
            Delivery(corrected, "a test", now),
            lambda _: None,
        ).corrected
        == 1
    )
    client.worker_state.apply_matrix(rate_matrix_from_archive(small_store, [adapter.source], now.date()))

    reply = client.get(changed, headers={"If-None-Match": before[changed].headers["etag"]})
    assert (reply.status, reply.json["results"]) == (200, {"USD": 1.1111})
    assert reply.headers["etag"] != before[changed].headers["etag"]
    assert client.get(other, headers={"If-None-Match": before[other].headers["etag"]}).status == 304


def test_a_new_rate_book_is_used_at_once(client, real_book):
    assert client.get("/fetch-one?to=EUR").status == 200
    client.worker_state.apply_book(RateBook.of(replace(real_book.quoted(), quotes={}, listed=("USD",))))
    assert client.get("/fetch-one?to=EUR").status == 503


@pytest.mark.parametrize("target", LIVE + CLOSED)
def test_every_answer_has_its_cost(client, target):
    for _ in range(2):  # made, then kept
        assert int(client.get(target).headers["x-calls-cost"]) >= 1


@pytest.mark.parametrize("target", LIVE + CLOSED)
def test_a_cached_answer_has_the_headers_of_the_first(client, target):
    first, second = client.get(target).headers, client.get(target).headers
    assert {**first, "content-length": ""} == {**second, "content-length": ""}
