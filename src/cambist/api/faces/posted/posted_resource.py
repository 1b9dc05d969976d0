"""The face of an endpoint whose question is the body of a POST. Answers are of the moment, and are not cached."""

from __future__ import annotations

from time import perf_counter_ns
from typing import Any

import falcon
import msgspec

from cambist.api.answer.answer_headers import EDITION_HEADER
from cambist.api.answer.posted_endpoint import PostedEndpoint
from cambist.api.answer.rendering import encode_without_ms
from cambist.api.answer.request_context import context_of
from cambist.api.call.admission import Admission, check_history
from cambist.api.call.call import call_in_thread
from cambist.api.call.settlement import Settlement
from cambist.api.errors import WRONG_METHOD, write_error
from cambist.api.faces.posted import METHODS
from cambist.api.state.worker_state import WorkerState
from cambist.errors import BadParameter, shorten
from cambist.validation import explain_validation_error


class PostedResource:
    """Answers the POST of one endpoint."""

    def __init__(
        self,
        endpoint: PostedEndpoint[Any, Any],
        worker_state: WorkerState,
        admission: Admission,
        settlement: Settlement,
    ) -> None:
        self._endpoint = endpoint
        self._worker_state = worker_state
        self._admission = admission
        self._settlement = settlement

    def on_post(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer, or raise one of the errors that `api.errors` turns into a response."""
        call, endpoint = call_in_thread(request.env, self._worker_state.clock), self._endpoint
        self._admission.admit(call, (endpoint.tag,))
        if call.query:
            raise BadParameter(f"Unknown parameter: [{shorten(next(iter(call.query)))}], the question is in the body")
        question = _read(endpoint.question, request.bounded_stream.read())
        context = context_of(call, self._worker_state)
        earliest = None if endpoint.earliest_day is None else endpoint.earliest_day(context, question)
        check_history(call, earliest)
        if endpoint.changes:
            self._settlement.check(call, endpoint.cost(context, question))
        answer, cost = endpoint.answer(context, question), endpoint.cost(context, question)
        self._settlement.settle(call, endpoint.path, cost)
        response.data = b"%b%d}" % (encode_without_ms(answer), (perf_counter_ns() - call.started) // 1_000_000)
        response.content_type = "application/json"
        response.set_header("X-Calls-Cost", str(cost))
        response.set_header("Cache-Control", "no-store")
        if edition := context.edition(is_live=earliest is None):
            response.set_header(EDITION_HEADER, edition)

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
