"""The parameters that choose one publisher's rate, the day of it that counts, or an authority's rule for both."""

from __future__ import annotations

from typing import Annotated

from cambist.api.questions.parameters import Param
from cambist.errors import BadParameter, shorten
from cambist.history.day_rules import DayRule
from cambist.reference.booking_rules import BOOKING_RULES
from cambist.suggestions import did_you_mean

_LONGEST_KEY = 40


def _parse_source(name: str, text: str) -> str:
    value = text.strip().lower()
    if not value.replace("_", "").isalnum() or not value.isascii() or len(value) > _LONGEST_KEY:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes the key of one source, such as ecb")
    return value


def _parse_rule(name: str, text: str) -> DayRule:
    value = text.strip().lower()
    try:
        return DayRule(value)
    except ValueError:
        options = ", ".join(DayRule)
        raise BadParameter(f"Invalid {name}: [{shorten(text)}]. Options are [{options}]") from None


def _parse_booking(name: str, text: str) -> str:
    value = text.strip().lower()
    rule = BOOKING_RULES.get(value)
    if rule is None:
        answered = [key for key, each in BOOKING_RULES.items() if not each.unanswered]
        raise BadParameter(
            f"Invalid {name}: [{shorten(text)}], {did_you_mean(value, answered)} [/booking-rules] lists all"
        )
    if rule.unanswered:
        raise BadParameter(f"Invalid {name}: [{value}] is not answered here: {rule.unanswered}")
    return value


PublisherKey = Annotated[
    str | None,
    Param(
        "source",
        _parse_source,
        default=None,
        description="Only what this source published, crossed within its own table; a key of `/sources`.",
        schema={"type": "string", "examples": ["nbp"]},
    ),
]
Rule = Annotated[
    DayRule | None,
    Param(
        "rule",
        _parse_rule,
        default=None,
        description="Which publication counts: that day's or the last before it (`day`), the last strictly before, …",
        schema={"type": "string", "enum": list(DayRule)},
    ),
]
Booking = Annotated[
    str | None,
    Param(
        "booking",
        _parse_booking,
        default=None,
        description="The rate that an authority wants: a key of `/booking-rules`, in place of `source` and `rule`.",
        schema={"type": "string", "examples": ["de-vat"]},
    ),
]
