"""Plans: what an account bought. They stand in a TOML file that the operator edits. Pure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from cambist.accounts import plan_fields
from cambist.accounts.account import UNLIMITED
from cambist.accounts.names import echo, nearest
from cambist.accounts.toml_lines import line_of, line_of_error, lines_of
from cambist.errors import PlansRefused

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")


@dataclass(frozen=True, slots=True)
class Plan:
    """What accounts on it may do.

    `calls_a_month`: calls a period, None: no quota. `rate`: requests a second, `burst`: how many at once, None: no
    limit. `book_refresh`: seconds for which it sees the same book, 0: every book. `tags`: the groups of endpoints.
    `history_days`: how far back it sees, None: all. `stream_…`: connections, pairs of each, messages a second of each,
    and how many calls each is charged for every minute that it begins.
    """

    name: str
    calls_a_month: int | None
    rate: float | None
    burst: int | None
    book_refresh: float
    tags: tuple[str, ...]
    history_days: int | None
    stream_connections: int
    stream_pairs: int
    stream_messages: int
    stream_calls_a_minute: int


def default_plans() -> str:
    """Give the text of the plans file that comes with the package."""
    return resources.files(__package__).joinpath("plans.toml").read_text(encoding="utf-8")


def read_plans(text: str, where: str) -> Mapping[str, Plan]:
    """Read plans from TOML, in the order of the text; `where` is how errors name it.

    Errors: PlansRefused naming `where`, the line and the reason.
    """

    def refused(reason: str, *path: str) -> PlansRefused:
        return PlansRefused(f"{where}, line {line_of(text, path)}: {reason}")

    plans = {name: _read_plan(name, table, refused) for name, table in _tables(text, where).items()}
    if UNLIMITED not in plans:
        reason = f"there is no plan [{UNLIMITED}], which the owner is on"
        raise PlansRefused(f"{where}, line {len(lines_of(text))}: {reason}")
    return plans


def _tables(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise PlansRefused(f"{where}, line 1: values are nested too deeply") from None
    except ValueError as error:
        line, reason = line_of_error(text, error)
        raise PlansRefused(f"{where}, line {line}: {echo(reason)}") from error


def _read_plan(name: str, table: Any, refused: Callable[..., PlansRefused]) -> Plan:
    if not _NAME.fullmatch(name):
        raise refused(
            f"invalid plan name: [{echo(name)}], it takes 1 to 32 small letters, digits and dashes, "
            "beginning with a letter or digit",
            name,
        )
    if not isinstance(table, dict):
        raise refused(f"[{name}] is no plan: a plan is a table, such as [{UNLIMITED}]", name)
    chosen = dict(plan_fields.ABSENT)
    for key, value in table.items():
        if key not in plan_fields.READERS:
            raise refused(
                f"plan [{name}] has an unknown key [{echo(key)}]; {nearest(key, plan_fields.READERS)}", name, key
            )
        try:
            chosen[key] = plan_fields.READERS[key](value)
        except ValueError as error:
            raise refused(f"{key} of plan [{name}] {error}", name, key) from None
    if lack := plan_fields.lack(chosen):
        key, reason = lack
        raise refused(f"plan [{name}] {reason}", name, key)
    return Plan(name=name, **chosen)
