"""How commands write what a source published."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cambist.history.fixing import Fixing


def published(fixing: Fixing) -> str:
    """Write a fixing as people say it, in the digits that were published: `100 JPY = 0.6123 EUR`."""
    unit = f" {fixing.unit}" if fixing.unit else ""
    return f"{fixing.nominal}{unit} {fixing.pair.base} = {fixing.value:f} {fixing.pair.quote}"
