"""Ask a running service over its HTTP API."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from http.client import HTTPException, HTTPMessage
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request, build_opener

import msgspec

from cambist.errors import BadParameter, KeyRefused, NoRate, NotInPlan, RateUnavailable, RequestRefused, shorten
from cambist.status.environment import Environment

LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})

_SECONDS = 10.0
_ERRORS_BY_STATUS: Mapping[int, type[RequestRefused]] = {
    400: BadParameter,
    401: KeyRefused,
    403: NotInPlan,
    404: NoRate,
    503: RateUnavailable,
}


class ServiceUnreachable(ConnectionError):
    """No Cambist answers at an address; the text is a sentence."""


class _ErrorBody(msgspec.Struct):
    error: str


class _NoRedirects(HTTPRedirectHandler):
    """Follows no redirect: the key is for one address alone."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        """Return nothing, so that the redirect is an error."""


class ApiClient:
    """Asks the service at an address, with an API key. Without `tls`, the system's authorities are trusted.

    Machines elsewhere are asked through the proxies of the environment, this machine is not.
    """

    def __init__(self, url: str, key: str, tls: ssl.SSLContext | None = None) -> None:
        self._url = url.rstrip("/")
        self._key = key
        proxies = ProxyHandler({}) if urlsplit(url).hostname in LOCAL_HOSTS else ProxyHandler()
        self._opener: OpenerDirector = build_opener(proxies, _NoRedirects, HTTPSHandler(context=tls))
        self.place = f"the service at {self._url}"
        self.environment = Environment.LIVE

    def probe(self) -> None:
        """Check without the key that a Cambist answers there. Errors: ServiceUnreachable."""
        headers = self._open(Request(f"{self._url}/docs", method="HEAD"))[1]  # noqa: S310  http or https, see the CLI
        if headers.get("Server") != "cambist":
            raise ServiceUnreachable(f"What answers at {self._url} is not Cambist")

    def get(self, path: str, query: Mapping[str, str]) -> bytes:
        """Return the JSON of an answer. Errors: RequestRefused, ServiceUnreachable."""
        request = Request(f"{self._url}{path}?{urlencode(query)}", headers={"X-API-Key": self._key})  # noqa: S310  as above
        status, headers, content = self._open(request)
        if not headers.get("Content-Type", "").startswith("application/json"):
            raise ServiceUnreachable(f"What answers at {self._url} is not Cambist (HTTP {status})")
        if status != 200:
            raise _ERRORS_BY_STATUS.get(status, RequestRefused)(_sentence(content, status))
        self.environment = Environment(headers.get("Cambist-Environment", Environment.LIVE))
        return content

    def _open(self, request: Request) -> tuple[int, Any, bytes]:
        try:
            with self._opener.open(request, timeout=_SECONDS) as response:
                return response.status, response.headers, response.read()
        except HTTPError as error:
            with error:
                return error.code, error.headers, error.read()
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", error)
            text = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
            raise ServiceUnreachable(f"No service answers at {self._url}: {text}") from error


def _sentence(content: bytes, status: int) -> str:
    try:
        text = msgspec.json.decode(content, type=_ErrorBody).error
    except msgspec.MsgspecError:
        return f"The service refuses the request (HTTP {status})"
    return text if text.isprintable() else shorten(repr(text)[1:-1])
