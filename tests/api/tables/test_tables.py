from __future__ import annotations

import csv
import gzip
import io
import json
import tracemalloc
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from arro3.io import read_ipc, read_parquet
from tests.conftest import KEY, Client, MemoryLedger, client_of

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest
from cambist.accounts.plan import read_plans
from cambist.api.answer.answer_table import COUNT, DATE, NUMBER, AnswerTable, Column
from cambist.api.faces.tables.columnar import write_arrow, write_parquet_file
from cambist.api.faces.tables.formats import FORMATS, accepted_format
from cambist.api.faces.tables.text_files import CsvOptions, write_csv
from cambist.errors import RateUnavailable
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.rate_matrix_builder import build_rate_matrix
from cambist.history.source_history import SourceHistory
from cambist.pricing.pair import Pair
from cambist.pricing.rate_book import RateBook

LAST_DAY = date(2026, 12, 31)

SERIES = "/time-series{}?from=EUR&to=USD,JPY&start=2026-10-01&end=2026-10-30"
SUFFIXES = [one.suffix for one in FORMATS]
FURTHER = ",CHF,SEK,NOK,DKK,CAD,AUD,NZD"
LONG = f"/time-series{{}}?from=USD&to=EUR,JPY,GBP{FURTHER}&start=1999-01-04&end=2026-10-30"


def exact(content: bytes) -> Any:
    return json.loads(content, parse_float=str, parse_int=str)


def rows_of(content: bytes, **options: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline=""), **options))  # type: ignore[arg-type]


@pytest.fixture
def served(client: Client) -> list[tuple[str, ...]]:
    """The rows of the series as they are in JSON: day, base, quote, rate with all digits, day of the fixing."""
    answer = exact(client.get(SERIES.format("") + "&verbose=1").content)
    return [
        (day, "EUR", quote, rate, answer["fixed_on"][quote].get(day, day))
        for quote, rates in answer["results"].items()
        for day, rate in rates.items()
    ]


def test_csv_has_the_digits_of_json(client: Client, served: list[tuple[str, ...]]) -> None:
    reply = client.get(SERIES.format(".csv"))
    assert reply.status == 200
    assert reply.headers["content-type"] == "text/csv; charset=utf-8"
    assert int(reply.headers["content-length"]) == len(reply.content)
    assert reply.content.startswith(b"date,base,quote,rate,fixed_on\r\n2026-10-01,EUR,USD,1.")
    assert [tuple(row.values()) for row in rows_of(reply.content)] == served
    assert len(served) == 60


def test_ndjson_has_the_digits_of_json(client: Client, served: list[tuple[str, ...]]) -> None:
    reply = client.get(SERIES.format(".ndjson"))
    lines = [exact(line) for line in reply.content.splitlines()]
    assert [tuple(line.values()) for line in lines] == served
    assert isinstance(json.loads(reply.content.splitlines()[0])["rate"], float)


@pytest.mark.parametrize(("suffix", "read"), [("arrow", read_ipc), ("parquet", read_parquet)])
def test_columns_have_the_digits_of_json(
    client: Client, served: list[tuple[str, ...]], suffix: str, read: Callable[[Any], Any]
) -> None:
    table = read(io.BytesIO(client.get(SERIES.format(f".{suffix}")).content)).read_all()
    days, bases, quotes, rates, decimals, fixed = (
        table.column(name).to_pylist() for name in ("date", "base", "quote", "rate", "rate_decimal", "fixed_on")
    )
    texts = map(str, days), bases, quotes, map(_plain, decimals), map(str, fixed)
    assert list(zip(*texts, strict=True)) == served
    assert rates == [float(rate) for *_, rate, _ in served]


def _plain(value: Decimal) -> str:
    return f"{value.normalize():f}"


def test_a_workbook_has_dates_and_numbers(client: Client, served: list[tuple[str, ...]]) -> None:
    content = client.get(SERIES.format(".xlsx")).content
    sheet = ZipFile(io.BytesIO(content)).read("xl/worksheets/sheet1.xml").decode()
    assert sheet.count("<row ") == len(served) + 1
    day, rate = served[0][0], served[0][3]
    serial = (date.fromisoformat(day) - date(1899, 12, 30)).days
    assert f"<v>{serial}</v>" in sheet
    assert f"<v>{float(rate):.16G}</v>" in sheet


def test_a_workbook_is_the_same_each_time(client: Client) -> None:
    first, second = (client.get(SERIES.format(".xlsx")) for _ in range(2))
    assert first.content == second.content
    assert first.headers["etag"] == second.headers["etag"]


@pytest.mark.parametrize("accept", [one.media_types[0] for one in FORMATS])
def test_accept_chooses_the_same_as_the_suffix(client: Client, accept: str) -> None:
    suffix = next(one.suffix for one in FORMATS if accept in one.media_types)
    by_accept = client.get(SERIES.format(""), headers={"Accept": accept})
    by_suffix = client.get(SERIES.format(f".{suffix}"))
    assert by_accept.content == by_suffix.content
    assert by_accept.headers["etag"] == by_suffix.headers["etag"]
    assert by_accept.headers["vary"] == "Accept, Accept-Encoding"


@pytest.mark.parametrize(
    ("accept", "suffix"),
    [
        ("", None),
        ("*/*", None),
        ("text/html,application/xhtml+xml,*/*;q=0.8", None),
        ("application/json, text/csv;q=0.5", None),
        ("application/json, text/csv", None),
        ("text/csv, application/json", "csv"),
        ("text/csv;q=0.9, application/json;q=0.5", "csv"),
        ("text/csv;q=0, application/json;q=0", None),
        ("text/csv;q=x", None),
        ("TEXT/CSV", "csv"),
        ("text/csv;q=0.2, application/x-ndjson", "ndjson"),
        ("text/csv, */*;q=0.1", "csv"),
    ],
)
def test_the_preferred_format_is_chosen(accept: str, suffix: str | None) -> None:
    found = accepted_format(accept)
    assert (found.suffix if found else None) == suffix


def test_a_client_that_accepts_tables_gets_one_after_json_was_cached(client: Client) -> None:
    target = "/historical?date=2026-10-30&from=EUR"
    assert client.get(target).headers["content-type"] == "application/json"
    assert client.get(target, headers={"Accept": "text/csv"}).headers["content-type"].startswith("text/csv")
    assert client.get(target).headers["content-type"] == "application/json"


def test_decimal_commas_and_delimiters(client: Client, served: list[tuple[str, ...]]) -> None:
    comma = client.get(SERIES.format(".csv") + "&decimal=comma").content
    assert [row["rate"].replace(",", ".") for row in rows_of(comma, delimiter=";")] == [rate for *_, rate, _ in served]
    tab = client.get(SERIES.format(".csv") + "&delimiter=tab").content
    assert [tuple(row.values()) for row in rows_of(tab, delimiter="\t")] == served
    written_out = client.get(SERIES.format(".csv") + "&decimal=,&delimiter=%7C").content
    assert b"|" in written_out.splitlines()[1]


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("decimal=dot", "Invalid decimal: [dot], it takes point or comma, or the character itself"),
        ("delimiter=x", "Invalid delimiter: [x], it takes comma, semicolon, tab or pipe, or the character itself"),
        (
            "decimal=comma&delimiter=comma",
            "Invalid delimiter: [,], with decimal=comma it takes semicolon, tab or pipe",
        ),
    ],
)
def test_invalid_options_are_refused(client: Client, query: str, sentence: str) -> None:
    reply = client.get(f"{SERIES.format('.csv')}&{query}")
    assert (reply.status, json.loads(reply.content)["error"]) == (400, sentence)
    assert not client.ledger.spent_by


def test_options_of_csv_are_named_as_ignored_elsewhere(client: Client) -> None:
    reply = client.get(SERIES.format(".ndjson") + "&decimal=comma")
    assert (reply.status, reply.headers["cambist-ignored"]) == (200, "decimal")


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("from=EUR&to=USD&start=2026-10-30&end=2026-10-01", 400, "bad_parameter"),
        ("from=EUR&to=XXY", 400, "unknown_currency"),
        ("from=EUR", 400, "bad_parameter"),
    ],
)
def test_errors_are_those_of_the_endpoint(client: Client, suffix: str, query: str, status: int, code: str) -> None:
    table, endpoint = client.get(f"/time-series.{suffix}?{query}"), client.get(f"/time-series?{query}")
    assert (table.status, table.headers["content-type"]) == (status, "application/json")
    assert json.loads(table.content) == json.loads(endpoint.content)
    assert json.loads(table.content)["code"] == code


def test_without_a_key_a_table_is_refused(client: Client) -> None:
    assert client.request("GET", SERIES.format(".csv"), key=None).status == 401


def test_a_table_costs_what_json_costs(client: Client) -> None:
    for suffix in ["", *(f".{one}" for one in SUFFIXES)]:
        assert client.get(SERIES.format(suffix)).headers["x-calls-cost"] == "2"
    spent = client.ledger.spent_by
    assert sum(spent.values()) == 2 * (1 + len(SUFFIXES))
    assert {endpoint for _, endpoint, _ in spent} == {"/time-series"}


def test_a_client_that_has_the_table_pays_nothing(client: Client) -> None:
    first = client.get(SERIES.format(".csv"))
    again = client.get(SERIES.format(".csv"), headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.content, again.headers["x-calls-cost"]) == (304, b"", "0")
    other = client.get(SERIES.format(".csv") + "&decimal=comma", headers={"If-None-Match": first.headers["etag"]})
    assert other.status == 200


def test_another_day_of_a_fixing_is_another_table_although_the_rates_are_the_same(real_book: RateBook) -> None:
    target, tables = "/time-series.csv?from=EUR&to=USD&start=2024-03-01&end=2024-03-02", []
    for days in ((1,), (1, 2)):
        rows = np.array([(date(2024, 3, day) - FIRST_DAY).days for day in days], np.int64)
        euro = PairSeries(Pair("EUR", "USD"), rows, np.full(len(days), 1.25))
        later = PairSeries(Pair("EUR", "JPY"), rows[-1:] + 500, np.full(1, 170.0))
        history = SourceHistory("EUR", [euro, later], "ecb", outranks_pegs=False)
        tables.append(client_of(real_book, build_rate_matrix([history], LAST_DAY, "a test")).get(target))
    carried, fixed_then = tables
    assert carried.text.splitlines()[-1] == "2024-03-02,EUR,USD,1.25,2024-03-01"
    assert fixed_then.text.splitlines()[-1] == "2024-03-02,EUR,USD,1.25,2024-03-02"
    assert carried.headers["etag"] != fixed_then.headers["etag"]


PLANS = """
[unlimited]
tags = ["currency", "crypto", "fx", "fx-series", "metals", "admin"]

[small]
calls_a_month = 2
history_days = 365
tags = ["currency"]
"""


@pytest.fixture
def limited(make_client: Callable[..., Client]) -> Client:
    """A client with two calls a month, and a year of history."""
    keys = {digest(KEY): StoredKey(1, Account(1, "small", "small"))}
    return make_client(stored_keys=keys, plans=read_plans(PLANS, "plans.toml"), counters=MemoryLedger())


def test_a_spent_quota_refuses_a_table(limited: Client) -> None:
    assert [limited.get("/fetch-all.csv").status for _ in range(3)] == [200, 200, 429]
    reply = limited.get("/fetch-all.csv")
    assert json.loads(reply.content)["code"] == "quota_spent"
    assert sum(limited.ledger.spent_by.values()) == 2


def test_a_plan_limits_the_history_of_tables(limited: Client) -> None:
    json_reply, table = (limited.get(f"/historical{suffix}?date=2001-02-03") for suffix in ("", ".csv"))
    assert (table.status, json.loads(table.content)) == (json_reply.status, json.loads(json_reply.content))
    assert table.status == 403


def test_head_has_the_length_and_no_body(client: Client) -> None:
    full = client.get(SERIES.format(".csv"))
    head = client.request("HEAD", SERIES.format(".csv"))
    assert (head.content, head.headers["content-length"]) == (b"", str(len(full.content)))


@pytest.mark.long
def test_a_long_csv_is_compressed_for_clients_that_accept_it(client: Client) -> None:
    plain = client.get(LONG.format(".csv"))
    packed = client.get(LONG.format(".csv"), headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    assert len(packed.content) < len(plain.content) / 2


def test_what_is_left_out_with_partial_is_named(client: Client) -> None:
    reply = client.get(SERIES.format(".csv") + "&partial=true")
    assert "cambist-unavailable" not in reply.headers
    reply = client.get("/historical.csv?date=2026-10-30&to=USD,QQQ&partial=true")
    assert (reply.status, reply.headers["cambist-unavailable"]) == (200, "QQQ")


def test_historical_has_the_day_of_each_fixing_with_verbose(client: Client) -> None:
    target = "/historical{}?date=2026-10-25&from=EUR&verbose=true"
    served = exact(client.get(target.format("")).content)
    rows = rows_of(client.get(target.format(".csv")).content)
    assert {row["quote"]: row["rate"] for row in rows} == served["results"]
    assert {row["quote"]: row["fixed_on"] or None for row in rows} == served["fixings"]
    assert {row["date"] for row in rows} == {"2026-10-25"}


def test_all_rates_of_now(client: Client) -> None:
    served = exact(client.get("/fetch-all?from=GBP").content)
    rows = rows_of(client.get("/fetch-all.csv?from=GBP").content)
    assert {row["quote"]: row["rate"] for row in rows} == served["results"]
    assert {(row["updated"], row["base"]) for row in rows} == {(served["updated"], "GBP")}


def test_usage_is_a_row_for_each_day(client: Client) -> None:
    served = json.loads(client.get("/usage").content)["usage"]
    rows = rows_of(client.get("/usage.csv").content)
    assert [row["date"] for row in rows] == list(served)
    assert sum(int(row["calls"]) for row in rows) == 1


@pytest.mark.long
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_long_answer_is_never_held_in_memory(client: Client, suffix: str) -> None:
    client.get(LONG.format(".csv") + "&partial=true")  # what is kept for all answers is made before it is measured
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": f"/time-series.{suffix}",
        # Workbooks take long: three currencies of ten are enough to show whether rows are kept.
        "QUERY_STRING": LONG.partition("?")[2].replace(FURTHER, "" if suffix == "xlsx" else FURTHER),
        "HTTP_X_API_KEY": KEY,
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": io.StringIO(),
        "wsgi.url_scheme": "http",
        "SERVER_NAME": "x",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "SCRIPT_NAME": "",
    }
    statuses: list[str] = []
    tracemalloc.start()
    try:
        body = client.app(environ, lambda status, *_: statuses.append(status))
        sizes = [len(piece) for piece in body]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    body.close()  # type: ignore[attr-defined]
    assert statuses == ["200 OK"]
    assert sum(sizes) > 200_000
    assert max(sizes) <= 64 * 1024
    assert peak < 5_000_000


@pytest.mark.long
def test_every_day_of_a_long_series_is_there(client: Client) -> None:
    rows = rows_of(client.get(LONG.format(".csv")).content)
    days = [row["date"] for row in rows if row["quote"] == "EUR"]
    first, last = date(1999, 1, 4), date(2026, 10, 30)
    assert days == [str(first + timedelta(days=n)) for n in range((last - first).days + 1)]


@pytest.mark.parametrize("accept", [None, "text/csv"])
def test_a_workbook_of_a_sandbox_is_named_after_it(make_client: Callable[..., Client], accept: str | None) -> None:
    target, headers = ("/usage", {"Accept": accept}) if accept else ("/usage.csv", {})
    name = make_client(environment="sandbox").get(target, headers=headers).headers["content-disposition"]
    assert name == 'attachment; filename="sandbox-usage.csv"'
    assert make_client().get(target, headers=headers).headers["content-disposition"].endswith('"usage.csv"')


HOSTILE = AnswerTable((Column("name"), Column("rate", NUMBER)), [("=1+1", "-1.5"), ("@x", "2"), ('say "a",b', "3")])


def test_texts_that_a_spreadsheet_takes_for_formulas_are_guarded() -> None:
    file = io.BytesIO()
    write_csv(HOSTILE, file, CsvOptions())
    assert file.getvalue().decode().splitlines() == ["name,rate", "'=1+1,-1.5", "'@x,2", '"say ""a"",b",3']


def test_a_number_that_a_decimal_cannot_have_is_null_there() -> None:
    tiny = "0.0000000000000000000001234567891"
    table = AnswerTable((Column("rate", NUMBER),), [(tiny,), ("1.5",)])
    file = io.BytesIO()
    write_parquet_file(table, file)
    read = read_parquet(file).read_all()
    assert read.column("rate").to_pylist() == [float(tiny), 1.5]
    assert read.column("rate_decimal").to_pylist() == [None, Decimal("1.5")]


@pytest.mark.parametrize("write", [write_arrow, write_parquet_file])
def test_an_error_while_rows_are_computed_is_the_error_of_the_answer(write: Callable[..., None]) -> None:
    def rows() -> Iterator[tuple[str, ...]]:
        yield ("1",)
        raise RateUnavailable("The archive cannot be read now")

    with pytest.raises(RateUnavailable, match="cannot be read now"):
        write(AnswerTable((Column("rate", NUMBER),), rows()), io.BytesIO())


@pytest.mark.parametrize("write", [write_arrow, write_parquet_file])
def test_a_table_without_rows_has_its_columns(write: Callable[..., None]) -> None:
    file = io.BytesIO()
    write(AnswerTable((Column("date", DATE), Column("calls", COUNT)), []), file)
    read = (read_ipc if write is write_arrow else read_parquet)(file).read_all()
    assert (read.schema.names, read.num_rows) == (["date", "calls"], 0)
