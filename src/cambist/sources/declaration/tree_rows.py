"""Rows of a declared JSON or XML document: records, optionally within blocks, and paths within a record."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from typing import Any, Generic, NoReturn, TypeVar
from xml.etree.ElementTree import Element

from cambist.errors import shorten
from cambist.sources.declaration.declaration import DeclaredDay, JsonLayout, TreeLayout, XmlLayout
from cambist.sources.declaration.raw_rate import JsonNumber, RawRate
from cambist.sources.declaration.tree_path import ANY, TreePath, parse_path
from cambist.sources.parsing import PayloadReader

N = TypeVar("N")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
OPTIONAL = "?"
"""At the end of a nominal's path: a missing nominal is 1."""


class TreeRowParser(ABC, Generic[N]):
    """Parses one layout. An entry is a node and the name that it has in its parent (empty in a list)."""

    def __init__(self, layout: TreeLayout, day: DeclaredDay, ignore: Collection[str], reader: PayloadReader) -> None:
        self._reader = reader
        self._ignore = ignore
        self._day_of = day.of
        self._day = parse_path(str(day.at)) if day.at is not None else None
        self._blocks, self._code = _path(layout.blocks), _path(layout.code)
        self._records, self._rate = parse_path(layout.records), parse_path(layout.rate)
        self._nominal = _path((layout.nominal or "").removesuffix(OPTIONAL) or None)
        self._has_every_nominal = not (layout.nominal or "").endswith(OPTIONAL)

    def rows(self, content: bytes) -> Iterator[RawRate]:
        """Yield the rates in the document's order. Errors: SourceBroken."""
        top = self._top(content)
        for block in self._each(top, self._blocks) if self._blocks else (top,):
            shared = {"document": top, "block": block}.get(self._day_of)
            day = self._text(shared, self._day) if shared and self._day else None
            for record in self._each(block, self._records):
                code = self._text(record, self._code) if self._code else None
                if code is None or code not in self._ignore:
                    own = self._text(record, self._day) if self._day and not shared else day
                    yield RawRate(own, code, self._text(record, self._rate), self._nominal_of(record))

    def _nominal_of(self, record: tuple[str, N]) -> str | None:
        if not self._nominal or not (self._has_every_nominal or self._exists(record, self._nominal)):
            return None
        return self._text(record, self._nominal)

    def _text(self, entry: tuple[str, N], path: TreePath) -> str:
        if path.is_own_name:
            return entry[0] or self._raise_missing(path)
        text = self._value(entry[1], path)
        if _LONE_SURROGATE.search(text):
            raise self._reader.broken(f"the value at [{path}] is not text")
        return text if isinstance(text, JsonNumber) else text.strip()

    def _raise_missing(self, path: TreePath) -> NoReturn:
        raise self._reader.broken(f"there is not exactly one value at [{path}]")

    @abstractmethod
    def _top(self, content: bytes) -> tuple[str, N]:
        """Parse the document."""

    @abstractmethod
    def _each(self, entry: tuple[str, N], path: TreePath) -> Iterator[tuple[str, N]]:
        """Yield the entries at a path."""

    @abstractmethod
    def _value(self, node: N, path: TreePath) -> str:
        """Return the text at a path. Errors: SourceBroken if there is none."""

    @abstractmethod
    def _exists(self, entry: tuple[str, N], path: TreePath) -> bool:
        """Return whether there is anything at a path."""


class JsonRowParser(TreeRowParser[Any]):
    """Parses a JSON document. Numbers keep their digits; duplicate names are refused."""

    def __init__(self, layout: JsonLayout, day: DeclaredDay, ignore: Collection[str], reader: PayloadReader) -> None:
        super().__init__(layout, day, ignore, reader)
        self._encoding = layout.encoding

    def _top(self, content: bytes) -> tuple[str, Any]:
        text = self._reader.text(content, self._encoding)
        try:
            # Some sources write NaN for "no rate". It becomes a text, which can be declared as missing.
            return "", json.loads(
                text,
                parse_float=JsonNumber,
                parse_int=JsonNumber,
                parse_constant=str,
                object_pairs_hook=_refuse_duplicate_names,
            )
        except (ValueError, RecursionError) as error:
            raise self._reader.broken(f"the document is not JSON: {error}; it begins [{shorten(text[:60])}]") from error

    def _each(self, entry: tuple[str, Any], path: TreePath) -> Iterator[tuple[str, Any]]:
        found = self._at(entry[1], path)
        if isinstance(found, dict):
            yield from found.items()
        elif isinstance(found, list):
            yield from (("", each) for each in found)
        else:
            raise self._reader.broken(f"there is neither a list nor an object at [{path}]")

    def _value(self, node: Any, path: TreePath) -> str:
        found = self._at(node, path)
        if isinstance(found, dict | list):
            self._raise_missing(path)
        return found if isinstance(found, str) else json.dumps(found)

    def _exists(self, entry: tuple[str, Any], path: TreePath) -> bool:
        return self._found(entry[1], path) is not _NOTHING

    def _at(self, node: Any, path: TreePath) -> Any:
        found = self._found(node, path)
        return self._raise_missing(path) if found is _NOTHING else found

    @staticmethod
    def _found(node: Any, path: TreePath) -> Any:
        for step in path.steps:
            if isinstance(step, str):
                node = node.get(step, _NOTHING) if isinstance(node, dict) else _NOTHING
            else:
                node = node[step] if isinstance(node, list) and step < len(node) else _NOTHING
        return node


class XmlRowParser(TreeRowParser[Element]):
    """Parses an XML document; names are compared without their namespaces."""

    def __init__(self, layout: XmlLayout, day: DeclaredDay, ignore: Collection[str], reader: PayloadReader) -> None:
        super().__init__(layout, day, ignore, reader)
        self._root = layout.root

    def _top(self, content: bytes) -> tuple[str, Element]:
        if b"\0" in content:
            raise self._reader.broken("the document has zero bytes: UTF-16 is not supported")
        root = self._reader.xml(content)
        if _local_name(root.tag) != self._root:
            raise self._reader.broken(f"the document is a [{shorten(_local_name(root.tag))}], not a [{self._root}]")
        return self._root, root

    def _each(self, entry: tuple[str, Element], path: TreePath) -> Iterator[tuple[str, Element]]:
        yield from ((_local_name(element.tag), element) for element in _find_elements(entry[1], path))

    def _value(self, node: Element, path: TreePath) -> str:
        found = _find_elements(node, path)
        texts = [_attribute(each, path.attribute) if path.attribute else each.text or "" for each in found]
        if len(found) != 1 or texts[0] is None or (len(found[0]) and not path.attribute):
            self._raise_missing(path)
        return texts[0]

    def _exists(self, entry: tuple[str, Element], path: TreePath) -> bool:
        found = _find_elements(entry[1], path)
        return any(_attribute(each, path.attribute) is not None for each in found) if path.attribute else bool(found)


_NOTHING: Any = object()


def _path(text: str | None) -> TreePath | None:
    return None if text is None else parse_path(text)


def _refuse_duplicate_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is given twice in one object")
    return found


def _local_name(tag: str) -> str:
    return tag.rpartition("}")[2]


def _find_elements(node: Element, path: TreePath) -> list[Element]:
    found = [node]
    for step in path.steps:
        if isinstance(step, int):
            found = found[step : step + 1]
        else:
            found = [each for one in found for each in one if step in (ANY, _local_name(each.tag))]
    return found


def _attribute(element: Element, name: str) -> str | None:
    return next((value for key, value in element.items() if _local_name(key) == name), None)
