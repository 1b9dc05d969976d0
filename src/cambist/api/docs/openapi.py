"""The OpenAPI document, generated from the endpoints' declarations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from cambist import __version__
from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.posted_endpoint import PostedEndpoint
from cambist.api.docs.openapi_schemas import Json, join_lines, schemas_of, with_ms
from cambist.api.docs.openapi_texts import BULK, ERRORS, INTRODUCTION, TABLES, TAGS
from cambist.api.errors import FRAMEWORK_PROBLEMS, PROBLEMS
from cambist.api.faces.bulk import PATH as BULK_PATH
from cambist.api.faces.bulk.converting import BulkParams
from cambist.api.faces.posted.question_file import XLSX
from cambist.api.faces.tables.formats import CSV, FORMATS
from cambist.api.questions.parameters import Param, declared_params

_KEY_SCHEMES: Json = {
    "api_key": {"type": "apiKey", "in": "query", "name": "api_key"},
    "apiKeyHeader": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "bearerAuth": {"type": "http", "scheme": "bearer"},
    "basicAuth": {"type": "http", "scheme": "basic", "description": "The key as user name or as password."},
}
_STATUS_MEANING = {
    400: "A parameter is missing, malformed or out of range.",
    401: "No API key, or one that is not valid.",
    403: "The plan does not include the endpoint, or history that old; or the account is suspended.",
    404: "No data for that date and pair.",
    409: "The rate lock that is named has ended.",
    429: "Too many requests at once, or the quota of the period is spent. `Retry-After` says when to try again.",
    503: "The pair exists, but it has no rate yet, or its newest rate is too old.",
}
_HEADERS: Json = {
    "X-Calls-Cost": {"description": "What the answer cost, in calls.", "schema": {"type": "integer", "minimum": 0}},
    "Cambist-Edition": {
        "description": "The state of the history, or of the live prices, that the answer was made from.",
        "schema": {"type": "string"},
    },
    "Cambist-Ignored": {
        "description": "Parameters of the request that the endpoint does not accept, if any.",
        "schema": {"type": "string"},
    },
    "Cambist-Receipt": {
        "description": "With `receipt=1`, the receipt of the answer: a compact JWS.",
        "schema": {"type": "string"},
    },
}
_Declared = Endpoint[Any, Any] | PostedEndpoint[Any, Any]
_TEXT: Json = {"type": "string"}
_BYTES: Json = {"type": "string", "format": "binary"}
_OF_A_SERVICE = frozenset({"as_of", "min_sources", "rate_type", "source", "booking"})
"""Parameters whose values depend on what a service knows: an example would fail at another one, such as a sandbox."""


def openapi_document(
    endpoints: Iterable[Endpoint[Any, Any]], path_prefix: str = "", posted: Iterable[PostedEndpoint[Any, Any]] = ()
) -> Json:
    """Return the OpenAPI 3.1 document of the endpoints. It depends on their declarations alone."""
    endpoints, posted = tuple(endpoints), tuple(posted)
    bodies, named = schemas_of(endpoints, posted)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Cambist",
            "version": __version__,
            "description": INTRODUCTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": path_prefix or "/"}],
        "tags": [{"name": tag, "description": TAGS[tag]} for tag in dict.fromkeys(one.tag for one in endpoints)],
        "security": [{name: []} for name in _KEY_SCHEMES],
        "paths": _paths(endpoints, posted, bodies, named),
        "components": {
            "securitySchemes": _KEY_SCHEMES,
            "schemas": {"Error": _error_schema(), **_shared_schemas(named, (*endpoints, *posted))},
            "responses": {str(status): _error_response(status) for status in _STATUS_MEANING},
        },
    }


def _paths(
    endpoints: Sequence[Endpoint[Any, Any]],
    posted: Sequence[PostedEndpoint[Any, Any]],
    bodies: Sequence[Json],
    schemas: Json,
) -> Json:
    asked = {
        each.path: {"get": _operation(each, with_ms(body, schemas))}
        for each, body in zip(endpoints, bodies, strict=False)
    }
    answers, questions = bodies[len(endpoints) :], bodies[len(endpoints) + len(posted) :]
    for each, body, question in zip(posted, answers, questions, strict=False):
        asked[each.path] = {"post": _posted_operation(each, with_ms(body, schemas), question)}
    return asked | {BULK_PATH: {"post": _bulk_operation()}}


def _operation(endpoint: Endpoint[Any, Any], body: Json) -> Json:
    return {
        "operationId": re.sub(r"\W+", "_", endpoint.path.strip("/")),
        "tags": [endpoint.tag],
        "summary": endpoint.summary,
        "description": _description(endpoint),
        "parameters": [_parameter(param) for param in _sorted_params(endpoint)],
        "responses": {
            "200": {
                "description": "The answer.",
                "headers": _HEADERS,
                "content": {"application/json": {"schema": body, **_example(endpoint)}, **_table_types(endpoint)},
            },
            **{str(status): {"$ref": f"#/components/responses/{status}"} for status in _statuses(endpoint)},
        },
    }


def _statuses(endpoint: Endpoint[Any, Any]) -> list[int]:
    """Return the errors that an endpoint may answer: only a rate lock ends."""
    has_lock = any(param.name == "lock" for param in declared_params(endpoint.params).values())
    return [status for status in _STATUS_MEANING if has_lock or status != 409]


def _posted_operation(endpoint: PostedEndpoint[Any, Any], body: Json, question: Json) -> Json:
    content = {"schema": question, "example": msgspec.json.decode(endpoint.example)}
    described = f"{join_lines(endpoint.answer.__doc__ or '')}\n\nCost: {join_lines(endpoint.cost.__doc__ or '')}"
    return {
        "operationId": re.sub(r"\W+", "_", endpoint.path.strip("/")),
        "tags": [endpoint.tag],
        "summary": endpoint.summary,
        "description": described,
        "parameters": [],
        "requestBody": {"required": True, "content": {"application/json": content, **_file_types(endpoint)}},
        "responses": {
            "200": {
                "description": "The answer.",
                "headers": _HEADERS,
                "content": {"application/json": {"schema": body, **_example(endpoint)}, **_table_types(endpoint)},
            },
            **{str(each): {"$ref": f"#/components/responses/{each}"} for each in _STATUS_MEANING if each != 409},
        },
    }


def _file_types(endpoint: PostedEndpoint[Any, Any]) -> Json:
    """Return the types of a file that may be sent in place of JSON; its terms are then parameters."""
    if not endpoint.lines:
        return {}
    return {one.media_types[0]: {"schema": _TEXT if one.is_text else _BYTES} for one in (CSV, XLSX)}


def _bulk_operation() -> Json:
    # Generators that know no CSV make a method of the bytes of a file.
    csv_file: Json = {
        "text/csv": {"schema": _TEXT, "example": BULK.request},
        "application/octet-stream": {"schema": _BYTES},
    }
    return {
        "operationId": "convert_bulk",
        "tags": ["currency"],
        "summary": "Convert the rows of a CSV file",
        "description": BULK.description,
        "parameters": [_parameter(param) for param in declared_params(BulkParams).values()],
        "requestBody": {"required": True, "content": csv_file},
        "responses": {
            "200": {
                "description": "The file with its results.",
                "headers": {"X-Calls-Cost": _HEADERS["X-Calls-Cost"]},
                "content": {"text/csv": {"schema": _TEXT, "example": BULK.response}},
            },
            **{str(status): {"$ref": f"#/components/responses/{status}"} for status in (400, 401, 403, 429)},
        },
    }


def _description(endpoint: Endpoint[Any, Any]) -> str:
    costs = (endpoint.cost and endpoint.cost.__doc__) or "One call."
    text = f"{join_lines(endpoint.answer.__doc__ or '')}\n\nCost: {costs[0].lower()}{costs[1:]}"
    return text if endpoint.table is None else f"{text}\n\n{TABLES}"


def _table_types(endpoint: _Declared) -> Json:
    """Return the media types of an answer beside JSON."""
    if endpoint.table is None:
        return {}
    return {one.media_types[0]: {"schema": _TEXT if one.is_text else _BYTES} for one in FORMATS}


def _sorted_params(endpoint: Endpoint[Any, Any]) -> list[Param]:
    """Return the parameters, those that select data first."""
    return sorted(declared_params(endpoint.params).values(), key=lambda param: not param.selects_data)


def _example(endpoint: _Declared) -> Json:
    examples = _examples()
    return {"example": examples[endpoint.path]} if endpoint.path in examples else {}


@cache
def _examples() -> Json:
    """Return an answer of each endpoint, recorded from the service; long lists are cut."""
    decoded: Json = msgspec.json.decode(files("cambist.api.docs").joinpath("examples.json").read_bytes())
    return decoded


def _parameter(param: Param) -> Json:
    schema = {**param.schema}
    if not param.required and param.default is not None:
        schema["default"] = _default_as_sent(param.default)
    if param.name in _OF_A_SERVICE:
        schema.pop("examples", None)
    described: Json = {
        "name": param.name,
        "in": "query",
        "required": param.required,
        "description": param.description,
        "schema": schema,
    }
    if param.example:
        is_number = any(kind in schema["type"] for kind in ("number", "integer"))
        described["example"] = msgspec.json.decode(param.example) if is_number else param.example
    return described


def _default_as_sent(default: Any) -> Any:
    """Return a default as a client would send it: a flag is sent as text."""
    return str(default).lower() if isinstance(default, bool) else default


def _shared_schemas(schemas: Json, endpoints: Iterable[_Declared]) -> Json:
    """Return the schemas that bodies refer to; the bodies themselves are inlined in their endpoints."""
    bodies = _body_names(schemas, endpoints)
    return {name: schema for name, schema in schemas.items() if name not in bodies}


def _body_names(schemas: Json, endpoints: Iterable[_Declared]) -> set[str]:
    bodies = [endpoint.body for endpoint in endpoints]
    references, _ = msgspec.json.schema_components(bodies, ref_template="{name}")
    return {reference["$ref"] for reference in references} & set(schemas)


def _error_schema() -> Json:
    codes = sorted({problem.code for problem in (*PROBLEMS.values(), *FRAMEWORK_PROBLEMS)})
    return {
        "type": "object",
        "required": ["error", "code"],
        "properties": {
            "error": {"type": "string", "description": "A sentence that names the parameter and its value."},
            "code": {"type": "string", "enum": codes},
        },
    }


def _error_response(status: int) -> Json:
    schema = {"$ref": "#/components/schemas/Error"}
    codes = dict.fromkeys(problem.code for problem in PROBLEMS.values() if problem.status == status)
    examples = {code: _error_example(code) for code in codes}
    content = {"application/json": {"schema": schema, "examples": examples}}
    return {"description": _STATUS_MEANING[status], "content": content}


def _error_example(code: str) -> Json:
    example = ERRORS[code]
    return {"summary": example.summary, "value": {"error": example.sentence, "code": code}}
