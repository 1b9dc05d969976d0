"""How many refusals an address gets at once."""

from __future__ import annotations

from ipaddress import ip_network

from cambist.http.refusals import MOST_AT_ONCE, PERIOD_SECONDS, Refusals


def delays(refusals: Refusals, client: object, count: int) -> list[float]:
    return [refusals.delay(client) for _ in range(count)]


def test_above_the_limit_refusals_wait_until_a_new_period() -> None:
    refusals = Refusals()
    assert set(delays(refusals, "192.0.2.1", MOST_AT_ONCE)) == {0.0}
    assert set(delays(refusals, "192.0.2.1", 3)) == {PERIOD_SECONDS}
    assert refusals.delay("192.0.2.2") == 0.0
    refusals.begin_period()
    assert refusals.delay("192.0.2.1") == 0.0


def test_addresses_of_one_network_count_together() -> None:
    refusals = Refusals()
    for number in range(MOST_AT_ONCE):
        refusals.delay(f"2001:db8::{number:x}")
    assert refusals.delay("2001:db8::ffff") == PERIOD_SECONDS
    assert refusals.delay("2001:db8:0:1::1") == 0.0


def test_accounts_and_proxies_never_wait() -> None:
    refusals = Refusals((ip_network("10.0.0.0/8"),))
    for client in (7, None, "10.1.2.3"):
        assert set(delays(refusals, client, 2 * MOST_AT_ONCE)) == {0.0}
