"""An endpoint in a format for tables: the same parameters, checks and costs as in JSON."""

from __future__ import annotations

import gzip
from dataclasses import replace
from functools import partial
from typing import IO, Any, cast

import falcon

from cambist.api.compression import accepts_gzip
from cambist.api.parameters import ParamsReader
from cambist.api.resource import EndpointResource
from cambist.api.response_cache import etag_of
from cambist.api.table import AnswerTable
from cambist.api.tables.formats import CSV, TableFormat, WriteTable, accepted_format
from cambist.api.tables.options import CsvParams
from cambist.api.tables.text_files import CsvOptions
from cambist.api.unknown_parameters import UnknownParameters
from cambist.http.delivery import while_awaited
from cambist.http.file_body import FileBody, spooled_body

UNAVAILABLE_HEADER = "Cambist-Unavailable"

_GZIP_LEVEL = 1
_csv_params = ParamsReader(CsvParams)

CSV_PARAMETERS = _csv_params.names


class TableResource:
    """Answers GET and HEAD of one endpoint in one format. `name` begins the name under which the answer is saved."""

    def __init__(
        self, resource: EndpointResource, table_format: TableFormat, unknown: UnknownParameters, name: str
    ) -> None:
        self._resource = resource
        self._format = table_format
        self._unknown = unknown
        self._disposition = f'attachment; filename="{name}.{table_format.suffix}"'

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer; errors are JSON, as those of the endpoint."""
        asked = self._resource.begin(request.env, response, self._unknown)
        options = _csv_params.read(asked.query).options() if self._format is CSV else CsvOptions()
        context, params, outline = self._resource.check(asked)
        is_gzip = self._format.is_text and accepts_gzip(request.env.get("HTTP_ACCEPT_ENCODING", ""))
        if outline.etag:
            outline.etag = etag_of([outline.etag.encode(), repr((self._format.suffix, options)).encode()])
        response.set_headers(self._headers(outline.etag))
        if outline.matches_etag(asked.if_none_match):
            response.status = 304
            self._resource.charge(request.env, outline, self._resource.reservation(asked), response)
            return
        with self._resource.reservation(asked) as reservation:
            reservation.change(outline.cost)
            table = self._resource.table(context, params)
            if table.unavailable:
                response.set_header(UNAVAILABLE_HEADER, ", ".join(table.unavailable))
            if is_gzip:
                response.set_header("Content-Encoding", "gzip")
            response.content_type = self._format.content_type
            table = replace(table, rows=while_awaited(table.rows, request.env))
            body, size = _spool(table, self._format.writer(options), is_gzip=is_gzip)
            self._resource.charge(request.env, outline, reservation, response)
        response.content_length = size
        if request.method == "HEAD":
            body.close()
        else:
            response.stream = body

    on_head = on_get

    def _headers(self, etag: str) -> dict[str, str]:
        headers = {"Vary": "Accept, Accept-Encoding", "Content-Disposition": self._disposition}
        if etag:
            return {**headers, "ETag": etag, "Cache-Control": self._resource.cache_control}
        return {**headers, "Cache-Control": "no-store"}


class NegotiatedResource:
    """An endpoint whose clients choose between JSON and tables with `Accept`."""

    def __init__(self, resource: EndpointResource, tables: dict[TableFormat, TableResource]) -> None:
        self._resource = resource
        self._tables = tables

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer in the format that the client prefers."""
        chosen = accepted_format(request.env.get("HTTP_ACCEPT", ""))
        answering: Any = self._resource if chosen is None else self._tables[chosen]
        try:
            answering.on_get(request, response)
        except Exception:
            # An error depends on the format too: a table has parameters of its own.
            if "Accept," not in f"{response.get_header('Vary') or ''},":
                response.append_header("Vary", "Accept")
            raise

    on_head = on_get


def _spool(table: AnswerTable, write: WriteTable, *, is_gzip: bool) -> tuple[FileBody, int]:
    """Return a table as a body, and its size."""

    def write_compressed(file: IO[bytes]) -> None:
        with gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0) as compressed:
            write(table, cast(IO[bytes], compressed))

    return spooled_body(write_compressed if is_gzip else partial(write, table))
