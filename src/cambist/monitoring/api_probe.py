"""A probe of the API over its own port, as a client would reach it."""

from __future__ import annotations

import http.client
import os
import ssl
import sys
from collections.abc import Callable
from contextlib import closing
from typing import NoReturn

from cambist.errors import SettingRefused
from cambist.registry.node.serving import as_served
from cambist.settings import Settings, local_host, read_settings

_SECONDS = 2.0


def api_problems(settings: Settings) -> Callable[[], list[str]]:
    """Return a function that probes the API and returns its problems."""
    host = local_host(settings.host)

    def probe() -> list[str]:
        try:
            with closing(_connection(host, settings)) as connection:
                connection.request("HEAD", f"{settings.path_prefix}/docs")
                status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            return [f"the API takes no connection on port {settings.port}: {str(error) or type(error).__name__}"]
        return [] if status < 500 else [f"the API answers with {status}"]

    return probe


def _connection(host: str, settings: Settings) -> http.client.HTTPConnection:
    if settings.tls_cert is None:
        return http.client.HTTPConnection(host, settings.port, timeout=_SECONDS)
    # The certificate is for the name that clients use, not for this address.
    unverified = ssl._create_unverified_context()  # noqa: S323, SLF001
    return http.client.HTTPSConnection(host, settings.port, timeout=_SECONDS, context=unverified)


def main() -> NoReturn:
    """Probe the API of the settings in the environment, as a container's health check: exit with 1 if it fails."""
    try:
        problems = api_problems(as_served(read_settings(os.environ, {})))()
    except SettingRefused as refused:
        problems = [str(refused)]
    sys.exit("; ".join(problems) or 0)


if __name__ == "__main__":
    main()
