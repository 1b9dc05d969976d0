"""`cambist convert FILE`: from the data folder, and from a service, in parts."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import CommandResult
from tests.conftest import KEY, Client

from cambist.cli import convert_file
from cambist.cli.remote_service import RemoteService

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

Run = Callable[..., CommandResult]
ROWS = 'id,amount,from,to,date\n1,100,EUR,JPY,\n"2, two",100,EUR,JPY,2026-03-03\n3,1,EUR,ABC,\n4,8,eur,gbp,\n'
HEADER = "id,amount,from,to,date,result,rate,as_of,error"


@pytest.fixture
def invoices(tmp_path: Path) -> Path:
    path = tmp_path / "invoices.csv"
    path.write_text(ROWS)
    return path


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_a_file_is_converted_from_the_folder(run: Run, finished: Path, invoices: Path) -> None:
    result = run("convert", str(invoices))
    rows = rows_of(result.out)
    assert ",".join(rows[0]) == HEADER
    assert [row[0] for row in rows[1:]] == ["1", "2, two", "3", "4"]
    assert [row[5:7] for row in rows[1:]] == [["18000", "180"], ["18200", "182"], ["", ""], ["6.4", "0.8"]]
    assert rows[3][8] == "Invalid/unsupported target currency: [ABC]"
    assert result.code == 1
    assert f"{invoices}: 3 of 4 amounts converted. The column error says why 1 was not." in result.err
    assert f"From the data folder {finished}." in result.err


@pytest.mark.long(every=3)
@pytest.mark.parametrize("rows_at_once", [1, 2, 3, 500])
def test_a_service_gives_the_same_file_in_parts(
    run: Run, invoices: Path, address: str, wsgi_client: Client, monkeypatch: pytest.MonkeyPatch, rows_at_once: int
) -> None:
    from_folder = run("convert", str(invoices)).out
    monkeypatch.setattr(convert_file, "_ROWS", rows_at_once)
    result = run("convert", str(invoices), "--url", address, "--key", KEY)
    assert [row[:7] + row[8:] for row in rows_of(result.out)] == [row[:7] + row[8:] for row in rows_of(from_folder)]
    assert f"From the service at {address}." in result.err
    assert sum(wsgi_client.ledger.spent_by.values()) == 3


def test_the_output_is_a_file_when_all_is_done(run: Run, invoices: Path, tmp_path: Path) -> None:
    invoices.write_text(ROWS.replace("ABC", "USD"))
    result = run("convert", str(invoices), "--output", str(tmp_path / "out.csv"), "--precision", "0")
    assert (result.code, result.out) == (0, "")
    assert (tmp_path / "out.csv").read_text().splitlines()[4].startswith("4,8,eur,gbp,,6,0.8,")
    assert "4 of 4 amounts converted." in result.err


def test_nothing_is_written_if_the_service_ends_within_a_file(
    run: Run, invoices: Path, tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(convert_file, "_ROWS", 1)
    convert_part, parts = RemoteService.convert_file, []

    def fails_later(self: object, content: str, query: dict[str, str]) -> bytes:
        parts.append(content)
        if len(parts) == 3:
            raise ConnectionError("No service answers")
        return convert_part(self, content, query)  # type: ignore[arg-type]

    monkeypatch.setattr("cambist.cli.remote_service.RemoteService.convert_file", fails_later)
    output = tmp_path / "out.csv"
    output.write_text("from before")
    result = run("convert", str(invoices), "--output", str(output), "--url", address, "--key", KEY)
    assert (result.code, output.read_text()) == (2, "from before")
    assert "No service answers" in result.err
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".out")] == []


def test_standard_input_is_read(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Preis;amount;from;to\nx;1,5;EUR;EUR\n")))
    result = run("convert", "-", "--decimal", "comma")
    assert result.out.splitlines()[1].startswith("x;1,5;EUR;EUR;1,5;1;")


def test_a_header_of_two_lines_is_written_once(run: Run, invoices: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convert_file, "_ROWS", 1)
    invoices.write_bytes(b'amount,from,to,"paid\r\non"\r\n1,EUR,EUR,a\r\n2,EUR,EUR,b\r\n')
    rows = rows_of(run("convert", str(invoices)).out)
    assert [row[3] for row in rows] == ["paid\r\non", "a", "b"]
    assert [row[4] for row in rows] == ["result", "1", "2"]


def test_a_header_alone_is_answered_with_a_header(run: Run, invoices: Path) -> None:
    invoices.write_text("amount,from,to\n")
    result = run("convert", str(invoices))
    assert (result.code, result.out.strip()) == (0, "amount,from,to,result,rate,as_of,error")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["missing.csv"], "There is no file [missing.csv]; an amount is followed by two codes"),
        (["100", "EUR"], "Missing TO: convert an amount from EUR to what?"),
        (["INVOICES", "--date", "2026-03-03"], "A file takes no --date, --json or --lock"),
        (["INVOICES", "--json"], "A file takes no --date, --json or --lock"),
        (["INVOICES", "--decimal", "x"], "Invalid decimal: [x]"),
        (["INVOICES", "--precision", "21"], "Invalid precision: [21]"),
        (["1", "EUR", "USD", "--output", "x"], "--output, --delimiter, --dates, --encoding are for a file"),
    ],
)
def test_what_cannot_be_done_is_said(run: Run, invoices: Path, arguments: list[str], error: str) -> None:
    result = run("convert", *(str(invoices) if one == "INVOICES" else one for one in arguments))
    assert (result.code, result.out) == (2, "")
    assert error in result.err


def test_a_file_of_a_spreadsheet_keeps_its_form(run: Run, invoices: Path, tmp_path: Path) -> None:
    rows = "sep=;\r\nKäufer;amount;from;to;date\r\nMüller;€ 1.234,50;EUR;JPY;03.03.2026\r\n"
    invoices.write_bytes(rows.encode("cp1252"))
    declared = ("--decimal", "comma", "--dates", "dmy", "--encoding", "windows-1252")
    result = run("convert", str(invoices), *declared, "--output", str(tmp_path / "out.csv"))
    assert result.code == 0, result.err
    assert (tmp_path / "out.csv").read_bytes().decode("cp1252") == (
        "sep=;\r\nKäufer;amount;from;to;date;result;rate;as_of;error\r\n"
        "Müller;€ 1.234,50;EUR;JPY;03.03.2026;224679;182;03.03.2026;\r\n"
    )


def test_a_file_that_is_not_text_is_refused(run: Run, invoices: Path) -> None:
    invoices.write_bytes(b"amount,from,to\n1,EUR,\xff\n")
    error = run("convert", str(invoices)).err
    assert "is not text in UTF-8: line 2 cannot be read" in " ".join(error.split())
    assert "declare encoding=windows-1252" in " ".join(error.split())
