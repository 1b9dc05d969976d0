"""The declaration of a tool: its arguments and its answer, with the endpoint that says what a call costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.posted_endpoint import PostedEndpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.faces.mcp.arguments import argument_schema, argument_text, meant_argument
from cambist.api.questions.parameters import Param, ParamsReader, declared_params
from cambist.errors import BadParameter, shorten
from cambist.suggestions import did_you_mean

MAX_ANSWER_BYTES = 3072
"""The maximum size of an answer, as it is sent."""

MAX_LIST_BYTES = 13_000
"""The maximum size of the list of tools, which a model reads before it asks anything."""

_ANNOTATIONS = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}

_NOT_OFFERED = ("as_of", "assume", "source", "rule", "booking", "lock")
"""Parameters that tools offer only if they say so: most answer with the agreed rates that are known now."""

Question = tuple[Endpoint[Any, Any] | PostedEndpoint[Any, Any], Struct]
"""An endpoint and its parameters."""


class ToolBody(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What every answer of a tool may have."""

    environment: Annotated[str | UnsetType, Meta(description="Present if the prices are simulated: sandbox.")] = UNSET


P = TypeVar("P", bound=Struct)
B = TypeVar("B", bound=ToolBody)


@dataclass(frozen=True, slots=True)
class Tool(Generic[P, B]):
    """A tool.

    `params` declares its arguments, as those of an endpoint; `left_out` are parameters of the struct that it does not
    offer, and `offered` those that it does unlike most tools. `question` is what the same question would be at an
    endpoint: it decides what a call costs, which group of endpoints (one of the `tags`) and which days the plan must
    include. `answer` is pure, and `sentence` says the answer in words.
    """

    name: str
    title: str
    description: str
    params: type[P]
    body: type[B]
    question: Callable[[P], Question]
    answer: Callable[[RequestContext, P], B]
    sentence: Callable[[B], str]
    left_out: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    tags: tuple[str, ...] = ("currency",)

    def arguments(self) -> dict[str, Param]:
        """Return the declarations of the arguments by name, those that select data first."""
        declared = sorted(declared_params(self.params).values(), key=lambda param: not param.selects_data)
        left_out = {*_NOT_OFFERED, *self.left_out} - {*self.offered}
        return {param.name: param for param in declared if param.name not in left_out}

    def read(self, arguments: Mapping[str, Any]) -> P:
        """Read the arguments of a call. Errors: BadParameter."""
        known = self.arguments()
        query: dict[str, str] = {}
        for written, value in arguments.items():
            name = meant_argument(written, known)
            if name is None:
                raise BadParameter(f"Unknown argument: [{shorten(written)}]{_hint(written, known)}")
            if value is None:
                continue
            text = argument_text(written, value)
            if query.setdefault(name, text) != text:
                raise BadParameter(
                    f"Unknown argument: [{shorten(written)}] is read as [{name}], but another argument says "
                    f"[{shorten(query[name])}]; there are {', '.join(sorted(known))}"
                )
        return ParamsReader(self.params).read(query)

    def described(self) -> dict[str, Any]:
        """Return the tool as clients list it."""
        arguments = self.arguments()
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": {name: argument_schema(param) for name, param in arguments.items()},
                "required": [name for name, param in arguments.items() if param.required],
                "additionalProperties": False,
            },
            "outputSchema": _object_schema(self.body),
            "annotations": _ANNOTATIONS,
        }


def _hint(name: str, known: Mapping[str, Param]) -> str:
    return f", {did_you_mean(name, known)}"


def _object_schema(body: type[Struct]) -> dict[str, Any]:
    """Return the JSON Schema of a body: the types of the fields that it always has.

    Every model reads it before it asks anything, and an answer says in its sentence what its fields mean: so what is
    within objects, and what only some answers have, is left out. Clients want an object at its root.
    """
    (root,), schemas = msgspec.json.schema_components([body], ref_template="{name}")
    schema = schemas[root["$ref"]]
    properties = {name: _type_of(schema["properties"][name]) for name in schema["required"]}
    return {"type": "object", "properties": properties, "required": schema["required"]}


def _type_of(schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return {"type": "object"}
    inner: dict[str, Any] = {
        name: _type_of(schema[name]) for name in ("items", "additionalProperties") if name in schema
    }
    return {"type": schema["type"], **inner}
