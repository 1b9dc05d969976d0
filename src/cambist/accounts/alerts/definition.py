"""The definition of an alert: the condition that is watched, and the way to whoever asked for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum

from msgspec import Struct

from cambist.errors import BadParameter, shorten

MOST_NOTE = 200
SHORTEST_TIME, LONGEST_TIME = timedelta(minutes=1), timedelta(days=7)
_PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,6})?)\s*%?")
_MOST_DIGITS = 20
_HUNDRED = Decimal(100)


class When(StrEnum):
    """The conditions: of the rate of a pair, of a publisher, of past days of a pair, and of the account's quota."""

    ABOVE = "above"
    BELOW = "below"
    OUTSIDE = "outside"
    MOVES = "moves"
    PUBLISHED = "published"
    CORRECTED = "corrected"
    QUOTA = "quota"


class Way(StrEnum):
    """How an alert is delivered: to a webhook, to the e-mail address of the account, or on the stream."""

    WEBHOOK = "webhook"
    EMAIL = "email"
    STREAM = "stream"


class AlertDefinition(
    Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    rename={"base": "from", "quote": "to", "day": "date"},
):
    """What is watched, and how it is delivered.

    `above` and `below` take a `level` of the rate; `outside` a band from `low` to `high`; `moves` a `change` in percent
    and the time `within` which it happens; `published` a `source`; `corrected` a pair, and a `date` if it is about one
    day; `quota` a `change` that is the used part in percent. A webhook has an `address`. With `repeat` it is delivered
    each time that the condition begins, else once.
    """

    when: When
    base: str = ""
    quote: str = ""
    level: Decimal | None = None
    low: Decimal | None = None
    high: Decimal | None = None
    change: str = ""
    within: timedelta | None = None
    source: str = ""
    day: date | None = None
    deliver: Way
    address: str = ""
    repeat: bool = False
    note: str = ""

    @property
    def watches_rate(self) -> bool:
        """Whether the condition is about the rate of now."""
        return self.when in (When.ABOVE, When.BELOW, When.OUTSIDE, When.MOVES)

    @property
    def percent(self) -> Decimal:
        """The change in percent."""
        return parse_percent(self.change)


_PAIR = ("base", "quote")
_NEEDED: Mapping[When, tuple[str, ...]] = {
    When.ABOVE: (*_PAIR, "level"),
    When.BELOW: (*_PAIR, "level"),
    When.OUTSIDE: (*_PAIR, "low", "high"),
    When.MOVES: (*_PAIR, "change", "within"),
    When.PUBLISHED: ("source",),
    When.CORRECTED: _PAIR,
    When.QUOTA: ("change",),
}
_OPTIONAL: Mapping[When, tuple[str, ...]] = {When.CORRECTED: ("day",)}
_ALL = dict.fromkeys(name for names in (*_NEEDED.values(), *_OPTIONAL.values()) for name in names)
_WRITTEN = {"base": "from", "quote": "to", "day": "date"}


def check_definition(definition: AlertDefinition) -> None:
    """Refuse a definition that lacks something, has something that its condition ignores, or can never be met.

    Errors: BadParameter.
    """
    when, needed = definition.when, _NEEDED[definition.when]
    for name in _ALL:
        is_given = getattr(definition, name) not in ("", None)
        if name in needed and not is_given:
            raise BadParameter(f"Missing [{_WRITTEN.get(name, name)}]: an alert [{when}] needs {_listed(needed)}")
        if is_given and name not in (*needed, *_OPTIONAL.get(when, ())):
            raise BadParameter(f"Unneeded [{_WRITTEN.get(name, name)}]: an alert [{when}] takes {_listed(needed)}")
    _check_numbers(definition)
    if (definition.deliver is Way.WEBHOOK) != bool(definition.address):
        has = "needs an [address]" if definition.deliver is Way.WEBHOOK else "takes no [address]"
        raise BadParameter(f"Invalid deliver: [{definition.deliver}] {has}")
    if len(definition.note) > MOST_NOTE:
        raise BadParameter(f"Invalid note: at most {MOST_NOTE} characters")


def parse_percent(text: str) -> Decimal:
    """Return a positive percentage, written with or without its sign. Errors: BadParameter."""
    match = _PERCENT.fullmatch(text.strip())
    if match is None or not Decimal(match[1]):
        raise BadParameter(f"Invalid change: [{shorten(text)}], it must be a positive percentage such as 2%")
    return Decimal(match[1])


def _check_numbers(definition: AlertDefinition) -> None:
    for name in ("level", "low", "high"):
        value = getattr(definition, name)
        if value is not None and (not value.is_finite() or value <= 0):
            raise BadParameter(f"Invalid {name}: [{shorten(str(value))}], it must be above 0")
        if value is not None and (abs(value.adjusted()) > _MOST_DIGITS or len(value.as_tuple().digits) > _MOST_DIGITS):
            raise BadParameter(f"Invalid {name}: [{shorten(str(value))}] is not a rate")
    if definition.low is not None and definition.high is not None and definition.low >= definition.high:
        raise BadParameter(f"Invalid low: [{definition.low}], it must be below high [{definition.high}]")
    if definition.change and definition.percent > _HUNDRED and definition.when is When.QUOTA:
        raise BadParameter(f"Invalid change: [{shorten(definition.change)}], a quota has 100%")
    if definition.within is not None and not SHORTEST_TIME <= definition.within <= LONGEST_TIME:
        raise BadParameter("Invalid within: it must be from PT1M to P7D")


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"[{_WRITTEN.get(name, name)}]" for name in names)
