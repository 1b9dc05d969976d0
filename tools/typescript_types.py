"""Write what the TypeScript client has of the interface: types and methods, from docs/openapi.json.

Usage: typescript_types.py [--check]

With --check nothing is written, and the exit code is 1 where the file differs from the interface.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
INTERFACE = ROOT / "docs/openapi.json"
WRITTEN = ROOT / "packages/typescript-client/src/interface.ts"

HEAD = """\
// The types and methods of the interface, written by tools/typescript_types.py from docs/openapi.json: do not edit.

/** What a method may be given beside its parameters. */
export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal;
  /** Ask for a receipt, which `onAnswer` of the client is then given. */
  readonly receipt?: boolean;
}
"""
JSON, CSV = "application/json", "text/csv"
_PLAIN = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}
_LIST_PATTERN = "(,"
"""A pattern has this if the parameter takes several values."""


def main(arguments: Sequence[str]) -> int:
    """Write or check the file; return the exit code."""
    text = client_interface(json.loads(INTERFACE.read_text(encoding="utf-8")))
    if "--check" not in arguments:
        WRITTEN.write_text(text, encoding="utf-8")
    elif not WRITTEN.exists() or WRITTEN.read_text(encoding="utf-8") != text:
        print(f"{WRITTEN.relative_to(ROOT)} differs from the interface. Run `make tables`.", file=sys.stderr)
        return 1
    return 0


def client_interface(document: Mapping[str, Any]) -> str:
    """Return the text of the file for an OpenAPI document."""
    operations = [
        (path, verb, operation) for path, verbs in document["paths"].items() for verb, operation in verbs.items()
    ]
    parts = [HEAD]
    parts += [named_type(name, schema) for name, schema in document["components"]["schemas"].items()]
    for _, _, operation in operations:
        parts += operation_types(operation)
    parts.append("/** The paths whose answers there are as tables too, and what they are asked with. */")
    parts.append("export interface TableQuestions {")
    parts += [f'  "{path}": {params_name(one)};' for path, verb, one in operations if verb == "get" and has_tables(one)]
    parts.append("}\n\n/** A method for each endpoint. */\nexport abstract class Endpoints {")
    parts.append(
        "  protected abstract ask<Answer>(path: string, params: object, options: CallOptions): Promise<Answer>;\n"
        "  protected abstract post<Answer>(path: string, body: unknown, options: CallOptions): Promise<Answer>;\n"
        "  protected abstract postText(path: string, text: string, params: object, options: CallOptions): "
        "Promise<string>;"
    )
    parts += [method(path, verb, operation) for path, verb, operation in operations]
    return "\n".join([*parts, "}", ""])


def named_type(name: str, schema: Mapping[str, Any]) -> str:
    """Return the declaration of a type, with its description."""
    about = comment(schema.get("description", ""))
    if schema.get("type") == "object" and "properties" in schema:
        return f"{about}export interface {name} {{\n" + "".join(fields(schema)) + "}\n"
    return f"{about}export type {name} = {type_of(schema)};\n"


def fields(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of an object's fields."""
    required = schema.get("required", [])
    for name, field in schema["properties"].items():
        key = name if re.fullmatch(r"[A-Za-z_]\w*", name) else json.dumps(name)
        yield comment(field.get("description", ""), "  ")
        yield f"  readonly {key}{'' if name in required else '?'}: {type_of(field)};\n"


def type_of(schema: Mapping[str, Any]) -> str:
    """Return the TypeScript type of a schema. Errors: ValueError for a form that the interface has not had."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return joined(type_of(each) for each in schema["anyOf"])
    if "enum" in schema:
        return joined(json.dumps(each) for each in schema["enum"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return joined(_PLAIN[each] for each in kind)
    if kind in ("array", "object"):
        return type_of_many(schema)
    if kind not in _PLAIN:
        raise ValueError(f"no type for [{json.dumps(schema)}]")
    return _PLAIN[kind]


def type_of_many(schema: Mapping[str, Any]) -> str:
    """Return the TypeScript type of an array or an object."""
    if schema["type"] == "array":
        return f"readonly ({type_of(schema['items'])})[]"
    if "properties" in schema:
        return "{\n" + "".join(fields(schema)) + "}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"Readonly<Record<string, {type_of(schema['additionalProperties'])}>>"
    return "Readonly<Record<string, unknown>>"


def joined(types: Iterator[str]) -> str:
    """Return the union of types, each once."""
    return " | ".join(dict.fromkeys(types))


def operation_types(operation: Mapping[str, Any]) -> Iterator[str]:
    """Yield the types of an operation's parameters and of its answer, which has a name only if it is an object."""
    if operation["parameters"]:
        yield f"/** What {method_name(operation)} is asked with. */\nexport interface {params_name(operation)} {{"
        for parameter in operation["parameters"]:
            mark = "" if parameter["required"] else "?"
            yield comment(parameter["description"], "  ") + (
                f"  readonly {parameter['name']}{mark}: {type_of_parameter(parameter['schema'])};"
            )
        yield "}\n"
    answer = answers_of(operation).get(JSON)
    if answer is not None and "$ref" not in answer["schema"]:
        yield named_type(answer_name(operation), answer["schema"])


def type_of_parameter(schema: Mapping[str, Any]) -> str:
    """Return what a parameter takes: numbers as decimal texts too, and lists as arrays too."""
    kind = type_of(schema)
    if "enum" in schema:
        return kind
    if schema.get("type") == "number":
        return "number | string"
    return f"{kind} | readonly string[]" if _LIST_PATTERN in schema.get("pattern", "") else kind


def method(path: str, verb: str, operation: Mapping[str, Any]) -> str:
    """Return the method of an operation."""
    params, is_optional = operation["parameters"], not any(one["required"] for one in operation["parameters"])
    takes = [f"params: {params_name(operation)}{' = {}' if is_optional else ''}"] if params else []
    answer, call = answer_name(operation), f'ask("{path}", {"params" if params else "{}"}, options)'
    if verb == "post":
        body = operation["requestBody"]["content"]
        if JSON in body:
            takes, call = [f"question: {type_of(body[JSON]['schema'])}"], f'post("{path}", question, options)'
        else:
            takes, answer = ["text: string", *takes], "string"
            call = f'postText("{path}", text, params, options)'
    if "requestBody" not in operation and verb == "post":
        raise ValueError(f"{path} has no body")
    takes.append("options: CallOptions = {}")
    about = comment(f"{operation['summary']}.\n\n{operation['description']}", "  ")
    return (
        f"\n{about}  {method_name(operation)}({', '.join(takes)}): Promise<{answer}> {{\n    return this.{call};\n  }}"
    )


def comment(text: str, indent: str = "") -> str:
    """Return a description as a documentation comment, or nothing."""
    lines = text.replace("*/", "* /").strip().splitlines()
    if len(lines) > 1:
        inside = "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines)
        return f"{indent}/**\n{inside}{indent} */\n"
    return f"{indent}/** {lines[0]} */\n" if lines else ""


def answers_of(operation: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the media types of an operation's answer."""
    content: Mapping[str, Any] = operation["responses"]["200"]["content"]
    return content


def has_tables(operation: Mapping[str, Any]) -> bool:
    """Return whether the answer is there as a table too."""
    return {JSON, CSV} <= answers_of(operation).keys() and bool(operation["parameters"])


def method_name(operation: Mapping[str, Any]) -> str:
    """Return such as `fetchOne` for `fetch_one`."""
    first, *rest = operation["operationId"].split("_")
    return str(first) + "".join(word.capitalize() for word in rest)


def params_name(operation: Mapping[str, Any]) -> str:
    """Return the name of the type of an operation's parameters, such as `FetchOneParams`."""
    name = method_name(operation)
    return f"{name[0].upper()}{name[1:]}Params"


def answer_name(operation: Mapping[str, Any]) -> str:
    """Return the name of the type of an operation's answer, such as `FetchOneAnswer`."""
    return f"{params_name(operation).removesuffix('Params')}Answer"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
