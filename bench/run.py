"""Measure the service and a constant answer on the same HTTP server, and print the ratios.

Only ratios can be compared between machines; the absolute figures depend on the machine and its load.
A missed target is reported and is not an error. The exit code is 1 if something did not work.
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

from asyncio_client import measure_with_asyncio
from load import Calls, Client, NotMeasuredError
from memory import memory_of_descendants
from processes import CLIENT_CORE, SERVER_CORE, can_pin
from report import BenchmarkResult, ServiceResult, as_json, show
from rounds import measure, rows_for
from servers import Cambist, constant
from workloads import WORKLOADS, Workload
from wrk import measure_with_wrk

DEFAULT_THREADS = 4  # the default of `cambist serve`
CLIENTS: dict[str, Client] = {"wrk": measure_with_wrk, "weak": measure_with_asyncio}


def main() -> int:
    """Measure with each number of threads in turn and report."""
    arguments, console = _arguments(), Console()
    if not console.is_terminal:
        console = Console(width=120)  # a log file is not wrapped
    for deadly in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(deadly, lambda number, _frame: sys.exit(128 + number))  # so that every `finally` runs
    pinned = _pin_client()
    _conditions(arguments, console, pinned=pinned)
    try:
        found = [_findings(threads, arguments, console, pinned=pinned) for threads in arguments.threads]
    except NotMeasuredError as why:
        console.print(f"NOT MEASURED: {why}", style="bold red", markup=False, soft_wrap=True)
        return 1
    except KeyboardInterrupt:
        console.print("Stopped; so are the servers.")
        return 130
    for one in found:
        show(one, console)
    if arguments.json:
        arguments.json.write_text(json.dumps([as_json(one) for one in found], indent=1) + "\n")
    return int(any(row.failure for one in found for row in one.rows))


def _findings(threads: int, arguments: argparse.Namespace, console: Console, *, pinned: bool) -> BenchmarkResult:
    """Start the service twice, measure it the second time, stop it; then do so with a sandbox, started once."""
    with (
        tempfile.TemporaryDirectory(prefix="cambist-bench-", ignore_cleanup_errors=True) as folder,
        console.status("first start") as status,
    ):
        cambist = Cambist(Path(folder), threads, pinned)
        with cambist.started() as (_process, first):
            status.update("later start")
        with cambist.started() as (process, later):
            served = [_measure_service(cambist, process.pid, arguments, status.update)]
        if any(one.of_sandbox for one in arguments.only):
            status.update("a sandbox")
            sandbox = Cambist(Path(folder), threads, pinned, is_sandbox=True)
            with sandbox.started() as (process, _took):
                served.append(_measure_service(sandbox, process.pid, arguments, status.update))
    return BenchmarkResult(threads, [one for one in served if one.rows], first, later)


def _measure_service(
    cambist: Cambist, pid: int, arguments: argparse.Namespace, print_progress: Callable[[str], None]
) -> ServiceResult:
    """Measure a running service on its workloads, beside a constant."""
    with constant(cambist.folder, cambist.threads, pinned=cambist.pinned) as port:
        workloads = [one for one in arguments.only if one.of_sandbox is cambist.is_sandbox]
        rows = rows_for(workloads, cambist.port, cambist.key)
        measure(rows, Calls(port, ("/",)), CLIENTS[arguments.client], arguments.seconds, print_progress)
        return ServiceResult(
            "A sandbox" if cambist.is_sandbox else "The euro's reference rates", rows, memory_of_descendants(pid)
        )


def _pin_client() -> bool:
    """Pin this process and the load generator that it starts to another core than the servers."""
    if pinned := can_pin():
        os.sched_setaffinity(0, {CLIENT_CORE})
    return pinned


def _conditions(arguments: argparse.Namespace, console: Console, *, pinned: bool) -> None:
    """Print what the figures depend on."""
    pins = f"servers on core {SERVER_CORE}, client on core {CLIENT_CORE}" if pinned else "NOT PINNED to cores"
    load = f"load average {os.getloadavg()[0]:.1f} before"
    console.print(f"Granian {version('granian')}, Python {sys.version.split()[0]}, {pins}, {load}", highlight=False)
    if arguments.client == "weak":
        console.print(
            "WEAK CLIENT: a Python client is used instead of wrk. It may limit the figures itself.\n"
            "Its ratios favour the service, and can only be compared with other runs of this client.",
            style="bold yellow",
        )


def _arguments() -> argparse.Namespace:
    """Parse the command line."""
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
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures of every round to this file")
    installed = "wrk" if shutil.which("wrk") else "weak"
    parser.add_argument("--client", choices=CLIENTS, default=installed, help="default: wrk where it is installed")
    return parser.parse_args()


def _positive(text: str) -> int:
    """Parse a whole number of at least one."""
    if not text.strip().isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def _named(text: str) -> list[Workload]:
    """Parse the names of workloads; return them in the table's order."""
    wanted = {word.strip().upper() for word in text.split(",")}
    if unknown := wanted - {one.name for one in WORKLOADS}:
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}")
    return [one for one in WORKLOADS if one.name in wanted]


if __name__ == "__main__":
    sys.exit(main())
