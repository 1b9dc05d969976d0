"""The document is held to OpenAPI, to the file in docs/, and to what the service answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from tests.reading import read_with

from cambist.api.docs.openapi import openapi_document
from cambist.api.endpoints import ENDPOINTS
from cambist.api.errors import PROBLEMS
from cambist.api.questions.parameters import declared_params
from cambist.history.bars import Bar, Interval, Ohlc
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.registry.wiring.components import endpoints, posted_endpoints

DOCS = Path(__file__).parents[2] / "docs" / "openapi.json"
REQUESTS = {
    "/fetch-one": ["from=EUR&to=USD", "to=JPY", "from=EUR", "from=USD&to=USD", "from=JPY&to=GBP&max_age=P9999D"],
    "/fetch-multi": ["from=EUR&to=USD,JPY,GBP", "to=eur"],
    "/fetch-all": ["", "from=EUR", "from=HRK"],
    "/fetch-many-to-one": ["from=USD,JPY,GBP&to=EUR", "from=USD&to="],
    "/fetch-matrix": ["from=USD,EUR&to=JPY,GBP", "from=USD&to=USD"],
    "/convert": ["from=EUR&to=USD&amount=100", "to=JPY&amount=0.01&precision=0", "to=JPY&amount=.5"],
    "/historical": ["date=2024-02-29", "date=1999-01-04&from=EUR&to=USD,JPY", "date=2010-01-01&from=DEM"],
    "/time-series": ["from=EUR&to=USD&start=2024-02-01&end=2024-02-29", "to=EUR&end=2024-02-29&interval=p1d"],
    "/averages": ["from=EUR&to=USD,GBP&start=2024-02-01&end=2024-03-31", "to=EUR&start=2020-01-01&by=year"],
    "/booking-rules": [""],
    "/price-list": ["from=EUR&to=USD,JPY&amount=12.50&markup=2.5%25", "to=CHF&amount=7&rounding=cash&date=2024-02-29"],
    "/currencies": [""],
    "/explain": ["from=EUR&to=JPY", "to=AED", "from=eur&to=hrk&date=2024-02-03", "from=EUR&to=USD&date=2024-02-29"],
    "/sources": [""],
    "/coverage": ["", "code=eur"],
    "/corrections": ["from=EUR&to=USD", "", "from=EUR", "to=jpy&start=2024-01-01&end=2024-02-29&limit=5"],
    "/vintages": ["from=EUR&to=JPY&date=2026-10-29"],
    "/crypto/currencies": [""],
    "/crypto/pairs": [""],
    "/crypto/fetch-prices": ["pairs=BTC/USD", "pairs=btc/usd,ETH%2FBTC"],
    "/fx/pairs": [""],
    "/fx/currencies": [""],
    "/fx/pairs/quote-sizes": [""],
    "/fx/pairs/historical-limits": ["", "interval=PT1M&price=ask"],
    "/fx/quote": ["pairs=GBPUSD", "pairs=usd/gbp,GBPCHF"],
    "/fx/quote/time-series": ["pair=EURUSD", "pair=USDEUR&start=2026-11-20&dtmfmt=TSP&limit=1"],
    "/fx/ohlc/time-series": ["pair=EURUSD", "pair=EURUSD&end=1795175998000&interval=PT1H"],
    "/metals/spot": [
        "",
        "metal=XCU",
        "metal=XCU&verbose=yes&currency=EUR",
        "currency=EUR&unit=gram&purity=750&verbose=maybe",
        "currency=JPY&purity=916.67&verbose=1",
    ],
    "/metals/quote": ["instruments=XAUUSD,XCUUSD,XAUXAG", "instruments=XAU/EUR,NOPE,XPBUSD&verbose=y"],
    "/metals/instruments": [""],
    "/metals/purities": [""],
    "/metals/units": [""],
    "/metals/list": [""],
    "/usage": ["", "unknown=x"],
    "/alerts": [""],
}
REFUSED = {
    "/fetch-one": ["", "to=XXX", "from=EUR&to=USD&max_age=PT1S", "to=KPW", "to=%zz"],
    "/fetch-multi": ["", "to=,", "to=USD,XXX"],
    "/fetch-all": ["from=XXX", "max_age=PT1S"],
    "/fetch-many-to-one": ["", "from=USD&to=E"],
    "/fetch-matrix": ["", "from=USD"],
    "/convert": ["to=USD", "to=USD&amount=-1", "to=USD&amount=1&precision=21"],
    "/historical": ["", "date=2024-02-30", "date=1969-12-31", "date=2199-01-01", "date=1970-01-01&from=JPY"],
    "/time-series": ["", "to=USD&start=2024-02-02&end=2024-02-01", "to=JPY&end=1970-01-02", "to=USD&interval=PT1H"],
    "/averages": ["", "to=USD&start=2024-02-02&end=2024-02-01", "to=USD&start=2024-01-01&by=day"],
    "/price-list": ["", "to=USD&amount=0", "to=USD&amount=1&markup=12", "to=USD&amount=1&rounding=cash"],
    "/coverage": ["code=XXX", "code=BTC"],
    "/corrections": [
        "to=BTC",
        "to=EUR&limit=101",
        "to=EUR&start=2024-02-02&end=2024-02-01",
        "to=EUR&start=2199-01-01",
        "since=2026-10-29",
    ],
    "/vintages": ["", "to=JPY", "to=BTC&date=2026-10-29", "to=JPY&date=2199-01-01"],
    "/crypto/fetch-prices": ["", "pairs=BTC", "pairs=USD/BTC", "pairs=BTC/EUR"],
    "/fx/pairs/historical-limits": ["interval=PT5M", "price=mid"],
    "/fx/quote": ["", "pairs=EURZZZ", "pairs=PLNCZK"],
    "/fx/quote/time-series": ["", "pair=EURZZZ", "pair=EURUSD&limit=101", "pair=EURUSD&start=x"],
    "/fx/ohlc/time-series": ["", "pair=EURUSD&interval=P2D"],
    "/metals/spot": ["metal=XXX", "metal=XPB", "unit=ounce", "purity=24K", "currency=BTC", "max_age=PT0S"],
    "/metals/quote": ["", "instruments=NOPE", "instruments=XPBUSD"],
}
DEALT = ["CHF/USD", "GBP/USD", "XAU/USD", "XAU/EUR", "XAG/USD", "XCU/USD", "BTC/USD", "ETH/USD", "ETH/BTC"]
"""Pairs that somebody deals, beside the currencies of the real history."""


@pytest.fixture
def client(client: Any, real_book: RateBook, now: datetime) -> Any:
    """A client of a service on the real history, to which some metals and coins were dealt."""
    origin = Origin(Derivation.PUBLISHED, ("a venue",), (), (), Pace.REALTIME)
    pairs = {pair: Quote(pair, Fraction(100), Fraction(101), now, now, origin) for pair in map(pair_of, DEALT)}
    quotes = {pair.base: quote for pair, quote in pairs.items() if pair.quote == "USD"}
    client.worker_state.apply_book(
        RateBook.of(replace(real_book.quoted(), quotes={**real_book.quotes, **quotes}, pairs=pairs))
    )
    read_with(client.worker_state, bars=OneBar())
    return client


class OneBar:
    """The archive of bars where there is one, of euros."""

    def newest_bars(self, pair: Pair, *_asked: object) -> list[Bar]:
        side = Ohlc(*map(Decimal, ("1.1", "1.3", "1.0", "1.2")))
        return [Bar(datetime(2026, 11, 20, 11, 59, tzinfo=UTC), side, side)] if pair == pair_of("EUR/USD") else []

    def first_starts(self, _interval: Interval) -> dict[Pair, datetime]:
        return {pair_of("EUR/USD"): datetime(2026, 11, 20, tzinfo=UTC)}


def pair_of(text: str) -> Pair:
    return Pair(*text.split("/"))


@pytest.fixture(scope="module")
def spec() -> dict[str, Any]:
    return json.loads(msgspec.json.encode(openapi_document(endpoints(), posted=posted_endpoints())))


def each(requests: dict[str, list[str]]) -> Callable[..., Any]:
    cases = [(path, query) for path, queries in requests.items() for query in queries]
    return pytest.mark.parametrize(("path", "query"), cases, ids=[f"{path}?{query}" for path, query in cases])


def response_schema(spec: dict[str, Any], path: str, status: int) -> dict[str, Any]:
    response = spec["paths"][path]["get"]["responses"][str(status)]
    if "$ref" in response:
        response = spec["components"]["responses"][response["$ref"].rpartition("/")[2]]
    return {**response["content"]["application/json"]["schema"], "components": spec["components"]}


@pytest.mark.long
def test_the_document_is_valid_openapi_3_1(spec: dict[str, Any]) -> None:
    assert spec["openapi"].startswith("3.1.")
    OpenAPIV31SpecValidator(spec).validate()


def test_the_document_is_the_one_in_docs(spec: dict[str, Any]) -> None:
    assert json.loads(DOCS.read_text(encoding="utf-8")) == spec


def test_building_it_twice_returns_the_same_document() -> None:
    one, other = (msgspec.json.encode(openapi_document(endpoints(), posted=posted_endpoints())) for _ in range(2))
    assert one == other


def operations(spec: dict[str, Any], *methods: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the operations with their paths: all, or those of some methods."""
    return [
        (path, operation)
        for path, item in spec["paths"].items()
        for method, operation in item.items()
        if not methods or method in methods
    ]


def test_every_endpoint_is_in_it_in_the_order_of_the_docs(spec: dict[str, Any]) -> None:
    read = [path for path, methods in spec["paths"].items() if "get" in methods]
    assert read == [endpoint.path for endpoint in endpoints()]
    assert len(read) == len(ENDPOINTS)
    assert [path for path in spec["paths"] if path not in read] == [
        "/value",
        "/price-list/bulk",
        "/metals/value",
        "/alerts/add",
        "/alerts/test",
        "/alerts/remove",
        "/convert/bulk",
    ]


def test_every_endpoint_has_a_summary_and_a_description(spec: dict[str, Any]) -> None:
    for endpoint in endpoints():
        operation = spec["paths"][endpoint.path]["get"]
        assert operation["tags"] == [endpoint.tag]
        assert operation["summary"] == endpoint.summary
        assert len(operation["description"]) > 40
        assert "Cost: " in operation["description"]


def test_every_operation_has_its_own_name(spec: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, operation in operations(spec)]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() for name in names)


def test_every_declared_parameter_is_described(spec: dict[str, Any]) -> None:
    for endpoint in endpoints():
        described = {param["name"]: param for param in spec["paths"][endpoint.path]["get"]["parameters"]}
        assert set(described) == {param.name for param in declared_params(endpoint.params).values()}
        for param in declared_params(endpoint.params).values():
            assert described[param.name]["required"] == param.required
            assert described[param.name]["description"]


def test_examples_and_defaults_match_the_schema_of_their_parameter(spec: dict[str, Any]) -> None:
    wrong = []
    for path, operation in operations(spec):
        for param in operation["parameters"]:
            shown = [param["example"]] if "example" in param else []
            shown += [param["schema"]["default"]] if "default" in param["schema"] else []
            wrong += [(path, param["name"], one) for one in shown if not takes(param["schema"], one)]
    assert wrong == []


def takes(schema: dict[str, Any], value: object) -> bool:
    return bool(Draft202012Validator(schema).is_valid(value))


def test_every_answer_has_an_example_that_matches_its_schema(client: Any, spec: dict[str, Any]) -> None:
    for path, operation in operations(spec, "get"):
        content = operation["responses"]["200"]["content"]["application/json"]
        Draft202012Validator(response_schema(spec, path, 200)).validate(content["example"])
        answer = client.get(f"{path}?{REQUESTS[path][0]}").json
        optional = set(content["schema"]["properties"]) - set(content["schema"]["required"])
        assert set(content["example"]) - optional == set(answer) - optional
        assert list(content["example"])[-1] == "ms"


def test_every_answer_to_a_post_has_an_example_that_matches_its_schema(spec: dict[str, Any]) -> None:
    for path, operation in operations(spec, "post"):
        for content in operation["responses"]["200"]["content"].values():
            if content["schema"].get("type") == "object":
                schema = {**content["schema"], "components": spec["components"]}
                Draft202012Validator(schema).validate(content["example"])
                assert list(content["example"])[-1] == "ms", path


def test_every_operation_says_what_it_costs(spec: dict[str, Any]) -> None:
    for path, operation in operations(spec):
        assert re.search(r"Cost: \w.*\.", operation["description"]), path


def test_every_error_of_a_status_has_an_example_with_its_own_code(spec: dict[str, Any]) -> None:
    for status, response in spec["components"]["responses"].items():
        content = response["content"]["application/json"]
        codes = {problem.code for problem in PROBLEMS.values() if str(problem.status) == status}
        assert set(content["examples"]) == codes
        for code, example in content["examples"].items():
            assert example["value"]["code"] == code
            Draft202012Validator(response_schema(spec, "/convert", int(status))).validate(example["value"])


@pytest.mark.parametrize(
    ("target", "key", "code"),
    [
        ("/fetch-multi?from=EUR", "", None),
        ("/fetch-one?to=ZZZ", "", "unknown_currency"),
        ("/metals/spot?metal=XXX", "", "unknown_metal"),
        ("/fx/quote?pairs=EURZZZ", "", "unknown_pair"),
        ("/metals/quote?instruments=NOPE", "", "unknown_instrument"),
        ("/fetch-one?to=EUR", None, "key_missing"),
        ("/fetch-one?to=EUR", "cmb_", "key_malformed"),
        ("/time-series?from=EUR&to=USD&start=1990-01-01&end=1998-12-31", "", "no_rate"),
        ("/fetch-one?to=KPW", "", "rate_unavailable"),
    ],
)
def test_examples_of_errors_are_what_the_service_answers(
    client: Any, spec: dict[str, Any], target: str, key: str | None, code: str | None
) -> None:
    reply = client.get(target, key=key)
    if code:
        examples = spec["components"]["responses"][str(reply.status)]["content"]["application/json"]["examples"]
        assert reply.json == examples[code]["value"]
    else:
        assert reply.json["error"].startswith("Missing parameter: [to], such as to=")


def test_no_description_has_markdown_indentation_or_internal_terms(
    spec: dict[str, Any],
) -> None:
    introduction = spec["info"].pop("description")
    texts = list(descriptions(spec))
    spec["info"]["description"] = introduction
    assert len(texts) > 100
    assert [text for text in texts if "\n " in text or re.search(r"[^\n]\n[^\n]", text)] == []
    inside = re.compile(r"\b(image|book|shelf|desk|view|params|struct)\b", re.IGNORECASE)
    assert [text for text in texts if inside.search(text)] == []


def descriptions(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        for name, value in part.items():
            if name == "description" and isinstance(value, str):
                yield value
            elif name != "example":
                yield from descriptions(value)
    elif isinstance(part, list):
        for one in part:
            yield from descriptions(one)


def test_the_introduction_says_how_to_get_and_send_a_key(spec: dict[str, Any]) -> None:
    text = spec["info"]["description"]
    for word in ("owner.key", "cambist account create", "X-API-Key", "Authorization: Bearer", "api_key", "curl"):
        assert word in text


def test_every_group_is_described(spec: dict[str, Any]) -> None:
    assert [tag["name"] for tag in spec["tags"]] == list(dict.fromkeys(endpoint.tag for endpoint in endpoints()))
    assert all(len(tag["description"]) > 20 for tag in spec["tags"])


def test_every_parameter_has_an_example_an_enum_or_a_default(spec: dict[str, Any]) -> None:
    bare = [
        (path, param["name"])
        for path, operation in operations(spec)
        for param in operation["parameters"]
        if not ("example" in param or {"enum", "default", "examples"} & set(param["schema"]))
    ]
    assert {name for _, name in bare} == {
        "as_of",
        "min_sources",
        "rate_type",
        "source",
        "booking",
        "precision",
    }  # their examples would fail elsewhere


def test_every_body_has_a_schema_that_says_what_it_is(spec: dict[str, Any]) -> None:
    for path, operation in operations(spec):
        bodies = [operation["requestBody"]] if "requestBody" in operation else []
        for body in [*bodies, operation["responses"]["200"]]:
            for media_type, content in body["content"].items():
                named = content["schema"].get("$ref", "").rpartition("/")[2]
                schema = spec["components"]["schemas"][named] if named else content["schema"]
                assert schema.get("type") in ("object", "string"), (path, media_type)
                is_text = media_type.startswith("text/") or media_type == "application/x-ndjson"
                if schema["type"] == "string":
                    assert schema == {"type": "string"} | ({} if is_text else {"format": "binary"}), (path, media_type)


def test_a_body_has_a_media_type_that_generators_of_clients_know(spec: dict[str, Any]) -> None:
    known = {"application/json", "application/octet-stream", "multipart/form-data"}
    for path, operation in operations(spec, "post"):
        assert known & set(operation["requestBody"]["content"]), path


def test_bytes_of_a_file_are_converted_as_csv_is(client: Any, spec: dict[str, Any]) -> None:
    content = spec["paths"]["/convert/bulk"]["post"]["requestBody"]["content"]
    body = content["text/csv"]["example"].encode()
    one, other = (
        client.request("POST", "/convert/bulk", body=body, headers={"Content-Type": media_type}).content
        for media_type in content
    )
    assert one == other


@pytest.mark.parametrize("path", ["/fx/quote", "/fx/quote/time-series", "/fx/ohlc/time-series"])
def test_names_of_fx_pairs_have_a_pattern(spec: dict[str, Any], path: str) -> None:
    params = {param["name"]: param for param in spec["paths"][path]["get"]["parameters"]}
    schema = (params.get("pair") or params["pairs"])["schema"]
    assert takes(schema, "EURUSD")
    assert takes(schema, "EUR/USD")
    assert not takes(schema, "EUR-USD")


def test_fetch_one_documents_that_a_request_without_both_sides_is_refused(spec: dict[str, Any]) -> None:
    assert "without both the request is refused (400)" in spec["paths"]["/fetch-one"]["get"]["description"]


def test_a_flag_that_is_not_sent_is_the_text_false(spec: dict[str, Any]) -> None:
    for path in ("/metals/spot", "/metals/quote"):
        flags = [param for param in spec["paths"][path]["get"]["parameters"] if param["name"] == "verbose"]
        assert [flag["schema"] for flag in flags] == [{"type": "string", "default": "false"}]


def test_all_four_ways_to_send_a_key_are_in_it(spec: dict[str, Any]) -> None:
    schemes = spec["components"]["securitySchemes"]
    found = {(scheme["type"], scheme.get("in") or scheme["scheme"]) for scheme in schemes.values()}
    assert found == {("apiKey", "query"), ("apiKey", "header"), ("http", "bearer"), ("http", "basic")}
    assert spec["security"] == [{name: []} for name in schemes]


def test_every_code_of_an_error_is_in_it(spec: dict[str, Any]) -> None:
    codes = spec["components"]["schemas"]["Error"]["properties"]["code"]["enum"]
    assert {problem.code for problem in PROBLEMS.values()} <= set(codes)


def test_every_status_of_a_refusal_is_documented_everywhere(spec: dict[str, Any]) -> None:
    statuses = {str(problem.status) for problem in PROBLEMS.values()}
    for _, operation in operations(spec, "get"):
        has_lock = any(parameter["name"] == "lock" for parameter in operation["parameters"])
        assert (statuses if has_lock else statuses - {"409"}) == statuses & set(operation["responses"])


def test_a_path_prefix_is_where_the_server_is() -> None:
    assert openapi_document(endpoints(), "/rates/v1")["servers"] == [{"url": "/rates/v1"}]
    assert openapi_document(endpoints())["servers"] == [{"url": "/"}]


def test_every_endpoint_has_a_sample_request() -> None:
    assert set(REQUESTS) == {endpoint.path for endpoint in endpoints()}


@pytest.mark.long(every=3)
@each(REQUESTS)
def test_an_answer_matches_its_schema(client: Any, spec: dict[str, Any], path: str, query: str) -> None:
    reply = client.get(f"{path}?{query}")
    assert reply.status == 200, reply.text
    Draft202012Validator(response_schema(spec, path, 200)).validate(reply.json)


@pytest.mark.long(every=3)
@each(REQUESTS)
def test_an_answer_holds_nothing_beyond_its_schema(client: Any, spec: dict[str, Any], path: str, query: str) -> None:
    schema, answer = response_schema(spec, path, 200), client.get(f"{path}?{query}").json
    assert list(answer) == [name for name in schema["properties"] if name in answer]
    assert set(schema["required"]) <= set(answer)


@pytest.mark.long(every=3)
@each(REFUSED)
def test_an_error_matches_its_schema(client: Any, spec: dict[str, Any], path: str, query: str) -> None:
    reply = client.get(f"{path}?{query}")
    assert reply.status >= 400
    Draft202012Validator(response_schema(spec, path, reply.status)).validate(reply.json)


@pytest.mark.parametrize("path", REQUESTS)
def test_an_error_for_a_missing_key_matches_its_schema(client: Any, spec: dict[str, Any], path: str) -> None:
    reply = client.get(path, key=None)
    assert reply.status == 401
    Draft202012Validator(response_schema(spec, path, 401)).validate(reply.json)


def test_the_schema_of_an_answer_can_fail(spec: dict[str, Any]) -> None:
    schema = Draft202012Validator(response_schema(spec, "/fetch-one", 200))
    good = {"base": "EUR", "result": {"USD": 1.1}, "updated": "2026-03-06T13:15:00Z", "ms": 0}
    assert schema.is_valid(good)
    assert not schema.is_valid({**good, "result": {"USD": "1.1"}})
    assert not schema.is_valid({**good, "result": {"USD": 0}})
    assert not schema.is_valid({**good, "result": {}})
    assert not schema.is_valid({name: value for name, value in good.items() if name != "ms"})


def test_the_service_serves_the_document_without_a_key(client: Any, spec: dict[str, Any]) -> None:
    reply = client.get("/openapi.json", key=None)
    assert reply.status == 200
    assert reply.json == spec
