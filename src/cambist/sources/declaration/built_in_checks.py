"""What only a built-in declaration may say, and what it must say."""

from __future__ import annotations

from collections.abc import Iterator

from cambist.sources.declaration.declaration import Declaration

Fault = tuple[str, str]
_NEEDED = ("home", "terms", "covers", "known_from")
_ONLY_BUILT_IN = {
    "setting": "would send the key of another source to this one: use key_variable",
    "alias": "is a code that the tables of Cambist must know",
    "outranks_pegs": "is only for the institutions that fix pegged currencies by law",
}


def built_in_faults(declared: Declaration) -> Iterator[Fault]:
    """Yield each field that a built-in source lacks."""
    for field in _NEEDED:
        if not getattr(declared, field):
            yield field, "is missing: a built-in source needs it"
    if not declared.request.media:
        yield "request.media", "is missing: a built-in source accepts only its own content types"
    if declared.key_variable:
        yield "key_variable", "is for operators: a built-in source names a setting"


def operator_faults(declared: Declaration) -> Iterator[Fault]:
    """Yield each field that only a built-in source may have, and why."""
    for field, reason in _ONLY_BUILT_IN.items():
        if getattr(declared, field):
            yield field, reason
