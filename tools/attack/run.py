"""Run hostile clients against a service on loopback beside one that behaves, and print what that costs.

python -m tools.attack.run --seed 1 --only trailers,slow --seconds 10
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tools.attack.attack import Attack, Means
from tools.attack.catalogue import chosen
from tools.attack.measure import memory, settled, sockets
from tools.attack.target import Target, started

_BEFORE_SECONDS = 4
_AFTER_SECONDS = 10
_TAIL_SECONDS = 1  # what an attack has left in queues still counts as its time
_MEMORY_BACK = 1.1


def main() -> int:
    """Run the chosen attacks; return 1 if memory, sockets or answers were not as before."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="names of attacks, separated by commas")
    parser.add_argument("--seconds", type=float, default=10, help="the longest time of one attack")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the service ends, too
    attacks = chosen(options.only)
    failed = []
    with tempfile.TemporaryDirectory() as folder, started(Path(folder)) as target:
        _separate(target)
        print(
            f"{'attack':12} {'p99 ms':>14} {'ratio':>6} {'wrong':>6} {'MB a process':>42} {'sockets':>12}  broken",
            flush=True,
        )
        with _normal_client(target, Path(folder) / "normal") as answers:
            for attack in attacks:
                means = Means(target, random.Random(f"{options.seed} {attack.name}"), options.seconds)  # noqa: S311 - no secret
                if _row(attack, means, answers):
                    failed.append(attack.name)
    print(f"Broken: {', '.join(failed)}." if failed else "Memory, sockets and answers are as before.")
    return 1 if failed else 0


def _row(attack: Attack, means: Means, answers: Path) -> list[str]:
    """Run an attack, print its row, and return what it broke."""
    target = means.target
    start = time.monotonic()
    time.sleep(_BEFORE_SECONDS)
    held, open_before = memory(target), settled(target)
    means.begin = begin = time.monotonic()
    attack.run(means)
    end = time.monotonic()
    during, open_during = memory(target), sockets(target)
    time.sleep(_AFTER_SECONDS)
    after, open_after = memory(target), settled(target)
    quiet, disturbed = _answers(answers, start, begin), _answers(answers, begin, end + _TAIL_SECONDS)
    wrong = sum(not right for _, right in disturbed)
    p99, ratio = _p99(disturbed), _p99(disturbed) / (_p99(quiet) or 1)
    grown = [pid for pid in held if pid in after and after[pid] > held[pid] * _MEMORY_BACK]
    broken = ["memory"] * bool(grown) + ["sockets"] * (open_after > open_before) + ["answers"] * bool(wrong)
    broken += ["processes"] * (set(held) != set(after))
    sizes = " ".join(f"{held[pid] >> 10}/{during.get(pid, 0) >> 10}/{after.get(pid, 0) >> 10}" for pid in held)
    times = f"{_p99(quiet) * 1000:.1f}/{p99 * 1000:.1f}"
    connections = f"{open_before}/{open_during}/{open_after}"
    print(
        f"{attack.name:12} {times:>14} {ratio:6.1f} {wrong:6} {sizes:>42} {connections:>12}  {', '.join(broken)}",
        flush=True,
    )
    return broken


@contextlib.contextmanager
def _normal_client(target: Target, answers: Path) -> Iterator[Path]:
    command = [sys.executable, "-m", "tools.attack.normal_client", str(target.port)]
    with answers.open("wb") as output:
        client = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output)
    assert client.stdin is not None
    client.stdin.write(target.key.encode() + b"\n")
    client.stdin.close()
    try:
        yield answers
    finally:
        client.kill()
        client.wait()


def _answers(path: Path, start: float, end: float) -> list[tuple[float, bool]]:
    rows = [line.split() for line in path.read_text(encoding="ascii").splitlines()]
    return [(float(row[1]), row[2] == "1") for row in rows if len(row) == 3 and start <= float(row[0]) < end]


def _p99(answers: list[tuple[float, bool]]) -> float:
    ordered = sorted(seconds for seconds, _ in answers)
    return ordered[int(len(ordered) * 0.99)] if ordered else 0.0


def _separate(target: Target) -> None:
    """Give the service the first core and the clients the last one, and the attackers less of it."""
    cores = sorted(os.sched_getaffinity(0))
    for pid in memory(target):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), {cores[0]})
    os.sched_setaffinity(0, {cores[-1]})
    os.nice(5)


if __name__ == "__main__":
    sys.exit(main())
