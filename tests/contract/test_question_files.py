"""Files in place of JSON at `/price-list/bulk`, `/metals/value` and `/value`: the same answers, and tables."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
import xlsxwriter
from python_calamine import CalamineWorkbook

DAY = "2026-10-30"
CSV, XLSX = "text/csv", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

ARTICLES = [
    {"sku": "A-1", "price": 12.5, "cost": 8, "last": {"USD": 14.95, "CHF": 11.95}},
    {"sku": "B;2", "price": 1234.5},
    {"sku": "=3", "price": 0.99, "cost": 2},
]
ARTICLE_ROWS = [
    ["SKU", "Price", "cost", "last.USD", "last CHF", "description"],
    ["A-1", "12.5", "8", "14.95", "11.95", "a cup"],
    ["B;2", "1234.5", "", "", "", ""],
    ["=3", "0.99", "2", "", "", "a spoon"],
]
PIECES = [{"name": "rings", "metal": "XAU", "weight": 4.2, "unit": "gram", "purity": "750", "count": 3, "deduct": 0.2}]
PIECE_ROWS = [
    ["name", "metal", "weight", "unit", "purity", "count", "deduct"],
    ["rings", "XAU", "4.2", "gram", "750", "3", "0.2"],
]
POSITIONS = [{"asset": "USD", "amount": 1200, "cost": 1050}, {"asset": "JPY", "amount": -5000, "name": "owed"}]
POSITION_ROWS = [["asset", "amount", "cost", "name"], ["USD", "1200", "1050", ""], ["JPY", "-5000", "", "owed"]]

DOORS = {
    "/price-list/bulk": (
        {"from": "EUR", "to": ["USD", "CHF"], "markup": "2.5%", "date": DAY, "articles": ARTICLES},
        f"from=EUR&to=USD,CHF&markup=2.5%25&date={DAY}",
        ARTICLE_ROWS,
    ),
    "/metals/value": ({"currency": "EUR", "margin": "3%", "pieces": PIECES}, "currency=EUR&margin=3%25", PIECE_ROWS),
    "/value": (
        {"currency": "EUR", "date": DAY, "positions": POSITIONS},
        f"currency=EUR&date={DAY}",
        POSITION_ROWS,
    ),
}


def as_csv(rows: list[list[str]], delimiter: str = ",", decimal: str = ".") -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    for row in rows:
        writer.writerow([cell.replace(".", decimal) if cell.replace(".", "").isdigit() else cell for cell in row])
    return text.getvalue().encode()


def as_xlsx(rows: list[list[str]]) -> bytes:
    file = io.BytesIO()
    book = xlsxwriter.Workbook(file)
    sheet = book.add_worksheet()
    for place, row in enumerate(rows):
        for column, cell in enumerate(row):
            is_number = place > 0 and cell.lstrip("-").replace(".", "", 1).isdigit()
            write = sheet.write_number if is_number else sheet.write_string
            write(place, column, float(cell) if is_number else cell)
    book.close()
    return file.getvalue()


def post(client: Any, path: str, body: bytes, kind: str = CSV, accept: str = "*/*", **rest: Any) -> Any:
    return client.request("POST", path, body=body, headers={"Content-Type": kind, "Accept": accept}, **rest)


def without_ms(reply: Any) -> Any:
    assert reply.status == 200, reply.text
    return {name: value for name, value in reply.json.items() if name != "ms"}


@pytest.mark.parametrize("path", DOORS)
@pytest.mark.parametrize("written", ["csv", "csv as curl sends it", "xlsx", "semicolons", "sep"])
def test_a_file_asks_the_same_as_json(path: str, written: str, client_dealing: Any) -> None:
    question, query, rows = DOORS[path]
    told = post(client_dealing, path, json.dumps(question).encode(), "application/json")
    body, kind, options = {
        "csv": (as_csv(rows), CSV, ""),
        "csv as curl sends it": (as_csv(rows), "application/x-www-form-urlencoded", ""),
        "xlsx": (as_xlsx(rows), XLSX, ""),
        "semicolons": (as_csv(rows, ";", ","), f"{CSV}; charset=utf-8", "&decimal=comma"),
        "sep": (b"sep=;\r\n" + as_csv(rows, ";"), CSV, ""),
    }[written]
    found = post(client_dealing, f"{path}?{query}{options}", body, kind, "application/json")
    assert without_ms(found) == without_ms(told)
    assert found.headers["x-calls-cost"] == told.headers["x-calls-cost"]
    assert (found.headers.get("cambist-ignored") or "") == ("description" if "price" in path else "")


@pytest.mark.parametrize("path", DOORS)
def test_the_answer_to_a_file_is_one_of_its_kind(path: str, client_dealing: Any) -> None:
    question, query, rows = DOORS[path]
    table = post(client_dealing, f"{path}?{query}", as_csv(rows))
    assert table.headers["content-type"].startswith(CSV)
    assert table.headers["content-disposition"] == f'attachment; filename="{path.strip("/").replace("/", "-")}.csv"'
    lines = list(csv.DictReader(io.StringIO(table.text)))
    book = post(client_dealing, f"{path}?{query}", as_xlsx(rows), XLSX)
    sheet = CalamineWorkbook.from_filelike(io.BytesIO(book.content)).get_sheet_by_index(0).to_python()
    assert sheet[0] == [*lines[0]]
    assert len(sheet) == len(lines) + 1
    told = without_ms(post(client_dealing, path, json.dumps(question).encode(), "application/json"))
    listed = told.get("pieces") or told.get("positions")
    if listed is None:
        prices = [(each["sku"], *price) for each in told["articles"] for price in each["prices"].items()]
        listed = [{"sku": sku, "currency": code, **price} for sku, code, price in prices]
    assert len(listed) == len(lines)
    for record, line in zip(listed, lines, strict=True):
        for name in line.keys() & record.keys():
            value = record[name]
            if isinstance(value, bool):
                value = "yes" if value else "no"
            cell = line[name].removeprefix("'")
            assert (float(cell) if isinstance(value, int | float) else cell) == value, name


@pytest.mark.parametrize("accept", [CSV, XLSX, "application/x-ndjson", "application/vnd.apache.parquet"])
def test_a_json_question_is_answered_as_the_table_that_is_asked_for(accept: str, client_dealing: Any) -> None:
    for path, (question, _, _) in DOORS.items():
        reply = post(client_dealing, path, json.dumps(question).encode(), "application/json", accept)
        assert (reply.status, reply.headers["content-type"].partition(";")[0]) == (200, accept)
        assert len(reply.content) > 100
        assert int(reply.headers["x-calls-cost"]) > 0


def test_a_decimal_comma_comes_back(client_dealing: Any) -> None:
    _, query, rows = DOORS["/price-list/bulk"]
    found = post(client_dealing, f"/price-list/bulk?{query}&decimal=comma", as_csv(rows, ";", ","))
    first = found.text.splitlines()[1].split(";")
    assert (first[:2], "," in first[3], "." in first[3]) == (["A-1", "USD"], True, False)


@pytest.mark.parametrize(
    ("path", "query", "body", "says"),
    [
        ("/price-list/bulk", "from=EUR&to=USD", b"sku,price\nA,1\nB,x\n", "Row 3: Invalid price: [x]"),
        ("/price-list/bulk", "from=EUR&to=USD", b"sku,price\nA,\n", "Row 2: "),
        ("/price-list/bulk", "from=EUR&to=USD", b"sku,price\nA,1,2\n", "Row 2 has 3 cells"),
        ("/price-list/bulk", "from=EUR&to=USD", b"sku,prize\nA,1\n", "Unknown column: [prize]"),
        ("/price-list/bulk", "from=EUR&to=USD", b"sku,price,last\nA,1,2\n", "Unknown column: [last]"),
        ("/price-list/bulk", "from=EUR&to=USD", b"price\n1\n", "Missing column: [sku]"),
        ("/price-list/bulk", "from=EUR&to=USD", b"sku,price,price\nA,1,1\n", "is there twice"),
        ("/price-list/bulk", "from=EUR&to=USD", b'sku,price\nA,1.234\nB,"1,234"\n', "declare one of them"),
        ("/price-list/bulk", "from=EUR&to=USD", b"sku,price,last.ZZZ\nA,1,1\n", "Article 1: Invalid last: "),
        ("/price-list/bulk", "from=EUR&to=USD", b"", "Missing column: [sku]"),
        ("/price-list/bulk", "from=EUR&to=USD", b"sku,price\n", "these are [0] prices"),
        ("/price-list/bulk", "from=EUR", b"sku,price\nA,1\n", "`to`"),
        ("/price-list/bulk", "from=EUR&to=USD&keep=1%25", b"sku,price\nA,1\n", "Unknown parameter: [keep]"),
        ("/price-list/bulk", "from=EUR&to=USD&date=soon", b"sku,price\nA,1\n", "Invalid date: it takes a day"),
        ("/price-list/bulk", "from=EUR&to=USD", b"sku,price\n\xe4,1\n", "line 2 cannot be read"),
        ("/price-list/bulk", "from=EUR&to=USD&delimiter=tab", b"sep=;\nsku;price\nA;1\n", "says [sep=;]"),
        ("/price-list/bulk", "from=EUR&to=USD", b"\xd0\xcf\x11\xe0old", "old format"),
        ("/price-list/bulk", "from=EUR&to=USD", b"PK\x03\x04broken", "The workbook cannot be read"),
        ("/metals/value", "currency=EUR", b"metal,weight,count\nXAU,1,1.5\n", "Row 2: Invalid count"),
        ("/metals/value", "currency=EUR", b"metal,weight\nXAU,-1\n", "Piece 1: Invalid weight"),
        ("/value", "currency=EUR", b"asset,amount\nZZZ,1\n", "Position 1: "),
        ("/value", "currency=EUR", b"asset,amount\nUSD,$ 5\n", "Row 2: Invalid amount"),
        ("/value", "", b"asset,amount\n" + b"USD,1\n" * 20_002, "at most 20000"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_and_costs_nothing(
    path: str, query: str, body: bytes, says: str, client_dealing: Any
) -> None:
    reply = post(client_dealing, f"{path}?{query}", body)
    assert (reply.status, reply.headers["x-calls-cost"]) == (400, "0"), reply.text
    assert says in reply.json["error"]


def test_a_form_is_refused_with_what_to_do(client_dealing: Any) -> None:
    reply = post(client_dealing, "/value", b"--x", "multipart/form-data; boundary=x")
    assert (reply.status, "--data-binary" in reply.json["error"]) == (400, True)


def test_without_a_file_parameters_are_refused_as_before(client_dealing: Any) -> None:
    reply = post(client_dealing, "/value?currency=EUR", b'{"positions": []}', "application/json")
    assert (reply.status, "the question is in the body" in reply.json["error"]) == (400, True)


def test_alerts_take_no_files(client_dealing: Any) -> None:
    reply = post(client_dealing, "/alerts/add", b"when,from\nabove,EUR\n")
    assert (reply.status, "not JSON" in reply.json["error"]) == (400, True)
