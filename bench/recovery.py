"""Measure how soon a client of the stream gets prices again after the stream process was killed, in a sandbox."""

import argparse
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from processes import free_port

COMMAND = Path(sys.executable).parent / "cambist"
RETRY_AFTER = 0.02


def connect_until_ready(port: int) -> ClientConnection:
    """Connect; try again until the server answers."""
    while True:
        try:
            return connect(f"ws://127.0.0.1:{port}/", compression=None)
        except (OSError, WebSocketException):
            time.sleep(RETRY_AFTER)


def await_price(client: ClientConnection, key: str) -> None:
    """Authenticate, subscribe, and wait for a price."""
    client.send(json.dumps({"op": "auth", "key": key}))
    client.send(json.dumps({"op": "subscribe", "stream": "fx", "pairs": ["BTCUSD"]}))
    while '"op":"price"' not in str(client.recv(30)):
        pass


def process_of_stream(supervisor: int, port: int) -> int:
    """Return the child process that listens on the stream's port."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    socket = next(
        f"socket:[{fields[9]}]" for fields in lines if fields[1].endswith(f":{port:04X}") and fields[3] == "0A"
    )
    tasks = Path(f"/proc/{supervisor}/task")
    children = [int(number) for path in tasks.glob("*/children") for number in path.read_text().split()]
    return next(child for child in children if socket in _links(child))


def _links(process: int) -> set[str]:
    found = set()
    for link in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(OSError):
            found.add(str(link.readlink()))
    return found


def run_benchmark(folder: Path, times: int) -> list[float]:
    """Kill the stream process repeatedly; return the seconds until the next price, connecting included."""
    port, data = free_port(), folder / "data"
    ports = ["--port", str(free_port()), "--stream-port", str(port), "--operator-port", "0"]
    command = [str(COMMAND), "serve", "--sandbox", "--workers", "1", "--data", str(data), *ports]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            waits = []
            for _ in range(times):
                with connect_until_ready(port) as client:
                    key = (data / "owner.key").read_text().strip()
                    await_price(client, key)
                    os.kill(process_of_stream(process.pid, port), signal.SIGKILL)
                    at = time.monotonic()
                    with connect_until_ready(port) as again:
                        await_price(again, key)
                        waits.append(time.monotonic() - at)
            return waits
        finally:
            process.terminate()


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        waits = run_benchmark(Path(folder), arguments.times)
    print(f"killed {len(waits)} times; served again after {statistics.median(waits):.2f} s, at most {max(waits):.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
