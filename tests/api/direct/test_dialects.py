"""Live questions in dialects: the direct way answers as the framework does, and counts the same."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from tests.api.direct.questions import CODINGS, COINS, CURRENCIES, HEADERS, METALS, ODD
from tests.api.direct.two_ways import TwoWays, settled

from cambist.accounts.account import Account
from cambist.accounts.api_key import digest
from cambist.accounts.keyless_access import DIALECTS, with_account
from cambist.api.direct.dialect_answers import MOST_KEPT, KeptAnswer
from cambist.api.faces.dialects import DIALECTS as PACKAGES
from cambist.history.rate_matrix import RateMatrix
from cambist.registry.wiring.components import dialects
from cambist.settings import Settings

REQUESTS = int(os.environ.get("DIRECT_REQUESTS", "2000")) // 2
SEED = int(os.environ.get("SEED", "1"))
STARTS = {
    "noon": datetime(2026, 11, 20, 12, tzinfo=UTC),
    "a Saturday": datetime(2026, 11, 21, 12, tzinfo=UTC),
    "midnight": datetime(2026, 11, 20, 23, 59, tzinfo=UTC),
}
PATHS = {
    "/v1/latest": ("base", "from", "symbols", "to", "amount"),
    "/latest": ("base", "symbols", "from", "amount"),
    "/fixer/latest": ("base", "symbols"),
    "/exchangerates_data/latest": ("base", "symbols"),
    "/api/latest.json": ("base", "symbols", "prettyprint", "show_alternative"),
    "/v2/exchange-rates": ("currency",),
    "/data/price": ("fsym", "tsyms"),
    "/api/v1/prices": (),
    "/live": ("source", "currencies"),
    "/currencylayer/live": ("source", "currencies"),
    "/v6/{key}/latest/{base}": (),
    "/v6/{key}/pair/{base}/{target}": (),
    "/v6/{key}/pair/{base}/{target}/{amount}": (),
    "/v6/latest/{base}": (),
    "/v4/latest/{base}": (),
    "/v2/prices/{base}-{target}/spot": ("date",),
    "/api/v3/simple/price": ("ids", "vs_currencies", "precision", "include_24hr_change"),
    "/data/pricemulti": ("fsyms", "tsyms"),
    "/api/v7/convert": ("q", "compact"),
    "/v2/rates": ("base", "quotes"),
    "/v2/rates.csv": ("base", "quotes"),
    "/v2/rate/{base}/{target}": (),
    "/stats/eurofxref/eurofxref-daily.xml": (),
    "/stats/eurofxref/eurofxref.csv": (),
    "/stats/eurofxref/eurofxref.zip": (),
}
ACCEPTED = ("*/*", "text/html, */*;q=0.8", "application/x-ndjson", "text/csv")
KEY_NAMES = ("api_key", "access_key", "app_id", "apikey")
LEAST_DIRECT = 0.15
SIDES_CHOSEN = {path for path in PATHS if "latest" in path or "live" in path}


@pytest.mark.long(every=2)
@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize("start", STARTS)
def test_both_ways_answer_and_count_the_same(
    real_matrix: RateMatrix, tmp_path: Path, start: str, *, is_open: bool
) -> None:
    number = list(STARTS).index(start)
    longest_age = None if is_open else timedelta(hours=2)
    spoken = dialects(Settings(dialects=",".join(PACKAGES)))
    both = TwoWays(real_matrix, tmp_path, SEED + number, STARTS[start], longest_age, dialects=spoken)
    if is_open:
        open_to_all(both)
    direct, general = both.ways
    for _ in range(REQUESTS // 6):
        both.move()
        asked = question(both.chance, list(both.keys))
        first, second = direct.respond(asked), general.respond(asked)
        assert in_order(first) == in_order(second), (asked, first, second)
        assert direct.counted() == general.counted(), asked
    if longest_age is None:  # else most prices are too old
        assert direct.direct_answers.total() >= REQUESTS // 6 * LEAST_DIRECT
        patterns = [re.sub(r"\{\w+\}", "[^/]+", path) for path in PATHS]
        seen = [any(re.fullmatch(pattern, path) for path in direct.direct_answers) for pattern in patterns]
        assert sum(seen) >= len(PATHS) // 2, direct.direct_answers


def test_answers_to_others_without_a_key_are_kept_up_to_a_bound(real_matrix: RateMatrix, tmp_path: Path) -> None:
    both = TwoWays(
        real_matrix, tmp_path, SEED, STARTS["noon"], None, dialects=dialects(Settings(dialects="frankfurter"))
    )
    open_to_all(both, "unlimited")
    both.move()
    direct, _ = both.ways
    before = kept_answers()
    for number in range(2 * MOST_KEPT):
        asked = f"GET /v1/latest?amount={number + 1} HTTP/1.1\r\nHost: x\r\n\r\n"
        assert direct.respond(asked.encode()).startswith(b"HTTP/1.1 200")
    assert direct.direct_answers.total() >= 2 * MOST_KEPT - 1  # the first asks who it is
    assert 0 < kept_answers() - before <= MOST_KEPT


def kept_answers() -> int:
    return sum(isinstance(each, KeptAnswer) for each in gc.get_objects())


def open_to_all(both: TwoWays, plan: str = "both") -> None:
    """Let an account pay for calls without a key."""
    stored = {digest(key): one for key, one in both.keys.items() if one is not None}
    for way in both.ways:
        way.client.worker_state.principals.update(with_account(stored, DIALECTS, Account(90, "open", plan)))


def question(chance: Random, keys: Sequence[str]) -> bytes:
    path, names = chance.choice(list(PATHS.items()))
    often = 0.4 if path in SIDES_CHOSEN else 0.95
    given = {name: value(chance, name) for name in names if chance.random() < often and name != "date"}
    lines = [f"Host: {chance.choice(('x', 'x', 'y:8000'))}"]
    key = keys[0] if chance.random() < 0.75 else chance.choice(keys)
    where = chance.choice(("header", "header", "query", "none"))
    if "{key}" in path:
        where = "path" if chance.random() < 0.95 else where
    named = {name: value(chance, name) for name in ("base", "target", "amount")}
    path = path.format(key=key, **named)
    if where == "header":
        lines.append(f"X-API-Key: {key}")
    elif where == "query":
        given[chance.choice(KEY_NAMES)] = key
    if chance.random() < 0.4:
        lines.append(f"Accept-Encoding: {chance.choice(CODINGS)}")
    if chance.random() < 0.1:
        lines.append(f"Accept: {chance.choice(ACCEPTED)}")
    if chance.random() < 0.05:
        lines.append(chance.choice((*HEADERS, f"apikey: {key}")))
    if chance.random() < 0.03:
        given[chance.choice(("foo", "date", "receipt", "base"))] = "1"
    query = "&".join(f"{name}={text}" for name, text in given.items())
    method = "GET" if chance.random() < 0.99 else "HEAD"
    target = f"{path}?{query}" if query else path
    return "\r\n".join([f"{method} {target} HTTP/1.1", *lines, "", ""]).encode("utf-8")


def value(chance: Random, name: str) -> str:
    if name == "amount":
        return chance.choice(("1", "100", "0.5", "-1", "x", "1e3"))
    if name in {"prettyprint", "show_alternative", "include_24hr_change"}:
        return chance.choice(("0", "1", "false"))
    if name in {"ids", "precision", "compact"}:
        return chance.choice(
            {"ids": ("bitcoin", "ethereum", "bitcoin,solana", "x"), "precision": ("2", "full", "x")}.get(
                name, ("y", "ultra")
            )
        )
    codes = (*CURRENCIES, *METALS, *COINS)
    one = chance.choice(ODD) if chance.random() < 0.1 else chance.choice(codes)
    if name == "q":
        return f"{one}_{chance.choice(codes)}"
    if name in {"symbols", "to", "tsyms", "fsyms", "currencies", "vs_currencies", "quotes"}:
        return ",".join([one, *chance.sample(codes, chance.randrange(4))])
    return one


def in_order(response: bytes) -> list[str]:
    *lines, body = settled(response)
    return [*sorted(lines), body]
