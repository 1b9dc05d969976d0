"""What people write for a code that it is not: signs, abbreviations and older codes."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from cambist.reference.assets import kind_of
from cambist.reference.table_loader import Table, Text


class _Row(Struct):
    alias: Text
    code: Text
    reason: Text

    def __post_init__(self) -> None:
        if kind_of(self.code) is None:
            raise ValueError(f"code: {self.code} is no code")
        if self.alias != self.alias.upper():
            raise ValueError(f"alias: {self.alias} is not in upper case")


_ROWS = Table("code_aliases.csv", _Row, unique=("alias",)).read()

ALIASES: Mapping[str, str] = {row.alias: row.code for row in _ROWS}
"""The codes that are meant, by what is written in upper case."""

SIGNS: Mapping[str, str] = {row.code: row.alias for row in reversed(_ROWS) if row.reason == "Sign"}
"""The sign of a currency, by its code; the first if it has several."""
