"""The formats of tables: how a client asks for each, and how it is written.

The libraries for spreadsheets and columns are imported by the first process that writes such a table: few do, and they
take memory in all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import IO

from cambist.api.answer.answer_table import AnswerTable
from cambist.api.faces.tables.text_files import CsvOptions, write_csv, write_ndjson

WriteTable = Callable[[AnswerTable, IO[bytes]], None]

_JSON_TYPES = frozenset({"application/json", "application/*", "*/*"})


@dataclass(frozen=True, slots=True)
class TableFormat:
    """A format: the suffix of a path and the media types that ask for it, and how a table is written to a file."""

    suffix: str
    media_types: tuple[str, ...]
    writer: Callable[[CsvOptions], WriteTable]
    is_text: bool = False

    @property
    def content_type(self) -> str:
        """The value of `Content-Type`."""
        return f"{self.media_types[0]}; charset=utf-8" if self.is_text else self.media_types[0]


def _xlsx(table: AnswerTable, file: IO[bytes]) -> None:
    from cambist.api.faces.tables.spreadsheet import write_xlsx  # noqa: PLC0415

    write_xlsx(table, file)


def _arrow(table: AnswerTable, file: IO[bytes]) -> None:
    from cambist.api.faces.tables.columnar import write_arrow  # noqa: PLC0415

    write_arrow(table, file)


def _parquet(table: AnswerTable, file: IO[bytes]) -> None:
    from cambist.api.faces.tables.columnar import write_parquet_file  # noqa: PLC0415

    write_parquet_file(table, file)


CSV = TableFormat(
    "csv", ("text/csv",), lambda options: lambda table, file: write_csv(table, file, options), is_text=True
)
FORMATS: tuple[TableFormat, ...] = (
    CSV,
    TableFormat("ndjson", ("application/x-ndjson", "application/jsonl"), lambda _: write_ndjson, is_text=True),
    TableFormat("xlsx", ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",), lambda _: _xlsx),
    TableFormat("arrow", ("application/vnd.apache.arrow.file",), lambda _: _arrow),
    TableFormat("parquet", ("application/vnd.apache.parquet",), lambda _: _parquet),
)

_BY_MEDIA_TYPE = {media_type: one for one in FORMATS for media_type in one.media_types}


@lru_cache(maxsize=256)
def accepted_format(accept: str) -> TableFormat | None:
    """Return the format that a client with this `Accept` header prefers to JSON, if it names one."""
    weights = dict(_weights(accept.lower()))
    found, weight = max(
        ((_BY_MEDIA_TYPE[name], weight) for name, weight in weights.items() if name in _BY_MEDIA_TYPE),
        key=lambda item: item[1],
        default=(None, 0.0),
    )
    json_weight = weights.get("application/json", 0.0)
    return found if weight > json_weight or (weight and weight == json_weight and _is_first(weights)) else None


def _is_first(weights: dict[str, float]) -> bool:
    """Return whether a table is named before JSON."""
    return next(name for name in weights if name in _BY_MEDIA_TYPE or name in _JSON_TYPES) in _BY_MEDIA_TYPE


def _weights(accept: str) -> Iterator[tuple[str, float]]:
    for item in accept.split(","):
        name, *parameters = (part.strip() for part in item.split(";"))
        quality = next((part[2:] for part in parameters if part.startswith("q=")), "1")
        try:
            yield name, float(quality)
        except ValueError:
            yield name, 0.0
