"""Turn validation errors of msgspec into plain words. Pure."""

from __future__ import annotations

import re

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "date": "a day",
    "time": "a time of day",
    "datetime": "a moment",
    "duration": "a duration",
    "decimal": "a number",
    "null": "nothing",
}
_BOUNDS = {">=": "of at least", "<=": "of at most", ">": "above", "<": "below"}
_FORMATS = {
    "Invalid ISO8601 duration": "it takes a duration such as P90D",
    "Invalid ISO8601 date": "it takes a day such as 2026-12-31",
    "Invalid RFC3339 encoded date": "it takes a day such as 2026-12-31",
    "Invalid RFC3339 encoded datetime": "it takes a moment such as 2026-12-31T18:00:00Z",
    "Invalid decimal string": "it takes a number",
}
_EXPECTED = re.compile(
    r"Expected `(?P<kinds>[^`]+)`(, got `(?P<got>\w+)`| (?P<bound>[<>]=?) (?P<limit>\S+))?(?P<rest>.*)"
)
_NO_CHOICE = re.compile(r"Invalid enum value (?P<value>.*)")


def explain_validation_error(error: Exception) -> tuple[str, str]:
    """Return the path of the invalid field, such as `csv.skip` or `tags[1]`, and the reason in plain words."""
    path, reason = split_validation_error(error)
    return path, in_plain_words(reason)


def split_validation_error(error: Exception) -> tuple[str, str]:
    """Return the path of the invalid field, and the reason in the words of msgspec."""
    reason, _, path = str(error).rpartition(" - at `")
    return (path.removesuffix("`").removeprefix("$").lstrip("."), reason) if reason else ("", path)


def in_plain_words(reason: str) -> str:
    """Return the reason in plain words; a message that is not about a type or format is returned unchanged."""
    if no_choice := _NO_CHOICE.fullmatch(reason):
        return f"{no_choice['value']} is none of those that it takes"
    expected = _EXPECTED.fullmatch(reason)
    if expected is None:
        return _FORMATS.get(reason, reason)
    kinds = " or ".join(_KINDS.get(kind, kind) for kind in expected["kinds"].split(" | "))
    if expected["rest"].startswith(" matching regex"):
        return f"it takes {kinds} of another form"
    got = f", not {_KINDS.get(expected['got'], expected['got'])}" if expected["got"] else ""
    bound = f" {_BOUNDS[expected['bound']]} {expected['limit']}" if expected["bound"] else ""
    return f"it takes {kinds}{got}{bound}{expected['rest']}"
