"""`cambist export --format site`: static files with the names of currency-api, and the rates of /historical."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_export import Run, out, run

from cambist.admin.export import site
from cambist.admin.history.stored_answers import StoredAnswers
from cambist.settings import Settings

assert out  # a fixture
assert run

PERIOD = ("--format", "site", "--since", "2026-03-05", "--until", "2026-03-07")


def read(path: Path) -> Any:
    return json.loads(path.read_text(), parse_float=str, parse_int=str)


def historical(finished: Path, base: str, day: str) -> dict[str, str]:
    content = StoredAnswers(Settings(data=finished)).get("/historical", {"date": day, "from": base})
    found: dict[str, str] = json.loads(content, parse_float=str, parse_int=str)["results"]
    return found


def test_each_day_has_the_rates_of_that_day_and_latest_is_the_newest(run: Run, out: Path, finished: Path) -> None:
    ended = run(str(out), *PERIOD)
    assert (ended.code, "3 days, the newest of them 2026-03-07" in ended.out) == (0, True)
    for day in ("2026-03-05", "2026-03-06", "2026-03-07"):
        for base in ("EUR", "USD", "JPY"):
            found = read(out / day / "v1" / "currencies" / f"{base.lower()}.json")
            assert list(found) == ["date", base.lower()]
            assert found["date"] == day
            rates = found[base.lower()]
            for code, rate in historical(finished, base, day).items():
                assert rates[code.lower()] == rate, (day, base, code)
            assert (rates[base.lower()], list(rates)) == ("1", sorted(rates))
            assert read(out / day / "v1" / "currencies" / f"{base.lower()}.min.json") == found
    assert read(out / "latest" / "v1" / "currencies" / "eur.json")["date"] == "2026-03-07"
    names = read(out / "latest" / "v1" / "currencies.json")
    assert (names["eur"], names["jpy"]) == ("Euro", "Japanese Yen")
    assert {path.stem for path in (out / "latest/v1/currencies").glob("*.json") if ".min" not in path.name} == {*names}


def test_numbers_have_no_exponent_and_lines_are_small(run: Run, out: Path) -> None:
    run(str(out), *PERIOD)
    for path in out.rglob("*.json"):
        assert not re.search(r"\d[eE][-+]?\d", path.read_text()) or path.name == "manifest.json"
    assert "\n" not in (out / "latest/v1/currencies/usd.min.json").read_text()


def test_a_second_run_writes_only_what_is_new(run: Run, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(str(out), *PERIOD)
    times = {path: path.stat().st_mtime_ns for path in out.glob("2026-*/**/*.json")}
    written: list[str] = []
    replace = site._replace
    monkeypatch.setattr(site, "_replace", lambda source, place: (written.append(place.name), replace(source, place)))
    assert run(str(out), "--format", "site", "--since", "2026-03-06", "--until", "2026-03-08").code == 0
    assert written == ["2026-03-08", "latest"]
    assert {path: path.stat().st_mtime_ns for path in times} == times
    assert list(read(out / "manifest.json")["days"]) == ["2026-03-05", "2026-03-06", "2026-03-07", "2026-03-08"]


def test_an_interrupted_run_is_continued_and_no_day_is_half(
    run: Run, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = site._files

    def fails(matrix: Any, day: date, codes: Any) -> Any:
        for number, each in enumerate(files(matrix, day, codes)):
            if day == date(2026, 3, 6) and number == 5:
                raise KeyboardInterrupt
            yield each

    monkeypatch.setattr(site, "_files", fails)
    assert run(str(out), *PERIOD).code != 0
    assert [path.name for path in sorted(out.iterdir())] == ["2026-03-05", "2026-03-06.unfinished"]
    monkeypatch.setattr(site, "_files", files)
    assert run(str(out), *PERIOD).code == 0
    names = ["2026-03-05", "2026-03-06", "2026-03-07", "latest", "manifest.json"]
    assert [path.name for path in sorted(out.iterdir())] == names
    assert run(str(out), "--verify").code == 0


def test_what_was_changed_is_found(run: Run, out: Path) -> None:
    run(str(out), *PERIOD)
    changed = out / "2026-03-06" / "v1" / "currencies" / "eur.json"
    changed.write_text(changed.read_text().replace("1.25", "1.26"))
    (out / "2026-03-07" / "v1" / "more.json").write_text("{}")
    ended = run(str(out), "--verify")
    assert (ended.code, ended.out.splitlines()) == (
        1,
        ["2026-03-06/v1/currencies/eur.json: is not as it was written", "2026-03-07/v1/more.json: is in no manifest"],
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--format", "site", "--since", "2026-03-05", "--base", "EUR"), "leave out --base"),
        (("--format", "site"), "Missing --since"),
        (("--format", "site", "--since", "2026-03-07", "--until", "2026-03-05"), "is after the last day"),
    ],
)
def test_what_is_wrong_is_said(run: Run, out: Path, arguments: tuple[str, ...], says: str) -> None:
    ended = run(str(out), *arguments)
    assert (ended.code, says in ended.err) == (2, True)


def test_a_folder_with_other_files_is_refused(run: Run, out: Path) -> None:
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    ended = run(str(out), *PERIOD)
    assert (ended.code, "holds other files" in ended.err, len(list(out.iterdir()))) == (2, True, 1)
