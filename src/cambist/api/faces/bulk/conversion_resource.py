"""`POST /convert/bulk`: a CSV file of amounts, answered row by row."""

from __future__ import annotations

from collections.abc import Mapping
from io import TextIOWrapper
from typing import IO

import falcon

from cambist.accounts.reservation import Reservation
from cambist.api.answer.request_context import RequestContext, context_of
from cambist.api.call.admission import Admission, check_history
from cambist.api.call.call import Call, call_in_thread
from cambist.api.call.settlement import Settlement
from cambist.api.endpoints.currency.convert import ConvertParams, earliest_day
from cambist.api.errors import WRONG_METHOD, write_error
from cambist.api.faces.bulk import METHODS, PATH
from cambist.api.faces.bulk.conversion_file import ConversionFile
from cambist.api.faces.bulk.converting import BulkParams, row_converter
from cambist.api.faces.bulk.file_text import read_text
from cambist.api.questions.parameters import ParamsReader
from cambist.api.state.worker_state import WorkerState
from cambist.errors import BadParameter, shorten
from cambist.http.delivery import check_awaited
from cambist.http.file_body import FileBody, spooled_body

_TAG = "currency"
_read_params = ParamsReader(BulkParams)


class BulkResource:
    """Converts the rows of a CSV file in the body of a POST; each row that is answered costs one call.

    `environment` begins the name of the file if prices are not real.
    """

    def __init__(
        self, worker_state: WorkerState, admission: Admission, settlement: Settlement, environment: str = ""
    ) -> None:
        self._worker_state = worker_state
        self._admission = admission
        self._settlement = settlement
        self._disposition = f'attachment; filename="{environment}{"-" if environment else ""}converted.csv"'

    def on_post(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer with the file and its results; errors about all of it are JSON."""
        call = call_in_thread(request.env, self._worker_state.clock)
        self._admission.admit(call, (_TAG,))
        _check_known(call.query)
        params: BulkParams = _read_params.read(call.query)
        file = ConversionFile(read_text(_body(request), params.encoding), params.delimiter)
        with self._settlement.reserved(call, PATH) as reservation:
            rows = _RowAccount(context_of(call, self._worker_state), call, reservation)
            response.stream, response.content_length = self._convert(file, params, rows)
        response.set_header("X-Calls-Cost", str(reservation.cost))
        response.set_header("Content-Disposition", self._disposition)
        response.set_header("Cache-Control", "no-store")
        response.content_type = f"text/csv; charset={params.encoding}"

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Refuse another method."""
        response.set_header("Allow", ", ".join(METHODS))
        sentence = f"Method not allowed: [{shorten(request.method)}], use POST with a CSV file as the body"
        write_error(response, WRONG_METHOD, sentence)

    on_head = on_put = on_patch = on_delete = on_get

    def _convert(self, file: ConversionFile, params: BulkParams, rows: _RowAccount) -> tuple[FileBody, int]:
        """Return the file with its results, and its size."""
        convert = row_converter(rows.context, params, rows.admit, rows.charge)

        def write(written: IO[bytes]) -> None:
            text = TextIOWrapper(written, params.encoding, errors="replace", newline="")
            file.write_converted(text, convert)
            text.detach()

        return spooled_body(write)


class _RowAccount:
    """Checks each row as a call of its own, and reserves one when it was answered."""

    def __init__(self, context: RequestContext, call: Call, reservation: Reservation) -> None:
        self.context = context
        self.call = call
        self._reservation = reservation

    def admit(self, params: ConvertParams) -> None:
        """Check that the plan includes the day. Errors: NotInPlan, ClientGone."""
        check_awaited(self.call.environ)
        check_history(self.call, earliest_day(self.context, params))

    def charge(self, _params: ConvertParams) -> None:
        """Reserve a call for a row that was answered. Errors: QuotaSpent."""
        self._reservation.add(1, "the row")


def _check_known(query: Mapping[str, str]) -> None:
    """Check a query. Errors: BadParameter for a parameter that there is not."""
    for name in query:
        if name not in _read_params.names:
            known = ", ".join(sorted(_read_params.names))
            raise BadParameter(f"Unknown parameter: [{shorten(name)}], there are {known}; amounts are in the body")


def _body(request: falcon.Request) -> bytes:
    """Return the CSV. Errors: BadParameter."""
    if (request.content_type or "").startswith("multipart/"):
        raise BadParameter("The body is a form: send the CSV file itself, with curl by --data-binary @FILE")
    content: bytes = request.bounded_stream.read()
    return content
