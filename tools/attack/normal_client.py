"""A client that behaves: a request every 20 ms, in a process of its own; those without a key from another address.

    python -m tools.attack.normal_client PORT < key

Each line that it prints is the time of a request, its duration in seconds, and 1 if the answer was right or else 0.
"""

from __future__ import annotations

import http.client
import itertools
import json
import os
import sys
import time

_PAUSE_SECONDS = 0.02
_TIMEOUT_SECONDS = 30
_BROWSER = {"Accept": "text/html"}
_PATHS = (
    ("/fetch-one?from=EUR&to=USD", True, 200),
    ("/fetch-one?from=CHF&to=JPY", True, 200),
    ("/fetch-all?from=GBP", True, 200),
    ("/", False, 200),
    ("/no-such-path", True, 404),
    ("/fetch-one?from=EUR&to=SEK", False, 401),
)


def main() -> None:
    """Ask until the standard output is closed."""
    port, key = int(sys.argv[1]), sys.stdin.readline().strip()
    connections = {
        with_key: http.client.HTTPConnection("127.0.0.1", port, _TIMEOUT_SECONDS, source_address=(address, 0))
        for with_key, address in ((True, "127.0.0.1"), (False, "127.0.0.2"))
    }
    parent = os.getppid()
    for path, with_key, status in itertools.cycle(_PATHS):
        if os.getppid() != parent:
            return
        begin = time.monotonic()
        right = _asked(connections[with_key], path, {"X-API-Key": key} if with_key else _BROWSER, status)
        print(f"{begin:.6f} {time.monotonic() - begin:.6f} {int(right)}", flush=True)
        time.sleep(_PAUSE_SECONDS)


def _asked(connection: http.client.HTTPConnection, path: str, headers: dict[str, str], status: int) -> bool:
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
    except (OSError, http.client.HTTPException):
        connection.close()
        return False
    if answer.status != status:
        return False
    if path.startswith("/fetch"):
        return bool(json.loads(body))
    return bool(body)


if __name__ == "__main__":
    main()
