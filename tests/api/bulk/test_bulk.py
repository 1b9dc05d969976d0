from __future__ import annotations

import csv
import io
import json
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from tests.conftest import KEY, Client, MemoryLedger

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest
from cambist.accounts.plan import read_plans
from cambist.api.docs.openapi_texts import BULK

PLANS = """
[unlimited]
tags = ["currency", "crypto", "fx", "fx-series", "metals", "admin"]

[small]
calls_a_month = 3
history_days = 365
tags = ["currency"]

[coins]
tags = ["crypto"]
"""
ROWS = """\
invoice,amount,from,to,date
A-1,100,EUR,USD,2026-10-30
A-2,19.99,GBP,JPY,
A-3,5,EUR,ABC,
A-4,1,EUR,USD,1969-12-31
"A, 5",1234567.89,USD,KRW,2026-10-25
A-6,1,EUR,USD,2026-12-01
"""


def rows_of(content: bytes, delimiter: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline=""), delimiter=delimiter))


def on_plan(make_client: Callable[..., Client], plan: str) -> Client:
    keys = {digest(KEY): StoredKey(1, Account(1, "account", plan))}
    return make_client(stored_keys=keys, plans=read_plans(PLANS, "plans.toml"), counters=MemoryLedger())


def post(client: Client, text: str | bytes, query: str = "", **rest: Any) -> Any:
    body = text.encode() if isinstance(text, str) else text
    return client.request("POST", f"/convert/bulk{query}", body=body, **rest)


@pytest.mark.long
def test_each_row_is_converted_as_convert_does_or_says_why_not(client: Client) -> None:
    reply = post(client, ROWS)
    assert reply.status == 200
    assert reply.headers["content-type"] == "text/csv; charset=utf-8"
    rows = rows_of(reply.content)
    assert [row["invoice"] for row in rows] == ["A-1", "A-2", "A-3", "A-4", "A, 5", "A-6"]
    for row in rows:
        query = "&".join(f"{name}={row[name]}" for name in ("amount", "from", "to", "date") if row[name])
        query += "&precision=currency"
        single = client.get(f"/convert?{query}")
        answer = json.loads(single.content, parse_float=str, parse_int=str)
        if single.status == 200:
            expected = (answer["result"][row["to"]], answer["result"]["rate"], "")
            assert row["as_of"] == answer.get("fixed_on", answer.get("updated"))
        else:
            expected = ("", "", answer["error"])
        assert (row["result"], row["rate"], row["error"]) == expected
    assert [bool(row["error"]) for row in rows] == [False, False, True, True, False, True]


@pytest.mark.long
def test_the_example_in_the_reference_is_an_answer(client: Client) -> None:
    assert post(client, BULK.request).content.decode() == BULK.response


def test_only_answered_rows_cost(client: Client) -> None:
    reply = post(client, ROWS)
    assert reply.headers["x-calls-cost"] == "3"
    assert [*client.ledger.spent_by.values()] == [3]
    assert {endpoint for _, endpoint, _ in client.ledger.spent_by} == {"/convert/bulk"}


def test_rows_beyond_the_quota_say_so(make_client: Callable[..., Client]) -> None:
    client = on_plan(make_client, "small")
    reply = post(client, "amount,from,to\n" + "1,EUR,USD\n" * 5)
    errors = [row["error"] for row in rows_of(reply.content)]
    assert errors[:3] == ["", "", ""]
    assert all(error.startswith("Quota spent: the row costs [1] calls, [0] remain") for error in errors[3:])
    assert len(errors) == 5
    assert reply.headers["x-calls-cost"] == "3"


def test_days_before_those_of_the_plan_say_so(make_client: Callable[..., Client]) -> None:
    reply = post(on_plan(make_client, "small"), "amount,from,to,date\n1,EUR,USD,2001-02-03\n1,EUR,USD,2026-10-30\n")
    errors = [row["error"] for row in rows_of(reply.content)]
    assert errors[0].startswith("History on the plan [small] is limited")
    assert errors[1] == ""


def test_a_plan_without_the_group_is_refused(make_client: Callable[..., Client]) -> None:
    reply = post(on_plan(make_client, "coins"), ROWS)
    assert (reply.status, json.loads(reply.content)["code"]) == (403, "not_in_plan")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(client: Client, delimiter: str) -> None:
    reply = post(client, f"amount{delimiter}from{delimiter}to\r\n1{delimiter}EUR{delimiter}EUR\r\n")
    assert rows_of(reply.content, delimiter)[0]["result"] == "1"


def test_decimal_commas_come_in_and_go_out(client: Client) -> None:
    text = "Betrag;amount;from;to;date\nx;1234,5;EUR;USD;2026-10-30\n"
    comma = rows_of(post(client, text, "?decimal=comma&precision=4").content, ";")[0]
    point = rows_of(post(client, text.replace(",", "."), "?precision=4").content, ";")[0]
    assert "," in comma["result"]
    assert (comma["result"].replace(",", "."), comma["rate"].replace(",", ".")) == (point["result"], point["rate"])


def test_a_byte_order_mark_capitals_and_blank_lines_are_no_obstacle(client: Client) -> None:
    reply = post(client, "\ufeff Amount ,FROM,To\r\n\r\n 1 , eur ,eur\r\n\r\n")
    assert [row["result"] for row in rows_of(reply.content)] == ["1"]


@pytest.mark.parametrize(
    ("row", "error"),
    [
        (",EUR,USD", "The cell [amount] is empty"),
        ("1,,USD", "The cell [from] is empty"),
        ("1", "The cell [from] is empty"),
        ("1,EUR,USD,5", "The row has 4 cells, the first line names 3"),
        ("=1+1,EUR,USD", "Invalid amount"),
        ('"1,5",EUR,USD', "Invalid amount"),
    ],
)
def test_a_row_that_is_not_complete_says_why(client: Client, row: str, error: str) -> None:
    found = rows_of(post(client, f"amount,from,to\n{row}\n1,EUR,EUR\n").content)
    assert found[0]["error"].startswith(error)
    assert found[1]["result"] == "1"


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"", "There is no CSV: the first line names the columns: amount, from, to and, if you like, date"),
        (b"amount,to\n1,USD\n", "Missing column: [from]"),
        (b"amount,from,to,rate\n1,EUR,USD,2\n", "The column [rate] is one of those that are added: rename it"),
        (b"amount,amount,from,to\n", "The column [amount] is there 2 times"),
        (b"amount,from,to\n1,EUR,\xff\n", "The body is not text in UTF-8: line 2 cannot be read"),
        (b"amount,from,to\n1,EUR," + b"x" * 200_000, "Invalid CSV: line 2: field larger than field limit"),
        (b'[{"amount": 1}]', "Missing column: [amount]"),
    ],
)
def test_what_is_no_such_file_is_refused_whole(client: Client, body: bytes, error: str) -> None:
    reply = post(client, body)
    found = json.loads(reply.content)
    assert (reply.status, found["code"]) == (400, "bad_parameter")
    assert found["error"].startswith(error)
    assert not client.ledger.spent_by


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("?amount=1", "Unknown parameter: [amount], there are booking, dates, decimal, delimiter, encoding, "),
        ("?precision=21", "Invalid precision"),
        ("?decimal=x", "Invalid decimal"),
        ("?dates=dd", "Invalid dates: [dd], it takes dmy, mdy or ymd, or a form such as DD.MM.YYYY"),
        ("?encoding=ebcdic", "Invalid encoding: [ebcdic]. Options are [utf-8, utf-16, windows-1250"),
    ],
)
def test_invalid_parameters_are_refused(client: Client, query: str, error: str) -> None:
    reply = post(client, ROWS, query)
    assert reply.status == 400
    assert json.loads(reply.content)["error"].startswith(error)


def convert_cell(client: Client, amount: str, query: str = "", base: str = "EUR", day: str = "2026-10-30") -> Any:
    text = io.StringIO()
    csv.writer(text).writerows([["amount", "from", "to", "date"], [amount, base, "EUR", day]])
    return rows_of(post(client, text.getvalue(), query).content)[0]


@pytest.mark.parametrize(
    ("amount", "decimal", "result"),
    [
        ("1.234,50", "comma", "1234,5"),
        ("1 234,50", "comma", "1234,5"),
        ("1\u202f234\u202f567,5", "comma", "1234567,5"),
        ("1.234", "comma", "1234"),
        ("1,234", "comma", "1,23"),
        ("-0,01", "comma", "-0,01"),
        ("12,50-", "comma", "-12,5"),
        ("\u221212,50", "comma", "-12,5"),
        ("+7", "comma", "7"),
        ("€ 12,50", "comma", "12,5"),
        ("12,50\u00a0€", "comma", "12,5"),
        ("-€12,50", "comma", "-12,5"),
        ("€ -12,50", "comma", "-12,5"),
        ("1.000.000", "comma", "1000000"),
        ("1,234", "point", "1234"),
        ("1.234", "point", "1.23"),
        ("1'234.50", "point", "1234.5"),
        ("1,234.50", "", "1234.5"),
        ("12.50 EUR", "", "12.5"),
        ("eur 12.50", "", "12.5"),
        ("1,234,567", "", "1234567"),
        ("1234.567", "", "1234.57"),
        ("0.125", "", "0.13"),
        ("-12.50", "", "-12.5"),
        ("1.5E3", "", "1500"),
    ],
)
def test_amounts_are_read_as_they_are_written(client: Client, amount: str, decimal: str, result: str) -> None:
    row = convert_cell(client, amount, f"?decimal={decimal}")
    assert (row["result"], row["error"], row["amount"]) == (result, "", amount)


@pytest.mark.parametrize(
    ("amount", "decimal", "error"),
    [
        ("1,234", "", "can be read as 1234, with decimal=point, and as 1.234, with decimal=comma: declare one of them"),
        ("1.234", "", "can be read as 1.234, with decimal=point, and as 1234, with decimal=comma: declare one of them"),
        ("€ 999.999", "", "can be read as 999.999, with decimal=point, and as 999999"),
        ("-0,01", "", "has no decimal point: declare decimal=comma if it is 0.01"),
        ("1.234,50", "", "has no decimal point: declare decimal=comma if it is 1234.50"),
        ("12.50", "comma", "has no decimal comma: declare decimal=point if it is 12.50"),
        ("12.50 USD", "", "is in [USD], but the cell [from] has [EUR]"),
        ("£ 12.50", "", "is in [GBP], but the cell [from] has [EUR]"),
        ("12.50 apples", "", "it takes a decimal such as 1234.56, with decimal=comma 1234,56"),
        ("EUR 12.50 EUR", "", "it takes a decimal"),
        ("--5", "", "it takes a decimal"),
        ("-5-", "", "it takes a decimal"),
        ("1.2.3", "", "it takes a decimal"),
        ("12,34,567", "", "it takes a decimal"),
        ("1,234 567", "", "it takes a decimal"),
        (",", "", "it takes a decimal"),
        ("=5", "", "it takes a decimal"),
    ],
)
def test_what_has_two_readings_or_none_is_refused_with_what_to_declare(
    client: Client, amount: str, decimal: str, error: str
) -> None:
    row = convert_cell(client, amount, f"?decimal={decimal}")
    assert row["error"].startswith(f"Invalid amount: [{amount}]")
    assert error in row["error"]
    assert row["result"] == ""


@pytest.mark.parametrize(
    ("amount", "base", "error"),
    [
        *(
            ("$ 5", "USD", ""),
            ("$5", "CAD", ""),
            ("5 $", "MXN", ""),
            ("$5", "GBP", "is in [USD]"),
            ("kr. 5", "SEK", ""),
        ),
        *(("5 GBp", "GBp", ""), ("5 GBp", "GBP", "is in [GBp]"), ("5 GBP", "GBp", "is in [GBP]")),
        *(("£5", "GBp", "is in [GBP]"), ("5 gbp", "GBP", ""), ("5 EUR", "eur", "")),
    ],
)
def test_a_sign_of_several_currencies_is_that_of_the_row(client: Client, amount: str, base: str, error: str) -> None:
    found = convert_cell(client, amount, base=base)
    assert (bool(found["result"]), error in found["error"]) == (not error, True)


@pytest.mark.parametrize(
    ("written", "dates", "as_of"),
    [
        ("30.10.2026", "dmy", "30.10.2026"),
        ("30.10.2026", "%25d.%25m.%25Y", "30.10.2026"),
        ("30.10.2026", "DD.MM.YYYY", "30.10.2026"),
        ("30.10.26", "D.M.YY", "30.10.26"),
        ("30. 10. 2026", "dmy", "30.10.2026"),
        ("31.10.2026", "dmy", "30.10.2026"),
        ("10/30/2026", "mdy", "10/30/2026"),
        ("03/04/2026", "mdy", "03/04/2026"),
        ("3/4/2026", "MM/DD/YYYY", "03/04/2026"),
        ("2026/10/30", "ymd", "2026/10/30"),
        ("2026-10-30", "dmy", "2026-10-30"),
    ],
)
def test_days_are_read_and_written_as_declared(client: Client, written: str, dates: str, as_of: str) -> None:
    text = f"amount,from,to,date\n1,USD,EUR,{written}\n"
    row = rows_of(post(client, text, f"?dates={dates}").content)[0]
    assert (row["as_of"], row["error"]) == (as_of, "")


@pytest.mark.parametrize(
    ("written", "query", "error"),
    [
        ("03/04/2026", "", "can be read as 2026-04-03, with dates=dmy and as 2026-03-04, with dates=mdy: declare one"),
        ("30.10.2026", "", "declare dates=dmy if it is 2026-10-30, or write YYYY-MM-DD"),
        ("10/30/2026", "", "declare dates=mdy if it is 2026-10-30, or write YYYY-MM-DD"),
        ("2026/10/30", "", "declare dates=ymd if it is 2026-10-30, or write YYYY-MM-DD"),
        ("10/30/2026", "?dates=dmy", "is no day with dates=dmy: it is 2026-10-30 with dates=mdy"),
        ("31.02.2026", "?dates=dmy", "is no day with dates=dmy"),
        ("31.02.2026", "", "it takes a day as YYYY-MM-DD"),
        ("30.10.126", "?dates=dmy", "is no day with dates=dmy"),
    ],
)
def test_days_of_an_order_that_is_not_declared_are_refused(
    client: Client, written: str, query: str, error: str
) -> None:
    row = rows_of(post(client, f"amount,from,to,date\n1,USD,EUR,{written}\n", query).content)[0]
    assert row["error"].startswith(f"Invalid date: [{written}]")
    assert error in row["error"]


def test_two_digits_of_a_year_are_one_since_1970(client: Client) -> None:
    found = rows_of(post(client, "amount,from,to,date\n1,USD,EUR,04.01.99\n", "?dates=dmy").content)[0]
    assert (found["as_of"], found["error"]) == ("04.01.99", "")


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=; "])
def test_a_first_line_names_the_delimiter_and_stays(client: Client, line: str) -> None:
    content = post(client, f"{line}\r\na,b,c;amount;from;to\r\nx;1;EUR;EUR\r\n").content.decode()
    first, _, rest = content.partition("\r\n")
    assert (first, rest.splitlines()[1][:10]) == (line, "x;1;EUR;EU")
    assert rows_of(rest.encode(), ";")[0]["result"] == "1"


def test_a_delimiter_that_the_first_line_contradicts_is_refused(client: Client) -> None:
    reply = post(client, "sep=;\namount;from;to\n", "?delimiter=tab")
    assert "the first line of the file says [sep=;]" in json.loads(reply.content)["error"]


@pytest.mark.parametrize("encoding", ["windows-1252", "iso-8859-15", "utf-16", "utf-8"])
def test_an_encoding_comes_in_and_goes_out(client: Client, encoding: str) -> None:
    text = "Käufer;amount;from;to\r\nMüller & Söhne;€ 1.234,50;EUR;EUR\r\n"
    reply = post(client, text.encode(encoding), f"?encoding={encoding}&decimal=comma")
    assert reply.headers["content-type"] == f"text/csv; charset={encoding}"
    row = rows_of(reply.content.decode(encoding).encode(), ";")[0]
    assert (row["Käufer"], row["amount"], row["result"]) == ("Müller & Söhne", "€ 1.234,50", "1234,5")


def test_bytes_that_are_not_utf_8_are_refused_with_what_to_declare(client: Client) -> None:
    reply = post(client, "amount;from;to;x\n1;EUR;EUR;ü\n".encode("cp1252"))
    assert json.loads(reply.content)["error"] == (
        "The body is not text in UTF-8: line 2 cannot be read. "
        "If a spreadsheet in Western Europe wrote it, declare encoding=windows-1252."
    )


def test_quoted_decimal_commas_may_stand_between_commas(client: Client) -> None:
    text = 'amount,from,to\n"1.234,5",EUR,EUR\n'
    assert rows_of(post(client, text, "?decimal=comma&delimiter=comma").content)[0]["result"] == "1234,5"


def test_a_form_is_refused_with_the_way_to_send_a_file(client: Client) -> None:
    reply = post(client, "--x", headers={"Content-Type": "multipart/form-data; boundary=x"})
    assert "--data-binary @FILE" in json.loads(reply.content)["error"]


def test_without_a_key_it_is_refused(client: Client) -> None:
    assert post(client, ROWS, key=None).status == 401


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_other_methods_are_refused(client: Client, method: str) -> None:
    reply = client.request(method, "/convert/bulk")
    assert (reply.status, reply.headers["allow"]) == (405, "POST, OPTIONS")


def test_browsers_may_post_to_it(client: Client) -> None:
    preflight = client.request("OPTIONS", "/convert/bulk")
    assert preflight.headers["access-control-allow-methods"] == "POST, OPTIONS"
    assert client.request("OPTIONS", "/convert").headers["access-control-allow-methods"] == "GET, HEAD, OPTIONS"


@pytest.mark.long
def test_a_long_file_is_never_held_in_memory_with_its_results(client: Client) -> None:
    body = b"amount,from,to\n" + b"1,EUR,USD\n" * 50_000
    post(client, body[:1000])
    tracemalloc.start()
    reply = post(client, body)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert reply.content.count(b"\n") == 50_001
    assert peak - 2 * len(reply.content) < 5_000_000  # the client of this test holds the answer, in pieces and whole
