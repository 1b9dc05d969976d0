"""The face of an endpoint whose question is the body of a POST. Answers are of the moment, and are not cached."""

from __future__ import annotations

from functools import partial
from time import perf_counter_ns
from typing import Any

import falcon
import msgspec

from cambist.api.answer.answer_headers import EDITION_HEADER
from cambist.api.answer.posted_endpoint import PostedEndpoint
from cambist.api.answer.rendering import encode_without_ms
from cambist.api.answer.request_context import context_of
from cambist.api.call.admission import Admission, check_history
from cambist.api.call.call import Call, call_in_thread
from cambist.api.call.settlement import Settlement
from cambist.api.errors import WRONG_METHOD, write_error
from cambist.api.faces.posted import METHODS
from cambist.api.faces.posted.question_file import FileQuestion, format_of, read_file
from cambist.api.faces.tables.formats import TableFormat, accepted_format
from cambist.api.faces.tables.text_files import CsvOptions
from cambist.api.questions.unknown_parameters import IGNORED_HEADER, ignored_header_value
from cambist.api.state.worker_state import WorkerState
from cambist.errors import BadParameter, shorten
from cambist.http.file_body import spooled_body
from cambist.validation import explain_validation_error


class PostedResource:
    """Answers the POST of one endpoint; files of an `environment` have its name in theirs."""

    def __init__(
        self,
        endpoint: PostedEndpoint[Any, Any],
        worker_state: WorkerState,
        admission: Admission,
        settlement: Settlement,
        environment: str = "",
    ) -> None:
        self._endpoint = endpoint
        self._name = "-".join([*([environment] if environment else []), *endpoint.path.strip("/").split("/")])
        self._worker_state = worker_state
        self._admission = admission
        self._settlement = settlement

    def on_post(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer, or raise one of the errors that `api.errors` turns into a response."""
        call, endpoint = call_in_thread(request.env, self._worker_state.clock), self._endpoint
        self._admission.admit(call, (endpoint.tag,))
        asked = self._read(request, call)
        question = asked.question if isinstance(asked, FileQuestion) else asked
        context = context_of(call, self._worker_state)
        earliest = None if endpoint.earliest_day is None else endpoint.earliest_day(context, question)
        check_history(call, earliest)
        if endpoint.changes:
            self._settlement.check(call, endpoint.cost(context, question))
        answer, cost = endpoint.answer(context, question), endpoint.cost(context, question)
        written_as = self._table_format(request, asked)
        if written_as is None:
            response.data = b"%b%d}" % (encode_without_ms(answer), (perf_counter_ns() - call.started) // 1_000_000)
            response.content_type = "application/json"
        else:
            self._write_table(response, answer, written_as, asked)
        self._settlement.settle(call, endpoint.path, cost)
        if isinstance(asked, FileQuestion) and asked.ignored:
            response.set_header(IGNORED_HEADER, ignored_header_value(asked.ignored))
        response.set_header("X-Calls-Cost", str(cost))
        response.set_header("Cache-Control", "no-store")
        if edition := context.edition(is_live=earliest is None):
            response.set_header(EDITION_HEADER, edition)

    def _read(self, request: falcon.Request, call: Call) -> Any:
        """Return the question, or one that is a file. Errors: BadParameter."""
        endpoint, content = self._endpoint, request.bounded_stream.read()
        written_as = format_of(request.content_type or "", content) if endpoint.lines else None
        if written_as is not None:
            return read_file(endpoint.question, endpoint.lines, written_as, content, call.query)
        if call.query:
            raise BadParameter(f"Unknown parameter: [{shorten(next(iter(call.query)))}], the question is in the body")
        return _read(endpoint.question, content)

    def _table_format(self, request: falcon.Request, asked: Any) -> TableFormat | None:
        """Return the format of the answer, None for JSON: the one that is asked for, else that of a file."""
        if self._endpoint.table is None:
            return None
        accept = request.env.get("HTTP_ACCEPT", "")
        chosen = accepted_format(accept)
        if chosen is None and isinstance(asked, FileQuestion) and "application/json" not in accept:
            return asked.written_as
        return chosen

    def _write_table(self, response: falcon.Response, answer: Any, written_as: TableFormat, asked: Any) -> None:
        options = CsvOptions(asked.decimal, asked.delimiter) if isinstance(asked, FileQuestion) else CsvOptions()
        if self._endpoint.table is None:
            raise TypeError(f"{self._endpoint.path} has no table")
        table = self._endpoint.table(answer)
        response.stream, response.content_length = spooled_body(partial(written_as.writer(options), table))
        response.content_type = written_as.content_type
        response.set_header("Content-Disposition", f'attachment; filename="{self._name}.{written_as.suffix}"')

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Refuse another method."""
        response.set_header("Allow", ", ".join(METHODS))
        sentence = f"Method not allowed: [{shorten(request.method)}], use POST with a JSON object as the body"
        write_error(response, WRONG_METHOD, sentence)

    on_head = on_put = on_patch = on_delete = on_get


def _read(kind: type[msgspec.Struct], content: bytes) -> Any:
    """Return the question in a body. Errors: BadParameter."""
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.ValidationError as error:
        path, reason = explain_validation_error(error)
        where = f" at [{shorten(path)}]" if path else ""
        raise BadParameter(f"Invalid body{where}: {reason}") from error
    except (ValueError, RecursionError) as error:
        raise BadParameter(f"The body is not JSON: {shorten(str(error))}") from error
