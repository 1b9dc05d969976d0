"""Of how many units a weak currency is quoted: one of them alone would have a price of zeros.

Read once at import from `quote_sizes.csv`. The sizes are fixed, so that a client may rely on them while rates move.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType

from cambist.reference.rows import read_rows
from cambist.reference.tables import CURRENCIES

_POWER_OF_TEN = re.compile(r"10+")


def _sizes(text: str) -> Mapping[str, int]:
    sizes: dict[str, int] = {}
    for row in read_rows("quote_sizes.csv", text, "code,size"):
        code, size = row.code("code"), row.text("size")
        if code not in CURRENCIES or code in sizes:
            raise row.broken("code", f"{code!r} is no currency, or stands here twice")
        if not _POWER_OF_TEN.fullmatch(size):
            raise row.broken("size", f"{size!r} is not 10, 100 or so on")
        sizes[code] = int(size)
    return MappingProxyType(sizes)


SIZES: Mapping[str, int] = _sizes(resources.files(__package__).joinpath("quote_sizes.csv").read_text(encoding="utf-8"))
"""By currency, for those quoted by more than one unit against a stronger one."""


def size_of(base: str, quote: str) -> int:
    """Give of how many units of the base a pair is quoted: one where the quote currency is as weak."""
    return max(1, SIZES.get(base, 1) // SIZES.get(quote, 1))
