"""`cambist report` against a real service: what it shows is what was signed, and what was changed is found."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

from cambist.client import Cambist

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]


@dataclass
class Reporting:
    """A service on the packaged history, and the commands that ask it."""

    client: Cambist
    variables: dict[str, str]

    def run(self, *arguments: str) -> tuple[int, str]:
        ended = subprocess.run(
            [COMMAND, *arguments], env=self.variables, capture_output=True, text=True, check=False, timeout=90
        )
        return ended.returncode, ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reporting]:
    folder, port = tmp_path_factory.mktemp("reports"), free_port()
    copy_first_start(folder / "data")
    variables = environment(
        CAMBIST_FETCH="false", CAMBIST_DATA=str(folder / "data"), CAMBIST_PORT=str(port), CAMBIST_STREAM_PORT="0",
        CAMBIST_OPERATOR_PORT="0", CAMBIST_WORKERS="1",
    )  # fmt: skip
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([COMMAND, "serve"], env=variables, stdout=log, stderr=log)
        with ended_in_the_end(process):
            key = (folder / "data" / "owner.key").read_text().strip()
            with Cambist(f"http://127.0.0.1:{port}", key) as client:
                assert until(lambda: _answers(client), PATIENCE), (folder / "log").read_text()
                yield Reporting(client, variables)


def _answers(client: Cambist) -> bool:
    try:
        return client.is_cambist()
    except Exception:  # noqa: BLE001  it is asked again
        return False


def rows_of(page: str) -> list[list[str]]:
    found = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", page)]
    return [row for row in found if row and re.fullmatch(r"\d{4}-\d\d-\d\d", row[0])]


@pytest.mark.parametrize("chosen", [(), ("--source", "ecb"), ("--booking", "eu-customs"), ("--booking", "de-vat")])
def test_a_report_shows_what_the_service_answers_and_its_receipt_is_valid(
    service: Reporting, tmp_path: Path, chosen: tuple[str, ...]
) -> None:
    file = tmp_path / "report.html"
    code, said = service.run("report", "EUR", "USD,JPY", "--since", "2024-02", *chosen, "--output", str(file))
    assert code == 0, said
    page = file.read_text()
    options = {chosen[0].removeprefix("--"): chosen[1]} if chosen else {}
    series = service.client.time_series("EUR", ["USD", "JPY"], date(2024, 2, 1), date(2024, 2, 29), **options)
    days = [row for row in rows_of(page) if len(row) == 4]
    assert {row[0]: row[1] for row in days} == {str(day): str(rate) for day, rate in series.results["USD"].items()}
    assert {row[0]: row[2] for row in days} == {str(day): str(rate) for day, rate in series.results["JPY"].items()}
    assert "European Central Bank" in page
    if "--booking" in chosen:
        rule = series.booking
        assert rule is not None
        assert f"{rule.purpose} ({rule.country}), by {rule.law}." in page
        fixed_on = {row[0]: row[3] for row in days}
        assert fixed_on["2024-02-05"] == {"eu-customs": "2024-01-24", "de-vat": "2024-02-29"}[chosen[1]]
    assert "Sandbox" not in page
    code, verified = service.run("verify", str(file), "--json")
    assert (code, json.loads(verified)["question"].startswith("GET /time-series?")) == (0, True)


def test_the_means_are_those_of_the_days(service: Reporting, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    code, said = service.run(
        "report", "EUR", "USD", "--since", "2024-02", "--until", "2024-03", "--source", "ecb", "--output", str(file)
    )
    assert code == 0, said
    rows = rows_of(file.read_text())
    days = {row[0]: float(row[1]) for row in rows if len(row) == 3 and row[2] == "the day"}
    means = [row for row in rows if len(row) == 8]
    assert [row[0] for row in means] == ["2024-02-01", "2024-03-01"]
    for start, end, _, mean, high, low, _, used in means:
        within = [rate for day, rate in days.items() if start <= day <= end]
        assert float(mean) == pytest.approx(sum(within) / len(within), rel=1e-9)
        assert (float(high), float(low), int(used.partition(",")[0])) == (max(within), min(within), len(within))


def test_a_changed_report_is_found(service: Reporting, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    code, said = service.run("report", "EUR", "USD", "--since", "2024-02", "--output", str(file))
    assert code == 0, said
    page = file.read_text()
    row = next(row for row in rows_of(page) if len(row) == 3)
    for changed in (
        page.replace(f'<td>{row[0]}</td><td class="num">{row[1]}', f'<td>{row[0]}</td><td class="num">9.99'),
        page.replace(f"<td>{row[0]}</td>", "<td>2024-03-01</td>"),
        page.replace("<th>Day</th>", "<th>Date</th>"),
        re.sub(r'(id="receipt">[^.]*\.[A-Za-z0-9_-]{40})[A-Za-z0-9_-]', r"\1A", page),
    ):
        assert changed != page
        (tmp_path / "changed.html").write_text(changed)
        code, said = service.run("verify", str(tmp_path / "changed.html"))
        assert (code, said.startswith("Not valid:")) == (1, True), said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("EUR", "ZZZ", "--since", "2024-02"), "ZZZ"),
        (("EUR", "USD", "--since", "2024-13"), "since"),
        (("EUR", "USD", "--since", "2024-02", "--source", "nowhere"), "nowhere"),
        (("EUR", "USD", "--since", "2024-02", "--booking", "nothing"), "booking-rules"),
        (("EUR", "USD", "--since", "2024-02", "--booking", "de-vat", "--source", "ecb"), "[booking] names the source"),
        (("EUR", "USD", "--since", "2024-02", "--by", "decade"), "by"),
    ],
)
def test_what_cannot_be_reported_is_said_and_no_file_is_written(
    service: Reporting, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    file = tmp_path / "report.html"
    code, said = service.run("report", *arguments, "--output", str(file))
    assert (code != 0, says in said, file.exists(), "Traceback" in said) == (True, True, False, False), said


def test_a_file_that_is_there_is_not_replaced(service: Reporting, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("mine")
    code, said = service.run("report", "EUR", "USD", "--since", "2024-02", "--output", str(tmp_path / "report.html"))
    assert (code != 0, "already" in said, (tmp_path / "report.html").read_text()) == (True, True, "mine")


def test_averages_are_shown_with_and_without_the_service_alike(service: Reporting, tmp_path: Path) -> None:
    asked = ("averages", "EUR", "USD,JPY", "--since", "2024-01", "--until", "2024-02", "--source", "ecb")
    code, said = service.run(*asked, "--csv")
    assert code == 0, said
    lines = [line.split(",") for line in said.splitlines() if line.startswith("2024-")]
    found = service.client.averages("EUR", ["USD", "JPY"], date(2024, 1, 1), date(2024, 2, 29), source="ecb").results
    assert [line[4] for line in lines] == [str(each.mean) for code in ("USD", "JPY") for each in found[code]]
    assert "As ecb published them." in said
    copy_first_start(tmp_path / "data")
    changed = {"CAMBIST_DATA": str(tmp_path / "data"), "CAMBIST_PORT": str(free_port())}
    code, stored = Reporting(service.client, service.variables | changed).run(*asked, "--csv")
    assert (code, "the data folder" in stored) == (0, True), stored
    assert [line.split(",") for line in stored.splitlines() if line.startswith("2024-")] == lines


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("EUR", "USD", "--since", "2024-02", "--csv", "--json"), "Choose one of --csv and --json"),
        (("EUR", "USD", "--since", "2024-02", "--by", "decade"), "by"),
        (("EUR", "USD", "--since", "2024-02", "--booking", "eu-customs"), "no mean"),
        (("EUR", "USD", "--since", "then"), "Invalid since"),
    ],
)
def test_averages_that_cannot_be_shown(service: Reporting, arguments: tuple[str, ...], says: str) -> None:
    code, said = service.run("averages", *arguments)
    assert (code != 0, says in said, "Traceback" in said) == (True, True, False), said


def test_a_series_by_a_rule_is_shown(service: Reporting) -> None:
    code, said = service.run(
        "series", "EUR", "USD", "--since", "2024-02-10", "--until", "2024-02-11", "--booking", "eu-customs"
    )
    assert code == 0, said
    assert [line.split()[-1] for line in said.splitlines() if line.startswith("2024-02-1")] == ["2024-01-24"] * 2


ARTICLES = "sku;price;last.USD\nA;12,50;14,95\nB;99;\n"


def test_files_are_priced_as_the_service_does_it(service: Reporting, tmp_path: Path) -> None:
    file, output = tmp_path / "articles.csv", tmp_path / "prices.csv"
    file.write_text(ARTICLES)
    terms = ("--from", "EUR", "--to", "USD,CHF", "--markup", "2.5%", "--date", "2024-02-29", "--decimal", "comma")
    code, said = service.run("prices", str(file), *terms, "--output", str(output))
    assert (code, said) == (0, f"{output}: written\n")
    lines = [line.split(";") for line in output.read_text().splitlines()]
    assert [line[:2] for line in lines[1:]] == [["A", "USD"], ["A", "CHF"], ["B", "USD"], ["B", "CHF"]]
    told = service.client.price_list("12.50", "EUR", ["USD", "CHF"], markup="2.5%", date=date(2024, 2, 29))
    assert [line[2].replace(",", ".") for line in lines[1:3]] == [
        str(told.prices[code].price) for code in ("USD", "CHF")
    ]
    code, said = service.run("prices", str(file), *terms, "--output", str(output))
    assert (code != 0, "already" in said) == (True, True)
    code, said = service.run("prices", str(file), *terms[:-2], "--output", str(tmp_path / "book.xlsx"))
    assert (code != 0, "declare decimal=comma" in said, (tmp_path / "book.xlsx").exists()) == (True, True, False), said
    code, said = service.run("prices", str(file), *terms, "--output", str(tmp_path / "book.xlsx"))
    assert (code, (tmp_path / "book.xlsx").read_bytes()[:2]) == (0, b"PK"), said


def test_positions_and_pieces_are_valued(service: Reporting, tmp_path: Path) -> None:
    file = tmp_path / "file.csv"
    file.write_text("asset,amount\nUSD,1200\nJPY,-5000\n")
    code, said = service.run("value", str(file), "--currency", "EUR", "--date", "2024-02-29")
    assert (code, [line.split(",")[1] for line in said.splitlines()[1:]]) == (0, ["USD", "JPY"]), said
    file.write_text("metal,weight,unit\nXAU,-1,gram\n")
    code, said = service.run("pieces", str(file), "--currency", "EUR")
    assert (code != 0, "Piece 1: Invalid weight" in said, "Traceback" in said) == (True, True, False), said
    code, said = service.run("value", str(tmp_path / "none.csv"), "--currency", "EUR")
    assert (code != 0, "none.csv" in said, "Traceback" in said) == (True, True, False), said
