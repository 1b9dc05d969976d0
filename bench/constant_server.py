"""The server to compare with: Granian with one constant answer."""

import argparse
from collections.abc import Callable, Iterable

from granian import Granian
from granian.constants import Interfaces

BODY = b'{"base":"EUR","result":{"USD":1.1537},"updated":"2026-10-30T15:00:00Z","ms":0}'
HEADERS = [("Content-Type", "application/json"), ("Content-Length", str(len(BODY)))]


def answer(_environ: dict[str, object], start_response: Callable[..., object]) -> Iterable[bytes]:
    """Answer every call with the same bytes."""
    start_response("200 OK", HEADERS)
    return [BODY]


def main() -> None:
    """Serve the constant on loopback until SIGTERM."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True, help="blocking threads of the one worker")
    arguments = parser.parse_args()
    Granian(
        "constant_server:answer",
        address="127.0.0.1",
        port=arguments.port,
        interface=Interfaces.WSGI,
        workers=1,
        blocking_threads=arguments.threads,
        websockets=False,
    ).serve()


if __name__ == "__main__":  # Granian's worker imports this file again
    main()
