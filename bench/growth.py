"""Measure how the service grows: more accounts, instruments, years, workers, connections and books a second.

Each curve is written to docs/performance.json as soon as it is measured; `make tables` makes the tables and plots of
the documentation from that file.
"""

import argparse
import os
import shutil
import signal
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from asyncio_client import measure_with_asyncio
from curves import CURVES, Curve, Laboratory
from load import NotMeasuredError
from processes import CLIENT_CORE, can_pin
from record import Recorded, record
from wrk import measure_with_wrk

FIGURES = Path(__file__).parents[1] / "docs" / "performance.json"


def main() -> int:
    """Measure the curves that were chosen, print them and write them to the file."""
    arguments, console = _arguments(), Console(width=140)
    if arguments.list:
        for name, curve in CURVES.items():
            console.print(f"{name:12} {(curve.__doc__ or '').partition(chr(10))[0]}", highlight=False)
        return 0
    for deadly in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(deadly, lambda number, _frame: sys.exit(128 + number))  # so that every `finally` runs
    if pinned := can_pin():
        os.sched_setaffinity(0, {CLIENT_CORE})
    client = measure_with_wrk if shutil.which("wrk") else measure_with_asyncio
    if client is measure_with_asyncio:
        console.print("WEAK CLIENT: without wrk the client may limit the figures itself.", style="bold yellow")
    try:
        for name in arguments.only:
            with tempfile.TemporaryDirectory(prefix="cambist-growth-", ignore_cleanup_errors=True) as folder:
                laboratory = Laboratory(Path(folder), client, arguments.seconds, pinned)
                curve = CURVES[name](laboratory, lambda text, name=name: console.print(f"{name}: {text}"))
            _show(curve, console)
            record(arguments.json, f"growth-{name}", Recorded.now(asdict(curve)))
    except NotMeasuredError as why:
        console.print(f"NOT MEASURED: {why}", style="bold red", markup=False, soft_wrap=True)
        return 1
    except KeyboardInterrupt:
        console.print("Stopped; so are the servers.")
        return 130
    return 0


def _show(curve: Curve, console: Console) -> None:
    """Print a curve as a table."""
    for number, amount in enumerate(curve.amounts):
        figures = "  ".join(f"{one.name}: {one.figures[number]:,.3g} {one.unit}" for one in curve.series)
        console.print(f"  {amount:>8,} {curve.of}  {figures}", highlight=False)


def _arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=_named, default=list(CURVES), metavar="accounts,books", help="default: all")
    parser.add_argument("--list", action="store_true", help="list the curves, and end")
    parser.add_argument("--seconds", type=int, default=2, help="length of each measurement (default: 2)")
    parser.add_argument("--json", type=Path, default=FIGURES, metavar="FILE", help="default: docs/performance.json")
    return parser.parse_args()


def _named(text: str) -> list[str]:
    """Parse the names of curves."""
    wanted = [word.strip() for word in text.split(",")]
    if unknown := set(wanted) - set(CURVES):
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}")
    return wanted


if __name__ == "__main__":
    sys.exit(main())
