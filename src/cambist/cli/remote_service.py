"""Answers of a running service, with the errors that the commands know."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from typing import Any

from cambist.client import NO_RETRIES, Cambist, Retries
from cambist.client.answers import RawAnswer
from cambist.client.call import JSON, Call
from cambist.client.errors import ConnectionFailed, NotConfigured, ServiceError
from cambist.errors import BadParameter, KeyRefused, NoRate, NotInPlan, RateUnavailable, RequestRefused
from cambist.status.environment import Environment

_FILE_SECONDS = 60.0
_FILE_RETRIES = Retries(attempts=10, max_pause=60.0)
"""A part of a file waits for the rate limit of the plan."""
_ERRORS_BY_STATUS: Mapping[int, type[RequestRefused]] = {
    400: BadParameter,
    401: KeyRefused,
    403: NotInPlan,
    404: NoRate,
    503: RateUnavailable,
}


class RemoteService:
    """The service at an address, asked with an API key. Without `tls`, the system's authorities are trusted.

    Errors: BadParameter if the address or the key is malformed.
    """

    def __init__(self, url: str, key: str, tls: ssl.SSLContext | None = None) -> None:
        try:
            self._client = Cambist(url, key, tls=tls, retries=NO_RETRIES)
            self._patient = Cambist(url, key, tls=tls, timeout=_FILE_SECONDS, retries=_FILE_RETRIES)
        except NotConfigured as error:
            raise BadParameter(str(error)) from None
        self.configuration = self._client.configuration
        self.place = f"the service at {self.configuration.url}"
        self.environment = Environment.LIVE

    def probe(self) -> None:
        """Check without the key that a Cambist answers there. Errors: ConnectionFailed."""
        if not self._client.is_cambist():
            raise ConnectionFailed(f"What answers at {self.configuration.url} is not Cambist")

    def get(self, path: str, query: Mapping[str, str]) -> bytes:
        """Return the JSON of an answer. Errors: RequestRefused, ConnectionFailed."""
        return self._read(lambda: self._client.get(path, query))

    def post(self, path: str, question: bytes, accept: str = JSON) -> bytes:
        """Return the answer to a question in a body. Errors: RequestRefused, ConnectionFailed."""
        return self._read(lambda: self._client.send(Call(path, RawAnswer, {}, accept, question, media=JSON)))

    def post_file(self, path: str, content: bytes, query: Mapping[str, str], media: str, accept: str) -> bytes:
        """Return the answer to a file of one media type as another. Errors: RequestRefused, ConnectionFailed."""
        call = Call(path, RawAnswer, query, accept, content or b"\n", media=media)
        return self._read(lambda: self._patient.send(call))

    def convert_file(self, content: str, query: Mapping[str, str]) -> bytes:
        """Return a CSV file of amounts with its results. Errors: RequestRefused, ConnectionFailed."""
        options: dict[str, Any] = {**query}
        if "precision" in options:
            options["precision"] = int(options["precision"])
        return self._read(lambda: self._patient.convert_file(content.encode(), **options))

    def _read(self, ask: Callable[[], RawAnswer]) -> bytes:
        try:
            answer = ask()
        except ServiceError as error:
            raise _ERRORS_BY_STATUS.get(error.status, RequestRefused)(str(error)) from error
        self.environment = Environment(answer.headers.environment)
        return answer.content
