"""What an unknown code was probably meant for: a code that is near to it, or one whose name was typed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from cambist.accounts.names import echo
from cambist.reference.assets import METALS, kind_of, name_of
from cambist.reference.code_aliases import ALIASES
from cambist.reference.currency_tables import CURRENCIES
from cambist.suggestions import near_names

_MOST = 3
_LONGEST_CODE = 6
_SHORTEST_NAME = 3
_SHORTEST_MISSPELT = 5


def suggest_codes(*typed: str | None) -> str:
    """Return a hint for each text that is no code, to be added to an error; empty if all are codes."""
    unknown = [text for text in typed if text and kind_of(text.upper()) is None]
    return "".join(_hint(text) for text in unknown)


def _hint(text: str) -> str:
    found = list(_by_alias(text)) or list(dict.fromkeys([*_by_name(text), *_by_code(text)]))[:_MOST]
    return f"; for [{echo(text)}] did you mean {' or '.join(found)}?" if found else ""


def _by_alias(text: str) -> Iterator[str]:
    """Yield what people mean who write a sign or an abbreviation."""
    if code := ALIASES.get(text.strip().upper()):
        yield f"{code} ({name_of(code)})"


def _by_name(text: str) -> Iterator[str]:
    """Yield currencies and metals whose name has a word that begins with the text or nearly is it."""
    if len(text) < _SHORTEST_NAME:
        return
    start, edits = text.casefold(), 1 if len(text) >= _SHORTEST_MISSPELT else 0
    for is_near in (False, True) if edits else (False,):
        for code, name in _names().items():
            words = name.casefold().split()
            if near_names(start, words, edits) if is_near else any(word.startswith(start) for word in words):
                yield f"{code} ({name})"


def _by_code(text: str) -> Iterator[str]:
    """Yield current currencies and metals whose code differs in one letter."""
    if len(text) <= _LONGEST_CODE:
        typed = text.upper()
        near = set(near_names(typed, _names(), edits=1))
        for code in sorted(filter(near.__contains__, _names()), key=lambda code: code[:2] != typed[:2]):
            yield f"{code} ({_names()[code]})"


@cache
def _names() -> dict[str, str]:
    """Return the names of currencies and metals: those that have ended last, else the shortest names first."""
    living = sorted(CURRENCIES.values(), key=lambda each: (each.last_day is not None, len(each.name)))
    return {metal.code: metal.name for metal in METALS.values()} | {each.code: each.name for each in living}
