"""Validation of the regular expressions in a declaration."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cambist.errors import shorten

_LONGEST = 200
_NESTED = re.compile(r"[+*}]\)[+*{]")
"""A repetition of a repetition: on some texts it would take a very long time."""


def pattern_faults(field: str, pattern: str, needed: set[str], optional: set[str]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a pattern, whose groups must have the names in `needed`."""
    if len(pattern) > _LONGEST or _NESTED.search(pattern):
        yield field, f"must have at most {_LONGEST} characters, and no repetition of a repetition"
        return
    try:
        groups = {*re.compile(pattern).groupindex}
    except (re.error, OverflowError, RecursionError) as error:
        yield field, f"[{shorten(pattern)}] is not a regular expression: {error}"
        return
    if not needed <= groups <= needed | optional:
        names = ", ".join(f"(?P<{name}>…)" for name in sorted(needed | optional))
        yield field, f"[{shorten(pattern)}] must have the groups {names}"


def day_pattern_faults(field: str, pattern: str) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a pattern that has one group, without a name."""
    faults = [*pattern_faults(field, pattern, set(), set())]
    yield from faults
    if not faults and re.compile(pattern).groups != 1:
        yield field, f"[{shorten(pattern)}] must have one group, the text that is read"
