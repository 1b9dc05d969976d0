"""The parameters of endpoints that also answer as a past moment knew it."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from msgspec import Meta, UnsetType

from cambist.api.questions import parameter_types
from cambist.errors import BadParameter
from cambist.history.known_state import PUBLISHED, Scope
from cambist.pricing.pair import Pair

AsOf = Annotated[
    str | None,
    parameter_types.text(
        "as_of",
        default=None,
        schema={"type": "string", "examples": ["2026-03-06T17:00:00Z"]},
        description="Answer as this service knew it then: an edition, or an instant such as 2026-03-06T17:00:00Z.",
    ),
]
Assume = Annotated[
    str | None,
    parameter_types.choice(
        "assume",
        (PUBLISHED,),
        default=None,
        description="With `as_of`: assume that what was learnt later of a day was known when it was published.",
    ),
]
Assumed = Annotated[
    list[str] | UnsetType,
    Meta(description="With `as_of`: what is not known of that moment but assumed, such as `published`."),
]


def scope_of_day(day: date | None, *pairs: Pair) -> Scope:
    """Return the scope of a question about pairs on a day. Errors: BadParameter without a day."""
    if day is None:
        raise BadParameter("Missing parameter: [date], live prices are not kept: as_of needs the day of a rate")
    return Scope(day, day, pairs)
