"""Measure the service beside a bare constant on the same HTTP stack, and print the ratios.

Only ratios travel between machines: the absolute figures hold for this machine and this hour.
A missed target is reported and is no error; what did not work at all ends with status 1.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from rich.console import Console

from load import Calls, Client, NotMeasuredError
from memory import held_below
from processes import CLIENT_CORE, SERVER_CORE, can_pin
from report import Findings, Served, as_json, show
from rounds import measure, rows_for
from servers import Cambist, constant
from weak_client import by_weak_client
from workloads import WORKLOADS, Workload
from wrk import by_wrk

DEFAULT_THREADS = 4  # what `cambist serve` starts when it is not told
CLIENTS: dict[str, Client] = {"wrk": by_wrk, "weak": by_weak_client}


def main() -> int:
    """Measure with each number of threads in turn and report."""
    chosen, console = _arguments(), Console()
    if not console.is_terminal:
        console = Console(width=120)  # a log file has no edge at which to wrap
    for deadly in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(deadly, lambda number, _frame: sys.exit(128 + number))  # so that every `finally` runs
    pinned = _pin_client()
    _conditions(chosen, console, pinned=pinned)
    try:
        found = [_findings(threads, chosen, console, pinned=pinned) for threads in chosen.threads]
    except NotMeasuredError as why:
        console.print(f"NOT MEASURED: {why}", style="bold red", markup=False, soft_wrap=True)
        return 1
    except KeyboardInterrupt:
        console.print("Stopped; so are the servers.")
        return 130
    for one in found:
        show(one, console)
    if chosen.json:
        chosen.json.write_text(json.dumps([as_json(one) for one in found], indent=1) + "\n")
    return int(any(row.failure for one in found for row in one.rows))


def _findings(threads: int, chosen: argparse.Namespace, console: Console, *, pinned: bool) -> Findings:
    """Start the service twice, measure it the second time, stop it; then do so with a sandbox, started once."""
    with (
        tempfile.TemporaryDirectory(prefix="cambist-bench-", ignore_cleanup_errors=True) as folder,
        console.status("first start") as status,
    ):
        cambist = Cambist(Path(folder), threads, pinned)
        with cambist.started() as (_process, first):
            status.update("later start")
        with cambist.started() as (process, later):
            served = [_served(cambist, process.pid, chosen, status.update)]
        if any(one.of_sandbox for one in chosen.only):
            status.update("a sandbox")
            sandbox = Cambist(Path(folder), threads, pinned, is_sandbox=True)
            with sandbox.started() as (process, _took):
                served.append(_served(sandbox, process.pid, chosen, status.update))
    return Findings(threads, [one for one in served if one.rows], first, later)


def _served(cambist: Cambist, pid: int, chosen: argparse.Namespace, say: Callable[[str], None]) -> Served:
    """Measure a running service on its workloads, beside a constant."""
    with constant(cambist.folder, cambist.threads, pinned=cambist.pinned) as port:
        asked = [one for one in chosen.only if one.of_sandbox is cambist.is_sandbox]
        rows = rows_for(asked, cambist.port, cambist.key)
        measure(rows, Calls(port, ("/",)), CLIENTS[chosen.client], chosen.seconds, say)
        return Served("A sandbox" if cambist.is_sandbox else "The euro's reference rates", rows, held_below(pid))


def _pin_client() -> bool:
    """Pin this process, hence the load generator that it starts, away from the servers."""
    if pinned := can_pin():
        os.sched_setaffinity(0, {CLIENT_CORE})
    return pinned


def _conditions(chosen: argparse.Namespace, console: Console, *, pinned: bool) -> None:
    """Say what the figures depend on."""
    pins = f"servers on core {SERVER_CORE}, client on core {CLIENT_CORE}" if pinned else "NOT PINNED to cores"
    load = f"load average {os.getloadavg()[0]:.1f} before"
    console.print(f"Granian {version('granian')}, Python {sys.version.split()[0]}, {pins}, {load}", highlight=False)
    if chosen.client == "weak":
        console.print(
            "WEAK CLIENT: wrk is not used but a Python client, which may itself be what limits the figures.\n"
            "Its ratios flatter the service and compare only with other runs of this same client.",
            style="bold yellow",
        )


def _arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=_positive, default=4, help="length of each measurement (default: 4)")
    parser.add_argument(
        "--threads",
        type=lambda text: [_positive(word) for word in text.split(",")],
        default=[DEFAULT_THREADS],
        metavar="N,N",
        help=f"blocking threads of the worker, one table for each number (default: {DEFAULT_THREADS})",
    )
    names = ", ".join(one.name for one in WORKLOADS)
    parser.add_argument("--only", type=_named, default=WORKLOADS, metavar="W1,W3", help=f"of {names} (default: all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every round's figures here too")
    installed = "wrk" if shutil.which("wrk") else "weak"
    parser.add_argument("--client", choices=CLIENTS, default=installed, help="default: wrk where it is installed")
    return parser.parse_args()


def _positive(text: str) -> int:
    """Read a whole number of at least one."""
    if not text.strip().isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def _named(text: str) -> list[Workload]:
    """Look up workloads by name, in the table's order."""
    wanted = {word.strip().upper() for word in text.split(",")}
    if unknown := wanted - {one.name for one in WORKLOADS}:
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}")
    return [one for one in WORKLOADS if one.name in wanted]


if __name__ == "__main__":
    sys.exit(main())
