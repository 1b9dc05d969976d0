"""The currency codes of a declared source: from its own names and forms, and from what a code meant on a day."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from cambist.errors import shorten
from cambist.reference.assets import COINS
from cambist.sources.declaration.declaration import DeclaredRates
from cambist.sources.parsing import PayloadReader, is_code

_LONGEST_NAME = 200
"""Characters: longer texts are not matched with the declared pattern."""
_MARKS = re.compile(r"[.,'\s]")


class ReadCode(NamedTuple):
    """A code as the source writes it, and the nominal beside it, if there is one."""

    code: str
    nominal: str | None = None


class CodeReader:
    """Reads the names of currencies."""

    def __init__(self, rates: DeclaredRates, reader: PayloadReader) -> None:
        self._rates = rates
        self._reader = reader
        self._pattern = re.compile(rates.code_pattern) if rates.code_pattern else None

    def read(self, text: str) -> ReadCode:
        """Return the code that a text stands for; it may be the anchor's. Errors: SourceBroken."""
        written, nominal = self._parts(text)
        code = self._rates.codes.get(written) or self._rates.codes.get(text) or self._code_from_form(written)
        if not is_code(code) and not (text in self._rates.only and code in COINS):
            raise self._reader.broken(f"[{shorten(text)}] is not a currency code; rates.codes can map it to one")
        return ReadCode(code, nominal)

    def rename(self, code: str, day: date) -> tuple[str, int]:
        """Return what a code means on a day, and by how much its nominal is divided."""
        for each in self._rates.renamed:
            if each.label == code and each.since <= day < each.until:
                return each.code, each.divided_by
        return code, 1

    def _parts(self, text: str) -> tuple[str, str | None]:
        if self._pattern is None:
            return text, None
        found = self._pattern.fullmatch(text) if len(text) <= _LONGEST_NAME else None
        if not found:
            raise self._reader.broken(f"[{shorten(text)}] does not name a rate as declared in rates.code_pattern")
        groups = found.groupdict()
        nominal = groups.get("nominal")
        return groups.get("code") or "", None if nominal is None else _MARKS.sub("", nominal)

    def _code_from_form(self, text: str) -> str:
        head, _, rest = self._rates.code_form.partition("{code")
        kind, _, tail = rest.partition("}")
        inner = text[len(head) : len(text) - len(tail)]
        if text != head + inner + tail or (kind and inner != inner.lower()):
            return ""
        return inner.upper() if kind else inner
