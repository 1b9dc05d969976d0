"""Answers in the shape of the originals, beside those of their dialects here: programs would find every field."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from tests.conftest import Client

from cambist.admin.shadow.answer_comparison import ComparedAnswer, compare_answers
from cambist.admin.shadow.request_target import read_target
from cambist.api.faces.dialects.exchangerate_api import dialect as exchangerate_api
from cambist.api.faces.dialects.fixer import dialect as fixer
from cambist.api.faces.dialects.open_exchange_rates import dialect as open_exchange_rates

THEIR_KEY = "0123456789abcdef01234567"
ORIGINALS: dict[str, dict[str, Any]] = {
    f"/latest?access_key={THEIR_KEY}&symbols=USD,JPY": {
        "success": True,
        "timestamp": 1_793_366_100,
        "base": "EUR",
        "date": "2026-10-30",
        "rates": {"USD": 1.117, "JPY": 175.7},
    },
    f"/2024-03-01?access_key={THEIR_KEY}&symbols=USD": {
        "success": True,
        "historical": True,
        "date": "2024-03-01",
        "timestamp": 1_709_337_599,
        "base": "EUR",
        "rates": {"USD": 1.0813},
    },
    f"/api/latest.json?app_id={THEIR_KEY}&symbols=EUR": {
        "disclaimer": "Usage subject to terms: https://openexchangerates.org/terms",
        "license": "https://openexchangerates.org/license",
        "timestamp": 1_793_366_100,
        "base": "USD",
        "rates": {"EUR": 0.8951},
    },
    f"/v6/{THEIR_KEY}/pair/EUR/USD/100": {
        "result": "success",
        "documentation": "https://www.exchangerate-api.com/docs",
        "terms_of_use": "https://www.exchangerate-api.com/terms",
        "time_last_update_unix": 1_793_318_401,
        "time_last_update_utc": "Fri, 30 Oct 2026 00:00:01 +0000",
        "time_next_update_unix": 1_793_404_801,
        "time_next_update_utc": "Sat, 31 Oct 2026 00:00:01 +0000",
        "base_code": "EUR",
        "target_code": "USD",
        "conversion_rate": 1.1172,
        "conversion_result": 111.72,
    },
}


@pytest.mark.long
@pytest.mark.parametrize("raw", ORIGINALS)
def test_the_answer_of_a_dialect_differs_from_its_original_in_minor_ways_alone(
    make_client: Callable[..., Client], key: str, raw: str
) -> None:
    client = make_client(dialects=(fixer, open_exchange_rates, exchangerate_api))
    reply = client.get(read_target(raw).with_key(key), key=None)
    theirs = ComparedAnswer(200, "application/json", json.dumps(ORIGINALS[raw]).encode())
    ours = ComparedAnswer(reply.status, reply.headers["content-type"].partition(";")[0], reply.content)
    differences, more = compare_answers(theirs, ours, Decimal("0.01"))
    assert more == 0
    assert {each.kind.value for each in differences} <= {"age", "words"}, differences


@pytest.mark.long
def test_a_field_that_a_dialect_would_lose_is_found(make_client: Callable[..., Client], key: str) -> None:
    raw = next(iter(ORIGINALS))
    reply = make_client(dialects=(fixer,)).get(read_target(raw).with_key(key), key=None)
    theirs = json.dumps({**ORIGINALS[raw], "privacy": "none"}).encode()
    differences, _ = compare_answers(
        ComparedAnswer(200, "application/json", theirs),
        ComparedAnswer(200, "application/json", reply.content),
        Decimal(1),
    )
    assert [(each.kind.value, each.where) for each in differences] == [("missing", "privacy")]
