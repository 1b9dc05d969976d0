"""What people type for a pair and an amount: `EUR/USD`, `EURUSD`, `100eur usd`, `100 EUR/USD`, `100 eur in usd`."""

from __future__ import annotations

import re

from cambist.errors import BadParameter

_PAIR = re.compile(r"(\w{2,12})[/:-](\w{2,12})|([A-Za-z]{3})([A-Za-z]{3})", re.ASCII)
_JOINED = re.compile(r"([-+0-9.,' ]*[0-9])\s*([A-Za-z]\w{1,11}(?:[/:-]\w{2,12})?)", re.ASCII)
_PLAIN = re.compile(r"[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?", re.ASCII)
_WORDS = frozenset({"in", "to", "as", "into", "="})


def read_pair(base: str, quote: str | None) -> tuple[str, str]:
    """Return both codes of a pair, which may be typed as one word. Errors: BadParameter."""
    if quote is not None:
        return base, quote
    found = _PAIR.fullmatch(base.strip())
    if found is None:
        raise BadParameter(f"Missing TO: from {base} to what? Such as EUR USD or EUR/USD")
    return (found[1] or found[3], found[2] or found[4])


def read_question(words: list[str]) -> tuple[str, str | None, str | None]:
    """Return amount and codes of what was typed; without codes it is the name of a file. Errors: BadParameter."""
    found = [word for word in words if word.lower() not in _WORDS]
    if (joined := _JOINED.fullmatch(found[0])) and (len(words) > 1 or "/" in joined[2]):
        found[:1] = joined[1], joined[2]
    if len(found) == 2 and (pair := _PAIR.fullmatch(found[1])):
        found[1:] = pair[1] or pair[3], pair[2] or pair[4]
    if len(found) > 3:
        raise BadParameter(f"Too many words: convert {' '.join(found[:3])}, and what is [{found[3]}]?")
    amount, base, quote = (*found, None, None)[:3]
    return str(amount), base, quote


def read_typed(amount: str, decimal: str | None) -> str:
    """Return an amount with a decimal point: `1,234.50`, or `1234,50`. Errors: BadParameter if it has two readings."""
    if decimal is None and _PLAIN.fullmatch(amount):
        return amount
    from cambist.api.faces.bulk.written_amounts import read_number

    return read_number(amount.strip(), {"comma": ",", "point": "."}.get(decimal or "", decimal))
