"""The answers of an endpoint in JSON: their headers, compression and ETag."""

from __future__ import annotations

import falcon

from cambist.api.answer.endpoint_answers import EndpointAnswers
from cambist.api.answer.response import Header, Response
from cambist.api.call.admission import Admission
from cambist.api.call.call import Call, call_in_thread
from cambist.api.call.settlement import Settlement
from cambist.api.errors import write_response
from cambist.api.questions.unknown_parameters import IGNORED_HEADER, UnknownParameters, ignored_header_value
from cambist.api.state.compression import accepts_gzip
from cambist.api.state.response_cache import CachedResponse
from cambist.clock import WallClock

_GZIP = ("Content-Encoding", "gzip")
_COST = "X-Calls-Cost"


class JsonFace:
    """Answers GET and HEAD of one endpoint in JSON, in the event loop or as a resource of the framework."""

    def __init__(
        self,
        answers: EndpointAnswers,
        unknown: UnknownParameters,
        admission: Admission,
        settlement: Settlement,
        clock: WallClock,
    ) -> None:
        self.answers = answers
        self._unknown = unknown
        self._admission = admission
        self._settlement = settlement
        self._clock = clock
        self._tags = (answers.endpoint.tag,)

    def respond(self, call: Call) -> Response:
        """Return the response to a call. Errors: CambistError; WouldBlock on the event loop."""
        self._admission.admit(call, self._tags)
        ignored = () if call.query.keys() <= self.answers.names else self._unknown.ignored(call.query)
        answer = self.answers.find(call)
        if call.if_none_match:
            response = self._conditional(call, answer)
        else:
            self._settlement.settle(call, answer.endpoint, answer.cost)
            response = _whole(call, answer, answer.headers)
        if ignored:
            header = (IGNORED_HEADER, ignored_header_value(ignored))
            return Response(response.status, (*response.headers, header), response.body)
        return response

    def _conditional(self, call: Call, answer: CachedResponse) -> Response:
        """Return the response to a client that names ETags: one that has the answer pays nothing."""
        cost = 0 if answer.matches_etag(call.if_none_match) else answer.cost
        self._settlement.settle(call, answer.endpoint, cost)
        headers = (*[header for header in answer.headers if header[0] != _COST], (_COST, str(cost)))
        if cost == 0 or (answer.etag and call.if_none_match == "*"):
            return Response(304, headers)
        return _whole(call, answer, headers)

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer in a thread, or raise one of the errors that `api.errors` turns into a response."""
        write_response(response, self.respond(call_in_thread(request.env, self._clock)))

    on_head = on_get


def _whole(call: Call, answer: CachedResponse, headers: tuple[Header, ...]) -> Response:
    if answer.is_long and accepts_gzip(call.environ.get("HTTP_ACCEPT_ENCODING", "")):
        return Response(200, (*headers, _GZIP), answer.compressed_body(call.started))
    return Response(200, headers, answer.body(call.started))
