"""An endpoint in a format for tables: the same parameters, checks and costs as in JSON."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import IO, Any, cast

import falcon

from cambist.api.answer.answer_headers import EDITION_HEADER
from cambist.api.answer.answer_table import AnswerTable
from cambist.api.answer.endpoint_answers import EndpointAnswers
from cambist.api.call.admission import Admission
from cambist.api.call.call import Call, call_in_thread
from cambist.api.call.settlement import Settlement
from cambist.api.faces.json_face import JsonFace
from cambist.api.faces.tables.formats import CSV, TableFormat, WriteTable, accepted_format
from cambist.api.faces.tables.options import CsvParams
from cambist.api.faces.tables.text_files import CsvOptions
from cambist.api.questions.parameters import ParamsReader
from cambist.api.questions.unknown_parameters import IGNORED_HEADER, UnknownParameters, ignored_header_value
from cambist.api.state.compression import accepts_gzip
from cambist.api.state.response_cache import CachedResponse, etag_of
from cambist.clock import WallClock
from cambist.http.delivery import while_awaited
from cambist.http.file_body import FileBody, spooled_body

UNAVAILABLE_HEADER = "Cambist-Unavailable"

_GZIP_LEVEL = 1
_csv_params = ParamsReader(CsvParams)

CSV_PARAMETERS = _csv_params.names


@dataclass(frozen=True, slots=True)
class TableParts:
    """What every table of an endpoint is made with: what else it accepts, who may ask, who pays, and the time."""

    unknown_for: Callable[[Iterable[str]], UnknownParameters]
    admission: Admission
    settlement: Settlement
    clock: WallClock


class TableResource:
    """Answers GET and HEAD of one endpoint in one format. `name` begins the name under which the answer is saved."""

    def __init__(self, answers: EndpointAnswers, table_format: TableFormat, parts: TableParts, name: str) -> None:
        self._answers = answers
        self._format = table_format
        self._parts = parts
        self._unknown = parts.unknown_for(CSV_PARAMETERS if table_format is CSV else ())
        self._disposition = f'attachment; filename="{name}.{table_format.suffix}"'

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer; errors are JSON, as those of the endpoint."""
        call = call_in_thread(request.env, self._parts.clock)
        self._parts.admission.admit(call, (self._answers.endpoint.tag,))
        if ignored := self._unknown.ignored(call.query):
            response.set_header(IGNORED_HEADER, ignored_header_value(ignored))
        options = _csv_params.read(call.query).options() if self._format is CSV else CsvOptions()
        context, params, outline = self._answers.check(call)
        if outline.etag:
            outline.etag = etag_of([outline.etag.encode(), repr((self._format.suffix, options)).encode()])
        response.set_headers(self._headers(outline.etag))
        if outline.edition:
            response.set_header(EDITION_HEADER, outline.edition)
        if outline.matches_etag(call.if_none_match):
            response.status = 304
            self._parts.settlement.settle(call, outline.endpoint, 0)
            response.set_header("X-Calls-Cost", "0")
            return
        body = self._write(call, self._answers.table(context, params), options, outline, response)
        if request.method == "HEAD":
            body.close()
        else:
            response.stream = body

    on_head = on_get

    def _write(
        self, call: Call, table: AnswerTable, options: CsvOptions, outline: CachedResponse, response: falcon.Response
    ) -> FileBody:
        """Return the body; its calls are reserved before it is written, and counted when it is sent."""
        is_gzip = self._format.is_text and accepts_gzip(call.environ.get("HTTP_ACCEPT_ENCODING", ""))
        with self._parts.settlement.reserved(call, outline.endpoint) as reservation:
            reservation.change(outline.cost)
            if table.unavailable:
                response.set_header(UNAVAILABLE_HEADER, ", ".join(table.unavailable))
            table = replace(table, rows=while_awaited(table.rows, call.environ))
            body, response.content_length = _spool(table, self._format.writer(options), is_gzip=is_gzip)
        if is_gzip:
            response.set_header("Content-Encoding", "gzip")
        response.content_type = self._format.content_type
        response.set_header("X-Calls-Cost", str(outline.cost))
        return body

    def _headers(self, etag: str) -> dict[str, str]:
        headers = {"Vary": "Accept, Accept-Encoding", "Content-Disposition": self._disposition}
        if etag:
            return {**headers, "ETag": etag, "Cache-Control": self._answers.cache_control}
        return {**headers, "Cache-Control": "no-store"}


class NegotiatedResource:
    """An endpoint whose clients choose between JSON and tables with `Accept`."""

    def __init__(self, face: JsonFace, tables: dict[TableFormat, TableResource]) -> None:
        self._face = face
        self._tables = tables

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer in the format that the client prefers."""
        chosen = accepted_format(request.env.get("HTTP_ACCEPT", ""))
        answering: Any = self._face if chosen is None else self._tables[chosen]
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
