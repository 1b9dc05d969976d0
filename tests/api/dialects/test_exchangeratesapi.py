"""The paths and errors of exchangeratesapi.io and of APILayer's marketplace, beside Frankfurter's."""

from __future__ import annotations

import pytest

from cambist.api.faces.dialects.fixer import dialect as fixer
from cambist.api.faces.dialects.frankfurter import dialect as frankfurter


@pytest.fixture(params=[(fixer, frankfurter), (frankfurter, fixer)], ids=["first", "last"])
def service(request, make_client):
    return make_client(dialects=request.param)


@pytest.mark.parametrize(
    "target",
    ["/latest?base=USD&symbols=EUR", "/2024-02-29?symbols=USD", "/symbols?", "/convert?from=EUR&to=USD&amount=3",
     "/timeseries?start_date=2024-02-01&end_date=2024-02-03&symbols=USD",
     "/fluctuation?start_date=2024-02-01&end_date=2024-02-03&symbols=USD"],
)  # fmt: skip
def test_each_folder_has_the_same_answers(service, target):
    wanted = service.get(f"/fixer{target}&access_key={service.key}", key=None)
    assert (wanted.status, wanted.json["success"]) == (200, True)
    for folder in ("/v1", "/exchangerates_data"):
        reply = service.get(f"{folder}{target}&access_key={service.key}", key=None)
        assert reply.json == wanted.json
    by_header = service.get(f"/exchangerates_data{target}", key=None, headers={"apikey": service.key})
    assert by_header.json == wanted.json


def test_without_a_key_of_theirs_the_folder_is_that_of_frankfurter(service):
    reply = service.get("/v1/2024-02-29?base=USD&symbols=EUR")
    assert list(reply.json) == ["amount", "base", "date", "rates"]
    assert "success" not in service.get("/v1/latest?from=USD").json


@pytest.mark.parametrize(
    ("target", "status", "code"),
    [
        ("/latest?access_key=wrong", 401, "invalid_access_key"),
        ("/latest?base=ZZZ&access_key={key}", 400, "invalid_base_currency"),
        ("/latest?symbols=ZZZ&access_key={key}", 400, "invalid_currency_codes"),
        ("/1950-01-01?access_key={key}", 400, "invalid_parameter"),
    ],
)
def test_errors_are_those_of_each_host(service, target, status, code):
    target = target.format(key=service.key)
    text = service.get(f"/v1{target}", key=None)
    assert (text.status, text.json["error"]["code"], list(text.json)) == (status, code, ["error"])
    gateway = service.get(f"/exchangerates_data{target}", key=None)
    assert gateway.status == status
    assert list(gateway.json) == (["message"] if status == 401 else ["success", "error"])
    own = service.get(f"/fixer{target}", key=None)
    assert (own.status, own.json["error"]["type"]) == (status, code)
