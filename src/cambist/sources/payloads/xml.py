"""XML within bounds: a first pass counts what a document has, and builds nothing."""

from __future__ import annotations

from typing import NoReturn
from xml.etree import ElementTree as ET
from xml.parsers import expat

from cambist.sources.payloads.bounds import (
    DEEPEST_XML,
    LONGEST_XML_NAMESPACE,
    MOST_XML_NAMES,
    MOST_XML_PARTS,
    check_size,
)


def parse_xml(content: bytes) -> ET.Element:
    """Parse a document without a DOCTYPE or entities, so that none can expand. Errors: ValueError."""
    check_size(content)
    # A zero byte means UTF-16, in which the two words would not be found.
    if any(sign in content for sign in (b"<!DOCTYPE", b"<!ENTITY", b"\0")):
        raise ValueError("the document has a DOCTYPE, an entity or a zero byte")
    try:
        _Counter().count(content)
        return ET.fromstring(content)  # noqa: S314  no definitions, no entities, bounded
    except (expat.ExpatError, ET.ParseError, LookupError) as error:
        raise ValueError(f"the document is not XML: {error}") from error


class _Counter:
    """Counts the parts of a document, its names and its depth."""

    def __init__(self) -> None:
        self._parts = 0
        self._depth = 0
        self._names: set[str] = set()

    def count(self, content: bytes) -> None:
        """Errors: ExpatError, ValueError if there is more of something than its bound."""
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CommentHandler = self._add_comment
        parser.ProcessingInstructionHandler = lambda _target, _data: self._add(1)
        parser.StartDoctypeDeclHandler = _refuse_definitions
        parser.EntityDeclHandler = _refuse_definitions
        parser.Parse(content, True)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._add(1 + len(attributes))
        self._depth += 1
        if self._depth > DEEPEST_XML:
            raise ValueError(f"the document is more than {DEEPEST_XML} elements deep")
        self._names.add(name)
        for each, value in attributes.items():
            self._names.add(each)
            if each.startswith("xmlns") and len(value) > LONGEST_XML_NAMESPACE:
                raise ValueError("the document has a namespace that is longer than any")
        if len(self._names) > MOST_XML_NAMES:
            raise ValueError(f"the document has more than {MOST_XML_NAMES:,} different names")

    def _end(self, _name: str) -> None:
        self._depth -= 1

    def _add_comment(self, _text: str) -> None:
        self._add(1)

    def _add(self, count: int) -> None:
        self._parts += count
        if self._parts > MOST_XML_PARTS:
            raise ValueError(f"the document has more than {MOST_XML_PARTS:,} elements and attributes")


def _refuse_definitions(*_: object) -> NoReturn:
    raise ValueError("the document has a DOCTYPE, an entity or a zero byte")
