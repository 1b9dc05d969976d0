"""Many amounts at once, with both clients."""

from __future__ import annotations

import inspect
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.client.serving import FakeService
from tests.client.test_clients import KEY, kind, pauses
from tests.client.test_openapi import OPENAPI

from cambist.client import AsyncCambist, Cambist, errors
from cambist.client.endpoints.bulk import AmountToConvert, convert_file

__all__ = ["kind", "pauses"]
pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

CSV = {"Content-Type": "text/csv; charset=utf-8"}
RATE_LIMITED = (429, {"error": "Rate limit exceeded", "code": "rate_limited"}, {"Retry-After": "1"})


def test_amounts_are_converted_or_have_an_error(kind: Any, address: str) -> None:
    client = kind(address, KEY)
    amounts = [
        AmountToConvert(Decimal("19.99"), "GBP", "JPY", date(2026, 10, 30)),
        AmountToConvert(100, "EUR", "USD"),
        AmountToConvert("5", "EUR", "ABC"),
    ]
    answer = client.convert_bulk(amounts, precision=4)
    single = client.convert("19.99", "GBP", "JPY", date=date(2026, 10, 30), precision=4)
    first, second, third = answer.results
    assert (first.result, first.rate) == (single.converted, single.rate)
    assert (first.date, first.as_of, first.error) == ("2026-10-30", "2026-10-30", "")
    assert second.result is not None
    assert (third.result, third.rate, third.error) == (None, None, "Invalid/unsupported target currency: [ABC]")
    assert answer.headers.calls_cost == 2


def test_a_file_keeps_its_columns(kind: Any, address: str) -> None:
    answer = kind(address, KEY).convert_file("id;amount;from;to\n7;1,5;EUR;EUR\n", decimal="comma")
    assert answer.content == b"id;amount;from;to;result;rate;as_of;error\r\n7;1,5;EUR;EUR;1,5;1;" + _moment(
        answer.content
    )


def _moment(content: bytes) -> bytes:
    return content.rpartition(b";1;")[2]


def test_a_file_may_be_a_path(kind: Any, address: str, tmp_path: Path) -> None:
    path = tmp_path / "invoices.csv"
    path.write_bytes("amount;from;to;Käufer\n1;EUR;EUR;Müller\n".encode("cp1252"))
    for content in (path, str(path), path.read_bytes()):
        answer = kind(address, KEY).convert_file(content, encoding="windows-1252")
        assert answer.content.decode("cp1252").splitlines()[1].startswith("1;EUR;EUR;Müller;1;1;")
    with pytest.raises(FileNotFoundError):
        kind(address, KEY).convert_file(str(tmp_path / "missing.csv"))


def test_amounts_may_be_floats_and_days_datetimes(kind: Any, address: str) -> None:
    moment = datetime(2026, 10, 30, 23, 30, tzinfo=UTC)
    amounts = [AmountToConvert(one, "EUR", "EUR", moment) for one in (0.1 + 0.2, 1.234, 1e-2, 7, "1.234")]
    answer = kind(address, KEY).convert_bulk(amounts, precision=20)
    assert [str(one.result) for one in answer.results] == ["0.30000000000000004", "1.234", "0.01", "7", "1.234"]
    assert {one.date for one in answer.results} == {"2026-10-30"}


def test_a_file_that_is_refused_is_an_error(kind: Any, address: str) -> None:
    with pytest.raises(errors.BadRequest, match=r"Missing column: \[from\]"):
        kind(address, KEY).convert_file("amount,to\n")
    with pytest.raises(errors.BadRequest, match="There is no CSV"):
        kind(address, KEY).convert_file("")


def test_a_file_waits_for_the_rate_limit(
    kind: Any, fake_service: FakeService, fake_address: str, pauses: list[float]
) -> None:
    fake_service.responses = [RATE_LIMITED, (200, b"amount\r\n", CSV)]
    assert kind(fake_address, KEY).convert_file("amount,from,to\n").content == b"amount\r\n"
    assert len(pauses) == 1
    assert [request["REQUEST_METHOD"] for request in fake_service.requests] == ["POST", "POST"]


@pytest.mark.parametrize("response", [(503, {"error": "Not now", "code": "rate_unavailable"}, {}), (200, b"{}", {})])
def test_a_file_is_not_sent_again_after_another_failure(
    kind: Any, fake_service: FakeService, fake_address: str, pauses: list[float], response: Any
) -> None:
    fake_service.responses = [response]
    with pytest.raises((errors.Unavailable, errors.ConnectionFailed)):
        kind(fake_address, KEY).convert_file("amount,from,to\n")
    assert (len(fake_service.requests), pauses) == (1, [])


def test_every_operation_with_a_body_has_a_method() -> None:
    posted = {path: methods["post"] for path, methods in OPENAPI["paths"].items() if "post" in methods}
    alerts = ["add", "test", "remove"]
    values = ["/value", "/price-list/bulk", "/metals/value"]
    assert [*posted] == [*values, *(f"/alerts/{each}" for each in alerts), "/convert/bulk"]
    for client in (Cambist, AsyncCambist):
        assert {"value", "metals_value", "price_list_bulk", "alerts_add", "alerts_remove", "alerts_test"} <= {
            *dir(client)
        }
    written = {"decimal": "comma", "delimiter": "tab", "dates": "dmy", "encoding": "windows-1252"}
    call = convert_file(b"x", precision=3, **written, source="ecb", rule="before", booking="de-vat")
    assert call.path == "/convert/bulk"
    assert {*call.query} == {parameter["name"] for parameter in posted["/convert/bulk"]["parameters"]}
    for client in (Cambist, AsyncCambist):
        assert inspect.getdoc(client.convert_file) == inspect.getdoc(convert_file)
