"""`cambist export`: yearly files with the rates of `/time-series`, and a manifest that tells what they are."""

from __future__ import annotations

import csv
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import CommandResult

from cambist.admin.export import exporter
from cambist.admin.history.stored_answers import StoredAnswers
from cambist.cli import main
from cambist.clock import utc_now
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.pricing.pair import Pair
from cambist.settings import Settings
from cambist.storage.sql import SqlStore

RECEIVED = datetime(2026, 3, 8, tzinfo=UTC)
UNTIL = ("--since", "2025", "--until", "2026-03-08")

Run = Callable[..., CommandResult]


@pytest.fixture
def run(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `cambist export` on the folder."""
    for variable in [name for name in os.environ if name.startswith("CAMBIST_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("CAMBIST_DATA", str(finished))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> CommandResult:
        monkeypatch.setattr(sys, "argv", ["cambist", "export", *arguments])
        with pytest.raises(SystemExit) as ended:
            main.main()
        output = capsys.readouterr()
        return CommandResult(ended.value.code or 0, output.out, output.err)

    return run


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def manifest(out: Path) -> Any:
    return json.loads((out / "manifest.json").read_bytes())


def contents(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.iterdir()}


def rows(out: Path, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((out / name).read_text().splitlines()))


def store_fixing(folder: Path, source: str, pair: str, day: date, value: str) -> None:
    store = SqlStore(f"sqlite:///{folder / 'cambist.db'}")
    fixing = Fixing(source, Pair(*pair.split("/")), day, Decimal(value))
    store.archive.file(DeliveryRecord(source, RECEIVED, f"a test of {pair} {value}", f"{source} {value}"), [fixing])
    store.close()


def served(folder: Path, base: str, quote: str, end: str) -> dict[str, str]:
    answers = StoredAnswers(Settings(data=folder), datetime(2026, 3, 9, tzinfo=UTC).timestamp)
    content = answers.get("/time-series", {"from": base, "to": quote, "start": "2025-01-01", "end": end})
    found: dict[str, str] = json.loads(content, parse_float=str, parse_int=str)["results"][quote]
    return found


# What is written


def test_the_rates_are_those_of_the_time_series_with_their_digits(run: Run, out: Path, finished: Path) -> None:
    assert run(str(out), *UNTIL, "--base", "GBP", "--codes", "USD,EUR,JPY,BGN,AED,XOF,DEM").code == 0
    found: dict[str, dict[str, str]] = {}
    for name in ("2025.csv", "2026.csv"):
        for row in rows(out, name):
            assert (row["base"], row["date"][:4]) == ("GBP", name[:4])
            found.setdefault(row["quote"], {})[row["date"]] = row["rate"]
    assert set(found) == {"USD", "EUR", "JPY", "BGN", "AED", "XOF", "DEM"}
    for code, rates in found.items():
        assert rates == served(finished, "GBP", code, "2026-03-08")


def test_a_file_is_ordered_by_day_and_code_and_names_sources_and_edition(run: Run, out: Path) -> None:
    assert run(str(out), *UNTIL, "--codes", "jpy,EUR,aed").code == 0
    assert (out / "2025.csv").read_text().splitlines()[0] == "date,base,quote,rate,source,edition"
    found = [(row["date"], row["quote"], row["rate"], row["source"]) for row in rows(out, "2026.csv")]
    assert found[-3:] == [
        ("2026-03-08", "AED", "3.6725", "law"),
        ("2026-03-08", "EUR", "0.8", "ecb"),
        ("2026-03-08", "JPY", "144", "ecb"),
    ]
    assert found == sorted(found)
    editions = {name: {row["edition"] for row in rows(out, name)} for name in ("2025.csv", "2026.csv")}
    assert editions == {file["name"]: {file["edition"]} for file in manifest(out)["files"]}


def test_without_codes_a_day_has_the_currencies_that_it_lists_and_the_metals(
    run: Run, out: Path, finished: Path
) -> None:
    store_fixing(finished, "westmetall", "XCU/USD", date(2026, 3, 6), "12500")
    assert run(str(out), *UNTIL).code == 0
    codes = {row["quote"] for row in rows(out, "2026.csv") if row["date"] == "2026-03-06"}
    answers = StoredAnswers(Settings(data=finished), datetime(2026, 3, 9, tzinfo=UTC).timestamp)
    listed = json.loads(answers.get("/historical", {"from": "USD", "date": "2026-03-06"}))["results"]
    assert codes == {*listed, "XCU"} - {"USD"}


def test_the_manifest_has_hashes_rows_and_the_terms_of_the_sources(run: Run, out: Path) -> None:
    run(str(out), *UNTIL, "--codes", "EUR,AED")
    written = manifest(out)
    assert (written["complete"], written["base"], written["codes"]) == (True, "USD", ["AED", "EUR"])
    for file in written["files"]:
        assert file["sha256"] == sha256((out / file["name"]).read_bytes()).hexdigest()
        found = rows(out, file["name"])
        assert (file["rows"], file["sources"]) == (len(found), {"ecb": sum(row["source"] == "ecb" for row in found)})
    (ecb,) = written["sources"]
    assert (ecb["key"], ecb["redistribution"]) == ("ecb", "allowed")
    assert ecb["terms"].startswith("https://www.ecb.europa.eu/")


def test_rates_of_a_source_that_forbids_it_are_left_out_unless_forced(run: Run, out: Path, finished: Path) -> None:
    store_fixing(finished, "lbma", "XAU/USD", date(2026, 3, 6), "4000")
    ended = run(str(out), *UNTIL, "--codes", "XAU,EUR")
    assert ended.err.startswith("lbma: left out, its terms forbid to pass its rates on: https://")
    assert {row["quote"] for row in rows(out, "2026.csv")} == {"EUR"}
    assert manifest(out)["files"][1]["left_out"] == {"lbma": 3}
    assert {source["key"]: source["redistribution"] for source in manifest(out)["sources"]} == {
        "ecb": "allowed",
        "lbma": "forbidden",
    }

    forced = out.with_name("forced")
    ended = run(str(forced), *UNTIL, "--codes", "XAU,EUR", "--force")
    assert ended.err.startswith("lbma: passing its rates on is forbidden: https://")
    gold = [row for row in rows(forced, "2026.csv") if row["quote"] == "XAU"]
    assert [(row["rate"], row["source"]) for row in gold] == [("0.00025", "lbma")] * 3
    assert (manifest(forced)["forced"], manifest(forced)["files"][1]["left_out"]) == (True, {})


# Repeating


def test_a_repeated_export_writes_nothing_and_another_one_the_same_bytes(run: Run, out: Path) -> None:
    assert run(str(out), *UNTIL).out.endswith(" in 2 files, of which 2 were written now.\n")
    before = {path.name: path.stat().st_ino for path in out.glob("*.csv")}
    again = run(str(out), *UNTIL)
    assert again.out.endswith(" in 2 files, of which 0 were written now.\n")
    assert {path.name: path.stat().st_ino for path in out.glob("*.csv")} == before
    run(str(out.with_name("other")), *UNTIL)
    assert contents(out) == contents(out.with_name("other"))


def test_a_correction_changes_only_the_file_and_the_edition_of_its_year(run: Run, out: Path, finished: Path) -> None:
    run(str(out), *UNTIL)
    before, files = contents(out), manifest(out)["files"]
    store_fixing(finished, "ecb", "EUR/USD", date(2026, 3, 5), "1.2401")
    assert json.loads(run(str(out), *UNTIL, "--json").out)["written"] == ["2026.csv"]
    assert contents(out)["2025.csv"] == before["2025.csv"]
    assert [file["edition"] == now["edition"] for file, now in zip(files, manifest(out)["files"], strict=True)] == [
        True,
        False,
    ]


def test_a_later_last_day_extends_an_export(run: Run, out: Path) -> None:
    run(str(out), "--since", "2025", "--until", "2025")
    assert json.loads(run(str(out), *UNTIL, "--json").out)["written"] == ["2026.csv"]
    assert run(str(out), "--verify").code == 0


def test_an_interrupted_export_continues_with_the_years_that_are_missing(
    run: Run, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, count = exporter._write, []

    def write_one(*arguments: Any) -> Any:
        count.append(arguments)
        if len(count) == 2:
            raise OSError("interrupted")
        return write(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(exporter, "_write", write_one)
        assert run(str(out), *UNTIL).code == 2
    assert run(str(out), "--verify").out == "manifest.json: the export was interrupted: run it again, it continues\n"
    assert json.loads(run(str(out), *UNTIL, "--json").out)["written"] == ["2026.csv"]
    assert run(str(out), "--verify").code == 0


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    """Refuse to write beyond some bytes of a file, as a full disk does."""
    limits, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)


def test_what_cannot_be_written_is_named_and_nothing_half_written_is_left(run: Run, out: Path) -> None:
    with files_no_larger_than(100_000):
        ended = run(str(out), *UNTIL)
    assert ended.code == 2
    assert ended.err == f"cambist: The file {out}/2025.csv cannot be written: File too large\n"
    assert list(contents(out)) == ["manifest.json"]
    assert run(str(out), *UNTIL).code == 0
    assert run(str(out), "--verify").code == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a file system")
def test_on_a_full_disk_the_sentence_says_so(run: Run, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk], check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        ended = run(str(disk / "out"), *UNTIL)
        assert ended.err.endswith("cannot be written: No space left on device; free some space on its disk\n")
        assert not [name for name in contents(disk / "out") if name.startswith(".")]
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


# Verifying


def test_verifying_names_what_differs(run: Run, out: Path) -> None:
    run(str(out), *UNTIL)
    assert run(str(out), "--verify") == CommandResult(0, f"{out}: every file is as it was written.\n", "")
    damaged = bytearray((out / "2026.csv").read_bytes())
    damaged[-3] ^= 1
    (out / "2026.csv").write_bytes(damaged)
    (out / "2025.csv").unlink()
    (out / "notes.txt").touch()
    ended = run(str(out), "--verify")
    hashed = next(file["sha256"] for file in manifest(out)["files"] if file["name"] == "2026.csv")
    assert ended.code == 1
    assert ended.out.splitlines() == [
        "2025.csv: cannot be read: No such file or directory",
        f"2026.csv: its SHA-256 is {sha256(damaged).hexdigest()} instead of {hashed}",
        "notes.txt: is not in manifest.json",
    ]
    assert run(str(out), *UNTIL).code == 0  # writes both again
    (out / "notes.txt").unlink()
    assert run(str(out), "--verify").code == 0


def test_verifying_counts_the_rows(run: Run, out: Path) -> None:
    run(str(out), *UNTIL)
    written = manifest(out)
    written["files"][1]["rows"] += 1
    (out / "manifest.json").write_text(json.dumps(written))
    ended = run(str(out), "--verify", "--json")
    found = len(rows(out, "2026.csv"))
    assert ended.code == 1
    assert json.loads(ended.out) == {"differences": [f"2026.csv: it has {found} rows instead of {found + 1}"]}


# What is refused


def test_a_folder_with_something_else_is_refused_and_left_alone(run: Run, out: Path) -> None:
    out.mkdir()
    (out / "holiday.jpg").touch()
    assert run(str(out), *UNTIL).err == (
        f"cambist: The folder {out} holds other files: name a new or empty one for the export\n"
    )
    (out / "manifest.json").write_text('{"name": "an app"}')
    assert f"{out}/manifest.json is not the manifest of an export" in run(str(out), *UNTIL).err
    assert sorted(contents(out)) == ["holiday.jpg", "manifest.json"]


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--base", "EUR"], "another base, USD instead of EUR"),
        (["--codes", "EUR"], "another codes, all instead of EUR"),
        (["--force"], "another force, False instead of True"),
        (["--since", "2026"], "another since, 2025-01-01 instead of 2026-01-01"),
        (["--until", "2025"], "up to 2026-03-08, later than 2025-12-31"),
    ],
)
def test_two_exports_are_never_mixed_in_one_folder(run: Run, out: Path, options: list[str], sentence: str) -> None:
    run(str(out), *UNTIL)
    before = contents(out)
    ended = run(str(out), *UNTIL, *options)
    assert (ended.code, sentence in ended.err) == (2, True)
    assert contents(out) == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Missing --since: an export needs a first day, such as --since 2020"),
        (["--since", "soon"], "Invalid since: [soon], it takes 2020, 2020-05 or 2020-05-31"),
        (["--since", "2026", "--until", "2025"], "Invalid --since: [2026-01-01] is after the last day, 2025-12-31"),
        (
            ["--since", "2999", "--until", "2999"],
            f"Invalid --since: [2999-01-01] is after the last day, {utc_now():%Y-%m-%d}",
        ),
        (["--since", "2025", "--base", "BTC"], "Invalid/unsupported source currency: [BTC]"),
        (["--since", "2025", "--codes", "EUR,NOPE"], "Invalid/unsupported target currency: [NOPE]"),
        (["--since", "2025", "--format", "cvs"], "Unknown --format: [cvs]; did you mean [csv]?"),
        (
            ["--since", "1980", "--until", "1990", "--codes", "EUR"],
            "There is no rate from [USD] between [1980-01-01] and [1990-12-31]",
        ),
        (["--verify"], "There is no export in out: it has no manifest.json"),
    ],
)
def test_a_wrong_request_is_refused_in_one_sentence(run: Run, out: Path, arguments: list[str], sentence: str) -> None:
    assert run("out", *arguments) == CommandResult(2, "", f"cambist: {sentence}\n")
    assert not out.exists()


def test_a_file_in_place_of_the_folder_and_a_missing_archive_are_refused(run: Run, out: Path) -> None:
    out.touch()
    assert run(str(out), *UNTIL).err == f"cambist: [{out}] is a file: name a folder for the export\n"
    assert "There is no archive in nowhere" in run("other", *UNTIL, "--data", "nowhere").err
