"""The proxy that stands before another service: each request goes there and to ours, and its caller gets one answer."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from aiohttp import web

from cambist.admin.shadow.answer_comparison import compare_answers
from cambist.admin.shadow.differences import AnswerDifference, DifferenceKind
from cambist.admin.shadow.request_target import ShadowTarget, read_target, secrets_in_body
from cambist.admin.shadow.shadow_log import ShadowRecord
from cambist.admin.shadow.shadowed_request import ShadowedRequest, ShadowOptions
from cambist.admin.shadow.upstream import (
    OpenedAnswer,
    PassedRequest,
    Upstream,
    end_to_end,
    read_whole,
)
from cambist.errors import SourceUnreachable

MOST_REQUESTS = 256
"""How many requests are answered at once; others get 503."""

MOST_COMPARISONS = 64
"""How many requests are compared at once; others are passed on alone."""

MOST_BODY_BYTES = 8 * 1024 * 1024

_GRACE = 1.0
"""How many seconds an answer of ours may begin after theirs and still be the one that the caller gets."""

_FEWEST_ERROR = 400
_NOT_MODIFIED = 304
_ANSWERED_BY = "Cambist-Shadow"

T = TypeVar("T")
log = logging.getLogger(__name__)


@dataclass(slots=True)
class ShadowProxy:
    """Answers requests with the answer of one service and has both compared. `write` gets a record of each request."""

    theirs: Upstream
    ours: Upstream
    options: ShadowOptions
    write: Callable[[ShadowRecord], None]
    clock: Callable[[], datetime]
    _answering: int = 0
    _comparing: int = 0
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    def application(self) -> web.Application:
        """Return the application to serve."""
        application = web.Application(client_max_size=MOST_BODY_BYTES)
        application.router.add_route("*", "/{path:.*}", self.answer)
        return application

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer a request."""
        if not request.raw_path.startswith("/"):
            return _refusal(400, "A request names a path, such as /latest, and not a whole address")
        if self._answering >= MOST_REQUESTS:
            return _refusal(503, f"More than {MOST_REQUESTS} requests at once: try again")
        self._answering += 1
        try:
            body = await request.read()
            return await self._answer(request, PassedRequest(request.method, request.raw_path, request.headers, body))
        finally:
            self._answering -= 1

    async def drain(self, seconds: float) -> None:
        """Wait for comparisons that have begun, so long at most, and end the others."""
        deadline = time.monotonic() + seconds
        while self._tasks and (left := deadline - time.monotonic()) > 0:
            await asyncio.wait(set(self._tasks), timeout=left)
        for task in self._tasks:
            task.cancel()

    async def _answer(self, request: web.Request, passed: PassedRequest) -> web.StreamResponse:
        target = read_target(passed.target)
        theirs = self._start(self.theirs.open(passed.method, passed.target, passed.headers_for_theirs(), passed.body))
        is_compared = self._comparing < MOST_COMPARISONS
        ours = self._start(self._ask_ours(passed, target)) if is_compared else None
        shadowed = ShadowedRequest(passed, target, self.clock(), theirs, ours)
        self._comparing += is_compared
        try:
            chosen = await self._chosen_of_ours(theirs, ours) if self.options.answers_ours else None
            if chosen is not None:
                shadowed.answered = "ours"
                return _answer_of_ours(chosen)
            return await self._pass_on(request, shadowed)
        finally:
            self._start(self._finish(shadowed))

    async def _ask_ours(self, passed: PassedRequest, target: ShadowTarget) -> OpenedAnswer:
        """Ask ours, and read its whole answer. Errors: SourceUnreachable."""
        key, body = self.options.key, passed.body
        for secret in secrets_in_body(body):
            body = body.replace(secret.encode(), key.encode())
        opened = await self.ours.open(
            passed.method,
            f"{self.options.prefix}{target.with_key(key or 'none')}",
            passed.headers_for_ours(key),
            body,
        )
        await read_whole(opened)
        return opened

    async def _chosen_of_ours(
        self, theirs: asyncio.Task[OpenedAnswer], ours: asyncio.Task[OpenedAnswer] | None
    ) -> OpenedAnswer | None:
        """Return the answer of ours unless it is an error, too long, or more than a second later than theirs."""
        if ours is None:
            return None
        await asyncio.wait({theirs, ours}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({ours}, timeout=_GRACE)
        if not ours.done() or ours.exception() is not None:
            return None
        opened = ours.result()
        return opened if opened.status < _FEWEST_ERROR and opened.content is not None else None

    async def _pass_on(self, request: web.Request, shadowed: ShadowedRequest) -> web.StreamResponse:
        try:
            opened = await asyncio.shield(shadowed.theirs)
            if shadowed.ours is None:
                opened.content = None
        except SourceUnreachable as error:
            return _refusal(502, f"The service at {self.theirs.base} gave no answer. {error}")
        response = web.StreamResponse(status=opened.status, reason=opened.response.reason)
        response.headers.extend([*end_to_end(opened.response.headers), (_ANSWERED_BY, "theirs")])
        try:
            await response.prepare(request)
            async for chunk in opened.chunks():
                await response.write(chunk)
            await response.write_eof()
        except SourceUnreachable as error:
            shadowed.broken = f"theirs: {error}"
            _break_off(request)
        except ConnectionError:
            shadowed.broken = "the caller has left"
            opened.response.close()
        return response

    async def _finish(self, shadowed: ShadowedRequest) -> None:
        """Compare the two answers and write that down. Whatever goes wrong is a line in the log."""
        try:
            record = await self._compare(shadowed)
        except Exception as error:  # noqa: BLE001  a fault of the comparison is written down; callers have their answer
            record = shadowed.record(self.options, not_compared=f"the comparison failed: {type(error).__name__}")
        finally:
            self._comparing -= shadowed.ours is not None
        try:
            await asyncio.to_thread(self.write, record)
        except Exception as error:  # noqa: BLE001  as above
            log.warning("A difference could not be written down: %s", type(error).__name__)

    async def _compare(self, shadowed: ShadowedRequest) -> ShadowRecord:
        theirs, ours, failure = await self._opened(shadowed)
        if failure or theirs is None:
            return shadowed.record(self.options, theirs, ours, not_compared=failure)
        if shadowed.ours is None:
            reason = f"more than {MOST_COMPARISONS} requests at once"
            return shadowed.record(self.options, theirs, not_compared=reason)
        if theirs.status == _NOT_MODIFIED:
            return shadowed.record(self.options, theirs, ours, not_compared="theirs has nothing new (304)")
        if ours is None:
            missing = AnswerDifference(DifferenceKind.NO_ANSWER, "", ours=str(shadowed.ours.exception() or ""))
            return shadowed.record(self.options, theirs, differences=((missing,), 0))
        secrets = shadowed.secrets(self.options)
        first, second = theirs.compared(secrets), ours.compared(secrets)
        if isinstance(first, str) or isinstance(second, str):
            reason = first if isinstance(first, str) else str(second)
            return shadowed.record(self.options, theirs, ours, not_compared=reason)
        found = await asyncio.to_thread(compare_answers, first, second, self.options.tolerance)
        return shadowed.record(self.options, theirs, ours, differences=found)

    async def _opened(self, shadowed: ShadowedRequest) -> tuple[OpenedAnswer | None, OpenedAnswer | None, str]:
        """Return both answers, read to their end, as far as there are any, and why theirs cannot be compared."""
        theirs, failure = None, shadowed.broken
        try:
            theirs = await shadowed.theirs
            if shadowed.answered == "ours":
                await read_whole(theirs)
        except SourceUnreachable as error:
            failure = f"theirs: {error}"
        if shadowed.ours is None:
            return theirs, None, failure
        await asyncio.wait({shadowed.ours})
        return theirs, None if shadowed.ours.exception() else shadowed.ours.result(), failure

    def _start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _answer_of_ours(opened: OpenedAnswer) -> web.Response:
    kept = end_to_end(opened.response.headers, frozenset({"content-length"}))
    response = web.Response(status=opened.status, reason=opened.response.reason, body=bytes(opened.content or b""))
    response.headers.popall("Content-Type", None)
    response.headers.extend([*kept, (_ANSWERED_BY, "ours")])
    return response


def _refusal(status: int, sentence: str) -> web.Response:
    return web.json_response({"error": f"cambist shadow: {sentence}"}, status=status, headers={_ANSWERED_BY: "none"})


def _break_off(request: web.Request) -> None:
    """End the connection, so that the caller does not take half an answer for a whole one."""
    if request.transport is not None:
        request.transport.abort()
