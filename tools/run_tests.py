"""Run tests: parts side by side, what fails once again, and at the end one line with the totals.

`make test` runs the short ones, `make test-long` those marked as long. Each part is a pytest of its own, which chooses
its tests and records outcomes and durations with the hooks at the end of this file. What it prints and the durations
(`make test-times`) are in .cache/tests/.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

FOLDER = Path(".cache/tests")
LENGTHS = ("short", "long")
SLOWEST, MOST_REPEATED_FILES = 60, 12
# Services mostly wait: they fill the pauses of the others. A browser leaves an event loop in its process of tests.
SIDE_BY_SIDE = [["in-process"], ["services", "browser"]]
# These files take longest: no process is to begin with one when the others have ended.
FIRST = {"test_rounds", "test_upgrade", "test_leader", "test_operating_nodes", "test_postgresql", "test_sources"}


def arguments_of(part: str) -> list[str]:
    """Return the arguments of pytest. Files of services are named, because collecting all tests takes time."""
    if part == "in-process":
        return ["-m", "not service", "--numprocesses", "2", "--dist", "worksteal"]
    files = sorted(Path("tests").rglob("test_*.py"), key=lambda path: (path.stem not in FIRST, path))
    marked = [path for path in files if "pytest.mark.service" in path.read_text("utf-8")]
    chosen = [path for path in marked if ("web" in path.parts) == (part == "browser")]
    spread = ["--numprocesses", "2" if part == "browser" else "3", "--dist", "loadfile", "--no-loadscope-reorder"]
    return ["-m", "service", *spread, *map(str, chosen)]


@dataclass
class Results:
    """What became of tests; `trouble` is what went wrong besides tests that failed."""

    outcomes: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    trouble: list[str] = field(default_factory=list)
    took: float = 0.0

    def add(self, test: str, when: str, outcome: str, seconds: float) -> None:
        """Add a phase of a test, such as its setup: the worst outcome of a phase is that of the test."""
        ranks = ["passed", "skipped", "failed"]
        self.outcomes[test] = max(outcome, self.outcomes.get(test, "passed"), key=ranks.index)
        self.seconds[f"{when:8} {test}"] = seconds

    def named(self, outcome: str) -> list[str]:
        """Return the tests with an outcome."""
        return sorted(test for test, found in self.outcomes.items() if found == outcome)

    def settle(self, again: Results) -> None:
        """Note what failed once and then passed as flaky."""
        for test in self.named("failed"):
            if again.outcomes.get(test) == "passed":
                self.outcomes[test] = "flaky"

    def complaints(self) -> list[str]:
        """Return a line for each test that failed or is flaky, and the trouble."""
        return [f"{each}: {test}" for each in ("flaky", "failed") for test in self.named(each)] + self.trouble

    def summary(self) -> str:
        """Return all totals in one line."""
        counts = Counter(self.outcomes.values())
        told = ", ".join(f"{counts[outcome]:,} {outcome}" for outcome in ("passed", "failed", "skipped", "flaky"))
        return f"{told} in {int(self.took // 60)} min {int(self.took % 60)} s"


def run(part: str, arguments: list[str], length: str | None = None) -> Results:
    """Run pytest to its end, with its output in a log, and return what it recorded. `None` runs tests of any length."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    record, log = FOLDER / f"{part}.jsonl", FOLDER / f"{part}.log"
    record.unlink(missing_ok=True)  # of the run before
    began = time.monotonic()
    # Compiled tests are kept, whatever the environment says: each start without them takes half a minute.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["RECORD_OF_TESTS"] = str(record.absolute())
    command = [sys.executable, "-m", "pytest", "-p", "tools.run_tests", "-o", f"cache_dir={FOLDER / 'cache' / part}"]
    command += ["--length", length] if length else []
    with log.open("wb") as to:
        done = subprocess.run([*command, *arguments], stdout=to, stderr=to, env=environment, check=False)  # noqa: S603
    results = Results(took=time.monotonic() - began)
    for line in record.read_text("utf-8").splitlines() if record.exists() else []:
        try:
            results.add(**json.loads(line))
        except json.JSONDecodeError:
            results.trouble.append(f"{record} has a line that was not written to its end: is the disk full?")
    if done.returncode and not (done.returncode == 1 and results.named("failed")):
        results.trouble.append(f"pytest ended with {done.returncode}: see {log}")
    return results


def run_parts(parts: list[str], length: str) -> dict[str, Results]:
    """Run the tests of a length of parts one after the other, and print how each ended."""
    found = {}
    for part in parts:
        found[part] = run(part, arguments_of(part), length)
        print(f"{part}: {found[part].summary()}", *found[part].complaints(), sep="\n  ", flush=True)
    return found


def write_durations(parts: dict[str, Results], path: Path) -> None:
    """Write the slowest phases of each part's tests. A setup may be that of a fixture which others share."""
    with path.open("w", encoding="utf-8") as file:
        for part, results in parts.items():
            print(f"{part}: {results.summary()}", file=file)
            for phase, seconds in sorted(results.seconds.items(), key=lambda each: -each[1])[:SLOWEST]:
                print(f"{seconds:8.2f} s {phase}", file=file)


def main(length: str = LENGTHS[0]) -> int:
    """Run the tests of a length of all parts, and what failed once more; return the exit code."""
    print(f"Parts of the tests run side by side; what each prints is in {FOLDER}.", flush=True)
    total, began = Results(), time.monotonic()
    with ThreadPoolExecutor() as lanes:
        parts = {
            part: results
            for lane in lanes.map(partial(run_parts, length=length), SIDE_BY_SIDE)
            for part, results in lane.items()
        }
    write_durations(parts, FOLDER / "durations.txt")
    for results in parts.values():
        total.outcomes |= results.outcomes
        total.trouble += results.trouble
    files = {test.partition("::")[0] for test in total.named("failed")}  # a service that fails, fails all that ask it
    if 0 < len(files) <= MOST_REPEATED_FILES:
        total.settle(run("repeated", total.named("failed")))
        parts["repeated"] = Results()
    has_failed = total.named("failed") or total.named("flaky")
    for log in [FOLDER / f"{part}.log" for part in parts] if has_failed else []:
        print(log.read_text("utf-8", "replace")[-20_000:])
    total.took = time.monotonic() - began
    print(*total.complaints(), total.summary(), sep="\n", flush=True)
    return 1 if total.named("failed") or total.trouble else 0


def is_long(mark: Any, number: int) -> bool:
    """Return whether the case of this number of a test is long, by its mark `long`, of which there may be none.

    Of a test marked with `every=5`, each fifth case is short.
    """
    return mark is not None and not (mark.kwargs.get("every") and number % mark.kwargs["every"] == 0)


def pytest_addoption(parser: Any) -> None:
    """Add the option for the length of tests: this and the following are hooks of pytest."""
    parser.addoption("--length", choices=LENGTHS, help="run only the tests that are marked as long, or only the others")


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Leave out the tests of another length."""
    if (length := config.getoption("--length")) is None:
        return
    numbers: Counter[str] = Counter()
    found: dict[str, list[Any]] = {each: [] for each in LENGTHS}
    for item in items:
        test = item.nodeid.partition("[")[0]
        found["long" if is_long(item.get_closest_marker("long"), numbers[test]) else "short"].append(item)
        numbers[test] += 1
    items[:] = found.pop(length)
    config.hook.pytest_deselected(items=[item for others in found.values() for item in others])


def pytest_runtest_logreport(report: Any) -> None:
    """Record a phase of a test, in the process that hears of all tests."""
    path = os.environ.get("RECORD_OF_TESTS")
    if path and "PYTEST_XDIST_WORKER" not in os.environ:
        test = {"test": report.nodeid, "when": report.when, "outcome": report.outcome, "seconds": report.duration}
        with Path(path).open("a", encoding="utf-8") as record:
            record.write(json.dumps(test) + "\n")


def pytest_collectreport(report: Any) -> None:
    """Record a file that cannot be collected."""
    if report.failed:
        report.when, report.duration = "collect", 0.0
        pytest_runtest_logreport(report)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
