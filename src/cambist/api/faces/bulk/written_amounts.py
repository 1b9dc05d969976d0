"""Amounts as spreadsheets and banks write them: `1.234,50`, `-0,01`, `€ 12.50`, `12.50 EUR`.

Nothing is guessed: what can be read in two ways is refused with both, until it is declared what stands before decimals.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from cambist.errors import BadParameter, shorten
from cambist.reference.assets import name_of
from cambist.reference.code_aliases import ALIASES
from cambist.reference.minor_units import spelled_code

_MARK = r"(?:[^\d\s.,'\u2019()=+\u2212-]+\.?)?"
_MINUS = "[-+\u2212]?"
_AMOUNT = re.compile(
    rf"(?P<sign>{_MINUS})\s*(?P<before>{_MARK})\s*(?P<inner>{_MINUS})\s*"
    r"(?P<digits>[0-9.,](?:[0-9.,'\u2019\s]*[0-9.,])?(?:[eE][-+]?[0-9]{1,3})?)"
    rf"\s*(?P<after>{_MARK})\s*(?P<last>{_MINUS})"
)
_SPACES = "'\u2019 \u00a0\u2009\u202f"
_NUMBER = (
    r"(?P<whole>[1-9][0-9]{0,2}(?P<group>[%s])[0-9]{3}(?:(?P=group)[0-9]{3})*|[0-9]*)"
    r"(?:%s(?P<decimals>[0-9]*))?(?P<exponent>[eE][-+]?[0-9]{1,3})?"
)
_FORMS = {
    ".": re.compile(_NUMBER % (f",{_SPACES}", r"\.")),
    ",": re.compile(_NUMBER % (f".{_SPACES}", ",")),
}
"""How a number is written, by what stands before its decimals."""

_WORDS = {".": "decimal=point", ",": "decimal=comma"}
_SHARED: Mapping[str, tuple[str, ...]] = {
    "$": ("Dollar", "Peso"),
    "£": ("Pound",),
    "¥": ("Yen", "Yuan"),
    "KR": ("Kron", "Krón"),
    "FR": ("Franc",),
    "RS": ("Rupee",),
}
"""Signs of several currencies, and what is in their names."""


def read_amount(text: str, decimal: str | None, code: str) -> str:
    """Return an amount of a code with a decimal point, and a minus if it is negative.

    Errors: BadParameter if it is none, has two readings, or names another currency.
    """
    found = _AMOUNT.fullmatch(text)
    signs = [found[name] for name in ("sign", "inner", "last") if found[name]] if found else []
    marks = [found[name] for name in ("before", "after") if found[name]] if found else []
    if found is None or len(signs) > 1 or len(marks) > 1:
        raise _invalid(text)
    number = _read_number(text, found["digits"], decimal)
    for mark in marks:
        _check_mark(text, mark, spelled_code(code))
    return number if signs in ([], ["+"]) else f"-{number}"


def read_number(text: str, decimal: str | None, name: str = "amount") -> str:
    """Return a number without a sign of money, with a decimal point. Errors: BadParameter, which has its `name`."""
    found = _AMOUNT.fullmatch(text)
    signs = [found[name] for name in ("sign", "inner", "last") if found[name]] if found else []
    if found is None or len(signs) > 1 or found["before"] or found["after"]:
        raise _invalid(text, name)
    number = _read_number(text, found["digits"], decimal, name)
    return number if signs in ([], ["+"]) else f"-{number}"


def _read_number(text: str, digits: str, decimal: str | None, name: str = "amount") -> str:
    point, comma = _number(digits, "."), _number(digits, ",")
    if decimal is None and point is not None and comma is not None and point != comma:
        raise BadParameter(
            f"Invalid {name}: [{shorten(text)}] can be read as {point}, with decimal=point, and as {comma}, with "
            "decimal=comma: declare one of them"
        )
    found, other = (comma, point) if decimal == "," else (point, comma)
    if found is None and other is not None:
        said, meant = ("has no decimal point", ",") if decimal != "," else ("has no decimal comma", ".")
        raise BadParameter(f"Invalid {name}: [{shorten(text)}] {said}: declare {_WORDS[meant]} if it is {other}")
    if found is None:
        raise _invalid(text, name)
    return found


def _number(digits: str, decimal: str) -> str | None:
    """Return a number with a decimal point, read in one of the two forms; None if it is not written so."""
    found = _FORMS[decimal].fullmatch(digits)
    if found is None or not (found["whole"] or found["decimals"]):
        return None
    if found["group"] is not None and found["exponent"]:
        return None
    whole = re.sub(r"\D", "", found["whole"])
    return f"{whole or 0}{'.' if found['decimals'] else ''}{found['decimals'] or ''}{found['exponent'] or ''}"


def _check_mark(text: str, mark: str, code: str) -> None:
    """Check that the sign or code beside a number is that of the cell `from`. Errors: BadParameter."""
    named, sign = spelled_code(mark), mark.upper()
    if code in (named, ALIASES.get(sign)):
        return
    if any(word in (name_of(code) or "") for word in _SHARED.get(sign.rstrip("."), ())):
        return
    meant = named if name_of(named) else ALIASES.get(sign)
    if meant is None:
        raise _invalid(text)
    raise BadParameter(f"Invalid amount: [{shorten(text)}] is in [{meant}], but the cell [from] has [{shorten(code)}]")


def _invalid(text: str, name: str = "amount") -> BadParameter:
    return BadParameter(
        f"Invalid {name}: [{shorten(text)}], it takes a decimal such as 1234.56, with decimal=comma 1234,56"
    )
