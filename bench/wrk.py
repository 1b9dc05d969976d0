"""Load by wrk: one thread, keep-alive, latencies from its own histogram."""

import re
import subprocess
import tempfile
from pathlib import Path

from load import CONNECTIONS, HOST, Calls, Load, NotMeasuredError

SCRIPT = Path(__file__).with_name("random_paths.lua")
MILLISECONDS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60_000.0}


def by_wrk(calls: Calls, seconds: int, seed: int) -> Load:
    """Load a server with wrk for so many seconds."""
    with tempfile.NamedTemporaryFile("w", suffix=".paths") as drawn_from:
        drawn_from.write("\n".join(calls.paths))
        drawn_from.flush()
        return parse(_said(_command(calls, seconds, drawn_from.name, seed), seconds))


def parse(said: str) -> Load:
    """Read wrk's summary; any answer that is an error, or any socket that broke, spoils it."""
    for trouble in (r"Non-2xx or 3xx responses: .*", r"Socket errors: .*"):
        if found := re.search(trouble, said):
            raise NotMeasuredError(f"wrk: {found[0]}")
    rate = re.search(r"Requests/sec:\s+([\d.]+)", said)
    if rate is None or float(rate[1]) == 0:
        raise NotMeasuredError(f"wrk got no answers: {said.strip()[-300:]}")
    return Load(float(rate[1]), _latency(said, 50), _latency(said, 99))


def _latency(said: str, percent: int) -> float:
    """Find one line of the latency distribution, in ms."""
    found = re.search(rf"^\s+{percent}%\s+([\d.]+)(us|ms|s|m)\s*$", said, re.MULTILINE)
    if found is None:
        raise NotMeasuredError(f"wrk did not say its {percent}th percentile")
    return float(found[1]) * MILLISECONDS[found[2]]


def _command(calls: Calls, seconds: int, drawn_from: str, seed: int) -> list[str]:
    """Spell the command: a single path needs no script, which costs the client time."""
    headers = [word for name, value in calls.headers.items() for word in ("-H", f"{name}: {value}")]
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "--timeout", "5s", *headers]
    server = f"http://{HOST}:{calls.port}"
    if len(calls.paths) == 1:
        return [*command, server + calls.paths[0]]
    return [*command, "-s", str(SCRIPT), server, "--", drawn_from, str(seed)]


def _said(command: list[str], seconds: int) -> str:
    """Run wrk, bound in time, and return what it printed."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 15, check=False)
    except subprocess.TimeoutExpired:
        raise NotMeasuredError(f"wrk did not end {seconds + 15} s after it was started") from None
    if ran.returncode:
        raise NotMeasuredError(f"wrk ended with {ran.returncode}: {(ran.stderr or ran.stdout).strip()[-300:]}")
    return ran.stdout
