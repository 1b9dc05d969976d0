"""What a layout finds for one rate: the texts as the source writes them."""

from __future__ import annotations

from typing import NamedTuple


class JsonNumber(str):
    """A number that stands in JSON as a number: its text, in JSON's own notation."""

    __slots__ = ()


class RawRate(NamedTuple):
    """One rate in the source's texts; None is what the layout has no place for."""

    day: str | None
    code: str | None
    rate: str
    nominal: str | None = None
