"""Run hostile clients against a service on loopback beside one that behaves, and print what that costs.

python -m tools.attack.run --seed 1 --only trailers,slow --seconds 10
python -m tools.attack.run --url http://127.0.0.1:8000 --operator http://127.0.0.1:8002 --pid 123 < owner.key
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
from tools.attack.cost import MOST_SLOWER, Cost
from tools.attack.measure import memory, settled, sockets
from tools.attack.target import Target, running, started

_BEFORE_SECONDS = 4
_AFTER_SECONDS = 10
_TAIL_SECONDS = 1  # what an attack has left in queues still counts as its time
_MEMORY_BACK = 1.1
_REPEATS = 2
_HEADING = (
    f"{'attack':15} {'p99 ms':>12} {'ratio':>6} {'p99':>4} {'wrong':>5} {'MB a process':>60} {'sockets':>10}"
    "  what the clients got; what broke"
)


def main() -> int:
    """Run the chosen attacks; return 1 if memory, sockets or answers were not as before, or an attack did nothing."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the service ends, too
    attacks = chosen(options.only)
    broken, slow = [], []
    with tempfile.TemporaryDirectory() as folder, _target(options, Path(folder)) as target:
        print(_HEADING, flush=True)
        with _normal_client(target, Path(folder) / "normal") as answers:
            os.nice(10)  # they share a core with the client that behaves, and would not do so elsewhere
            for attack in attacks:
                if not attack.is_possible(target):
                    print(f"{attack.name:15} skipped: the service has no such port", flush=True)
                    continue
                chance = random.Random(f"{options.seed} {attack.name}")  # noqa: S311 - no secret
                cost = _cost(attack, Means(target, chance, options.seconds), answers)
                print(cost.line(), flush=True)
                broken += [attack.name] * bool(cost.broken)
                slow += [attack.name] * (not cost.is_quick)
    print(f"Broken: {', '.join(broken)}." if broken else "Memory, sockets and answers are as before.")
    if slow:
        print(f"The client that behaves waited more than {MOST_SLOWER:g} times as long: {', '.join(slow)}.")
    return 1 if broken else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="names of attacks, separated by commas")
    parser.add_argument("--seconds", type=float, default=10, help="the longest time of one attack")
    live = parser.add_argument_group("a service that runs already on this machine, in place of one that is started")
    live.add_argument("--url", default="", help="such as http://127.0.0.1:8000; the key comes on the standard input")
    live.add_argument("--stream", default="", help="such as ws://127.0.0.1:8001")
    live.add_argument("--operator", default="", help="such as http://127.0.0.1:8002")
    live.add_argument("--pid", type=int, default=0, help="the id of its first process")
    options = parser.parse_args()
    if bool(options.url) != bool(options.pid):
        parser.error("--url and --pid come together")
    return options


@contextlib.contextmanager
def _target(options: argparse.Namespace, folder: Path) -> Iterator[Target]:
    """Yield the running service of the options, or a new one on a core of its own."""
    os.nice(5)
    if options.url:
        key = sys.stdin.readline().strip()
        yield running(options.url, options.stream, options.operator, options.pid, key)
        return
    with started(folder) as target:
        _separate(target)
        yield target


def _cost(attack: Attack, means: Means, answers: Path) -> Cost:
    """Run an attack, and return what it has cost."""
    target = means.target
    start = time.monotonic()
    time.sleep(_BEFORE_SECONDS)
    before, open_before = memory(target), settled(target)
    means.begin = begin = time.monotonic()
    attack.run(means)
    end = time.monotonic()
    during, open_during = memory(target), sockets(target)
    time.sleep(_AFTER_SECONDS)
    after, open_after = memory(target), settled(target)
    quiet, disturbed = _answers(answers, start, begin), _answers(answers, begin, end + _TAIL_SECONDS)
    wrong = sum(not right for _, right in disturbed)
    broken = (
        ["memory"] * (_has_grown(before, after) and _grows_on(attack, means, after))
        + ["sockets"] * (open_after > open_before)
        + ["answers"] * bool(wrong)
    )
    broken += ["processes"] * (set(before) != set(after))
    return Cost(
        attack.name,
        _p99(quiet),
        _p99(disturbed),
        wrong,
        [f"{before[pid] >> 10}/{during.get(pid, 0) >> 10}/{after.get(pid, 0) >> 10}" for pid in before],
        f"{open_before}/{open_during}/{open_after}",
        ", ".join(f"{count} {answer}" for answer, count in sorted(means.seen.items())),
        broken + attack.wrong_answers(means),
    )


def _has_grown(before: dict[int, int], after: dict[int, int]) -> bool:
    return any(after.get(pid, 0) > size * _MEMORY_BACK for pid, size in before.items())


def _grows_on(attack: Attack, means: Means, last: dict[int, int]) -> bool:
    """Repeat an attack, and return whether memory grows each time: caches and libraries are filled and loaded once."""
    for _ in range(_REPEATS):
        means.begin = time.monotonic()
        attack.run(means)
        time.sleep(_AFTER_SECONDS)
        now = memory(means.target)
        if not _has_grown(last, now):
            return False
        last = now
    return True


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
    """Give the service the first core and the clients the last one."""
    cores = sorted(os.sched_getaffinity(0))
    for pid in memory(target):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), {cores[0]})
    os.sched_setaffinity(0, {cores[-1]})


if __name__ == "__main__":
    sys.exit(main())
