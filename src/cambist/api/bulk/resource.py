"""`POST /convert/bulk`: a CSV file of amounts, answered row by row."""

from __future__ import annotations

from collections.abc import Mapping
from io import TextIOWrapper
from typing import IO, Any

import falcon

from cambist.accounts.meter import Meter
from cambist.accounts.principal import Principal
from cambist.accounts.reservation import Reservation
from cambist.api.authentication import QUERY_NAME, Authenticator, check_history, check_tag, first_day_of
from cambist.api.bulk import METHODS, PATH
from cambist.api.bulk.conversion_file import ConversionFile
from cambist.api.bulk.converting import BulkParams, row_converter
from cambist.api.endpoints.currency.convert import ConvertParams
from cambist.api.errors import WRONG_METHOD, write_error
from cambist.api.parameters import ParamsReader, parse_query
from cambist.api.request_context import RequestContext
from cambist.api.resource import PRINCIPAL
from cambist.api.worker_state import WorkerState
from cambist.errors import BadParameter, shorten
from cambist.http.delivery import check_awaited, on_delivery
from cambist.http.file_body import FileBody, spooled_body

_TAG = "currency"
_read_params = ParamsReader(BulkParams)


class BulkResource:
    """Converts the rows of a CSV file in the body of a POST; each row that is answered costs one call.

    `environment` begins the name of the file if prices are not real.
    """

    def __init__(
        self, worker_state: WorkerState, authenticator: Authenticator, meter: Meter, environment: str = ""
    ) -> None:
        self._worker_state = worker_state
        self._authenticator = authenticator
        self._meter = meter
        self._disposition = f'attachment; filename="{environment}{"-" if environment else ""}converted.csv"'

    def on_post(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer with the file and its results; errors about all of it are JSON."""
        environ, now = request.env, self._worker_state.clock()
        query = parse_query(environ["QUERY_STRING"])
        principal = self._authenticator.authenticate(environ, query.get(QUERY_NAME, "").strip(), now)
        environ[PRINCIPAL] = principal
        self._meter.check_rate(principal, now)
        check_tag(principal, _TAG)
        params: BulkParams = _read_params.read(_known(query))
        options = params.options()
        file = ConversionFile(_body(request), options.delimiter if params.delimiter else None)
        with Reservation(self._meter, principal, now) as reservation:
            rows = _RowAccount(self._meter, principal, now, reservation, environ)
            response.stream, response.content_length = self._convert(file, params, rows)
            reservation.change(rows.cost)
            on_delivery(environ, reservation.hand_over(PATH))
        response.set_header("X-Calls-Cost", str(rows.cost))
        response.set_header("Content-Disposition", self._disposition)
        response.set_header("Cache-Control", "no-store")
        response.content_type = "text/csv; charset=utf-8"

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Refuse another method."""
        response.set_header("Allow", ", ".join(METHODS))
        sentence = f"Method not allowed: [{shorten(request.method)}], use POST with a CSV file as the body"
        write_error(response, WRONG_METHOD, sentence)

    on_head = on_put = on_patch = on_delete = on_get

    def _convert(self, file: ConversionFile, params: BulkParams, rows: _RowAccount) -> tuple[FileBody, int]:
        """Return the file with its results, and its size."""
        convert = row_converter(self._context(rows.principal, rows.now), params, rows.admit, rows.charge)

        def write(written: IO[bytes]) -> None:
            text = TextIOWrapper(written, "utf-8", newline="")
            file.write_converted(text, convert)
            text.detach()

        return spooled_body(write)

    def _context(self, principal: Principal, now: float) -> RequestContext:
        state = self._worker_state
        book = state.caches.for_view(principal.book_view).state[0]
        reach = first_day_of(principal, self._meter.today(now))
        return RequestContext(state, book, now, principal.account.datetime_format, reach)


class _RowAccount:
    """Reserves a call for each row, for the account that asks; `cost` is how many rows were answered."""

    def __init__(
        self, meter: Meter, principal: Principal, now: float, reservation: Reservation, environ: dict[str, Any]
    ) -> None:
        self.cost = 0
        self.principal = principal
        self.now = now
        self._meter = meter
        self._reservation = reservation
        self._environ = environ

    def admit(self, params: ConvertParams) -> None:
        """Check that the plan includes the day, and reserve a call. Errors: NotInPlan, QuotaSpent, ClientGone."""
        check_awaited(self._environ)
        if params.day is not None:
            check_history(self.principal, params.day, self._meter.today(self.now))
        if self._reservation.cost == self.cost:  # the call of a row that was refused is left for the next one
            self._reservation.add(1, "the row")

    def charge(self, _params: ConvertParams) -> None:
        """Note that a row was answered."""
        self.cost += 1


def _known(query: Mapping[str, str]) -> Mapping[str, str]:
    """Return the query without the API key. Errors: BadParameter for a parameter that there is not."""
    for name in query:
        if name not in (*_read_params.names, QUERY_NAME):
            known = ", ".join(sorted(_read_params.names))
            raise BadParameter(f"Unknown parameter: [{shorten(name)}], there are {known}; amounts are in the body")
    return {name: text for name, text in query.items() if name != QUERY_NAME}


def _body(request: falcon.Request) -> str:
    """Return the CSV. Errors: BadParameter."""
    if (request.content_type or "").startswith("multipart/"):
        raise BadParameter("The body is a form: send the CSV file itself, with curl by --data-binary @FILE")
    content: Any = request.bounded_stream.read()
    try:
        return str(content, "utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise BadParameter(f"The body is not text in UTF-8: line {line} cannot be read") from error
