"""Rows of a declared JSON or XML document: records, optionally within blocks, and paths within a record."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, Generic, NoReturn, TypeVar
from xml.etree.ElementTree import Element

from cambist.errors import shorten
from cambist.sources.declaration.answer_checks import AnswerCheck, answer_checks, check_count, check_text
from cambist.sources.declaration.declaration import Declaration
from cambist.sources.declaration.layouts import JsonLayout, TreeLayout, XmlLayout
from cambist.sources.declaration.raw_rate import JsonNumber, RawRate
from cambist.sources.declaration.tree_path import ANY, TreePath, parse_path
from cambist.sources.parsing import PayloadReader

N = TypeVar("N")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_NAMESPACE = "xmlns"
"""As the attribute of an element: its namespace."""
OPTIONAL = "?"
"""At the end of a path to a nominal or a time of publication: it may be missing; a missing nominal is 1."""


class TreeRowParser(ABC, Generic[N]):
    """Parses one layout. An entry is a node and the name that it has in its parent (empty in a list)."""

    def __init__(self, layout: TreeLayout, declared: Declaration, reader: PayloadReader) -> None:
        day, rates = declared.day, declared.rates
        self._reader = reader
        self._ignore = frozenset(rates.ignore)
        self._only = frozenset(rates.only)
        self._is_stripped = rates.strip
        self._is_day_once = day.once
        self._document_checks, self._block_checks, self._record_checks = (
            answer_checks(declared.checks, scope) for scope in ("document", "block", "record")
        )
        self._day_of = day.of
        self._day = _path(_text_of(day.at))
        self._blocks, self._code = _path(layout.blocks), _path(layout.code)
        self._is_code_of_block = layout.code_of == "block"
        self._records = parse_path(layout.records)
        rate, other = layout.rate if isinstance(layout.rate, tuple) else (layout.rate, None)
        self._rates = {name: parse_path(path) for name, path in {"": rate, **layout.types}.items()}
        self._other_rate, published_at = _path(other), _text_of(day.published_at) or ""
        self._published_at = _path(published_at.removesuffix(OPTIONAL) or None)
        self._is_always_published_at = not published_at.endswith(OPTIONAL)
        self._nominal = _path((layout.nominal or "").removesuffix(OPTIONAL) or None)
        self._has_every_nominal = not (layout.nominal or "").endswith(OPTIONAL)

    def rows(self, content: bytes) -> Iterator[RawRate]:
        """Yield the rates in the document's order. Errors: SourceBroken."""
        top = self._top(content)
        self._check(self._document_checks, top, top, {})
        days: set[str] = set()
        for block in self._each(top, self._blocks) if self._blocks else (top,):
            shared = {"document": top, "block": block}.get(self._day_of)
            day = self._text(shared, self._day) if shared and self._day else None
            if self._is_day_once and day is not None:
                self._reader.unique(days, day)
            self._check(self._block_checks, block, block, {"day": day or ""})
            for record in self._each(block, self._records):
                yield from self._of_record(record, block, day, has_own_day=not shared)

    def _of_record(
        self, record: tuple[str, N], block: tuple[str, N], day: str | None, *, has_own_day: bool
    ) -> Iterator[RawRate]:
        """Yield the rates of one record, unless its code is to be left out. Errors: SourceBroken."""
        named = block if self._is_code_of_block else record
        has_code = self._code is not None and self._exists(named, self._code)
        code = self._text(named, self._code) if self._code and has_code else None
        if code is not None and (code in self._ignore or (self._only and code not in self._only)):
            return
        if self._day and has_own_day:
            day = self._text(record, self._day)
        self._check(self._record_checks, record, block, {"code": code or "", "day": day or ""})
        if self._code and not has_code:
            self._raise_missing(self._code)
        nominal = self._nominal_of(record)
        published_at = self._published(record)
        for name, path in self._rates.items():
            other = self._text(record, self._other_rate) if self._other_rate and not name else None
            yield RawRate(day, code, self._text(record, path), nominal, name, other, published_at)

    def _check(
        self, checks: list[AnswerCheck], entry: tuple[str, N], block: tuple[str, N], known: Mapping[str, str]
    ) -> None:
        for each in checks:
            if each.declared.is_count:
                check_count(each.declared, self._count(entry, each.at), known, self._reader)
            else:
                same = self._text(block, each.same_as) if each.same_as else None
                text = self._text(entry, each.at) if self._exists(entry, each.at) else ""
                check_text(each.declared, text, same, known, self._reader)

    def _count(self, entry: tuple[str, N], path: TreePath) -> int:
        return sum(1 for _ in self._each(entry, path)) if self._exists(entry, path) else 0

    def _published(self, record: tuple[str, N]) -> str | None:
        path = self._published_at
        if not path or not (self._is_always_published_at or self._exists(record, path)):
            return None
        return self._text(record, path)

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
        return text.strip() if self._is_stripped and not isinstance(text, JsonNumber) else text

    def _raise_missing(self, path: TreePath) -> NoReturn:
        raise self._reader.broken(f"the document has another structure: there is not exactly one value at [{path}]")

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

    def __init__(self, layout: JsonLayout, declared: Declaration, reader: PayloadReader) -> None:
        super().__init__(layout, declared, reader)
        self._encoding = layout.encoding
        self._is_nominal_number = layout.nominal_is_number

    def _nominal_of(self, record: tuple[str, Any]) -> str | None:
        nominal = super()._nominal_of(record)
        if self._is_nominal_number and not isinstance(nominal, JsonNumber | None):
            raise self._reader.broken(f"the nominal [{shorten(nominal)}] is not a number")
        return nominal

    def _top(self, content: bytes) -> tuple[str, Any]:
        text = self._reader.text(content, self._encoding)
        # Some sources write NaN for "no rate". It becomes a text, which can be declared as missing.
        return "", self._reader.json_tree(text, JsonNumber, _refuse_duplicate_names)

    def _each(self, entry: tuple[str, Any], path: TreePath) -> Iterator[tuple[str, Any]]:
        found = self._at(entry[1], path)
        if isinstance(found, dict):
            yield from found.items()
        elif isinstance(found, list):
            yield from (("", each) for each in found)
        else:
            raise self._reader.broken(
                f"the document has another structure: there is neither a list nor an object at [{path}]"
            )

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

    def __init__(self, layout: XmlLayout, declared: Declaration, reader: PayloadReader) -> None:
        super().__init__(layout, declared, reader)
        self._root, self._inner = layout.root, _path(layout.inner)

    def _top(self, content: bytes) -> tuple[str, Element]:
        if b"\0" in content:
            raise self._reader.broken("the document has zero bytes and is not text: UTF-16 is not supported")
        root = self._reader.xml(content)
        if self._inner:
            root = self._inner_document(root, self._inner)
        if _local_name(root.tag) != self._root:
            raise self._reader.broken(f"the document is a [{shorten(_local_name(root.tag))}], not a [{self._root}]")
        if (root.text or "").strip():
            raise self._reader.broken(f"the document has text outside its elements: [{shorten(root.text or '')}]")
        return self._root, root

    def _inner_document(self, root: Element, path: TreePath) -> Element:
        """Parse the text at a path, which is itself a document."""
        text = self._value(root, path) if self._exists(("", root), path) else ""
        if not text:
            raise self._reader.broken(f"the answer holds no result at [{path}]")
        return self._reader.xml(text.encode())

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


def _text_of(column: str | int | None) -> str | None:
    return None if column is None else str(column)


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
    if name == _NAMESPACE:
        return element.tag.rpartition("}")[0].removeprefix("{")
    return next((value for key, value in element.items() if _local_name(key) == name), None)
