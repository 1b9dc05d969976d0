"""Where something stands in a TOML text: the parser of the standard library does not say. Pure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

_AT = re.compile(r"(?P<reason>.*) \(at (?:line (?P<line>\d+), column \d+|end of document)\)", re.DOTALL)


def line_of(text: str, path: tuple[str, ...]) -> int:
    """Give the line on which the statement begins that first mentions `path`, or else its table, or else the last one.

    It parses ever longer beginnings of the text: slow, but right for every way to write a table.
    """
    for begins, _, content in _statements(text):
        if _holds(content, path):
            return begins
    return line_of(text, path[:-1]) if path else len(lines_of(text))


def line_of_error(text: str, error: ValueError) -> tuple[int, str]:
    """Give the line that the parser complains about, and its complaint."""
    said = _AT.fullmatch(str(error))
    if said is None:  # not the parser's own words, but of whoever it gave a value to
        return 1 + max((ends for _, ends, _ in _statements(text)), default=0), str(error)
    return int(said["line"] or len(lines_of(text))), said["reason"]


def _statements(text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Give each statement's first and last line, and what the text holds up to there."""
    lines = lines_of(text)
    begins = 1
    for ends in range(1, len(lines) + 1):
        try:
            content = tomllib.loads("\n".join(lines[:ends]))
        except ValueError:  # cut off within a value of several lines
            continue
        yield begins, ends, content
        begins = ends + 1


def lines_of(text: str) -> list[str]:
    """Split a text as TOML does, which knows no other ends of lines; a last end begins no line."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def _holds(content: Any, path: tuple[str, ...]) -> bool:
    for name in path:
        if not isinstance(content, dict) or name not in content:
            return False
        content = content[name]
    return bool(path)
