"""The anchor of a source: the currency that all its pairs share. Before a redenomination that was another code.

A source in Turkish lira has pairs with TRY since 2005 and with TRL before. A source names today's code; the codes
before it follow from the table of redenominations.
"""

from __future__ import annotations

from datetime import date
from functools import cache

from cambist.pricing.pair import Pair
from cambist.reference.currency_tables import CURRENCIES, REDENOMINATIONS


@cache
def anchors_of(code: str) -> tuple[str, ...]:
    """Return a code and all codes that it replaced, the newest first."""
    older = sorted((each for each in REDENOMINATIONS if each.new == code != each.old), key=lambda each: each.first_day)
    found = dict.fromkeys([code])
    for each in reversed(older):
        found.update(dict.fromkeys(anchors_of(each.old)))
    return tuple(found)


def anchor_on(code: str, day: date) -> str:
    """Return which of the codes of an anchor was money on a day; the anchor's own if none was."""
    return next((each for each in anchors_of(code) if each in CURRENCIES and CURRENCIES[each].lives_on(day)), code)


def anchor_in(pair: Pair, code: str) -> str:
    """Return which of the codes of an anchor is in a pair; the anchor's own if none is."""
    return next((each for each in anchors_of(code) if each in (pair.base, pair.quote)), code)


def priced_code(pair: Pair, anchor: str) -> str:
    """Return the side of a pair that is not the anchor, whichever code the anchor had."""
    return pair.other(anchor_in(pair, anchor))
