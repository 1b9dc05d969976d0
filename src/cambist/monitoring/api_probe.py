"""Whether the API takes connections: asked over its own port, as a client would."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Callable
from contextlib import closing

from cambist.settings import Settings

_SECONDS = 2.0
_SELF = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}  # noqa: S104  to be reached by, not to listen on


def api_problems(settings: Settings) -> Callable[[], list[str]]:
    """Give who says what the API lacks."""
    host = _SELF.get(settings.host, settings.host)

    def wanting() -> list[str]:
        try:
            with closing(_connection(host, settings)) as connection:
                connection.request("HEAD", f"{settings.path_prefix}/docs")
                status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            return [f"the API takes no connection on port {settings.port}: {str(error) or type(error).__name__}"]
        return [] if status < 500 else [f"the API answers with {status}"]

    return wanting


def _connection(host: str, settings: Settings) -> http.client.HTTPConnection:
    if settings.tls_cert is None:
        return http.client.HTTPConnection(host, settings.port, timeout=_SECONDS)
    # The certificate is for the name that clients use, not for this address.
    trusting = ssl._create_unverified_context()  # noqa: S323, SLF001
    return http.client.HTTPSConnection(host, settings.port, timeout=_SECONDS, context=trusting)
