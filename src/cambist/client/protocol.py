"""The HTTP of the client without the network: what to send for a call, and what a response means."""

from __future__ import annotations

import os
import re
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import urlencode, urlsplit

import msgspec

from cambist.client.answers import Answer, RawAnswer, ResponseHeaders, decode_custom_type
from cambist.client.call import JSON, Call
from cambist.client.errors import ConnectionFailed, NotConfigured, printable, service_error
from cambist.client.retries import Retries
from cambist.client.version import VERSION

T = TypeVar("T")

URL_VARIABLE, KEY_VARIABLE, STREAM_URL_VARIABLE = "CAMBIST_URL", "CAMBIST_KEY", "CAMBIST_STREAM_URL"
DEFAULT_URL = "http://127.0.0.1:8000"
DEFAULT_STREAM_PORT = 8001
USER_AGENT = f"cambist-client/{VERSION}"
LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})

_ADDRESS = re.compile(r"https?://[^/?#\s]+(/[^?#\s]*)?")


@dataclass(frozen=True, slots=True)
class Configuration:
    """The service that is asked, and how. `tls` is None to trust the authorities of the system.

    `stream_url` is the address of its price stream.
    """

    url: str
    key: str = field(repr=False)
    timeout: float = 10.0
    tls: ssl.SSLContext | None = None
    retries: Retries = field(default_factory=Retries)
    stream_url: str = ""

    @property
    def is_local(self) -> bool:
        """Whether the service is on this machine, which no proxy is asked for."""
        return urlsplit(self.url).hostname in LOCAL_HOSTS


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it is sent."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    method: str = "GET"
    content: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Response:
    """A response as it was received; the names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


def read_configuration(
    url: str | None, key: str | None, timeout: float, tls: ssl.SSLContext | None, retries: Retries | None
) -> Configuration:
    """Return the configuration; address and key are taken from the environment if they are not given.

    Errors: NotConfigured.
    """
    url = (url or os.environ.get(URL_VARIABLE, "").strip() or DEFAULT_URL).rstrip("/")
    key = (key or os.environ.get(KEY_VARIABLE, "")).strip()
    if not _ADDRESS.fullmatch(url):
        raise NotConfigured(f"Invalid url: [{printable(url)}], it takes an address such as {DEFAULT_URL}")
    if not key:
        raise NotConfigured(f"There is no API key: pass [key], or set the variable {KEY_VARIABLE}")
    if not (key.isascii() and key.isprintable()):
        raise NotConfigured("The API key has characters that no key has")
    stream_url = os.environ.get(STREAM_URL_VARIABLE, "").strip() or _default_stream_url(url)
    return Configuration(url, key, timeout, tls, retries or Retries(), stream_url)


def _default_stream_url(url: str) -> str:
    """Return the address of the stream of a service that has its default port on the same machine."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{'wss' if parts.scheme == 'https' else 'ws'}://{host}:{DEFAULT_STREAM_PORT}"


def build_request(configuration: Configuration, call: Call[T]) -> Request:
    """Return the request for a call. The key is in a header, so that no log of addresses has it."""
    query = urlencode(call.query, safe=",/:")
    url = f"{configuration.url}{call.path}{query and f'?{query}'}"
    headers = {"X-API-Key": configuration.key, "User-Agent": USER_AGENT, "Accept": call.accept}
    if call.body:
        return Request(url, {**headers, "Content-Type": call.media}, "POST", call.body)
    return Request(url, headers)


def build_probe(configuration: Configuration) -> Request:
    """Return a request without the key, to find out who answers."""
    return Request(f"{configuration.url}/docs", {"User-Agent": USER_AGENT}, "HEAD")


def is_from_cambist(response: Response) -> bool:
    """Return whether a response to a probe is one of Cambist."""
    return response.headers.get("server") == "cambist"


def parse_response(configuration: Configuration, call: Call[T], response: Response) -> T:
    """Return the answer to a call. Errors: ServiceError, ConnectionFailed if the response is not one of Cambist."""
    content_type = response.headers.get("content-type", "")
    is_json = content_type.startswith(JSON)
    if response.status != 200 and (is_json or response.status in (429, 503)):
        raise service_error(response.status, response.content, response.headers.get("retry-after"))
    if not content_type.startswith(call.accept):
        raise ConnectionFailed(f"What answers at {configuration.url} is not Cambist (HTTP {response.status})")
    headers = _parse_headers(response.headers)
    if call.answer is RawAnswer:
        return call.answer(response.content, headers)  # type: ignore[call-arg]
    try:
        answer = _decode(call, response.content)
    except (ArithmeticError, ValueError, RecursionError) as error:
        raise ConnectionFailed(
            f"The answer of {configuration.url} to {call.path} is not understood: {error}"
        ) from error
    if isinstance(answer, Answer):
        msgspec.structs.force_setattr(answer, "headers", headers)
    return answer


def _decode(call: Call[T], content: bytes) -> T:
    if call.read is not None:
        return call.read(content)
    return msgspec.json.decode(content, type=call.answer, dec_hook=decode_custom_type)


def _parse_headers(headers: Mapping[str, str]) -> ResponseHeaders:
    cost = headers.get("x-calls-cost", "")
    ignored = headers.get("cambist-ignored", "")
    return ResponseHeaders(
        environment=headers.get("cambist-environment", "live"),
        calls_cost=int(cost) if cost.isascii() and cost.isdigit() else 0,
        ignored=tuple(name.strip() for name in ignored.split(",") if name.strip()),
    )


def unreachable(configuration: Configuration, error: Exception) -> ConnectionFailed:
    """Return the error that says why the service cannot be asked, in the system's own words if there are any."""
    text = reason_of(error) or printable(str(error)) or type(error).__name__
    return ConnectionFailed(f"No service answers at {configuration.url}: {text}")


def reason_of(error: BaseException) -> str:
    """Return the system's words for the error that is behind this one; empty if the system did not fail."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and (cause.errno or cause.strerror):
            is_of_system = not isinstance(cause, ssl.SSLError | socket.gaierror) and (cause.errno or 0) > 0
            return os.strerror(cause.errno or 0) if is_of_system else printable(cause.strerror or str(cause))
        cause = cause.__cause__ or cause.__context__
    return ""
