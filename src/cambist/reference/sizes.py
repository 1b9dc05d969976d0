"""Of how many units a weak currency is quoted: one of them alone would have a price of zeros.

The rule: the largest power of ten that is no more than a dollar's worth of the currency on 2026-09-29, from 100 to
100,000. `quote_sizes.csv` has that worth, in two digits, of the currencies of which a dollar buys a hundred or more. It
is read once at import, and the day is fixed, so that a client may rely on the sizes while rates move.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType

from cambist.reference.rows import read_rows
from cambist.reference.tables import CURRENCIES

_LEAST, _MOST = 100, 100_000
_WHOLE = re.compile(r"[1-9][0-9]*")


def _sizes(text: str) -> Mapping[str, int]:
    sizes: dict[str, int] = {}
    for row in read_rows("quote_sizes.csv", text, "code,per_dollar"):
        code, per_dollar = row.code("code"), row.text("per_dollar")
        if code not in CURRENCIES or code in sizes:
            raise row.broken("code", f"{code!r} is no currency, or stands here twice")
        if not _WHOLE.fullmatch(per_dollar) or int(per_dollar) < _LEAST:
            raise row.broken("per_dollar", f"{per_dollar!r} is not a whole number from {_LEAST} on")
        sizes[code] = min(_MOST, 10 ** (len(per_dollar) - 1))
    return MappingProxyType(sizes)


SIZES: Mapping[str, int] = _sizes(resources.files(__package__).joinpath("quote_sizes.csv").read_text(encoding="utf-8"))
"""By currency, for those quoted by more than one unit against a stronger one."""


def size_of(base: str, quote: str) -> int:
    """Give of how many units of the base a pair is quoted: one where the quote currency is as weak."""
    return max(1, SIZES.get(base, 1) // SIZES.get(quote, 1))
