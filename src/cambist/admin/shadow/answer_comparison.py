"""Compare two answers: their status, and their content as JSON or line by line. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import zip_longest
from typing import Any

import msgspec

from cambist.admin.shadow.differences import (
    AnswerDifference,
    DifferenceKind,
    compare_values,
    shown,
    type_name,
)

MOST_DIFFERENCES = 50
"""How many differences of one answer are kept; the others are counted."""

_DECODER = msgspec.json.Decoder(float_hook=Decimal)
_NAMING = ("date", "base", "quote", "id", "code", "iso_code", "symbol", "name")
"""The fields by which the elements of a list are told apart, whatever their order."""

_CELLS = re.compile(r"[,;\t]")
_FEWEST_ERROR = 400
_LONGEST_ERROR = 250


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """An answer as it is compared: status, media type without parameters, and content that is not compressed."""

    status: int
    media: str
    content: bytes


def compare_answers(
    theirs: ComparedAnswer, ours: ComparedAnswer, tolerance: Decimal
) -> tuple[tuple[AnswerDifference, ...], int]:
    """Return the differences, and how many there are beyond those.

    `tolerance` is how far two numbers may be apart, as a part of theirs. If the status differs, nothing else is
    compared.
    """
    kept: list[AnswerDifference] = []
    more = 0
    for each in _differences(theirs, ours, tolerance):
        if len(kept) < MOST_DIFFERENCES:
            kept.append(each)
        else:
            more += 1
    return tuple(kept), more


def _differences(theirs: ComparedAnswer, ours: ComparedAnswer, tolerance: Decimal) -> Iterator[AnswerDifference]:
    if theirs.status != ours.status:
        yield AnswerDifference(DifferenceKind.STATUS, "status", _status_words(theirs), _status_words(ours))
        return
    if theirs.content == ours.content:
        return
    forms = _read(theirs.content), _read(ours.content)
    if forms[0][0] != forms[1][0]:
        yield AnswerDifference(DifferenceKind.FORMAT, "content", forms[0][0], forms[1][0])
        return
    if theirs.media != ours.media:
        yield AnswerDifference(DifferenceKind.FORMAT, "Content-Type", shown(theirs.media), shown(ours.media))
    form, first, second = *forms[0], forms[1][1]
    if form == "JSON":
        yield from _compare_json("", first, second, tolerance)
    elif form == "text":
        yield from _compare_lines(first, second, tolerance)
    else:
        yield AnswerDifference(DifferenceKind.VALUE, "content", f"{len(first):,} bytes", f"{len(second):,} bytes")


def _status_words(answer: ComparedAnswer) -> str:
    """Return a status, of an error with the beginning of what it says."""
    if answer.status < _FEWEST_ERROR:
        return str(answer.status)
    said = " ".join(answer.content[: 4 * _LONGEST_ERROR].decode(errors="replace").split())
    return f"{answer.status} {shown(said, _LONGEST_ERROR)}".strip()


def _read(content: bytes) -> tuple[str, Any]:
    try:
        return "JSON", _DECODER.decode(content)
    except (ValueError, RecursionError):
        pass
    try:
        return "text", content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "bytes", content


def _compare_json(where: str, theirs: Any, ours: Any, tolerance: Decimal) -> Iterator[AnswerDifference]:
    if isinstance(theirs, dict) and isinstance(ours, dict):
        inner = f"{where}." if where else ""
        yield from _compare_fields(_named_fields(inner, theirs), _named_fields(inner, ours), tolerance)
    elif isinstance(theirs, list) and isinstance(ours, list):
        yield from _compare_fields(*_elements(where, theirs, ours), tolerance)
    elif isinstance(theirs, dict | list) or isinstance(ours, dict | list):
        yield AnswerDifference(DifferenceKind.TYPE, where or "content", type_name(theirs), type_name(ours))
    else:
        yield from compare_values(where or "content", theirs, ours, tolerance)


def _compare_fields(
    theirs: Mapping[str, Any], ours: Mapping[str, Any], tolerance: Decimal
) -> Iterator[AnswerDifference]:
    for name, value in theirs.items():
        if name in ours:
            yield from _compare_json(name, value, ours[name], tolerance)
        else:
            yield AnswerDifference(DifferenceKind.MISSING, name, theirs=shown(value))
    for name, value in ours.items():
        if name not in theirs:
            yield AnswerDifference(DifferenceKind.ADDED, name, ours=shown(value))


def _named_fields(inner: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{inner}{name}": value for name, value in fields.items()}


def _elements(where: str, theirs: Sequence[Any], ours: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the elements of two lists by what names them, or by their place where nothing does."""
    names = _element_names(theirs), _element_names(ours)
    if None in names:
        names = ([*map(str, range(len(theirs)))], [*map(str, range(len(ours)))])
    labelled = (
        {f"{where}[{name}]": value for name, value in zip(found or (), values, strict=True)}
        for found, values in zip(names, (theirs, ours), strict=True)
    )
    return next(labelled), next(labelled)


def _element_names(elements: Sequence[Any]) -> list[str] | None:
    """Return a name for each element; None if some have none, or the same."""
    names = [_element_name(each) for each in elements]
    return [*map(str, names)] if None not in names and len(set(names)) == len(names) else None


def _element_name(element: Any) -> str | None:
    if isinstance(element, str):
        return element
    if isinstance(element, list):
        return element[0] if element and isinstance(element[0], str) else None
    if not isinstance(element, dict):
        return None
    return " ".join(str(element[name]) for name in _NAMING if isinstance(element.get(name), str)) or None


def _compare_lines(theirs: str, ours: str, tolerance: Decimal) -> Iterator[AnswerDifference]:
    lines = zip_longest(theirs.splitlines(), ours.splitlines())
    for number, (their_line, our_line) in enumerate(lines, 1):
        where = f"line {number}"
        if our_line is None:
            yield AnswerDifference(DifferenceKind.MISSING, where, theirs=shown(their_line))
        elif their_line is None:
            yield AnswerDifference(DifferenceKind.ADDED, where, ours=shown(our_line))
        elif their_line != our_line:
            yield from _compare_cells(where, their_line, our_line, tolerance)


def _compare_cells(where: str, theirs: str, ours: str, tolerance: Decimal) -> Iterator[AnswerDifference]:
    cells = _CELLS.split(theirs), _CELLS.split(ours)
    if len(cells[0]) != len(cells[1]) or len(cells[0]) == 1:
        yield from compare_values(where, theirs.strip(), ours.strip(), tolerance)
        return
    for column, (their_cell, our_cell) in enumerate(zip(*cells, strict=True), 1):
        named = f"{where}, cell {column}"
        yield from compare_values(named, their_cell.strip(' "'), our_cell.strip(' "'), tolerance)
