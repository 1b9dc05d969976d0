"""Disturb a cluster in rounds that a seed decides, under load, and see what must hold.

    make cluster-rounds ROUNDS=100 SEED=7 NODES=3 WORKERS=1

In each round some faults are made, held and undone, and then all nodes must answer and have one leader and fresh prices
again. Calls, quotas, books, fixings and bars are checked; `tools/cluster/checks.py` says how. The exit code is 1 if
something did not hold. The same seed makes the same faults in the same order, and each round says its own seed: with it
and `ROUNDS=1` its faults come alone.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import tempfile
import time
from pathlib import Path

from tools.cluster.cluster import running_cluster
from tools.cluster.disturbed_run import DisturbedRun, Options
from tools.cluster.faults import FAULTS
from tools.cluster.isolation import isolate
from tools.cluster.servers import NoServerError

NO_SERVER = 77
"""The exit code where a server that a cluster needs is not installed."""


def main() -> None:
    """Run the rounds, and print what did not hold."""
    options = _arguments()
    isolate(["-m", "tools.cluster.rounds", *sys.argv[1:], "--seed", str(options.seed)], is_wanted=not options.ports)
    size = f"NODES={options.nodes} WORKERS={options.workers}"
    command = f"make cluster-rounds ROUNDS={options.rounds} SEED={options.seed} {size}"
    print(f"Seed {options.seed}. Again: {command}", flush=True)
    try:
        wrong = _run(options)
    except NoServerError as error:
        print(error)
        sys.exit(NO_SERVER)
    for sentence in wrong:
        print("WRONG", sentence)
    print(f"{len(wrong)} things are wrong. Again: {command}" if wrong else "All held.")
    sys.exit(1 if wrong else 0)


def _run(options: argparse.Namespace) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="cluster-", dir=options.keep) as name:
        folder = Path(name)
        folder.chmod(0o711)  # PostgreSQL may run as another user
        started = time.monotonic()
        with running_cluster(folder, options.nodes, options.workers, is_disturbed=True) as cluster:
            print(f"{options.nodes} nodes run after {time.monotonic() - started:.0f} s: {folder}", flush=True)
            chosen = Options(options.rounds, options.faults, options.most, options.hold, options.compare)
            run = DisturbedRun(cluster, chosen, options.seed)
            wrong = run.run()
        if options.json:
            options.json.write_text(json.dumps(run.result(), indent=1), encoding="utf-8")
        if wrong and options.keep:
            folder.rename(folder.with_name(folder.name + "-kept"))
            folder.mkdir()
        return wrong


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000))
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--most", type=int, default=2, help="most faults in a round")
    parser.add_argument("--faults", nargs="*", default=[], choices=[*FAULTS], help="only these, in turn")
    parser.add_argument("--hold", type=float, help="seconds for which each fault that lasts holds")
    parser.add_argument("--no-compare", dest="compare", action="store_false", help="no undisturbed run to compare with")
    parser.add_argument("--ports", action="store_true", help="make no namespaces")
    parser.add_argument("--json", type=Path, help="write the result to this file")
    parser.add_argument("--keep", type=Path, help="folder in which the data stays if something is wrong")
    return parser.parse_args()


if __name__ == "__main__":
    main()
