"""Plans: what an account bought. They stand in a TOML file that the operator edits. Pure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from importlib import resources
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta, Struct

from cambist.accounts.account import UNLIMITED
from cambist.accounts.names import echo
from cambist.errors import PlansRefused
from cambist.suggestions import did_you_mean
from cambist.validation import explain_validation_error

Tag = Literal["currency", "crypto", "fx", "fx-series", "metals", "stream", "admin"]
TAGS: tuple[Tag, ...] = get_args(Tag)
"""The groups of endpoints that a plan may include."""

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_STATEMENT = re.compile(r"""\s*(\[+\s*["']?(?P<table>[^"'\]]*?)["']?\s*\]|["']?(?P<key>[\w.-]+)["']?\s*=)""")
_PLACED = re.compile(r"(?P<reason>.*) \(at (?:line (?P<line>\d+), column \d+|end of document)\)", re.DOTALL)

# Readers of JSON keep 10^15 exact, and with calls bought it stays below the number that stands for no quota.
_Calls = Annotated[int, Meta(ge=0, le=10**15)]
_Limit = Annotated[int, Meta(ge=0, le=1_000_000)]


class Plan(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What accounts on it may do.

    `calls_a_month`: calls a period, None: no quota. `offline_calls`: calls a period that each of several nodes may
    answer beyond its part of the quota while the database is gone. `rate`: requests a second, `burst`: how many at
    once, None: no limit. `book_refresh`: seconds for which it sees the same book, 0: every book. `tags`: the groups of
    endpoints. `history_days`: how far back it sees, None: all. `stream_…`: connections, pairs of each, messages a
    second of each, and how many calls each is charged for every minute that it begins. `lock_minutes`: how long it may
    hold a rate, 0: not at all. `alerts`: how many it may have at once.
    """

    name: str
    calls_a_month: _Calls | None = None
    rate: Annotated[float, Meta(gt=0, le=1_000_000)] | None = None
    burst: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    book_refresh: Annotated[float, Meta(ge=0, le=86_400)] = 0.0
    tags: tuple[Tag, ...]
    history_days: Annotated[int, Meta(ge=1, le=36_500)] | None = None
    stream_connections: _Limit = 0
    stream_pairs: _Limit = 0
    stream_messages: _Limit = 0
    stream_calls_a_minute: _Limit = 0
    offline_calls: _Calls = 0
    lock_minutes: Annotated[int, Meta(ge=0, le=43_200)] = 30
    alerts: Annotated[int, Meta(ge=0, le=10_000)] = 20

    def first_day(self, today: date) -> date:
        """Return the first day of the history that it sees."""
        return date.min if self.history_days is None else today - timedelta(days=self.history_days)


_FIELDS = tuple(field for field in Plan.__struct_fields__ if field != "name")


def default_plans() -> str:
    """Return the text of the plans file that comes with the package."""
    return resources.files(__package__).joinpath("plans.toml").read_text(encoding="utf-8")


def read_plans(text: str, where: str) -> Mapping[str, Plan]:
    """Parse plans from TOML, in the order of the text; `where` is how errors name it.

    Errors: PlansRefused naming `where`, the line where it can be found, the plan and the field.
    """
    plans = {}
    for name, table in _tables(text, where).items():
        try:
            plans[name] = _read_plan(name, table)
        except _FieldRefused as refused:
            line = _line_of(text, name, refused.field)
            sentence = f"{where}{f', line {line}' if line else ''}: {refused}"
            raise PlansRefused(sentence, line, name, refused.field) from None
    if UNLIMITED not in plans:
        reason = f"there is no plan [{UNLIMITED}], which the owner is on"
        raise PlansRefused(f"{where}, line {_last_line(text)}: {reason}", _last_line(text))
    return plans


class _FieldRefused(ValueError):
    """A sentence about a plan, and the field that it is about, empty for the whole plan."""

    def __init__(self, sentence: str, field: str = "") -> None:
        self.field = field
        super().__init__(sentence)


def _tables(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise PlansRefused(f"{where}: values are nested too deeply") from None
    except ValueError as error:
        placed = _PLACED.fullmatch(str(error))
        if placed is None:
            raise PlansRefused(f"{where}: {echo(str(error))}") from error
        line = int(placed["line"] or _last_line(text))
        raise PlansRefused(f"{where}, line {line}: {echo(placed['reason'])}", line) from error


def _read_plan(name: str, table: Any) -> Plan:
    if not _NAME.fullmatch(name):
        raise _FieldRefused(
            f"invalid plan name: [{echo(name)}], it takes 1 to 32 small letters, digits and dashes, "
            "beginning with a letter or digit"
        )
    if not isinstance(table, dict):
        raise _FieldRefused(f"[{echo(name)}] is no plan: a plan is a table, such as [{UNLIMITED}]")
    for key in table:
        if key not in _FIELDS:
            raise _FieldRefused(f"plan [{name}] has an unknown key [{echo(key)}]; {did_you_mean(key, _FIELDS)}", key)
    try:
        plan = msgspec.convert({"tags": (), **table, "name": name}, Plan)
    except msgspec.ValidationError as error:
        raise _refusal(name, table, *explain_validation_error(error)) from None
    for field, reason in _lacks(plan):
        raise _FieldRefused(f"plan [{name}] {reason}", field)
    return msgspec.structs.replace(plan, tags=tuple(dict.fromkeys(plan.tags)))


def _refusal(name: str, table: Mapping[str, Any], path: str, reason: str) -> _FieldRefused:
    field, _, place = path.removesuffix("]").partition("[")
    value = table[field][int(place)] if place else table[field]
    if field == "tags":
        reason = f"{reason}; {did_you_mean(str(value), TAGS)}"
    reason = reason.replace(" or nothing", "")  # which TOML cannot write
    written = str(value).lower() if isinstance(value, bool) else str(value)
    return _FieldRefused(f"{field} of plan [{name}] is refused: [{echo(written)}], {reason}", field)


def _lacks(plan: Plan) -> Iterator[tuple[str, str]]:
    """Find fields that need another one: the field and the reason."""
    if not plan.tags:
        yield "tags", "has no tags: it must name the groups of endpoints that it includes"
    if plan.rate is not None and plan.burst is None:
        yield "rate", "has a rate without a burst"
    if plan.burst is not None and plan.rate is None:
        yield "burst", "has a burst without a rate"
    for field in ("stream_connections", "stream_pairs", "stream_messages"):
        if "stream" in plan.tags and not getattr(plan, field):
            yield "tags", f"includes the stream, but {field} is not above 0"


def _line_of(text: str, plan: str, field: str) -> int | None:
    """Return the line of a plan's field, or else of the plan's first line; None where both are written unusually."""
    table, first = "", None
    for number, line in enumerate(text.split("\n"), 1):
        if not (statement := _STATEMENT.match(line)):
            continue
        table = table if statement["table"] is None else f"{statement['table']}."
        path = f"{table}{statement['key'] or ''}."
        if field and path.startswith(f"{plan}.{field}."):
            return number
        if first is None and path.startswith(f"{plan}."):
            first = number
    return first


def _last_line(text: str) -> int:
    return text.removesuffix("\n").count("\n") + 1
