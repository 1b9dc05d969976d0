"""SQL expressions that each database writes differently."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, LargeBinary
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from cambist.storage.sql.backends import backend_named


class RowContent(ColumnElement[bytes]):
    """The content of a row of `fixings`, to verify its checksum before it is parsed."""

    inherit_cache = True
    type = LargeBinary()


class DayContent(FunctionElement[bytes]):
    """A day as bytes: a damaged one may not be a day."""

    inherit_cache = True
    type = LargeBinary()


@compiles(RowContent)
def _row_content(_element: RowContent, compiler: SQLCompiler, **_: Any) -> str:
    return backend_named(compiler.dialect.name).content


@compiles(DayContent)
def _day_content(element: DayContent, compiler: SQLCompiler, **rest: Any) -> str:
    return backend_named(compiler.dialect.name).day_content(compiler.process(element.clauses, **rest))
