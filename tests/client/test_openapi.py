"""The client is held to docs/openapi.json: every path, every parameter, every field of every answer."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, get_args, get_type_hints

import msgspec
import pytest
from tests.client.same_values import check_same

import cambist.client.endpoints
from cambist.client import AsyncCambist, Cambist
from cambist.client.answers import Timestamp
from cambist.client.call import Call
from cambist.client.protocol import Configuration, Response, parse_response

OPENAPI = json.loads((Path(__file__).parents[2] / "docs" / "openapi.json").read_text())
OPERATIONS = {path: methods["get"] for path, methods in OPENAPI["paths"].items() if "get" in methods}
MODULES = [
    import_module(f"cambist.client.endpoints.{found.name}") for found in iter_modules(cambist.client.endpoints.__path__)
]
CLASSES = {name: made for module in MODULES for name, made in vars(module).items() if inspect.isclass(made)}
DECIMAL_TEXTS = {"level", "other", "bid", "ask", "mid", "spread", "fineness", "rate", "value", "deviation"}
"""Texts of the service that are decimals in the client."""

TIMES = {"dtm", "as_of", "received_at", "published_at", "updated", "start", "end", "last_success", "newest"}
FIXED = {"dtmfmt": "ISO"}
"""Parameters that the client sets itself: its times are datetimes."""

SAMPLES = {
    "from_": "EUR",
    "to": "USD",
    "amount": Decimal("1.10"),
    "date": date(2024, 2, 29),
    "precision": 3,
    "max_age": "PT2H",
    "partial": True,
    "verbose": True,
    "all_": True,
    "start": date(2024, 2, 1),
    "end": date(2024, 2, 29),
    "limit": 7,
    "code": "CHF",
    "pairs": ["BTC/USD"],
    "pair": "EURUSD",
    "metal": "XAG",
    "interval": "P1D",
    "price": "ask",
    "currency": "EUR",
    "as_of": "17-4f2a9c01d7be-9d0c33a1e8f25b70",
    "assume": "published",
    "since": "17-4f2a9c01d7be-9d0c33a1e8f25b70",
    "unit": "gram",
    "purity": 750,
    "instruments": "XAUUSD",
    "min_sources": 2,
    "rate_type": "parallel",
    "source": "ecb",
    "rule": "before",
    "booking": "de-vat",
    "lock": "PT30M",
    "details": True,
    "lang": "de",
    "by": "quarter",
    "method": "calendar",
    "year_start": "04-06",
    "markup": "2.5%",
    "rounding": "charm:0.99",
}


def build_of(path: str) -> Any:
    """Return the function that builds the call of a path."""
    name = path.strip("/").replace("/", "_").replace("-", "_")
    return next(vars(module)[name] for module in MODULES if name in vars(module))


def call_with_all_parameters(path: str) -> Call[Any]:
    build = build_of(path)
    return build(**{name: SAMPLES[name] for name in inspect.signature(build).parameters})  # type: ignore[no-any-return]


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without its reference, and that of a value that may be null."""
    if "$ref" in schema:
        found: dict[str, Any] = OPENAPI["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return found
    options = [option for option in schema.get("anyOf", []) if option.get("type") != "null"]
    return resolved(options[0]) if options else schema


def schemas_below(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the schema of each object with properties that has a title."""
    schema = resolved(schema)
    if "properties" in schema:
        yield schema
    for inner in (*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")):
        if isinstance(inner, dict):
            yield from schemas_below(inner)


def answer_schema(path: str) -> dict[str, Any]:
    schema: dict[str, Any] = OPERATIONS[path]["responses"]["200"]["content"]["application/json"]["schema"]
    return schema


ALL_SCHEMAS = {
    schema.get("title", "FxPair"): schema for path in OPERATIONS for schema in schemas_below(answer_schema(path))
}


def test_the_document_has_endpoints() -> None:
    assert len(OPERATIONS) >= 30
    assert len(ALL_SCHEMAS) > 40


@pytest.mark.parametrize("path", OPERATIONS)
def test_both_clients_have_a_method_for_every_path(path: str) -> None:
    build = build_of(path)
    assert call_with_all_parameters(path).path == path
    for client in (Cambist, AsyncCambist):
        method = getattr(client, build.__name__)
        assert [*inspect.signature(method).parameters] == ["self", *inspect.signature(build).parameters]
        assert inspect.getdoc(method) == inspect.getdoc(build)
        assert inspect.iscoroutinefunction(method) is (client is AsyncCambist)


@pytest.mark.parametrize("path", OPERATIONS)
def test_every_parameter_can_be_sent(path: str) -> None:
    documented = {each["name"]: each for each in OPERATIONS[path].get("parameters", [])}
    call = call_with_all_parameters(path)
    assert {*call.query} == {*documented}
    required = {name for name, each in documented.items() if each["required"]}
    given = inspect.signature(build_of(path)).parameters
    needed = {name.rstrip("_") for name, each in given.items() if each.default is inspect.Parameter.empty}
    assert required <= needed
    for name, text in call.query.items():
        if name in FIXED:
            assert text == FIXED[name]
        elif "enum" in documented[name]["schema"]:
            assert text in documented[name]["schema"]["enum"]


@pytest.mark.parametrize("path", OPERATIONS)
def test_the_answer_has_the_type_of_its_schema(path: str) -> None:
    assert call_with_all_parameters(path).answer.__name__ == answer_schema(path)["title"]


@pytest.mark.parametrize("title", [*ALL_SCHEMAS])
def test_an_answer_has_every_field_with_its_type(title: str) -> None:
    schema, made = ALL_SCHEMAS[title], CLASSES[title]
    fields = {each.encode_name: each for each in msgspec.structs.fields(made) if each.name != "headers"}
    assert {*fields} == {*schema["properties"]}
    assert {name for name, each in fields.items() if each.required} == {*schema["required"]}
    hints = get_type_hints(made)
    for name, each in fields.items():
        check_type(name, schema["properties"][name], hints[each.name])


def check_type(name: str, schema: dict[str, Any], hint: Any) -> None:
    """Check that the client's type of a field is that of its schema."""
    types = {hint} | {each for each in get_args(hint) if each is not type(None)}
    schema = resolved(schema)
    if "format" in schema:
        assert (timedelta if schema["format"] == "duration" else date) in types, name
    elif name in TIMES and schema.get("type") in ("string", "integer"):
        assert Timestamp in types, name
    elif name in DECIMAL_TEXTS and schema.get("type") == "string":
        assert Decimal in types, name
    elif schema.get("type") == "array":
        assert getattr(hint, "__origin__", None) in (list, tuple) or any(
            getattr(each, "__origin__", None) is list for each in types
        ), name
    elif "additionalProperties" in schema:
        mapping = next(each for each in (hint, *get_args(hint)) if getattr(each, "__origin__", None) is dict)
        check_type(f"{name}[]", schema["additionalProperties"], get_args(mapping)[1])
    elif "properties" in schema:
        assert {getattr(each, "__name__", "") for each in types} & {schema.get("title", "FxPair")}, name
    elif "type" in schema:
        wanted = {"string": str, "integer": int, "number": Decimal, "boolean": bool, "object": dict}[schema["type"]]
        assert wanted in types or Timestamp in types, name


@pytest.mark.parametrize("path", OPERATIONS)
def test_the_documented_example_is_read_with_all_its_digits(path: str) -> None:
    content = OPERATIONS[path]["responses"]["200"]["content"]["application/json"]
    example = content.get("example") or next(each["value"] for each in content["examples"].values())
    text = json.dumps(example)
    response = Response(200, {"content-type": "application/json"}, text.encode())
    answer = parse_response(Configuration("http://x", "k"), call_with_all_parameters(path), response)
    check_same(json.loads(text, parse_float=str, parse_int=str), answer)


def test_every_error_code_of_the_service_has_a_class() -> None:
    codes = OPENAPI["components"]["schemas"]["Error"]["properties"]["code"]["enum"]
    from_examples = {
        code: (int(status), example["value"])
        for status, response in OPENAPI["components"]["responses"].items()
        for code, example in response["content"]["application/json"]["examples"].items()
    }
    names = {}
    for code, (status, body) in from_examples.items():
        response = Response(status, {"content-type": "application/json"}, json.dumps(body).encode())
        with pytest.raises(cambist.client.errors.ServiceError) as raised:
            parse_response(Configuration("http://x", "k"), call_with_all_parameters("/fetch-one"), response)
        assert (str(raised.value), raised.value.code, raised.value.status) == (body["error"], code, status)
        names[code] = type(raised.value).__name__
    assert names == {
        "bad_parameter": "BadRequest",
        "unknown_currency": "UnknownSymbol",
        "unknown_metal": "UnknownSymbol",
        "unknown_pair": "UnknownSymbol",
        "unknown_instrument": "UnknownSymbol",
        "key_missing": "KeyRefused",
        "key_malformed": "KeyRefused",
        "key_unknown": "KeyRefused",
        "key_ended": "KeyRefused",
        "keys_differ": "KeyRefused",
        "account_suspended": "KeyRefused",
        "not_in_plan": "NotInPlan",
        "no_rate": "NotFound",
        "no_rate_of_type": "NotFound",
        "not_known_then": "NotFound",
        "lock_ended": "LockEnded",
        "rate_limited": "RateLimited",
        "quota_spent": "QuotaSpent",
        "too_many_failures": "TooManyFailedKeys",
        "quota_unknown": "Unavailable",
        "rate_unavailable": "Unavailable",
        "receipt_unavailable": "Unavailable",
        "too_few_sources": "Unavailable",
    }
    others = {"internal", "malformed_request", "too_busy", "too_many_waiting", "unknown_path", "wrong_method"}
    assert {*codes} - {*names} == others
