"""The parameters that live endpoints share: a client may require fresher rates than the operator does."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from msgspec import Struct

from cambist.api.questions import parameter_types

MaxAge = Annotated[
    timedelta | None,
    parameter_types.duration(
        "max_age",
        default=None,
        # No example: the reference would fill it in, and refuse whoever tries it at the weekend.
        description="Refuse rates older than this ISO 8601 duration, such as PT2H; P9D allows older coins and metals.",
    ),
]


class BookParameters(Struct, frozen=True, kw_only=True):
    """Parameters of an answer made from the current rate book, which is cached until the next one."""


class FreshnessParameters(BookParameters, frozen=True, kw_only=True):
    """Parameters of an answer from the current rate book whose rates may be too old."""

    max_age: MaxAge
