"""Fineness: how many parts in a thousand are the precious metal itself."""

from __future__ import annotations

import re
from decimal import Decimal

from cambist.errors import BadParameter, shorten
from cambist.reference.weights import PURITIES, Purity

PURE = Purity("1000", "pure", Decimal(1000))
"""The purity that a spot price is of: the fine metal alone. No article is stamped with it."""

CUSTOM = "custom"
"""The name of a fineness that the client chose."""

_NUMBER = re.compile(r"[0-9]{1,4}(\.[0-9]{1,20})?")


def parse_purity(metal: str, text: str) -> Purity:
    """Parse a precious metal's purity: one of its codes, or a fineness from 1 to 1000 with up to 20 decimals.

    Errors: BadParameter, which lists the codes.
    """
    for purity in PURITIES[metal]:
        if purity.code == text:
            return purity
    fineness = Decimal(text) if _NUMBER.fullmatch(text) else Decimal(0)
    if not 1 <= fineness <= 1000:
        codes = ", ".join(purity.code for purity in PURITIES[metal])
        raise BadParameter(
            f"Invalid purity: [{shorten(text)}]. Options for {metal} are [{codes}], or a fineness from 1 to 1000, "
            "in parts per thousand"
        )
    return Purity(text, CUSTOM, fineness)
