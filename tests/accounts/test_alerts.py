"""Alerts: which definitions are refused, when one fires, and which addresses are of the internet."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from cambist.accounts.alerts.addresses import check_webhook, is_public
from cambist.accounts.alerts.definition import AlertDefinition, Way, When, check_definition
from cambist.accounts.alerts.evaluation import (
    AlertState,
    look_at_corrections,
    look_at_publisher,
    look_at_quota,
    look_at_rate,
)
from cambist.accounts.quota import Period
from cambist.errors import BadParameter

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PAIR = {"base": "EUR", "quote": "USD"}


def alert(when: str, **rest: Any) -> AlertDefinition:
    return AlertDefinition(when=When(when), deliver=rest.pop("deliver", Way.STREAM), **rest)


def fired(definition: AlertDefinition, rates: Sequence[float], seconds: int = 90) -> list[int]:
    """Return at which of the rates, so many seconds apart, an alert fires."""
    state, found = AlertState(), []
    for number, rate in enumerate(rates):
        now = NOW + timedelta(seconds=seconds * number)
        state, firing = look_at_rate(definition, state, rate, now, now)
        if firing is not None:
            found.append(number)
    return found


@pytest.mark.parametrize(
    ("definition", "says"),
    [
        (alert("above", **PAIR), "Missing [level]: an alert [above] needs [from], [to], [level]"),
        (alert("above", base="EUR", level=Decimal(1)), "Missing [to]"),
        (alert("above", **PAIR, level=Decimal(1), source="ecb"), "Unneeded [source]"),
        (alert("above", **PAIR, level=Decimal(0)), "Invalid level: [0], it must be above 0"),
        (alert("above", **PAIR, level=Decimal("nan")), "Invalid level: [NaN]"),
        (alert("outside", **PAIR, low=Decimal(2), high=Decimal(2)), "Invalid low: [2], it must be below high [2]"),
        (alert("moves", **PAIR, change="-2%", within=timedelta(hours=1)), "Invalid change: [-2%]"),
        (alert("moves", **PAIR, change="2%", within=timedelta(days=8)), "Invalid within"),
        (alert("moves", **PAIR, change="0%", within=timedelta(hours=1)), "Invalid change: [0%]"),
        (alert("quota", change="101%"), "Invalid change: [101%], a quota has 100%"),
        (alert("published"), "Missing [source]"),
        (alert("published", source="ecb", day=date(2026, 1, 1)), "Unneeded [date]"),
        (alert("quota", change="80%", deliver=Way.WEBHOOK), "Invalid deliver: [webhook] needs an [address]"),
        (alert("quota", change="80%", address="https://a.example"), "Invalid deliver: [stream] takes no [address]"),
        (alert("quota", change="80%", note="x" * 201), "Invalid note"),
    ],
)
def test_a_definition_that_says_too_little_or_too_much_is_refused(definition: AlertDefinition, says: str) -> None:
    with pytest.raises(BadParameter) as refused:
        check_definition(definition)
    assert says in str(refused.value)


def test_a_level_fires_when_it_is_crossed_and_not_while_it_stays_crossed() -> None:
    rates = [1.0, 1.1, 1.2, 1.3, 1.1, 1.2, 1.3, 1.0]
    assert fired(alert("above", **PAIR, level=Decimal("1.15")), rates) == [2, 5]
    assert fired(alert("below", **PAIR, level=Decimal("1.05")), rates) == [0, 7]
    assert fired(alert("outside", **PAIR, low=Decimal("1.05"), high=Decimal("1.25")), rates) == [0, 3, 6]


def test_a_level_itself_is_neither_above_nor_below() -> None:
    assert fired(alert("above", **PAIR, level=Decimal("1.1")), [1.1]) == []
    assert fired(alert("below", **PAIR, level=Decimal("1.1")), [1.1]) == []
    assert fired(alert("outside", **PAIR, low=Decimal("1.1"), high=Decimal(2)), [1.1, 2.0]) == []


def test_a_rate_that_crosses_often_fires_once_a_minute_and_is_not_forgotten() -> None:
    level = alert("above", **PAIR, level=Decimal("1.15"))
    assert fired(level, [1.2, 1.1, 1.2, 1.1, 1.2, 1.1, 1.2, 1.2, 1.2], seconds=10) == [0, 6]


def test_a_move_is_looked_for_in_its_time_only() -> None:
    slow = [1 + 0.004 * n for n in range(20)]
    move = alert("moves", **PAIR, change="1%", within=timedelta(minutes=5))
    assert fired(move, slow, seconds=90)[0] == 3
    assert fired(move, slow, seconds=200) == []
    assert fired(move, [1, 1, 0.985, 0.985, 0.985, 0.97]) == [2, 5]


def test_a_publisher_fires_for_each_new_day_but_not_for_the_one_it_had() -> None:
    definition, state, found = alert("published", source="ecb"), AlertState(), []
    for day in (19, 19, 20, 20, 19, 23):
        state, firing = look_at_publisher(definition, state, date(2026, 11, day), NOW)
        found.append(firing is not None)
    assert found == [False, False, True, False, False, True]


def test_a_correction_of_another_day_is_not_told() -> None:
    days = [date(2026, 11, 2), date(2026, 11, 1)]
    every, one = alert("corrected", **PAIR), alert("corrected", **PAIR, day=date(2026, 11, 3))
    told = look_at_corrections(every, AlertState(), days, "there", NOW)
    assert told.firing is not None
    assert told.firing.text == "EUR/USD was corrected: 2 days from 2026-11-01 to 2026-11-02"
    untold = look_at_corrections(one, AlertState(), days, "there", NOW)
    assert (untold.firing, untold.state.place) == (None, "there")


def test_a_quota_fires_once_in_each_period() -> None:
    definition, state, found = alert("quota", change="80%"), AlertState(), []
    for month, used in ((11, 799), (11, 800), (11, 900), (12, 10), (12, 850)):
        period = Period(date(2026, month, 1), date(2026, month, 28))
        state, firing = look_at_quota(definition, state, used, 1000, period, NOW)
        found.append(firing is not None)
    assert found == [False, True, False, False, True]


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",  # noqa: S104
        "::1", "::", "fe80::1", "fc00::1", "fd00:ec2::254", "::ffff:127.0.0.1", "64:ff9b::a00:1", "2002:7f00:1::",
        "2001:0:4136:e378:8000:63bf:80ff:fffe", "224.0.0.1", "255.255.255.255", "192.0.2.1", "fe80::1%eth0",
    ],
)  # fmt: skip
def test_addresses_of_this_machine_and_its_networks_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://hooks.example.org/a", "alerts are sent by https"),
        ("ftp://hooks.example.org/a", "alerts are sent by https"),
        ("https://localhost/a", "is not on the internet"),
        ("https://LOCALHOST./a", "is not on the internet"),
        ("https://rates/a", "is not on the internet"),
        ("https://printer.local/a", "is not on the internet"),
        ("https://metadata.google.internal/a", "is not on the internet"),
        ("https://127.1/a", "is not on the internet"),
        ("https://2130706433/a", "is not on the internet"),
        ("https://0x7f.0.0.0x1/a", "is not on the internet"),
        ("https://[::1]/a", "is not on the internet"),
        ("https://[::ffff:10.0.0.1]/a", "is not on the internet"),
        ("https://user:password@hooks.example.org/a", "without a user"),
        ("https://hooks.example.org/a#b", "without a user"),
        ("https://hooks.example.org/a b", "without a user"),
        ("https://hooks.example.org/\r\nX: y", "without a user"),
        ("https://hooks.example.org:99999/", "is not a URL"),
        ("https://[::1/", "is not a URL"),
        ("https:///a", "without a user"),
        ("nonsense", "without a user"),
        ("https://hooks.example.org/" + "a" * 500, "without a user"),
    ],
)
def test_webhooks_that_are_not_on_the_internet_are_refused(url: str, says: str) -> None:
    with pytest.raises(BadParameter) as refused:
        check_webhook(url, allows_private=False)
    assert says in str(refused.value)


def test_an_operator_may_allow_webhooks_in_private_networks() -> None:
    for url in ("http://127.0.0.1:8080/a", "https://rates/a", "https://hooks.example.org/a?b=c"):
        assert check_webhook(url, allows_private=True).geturl() == url
    assert check_webhook("https://hooks.example.org:8443/a", allows_private=False).port == 8443
