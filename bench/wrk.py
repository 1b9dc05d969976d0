"""Measure with wrk: one thread, keep-alive, latencies from its histogram."""

import re
import resource
import subprocess
import tempfile
from pathlib import Path

from load import CONNECTIONS, HOST, Calls, Load, NotMeasuredError

SCRIPT = Path(__file__).with_name("random_paths.lua")
MILLISECONDS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60_000.0}


def measure_with_wrk(calls: Calls, seconds: int, seed: int) -> Load:
    """Measure a server with wrk for some seconds."""
    with tempfile.NamedTemporaryFile("w", suffix=".paths") as drawn_from:
        drawn_from.write("\n".join(calls.paths))
        drawn_from.flush()
        return parse(_run_wrk(_command(calls, seconds, drawn_from.name, seed), seconds))


def client_seconds() -> float:
    """Return the processor time that all finished load generators have used, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def parse(output: str) -> Load:
    """Parse wrk's summary. Errors: NotMeasuredError if any request or socket failed."""
    for trouble in (r"Non-2xx or 3xx responses: .*", r"Socket errors: .*"):
        if found := re.search(trouble, output):
            raise NotMeasuredError(f"wrk: {found[0]}")
    rate = re.search(r"Requests/sec:\s+([\d.]+)", output)
    if rate is None or float(rate[1]) == 0:
        raise NotMeasuredError(f"wrk got no answers: {output.strip()[-300:]}")
    return Load(float(rate[1]), _latency(output, 50), _latency(output, 99))


def _latency(output: str, percent: int) -> float:
    """Return one line of the latency distribution, in ms."""
    found = re.search(rf"^\s+{percent}%\s+([\d.]+)(us|ms|s|m)\s*$", output, re.MULTILINE)
    if found is None:
        raise NotMeasuredError(f"wrk printed no {percent}th percentile")
    return float(found[1]) * MILLISECONDS[found[2]]


def _command(calls: Calls, seconds: int, drawn_from: str, seed: int) -> list[str]:
    """Return the command. A single path needs no script, which would slow down the client."""
    headers = [word for name, value in calls.headers.items() for word in ("-H", f"{name}: {value}")]
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "--timeout", "5s", *headers]
    server = f"http://{HOST}:{calls.port}"
    if len(calls.paths) == 1:
        return [*command, server + calls.paths[0]]
    return [*command, "-s", str(SCRIPT), server, "--", drawn_from, str(seed)]


def _run_wrk(command: list[str], seconds: int) -> str:
    """Run wrk with a timeout; return its output."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 15, check=False)
    except subprocess.TimeoutExpired:
        raise NotMeasuredError(f"wrk did not end {seconds + 15} s after it was started") from None
    if ran.returncode:
        raise NotMeasuredError(f"wrk ended with {ran.returncode}: {(ran.stderr or ran.stdout).strip()[-300:]}")
    return ran.stdout
