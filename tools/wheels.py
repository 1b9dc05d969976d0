"""Ask for which platforms and versions of Python all packages of a node have wheels, and write docs/wheels.json.

uv resolves requirements-cluster.lock as each platform would, with wheels only, and with the hashes of the lock: so what
is answered is whether the very files that the lock names can be installed there without a compiler. The table in the
documentation is made of the file, without a registry.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
ANSWERS = ROOT / "docs/wheels.json"
LOCK = ROOT / "requirements-cluster.lock"
PYTHONS = ("3.11", "3.12", "3.13", "3.14", "3.15")
PLATFORMS = {
    "Linux, x86-64": "x86_64-manylinux_2_36",
    "Linux, ARM": "aarch64-manylinux_2_36",
    "Linux with musl, x86-64": "x86_64-unknown-linux-musl",
    "Linux with musl, ARM": "aarch64-unknown-linux-musl",
    "macOS, Apple silicon": "aarch64-apple-darwin",
    "macOS, Intel": "x86_64-apple-darwin",
    "Windows, x86-64": "x86_64-pc-windows-msvc",
}
_MISSING = re.compile(r"Because (?:only )?([A-Za-z0-9._-]+)[=><]=\S+ (?:has no|and .* no)")


class NotAnsweredError(Exception):
    """The registry gave no answer, or one that is not understood; the text says which."""


def missing_wheels(lock: str, platform: str, python: str, most: int = 10) -> list[str]:
    """Return which packages of a lock have no wheel for a platform. Errors: NotAnsweredError."""
    missing: list[str] = []
    while len(missing) < most:
        answer = _ask(without(lock, missing), platform, python)
        if answer.returncode == 0:
            return missing
        found = _MISSING.search(" ".join(answer.stderr.split()))
        if found is None or found[1] in missing:
            raise NotAnsweredError(f"{platform}, Python {python}:\n{answer.stderr}")
        missing.append(found[1])
    return missing


def without(lock: str, names: list[str]) -> str:
    """Return a lock without some packages."""
    blocks = re.split(r"\n(?=\S)", lock)
    return "\n".join(each for each in blocks if each.partition("==")[0] not in names)


def _ask(lock: str, platform: str, python: str) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "lock.txt"
        file.write_text(lock)
        command = [sys.executable, "-m", "uv", "pip", "install", "--dry-run", "--no-deps", "--require-hashes"]
        where = ["--python-platform", platform, "--python-version", python, "--target", name]
        only = [*command, "--only-binary", ":all:", *where, "-r", str(file)]
        return subprocess.run(only, capture_output=True, text=True, check=False)  # noqa: S603  our own arguments


def wheels() -> str:
    """Return the table of docs/wheels.json: a row for each platform, a column for each version of Python."""
    answers = json.loads(ANSWERS.read_text())
    rows = [["platform", *(f"Python {each}" for each in PYTHONS)], ["---"] * (len(PYTHONS) + 1)]
    for platform in PLATFORMS:
        found = (answers["missing"][platform][python] for python in PYTHONS)
        rows.append([platform, *("not " + ", ".join(each) if each else "all" for each in found)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> None:
    """Ask about all platforms, and write the answers."""
    lock = LOCK.read_text()
    missing = {
        name: {python: missing_wheels(lock, platform, python) for python in PYTHONS}
        for name, platform in PLATFORMS.items()
    }
    pinned = sorted(re.findall(r"^([A-Za-z0-9._-]+==[^\s;]+)", lock, re.MULTILINE))
    ANSWERS.write_text(json.dumps({"packages": pinned, "missing": missing}, indent=1) + "\n")


if __name__ == "__main__":
    main()
