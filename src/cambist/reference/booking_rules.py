"""Booking rules: which publisher's rate of which day an authority wants, with its law.

A rule is proven if a test reproduces a figure that the authority published. One that needs a publisher or a side of the
market that no source here has is listed with the reason why it is not answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Annotated

from msgspec import Meta, Struct

from cambist.reference.table_loader import Table, Text

_AS_PUBLISHED = "published"


class BookingRule(Struct, frozen=True):
    """A rule of an authority. `rule` says which day of the publisher counts, `decimals` how a mean is rounded.

    `decimals` is a number, `published` for as many as the publisher's rates have, or `published:4` for at least four.
    """

    key: Annotated[str, Meta(pattern=r"^[a-z]{2}(-[a-z]+)+\Z")]
    country: Annotated[str, Meta(pattern=r"^[A-Z]{2}\Z")]
    purpose: Text
    publisher: Text | None
    rule: Text | None
    decimals: Annotated[str, Meta(pattern=r"^([0-9]|published(:[0-9])?)\Z")] | None
    law: Text
    since: date | None
    until: date | None
    proven: Annotated[str, Meta(pattern=r"^(yes|no)\Z")]
    example: Text | None
    unanswered: Text | None

    def __post_init__(self) -> None:
        """Refuse a rule that is neither answered nor says why not."""
        if (self.unanswered is None) != bool(self.publisher and self.rule):
            raise ValueError("unanswered: a rule has a publisher and a rule, or the reason why it is not answered")

    @property
    def least_decimals(self) -> int | None:
        """How many decimals a mean has at least; None if it is not rounded."""
        if self.decimals is None:
            return None
        number = self.decimals.removeprefix(_AS_PUBLISHED).removeprefix(":")
        return int(number) if number else 0

    @property
    def rounds_as_published(self) -> bool:
        """Whether a mean has as many decimals as the publisher's rates."""
        return (self.decimals or "").startswith(_AS_PUBLISHED)


BOOKING_TABLE = Table("booking_rules.csv", BookingRule, unique=("key",))
BOOKING_RULES: Mapping[str, BookingRule] = MappingProxyType({rule.key: rule for rule in BOOKING_TABLE.read()})
"""The rules by key."""
