"""One rate as a layout finds it: the texts of the source."""

from __future__ import annotations

from typing import NamedTuple


class JsonNumber(str):
    """The text of a JSON number, in JSON's notation."""

    __slots__ = ()


class RawRate(NamedTuple):
    """One rate in the source's texts; None for what the layout does not have. With `other_rate`, their mean counts."""

    day: str | None
    code: str | None
    rate: str
    nominal: str | None = None
    rate_type: str = ""
    other_rate: str | None = None
    published_at: str | None = None
