"""Write the generated tables of the documentation: endpoints, settings, commands and measured figures.

Usage: write_tables.py [--check] [PAGE…]

A table stands between `<!-- table: NAME -->` and `<!-- end of table -->`. Without a PAGE, README.md and all pages of
docs/ are written. With --check nothing is written, and the exit code is 1 where a table differs from the code.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import typer

import coverage_table
import performance_tables
import wheels
from cambist.admin.operators.runbook import RUNBOOK
from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.posted_endpoint import PostedEndpoint
from cambist.api.questions.parameters import declared_params
from cambist.cli.main import app
from cambist.registry.wiring.components import endpoints, posted_endpoints
from cambist.settings import PREFIX, Settings, setting_descriptions, written

ROOT = Path(__file__).parents[1]
MARKED = re.compile(r"(<!-- table: ([a-z-]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)

PROGRAM = "cambist"
HIDDEN = {"help"}
"""The option that every command has."""


def main(arguments: Sequence[str]) -> int:
    """Write or check the pages; return the exit code."""
    is_check = "--check" in arguments
    named = [Path(argument) for argument in arguments if argument != "--check"]
    outdated = []
    for page in named or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        current = MARKED.sub(lambda match: f"{match[1]}{TABLES[match[2]]()}\n{match[3]}", text)
        if current == text:
            continue
        if is_check:
            outdated.append(page)
        else:
            page.write_text(current, encoding="utf-8")
    for page in outdated:
        print(f"{page}: a table differs from the code. Run `make tables`.", file=sys.stderr)
    return 1 if outdated else 0


def table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def examples() -> str:
    """Return what each endpoint returns, with a request to copy."""
    asked = [(endpoint.summary, f"`{_example(endpoint)}`") for endpoint in endpoints()]
    posted = [(endpoint.summary, f"`POST {endpoint.path}`") for endpoint in posted_endpoints()]
    return table(("returns", "request"), (*asked, *posted))


def _example(endpoint: Endpoint[Any, Any]) -> str:
    shown = [f"{param.name}={param.example}" for param in declared_params(endpoint.params).values() if param.example]
    return "?".join(filter(None, (endpoint.path, "&".join(shown))))


def endpoint_list() -> str:
    """Return each endpoint with its parameters, what it costs and the tag that a plan needs."""
    head = ("endpoint", "returns", "required", "optional", "calls", "tag")
    posted = (_posted_row(endpoint) for endpoint in posted_endpoints())
    return table(head, (*(_endpoint_row(endpoint) for endpoint in endpoints()), *posted))


def _endpoint_row(endpoint: Endpoint[Any, Any]) -> Sequence[str]:
    params = declared_params(endpoint.params).values()
    required = ", ".join(f"`{param.name}`" for param in params if param.required)
    optional = ", ".join(f"`{param.name}`" for param in params if not param.required)
    cost = "1" if endpoint.cost is None else (endpoint.cost.__doc__ or "").partition("\n")[0]
    return f"`{endpoint.path}`", endpoint.summary, required, optional, cost, f"`{endpoint.tag}`"


def _posted_row(endpoint: PostedEndpoint[Any, Any]) -> Sequence[str]:
    fields = msgspec.structs.fields(endpoint.question)
    required = ", ".join(f"`{each.encode_name}`" for each in fields if each.required)
    optional = ", ".join(f"`{each.encode_name}`" for each in fields if not each.required)
    cost = (endpoint.cost.__doc__ or "").partition("\n")[0]
    return f"`{endpoint.path}`", f"POST: {endpoint.summary.lower()}", required, optional, cost, f"`{endpoint.tag}`"


def settings() -> str:
    """Return each setting with its environment variable, default and description."""
    defaults = Settings()
    rows = (
        (f"`{name}`", f"`{PREFIX}{name.upper()}`", _default(getattr(defaults, name)), description)
        for name, description in setting_descriptions().items()
    )
    return table(("setting", "variable", "default", "description"), rows)


def _default(value: Any) -> str:
    if isinstance(value, timedelta) and not value.days:
        return f"`PT{value.seconds // 60}M`"
    text = written(value)
    return f"`{text}`" if text else ""


def commands() -> str:
    """Return each command and subcommand, with what it does."""
    rows = ((f"[`{name}`](#{name.replace(' ', '-')})", _sentence(command.help)) for name, command in _commands())
    return table(("command", "description"), rows)


def command_details() -> str:
    """Return a section for each command, with its arguments and options."""
    return "\n\n".join(_details(name, command) for name, command in _commands())


def _commands() -> Iterator[tuple[str, Any]]:
    yield from _leaves(PROGRAM, typer.main.get_command(app))


def _leaves(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    subcommands = getattr(command, "commands", None)
    if subcommands is None:
        yield name, command
        return
    if name != PROGRAM and command.invoke_without_command:
        yield name, command
    for word, subcommand in subcommands.items():
        yield from _leaves(f"{name} {word}", subcommand)


def _sentence(text: str | None) -> str:
    """Return the first paragraph, on one line."""
    return " ".join((text or "").strip().partition("\n\n")[0].split())


def _details(name: str, command: Any) -> str:
    params = [param for param in command.params if param.name not in HIDDEN]
    usage = [_usage(param) for param in params if param.param_type_name == "argument"]
    parts = [f"### {name}", "\n\n".join(" ".join(part.split()) for part in (command.help or "").split("\n\n"))]
    parts.append(f"```\n{' '.join([name, *usage, '[OPTIONS]' if len(usage) < len(params) else '']).rstrip()}\n```")
    if params:
        parts.append(table(("argument or option", "description"), ((_names(param), _help(param)) for param in params)))
    return "\n\n".join(parts)


def _usage(param: Any) -> str:
    name = (param.metavar or param.name or "").strip("[]{}.").upper() + ("…" if param.nargs == -1 else "")
    return name if param.required else f"[{name}]"


def _names(param: Any) -> str:
    if param.param_type_name == "argument":
        return f"`{_usage(param)}`"
    return ", ".join(f"`{name}`" for name in (*param.opts, *param.secondary_opts))


def _help(param: Any) -> str:
    return f"{_sentence(param.help)}{' Required.' if param.required and param.param_type_name == 'option' else ''}"


def coverage() -> str:
    """Return the sources of each currency."""
    return table(("code", "currency", "law", "independent", "sources"), coverage_table.coverage_rows())


def single_sources() -> str:
    """Return the currencies with one source or none."""
    return table(("code", "currency", "source"), coverage_table.single_rows())


def runbook() -> str:
    """Return a section for each kind of problem."""
    return "\n\n".join(
        f"## {entry.title}\n\nKind: `{entry.kind}`. {entry.meaning}\n\n**Clients see:** {entry.clients_see}\n\n"
        + "\n".join(f"{number}. {step}" for number, step in enumerate(entry.steps, 1))
        for entry in RUNBOOK
    )


TABLES = {
    "runbook": runbook,
    "examples": examples,
    "endpoints": endpoint_list,
    "settings": settings,
    "commands": commands,
    "command-details": command_details,
    "coverage": coverage,
    "single-sources": single_sources,
    "wheels": wheels.wheels,
    **performance_tables.TABLES,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
