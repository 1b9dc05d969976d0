"""A client that sends requests one after another over one keep-alive connection, to measure latency without load."""

import http.client
import time

from load import HOST, Calls, Load, NotMeasuredError, percentile

TIMES, PROBED = 30, 20
PATIENCE = 30.0  # seconds for one answer


def measure_sequentially(calls: Calls) -> Load:
    """Measure one path after another, after one request that is not measured."""
    connection = http.client.HTTPConnection(HOST, calls.port, timeout=PATIENCE)
    try:
        waits = [_wait(connection, calls, path) for path in calls.paths[-TIMES - 1 :]][1:]
    finally:
        connection.close()
    return Load(len(waits) / sum(waits), percentile(waits, 50) * 1000, percentile(waits, 99) * 1000)


def check(calls: Calls) -> None:
    """Request some of the paths. Unlike wrk, this does not accept a redirect as an answer."""
    connection = http.client.HTTPConnection(HOST, calls.port, timeout=PATIENCE)
    try:
        for path in calls.paths[:: max(1, len(calls.paths) // PROBED)]:
            _wait(connection, calls, path)
    finally:
        connection.close()


def _wait(connection: http.client.HTTPConnection, calls: Calls, path: str) -> float:
    """Return the seconds from the request to the last byte of its answer."""
    started = time.perf_counter()
    try:
        connection.request("GET", path, headers=calls.headers)
        response = connection.getresponse()
        body = response.read()
    except (OSError, http.client.HTTPException) as broken:
        raise NotMeasuredError(f"GET {_shown(path)}: {broken!r}") from broken
    took = time.perf_counter() - started
    if response.status != http.client.OK:
        output = body[:160].decode(errors="replace")
        raise NotMeasuredError(f"GET {_shown(path)} answered {response.status}: {output}")
    return took


def _shown(path: str) -> str:
    """Return a path without the key, to be printed."""
    return path.partition("api_key=")[0]
