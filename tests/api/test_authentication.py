"""Failed API keys are slowed down by address, and a working key is never refused because of them."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any

import pytest

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest, mint
from cambist.accounts.failed_keys import FAILURES_AT_ONCE
from cambist.accounts.plan import default_plans, read_plans
from cambist.accounts.principal import Principals
from cambist.api.call.credentials import Authenticator
from cambist.errors import KeyEnded, KeyMalformed, KeyUnknown, TooManyFailedKeys

NOW = 1_795_176_000.0
GOOD, NEW, REVOKED, WRONG = (mint(lambda alphabet, index=index: alphabet[index]) for index in (7, 8, 9, 10))
STORED_KEYS = {
    digest(GOOD): StoredKey(1, Account(1, "one", "one")),
    digest(NEW): StoredKey(2, Account(1, "one", "one")),
    digest(REVOKED): StoredKey(3, Account(1, "one", "one"), revoked=True),
}
PRINCIPALS = Principals(STORED_KEYS, read_plans(default_plans(), "plans.toml"))
PROXIES = tuple(ip_network(network) for network in ("10.0.0.0/8", "2001:db8:aaaa::/48"))
ME, OTHER = "203.0.113.5", "203.0.113.6"


def came(peer: str = ME, forwarded: str | None = None, key: str | None = None) -> dict[str, Any]:
    environ: dict[str, Any] = {"REMOTE_ADDR": peer}
    if forwarded is not None:
        environ["HTTP_X_FORWARDED_FOR"] = forwarded
    if key is not None:
        environ["HTTP_X_API_KEY"] = key
    return environ


def fail(
    authenticator: Authenticator, environ: dict[str, Any], times: int = FAILURES_AT_ONCE, now: float = NOW
) -> None:
    for _ in range(times):
        authenticator.failed_keys.record_failure(authenticator.address_of(environ), now)


def is_limited(authenticator: Authenticator, environ: dict[str, Any], now: float = NOW) -> bool:
    return authenticator.failed_keys.retry_after(authenticator.address_of(environ), now) > 0


@pytest.fixture
def authenticator() -> Authenticator:
    return Authenticator(PRINCIPALS)


@pytest.fixture
def believing() -> Authenticator:
    return Authenticator(PRINCIPALS, PROXIES)


def test_nobody_is_limited_before_anyone_has_failed(authenticator):
    assert not is_limited(authenticator, came())


def test_an_address_may_fail_so_many_times_and_not_once_more(authenticator):
    fail(authenticator, came(), FAILURES_AT_ONCE - 1)
    assert not is_limited(authenticator, came())
    fail(authenticator, came(), 1)
    assert is_limited(authenticator, came())


def test_another_address_is_not_limited_with_it(authenticator):
    fail(authenticator, came())
    assert is_limited(authenticator, came())
    assert not is_limited(authenticator, came(OTHER))
    fail(authenticator, came(OTHER), 1)
    assert not is_limited(authenticator, came(OTHER))


def test_the_error_has_the_true_time_to_wait(authenticator):
    fail(authenticator, came(), FAILURES_AT_ONCE + 3)
    with pytest.raises(TooManyFailedKeys) as refused:
        authenticator.authenticate(came(key=WRONG), {}, NOW)
    wait = refused.value.retry_after
    assert wait == 8  # one in two seconds, of which three are owed
    assert is_limited(authenticator, came(), NOW + wait - 1)
    assert not is_limited(authenticator, came(), NOW + wait)


def test_after_the_limit_one_in_two_seconds_may_fail(authenticator):
    tried = 0
    for second in range(600):
        for _ in range(5):
            try:
                authenticator.authenticate(came(key=WRONG), {}, NOW + second)
            except KeyUnknown:
                tried += 1
            except TooManyFailedKeys:
                pass
    assert tried == pytest.approx(FAILURES_AT_ONCE + 300, abs=1)


def test_an_address_that_rests_may_fail_as_often_as_at_first(authenticator):
    fail(authenticator, came())
    later = NOW + 3600
    fail(authenticator, came(), FAILURES_AT_ONCE - 1, later)
    assert not is_limited(authenticator, came(), later)
    fail(authenticator, came(), 1, later)
    assert is_limited(authenticator, came(), later)


@pytest.mark.parametrize("key", [GOOD, NEW])
def test_a_working_key_is_never_refused_because_of_wrong_keys_of_others(authenticator, key):
    fail(authenticator, came(), 500)
    assert authenticator.authenticate(came(key=key), {}, NOW).key in {1, 2}
    assert authenticator.authenticate(came(), {"api_key": key}, NOW).key in {1, 2}


def test_a_working_key_does_not_forgive_the_failures_of_others(authenticator):
    fail(authenticator, came(), FAILURES_AT_ONCE - 1)
    authenticator.authenticate(came(key=GOOD), {}, NOW)
    fail(authenticator, came(), 1)
    assert is_limited(authenticator, came())


def test_a_limited_address_learns_nothing_of_any_key_that_does_not_work(authenticator):
    fail(authenticator, came())
    sentences = set()
    for key in (WRONG, REVOKED, "cmb_short", "typo"):
        with pytest.raises(TooManyFailedKeys) as refused:
            authenticator.authenticate(came(key=key), {}, NOW)
        sentences.add((str(refused.value), refused.value.retry_after))
    assert len(sentences) == 1
    assert authenticator.authenticate(came(key=GOOD), {}, NOW).key == 1


@pytest.mark.parametrize(("key", "error"), [(WRONG, KeyUnknown), (REVOKED, KeyEnded), ("typo", KeyMalformed)])
def test_every_key_that_opens_nothing_counts(authenticator, key, error):
    for _ in range(FAILURES_AT_ONCE):
        with pytest.raises(error):
            authenticator.authenticate(came(key=key), {}, NOW)
    with pytest.raises(TooManyFailedKeys):
        authenticator.authenticate(came(key=key), {}, NOW)


@pytest.mark.parametrize("way", ["query", "header", "bearer", "basic"])
def test_failures_count_by_whatever_way_they_come(authenticator, way):
    environ = came(key=WRONG if way == "header" else None)
    if way in {"bearer", "basic"}:
        environ["HTTP_AUTHORIZATION"] = f"Bearer {WRONG}" if way == "bearer" else "Basic Y21iX3Nob3J0Og=="
    for _ in range(FAILURES_AT_ONCE):
        with pytest.raises((KeyUnknown, KeyMalformed)):
            authenticator.authenticate(dict(environ), {"api_key": WRONG if way == "query" else ""}, NOW)
    with pytest.raises(TooManyFailedKeys):
        authenticator.authenticate(came(key=REVOKED), {}, NOW)


def test_a_look_at_a_wrong_key_counts_nothing_because_admitting_it_does(authenticator):
    for _ in range(100):
        assert not authenticator.would_admit(came(key=WRONG), {}, NOW)
    assert not is_limited(authenticator, came())


def test_what_is_remembered_is_bounded(authenticator, monkeypatch):
    monkeypatch.setattr("cambist.accounts.failed_keys._MAX_REMEMBERED", 100)
    for number in range(1000):
        environ = came(f"192.0.{number // 256}.{number % 256}")
        fail(authenticator, environ, 1)
    sizes = {name: len(kept) for name, kept in vars(authenticator.failed_keys).items() if isinstance(kept, dict | set)}
    assert sizes
    assert max(sizes.values()) <= 101


# Behind a proxy


def test_without_proxies_nobodys_forwarded_for_is_believed(authenticator):
    for number in range(FAILURES_AT_ONCE):
        fail(authenticator, came(forwarded=f"198.51.100.{number}"), 1)
    assert is_limited(authenticator, came())
    assert is_limited(authenticator, came(forwarded="198.51.100.200"))


def test_from_who_is_no_proxy_it_is_not_believed_either(believing):
    for number in range(FAILURES_AT_ONCE):
        fail(believing, came(forwarded=f"198.51.100.{number}"), 1)
    assert is_limited(believing, came())
    assert not is_limited(believing, came("10.1.1.1", "198.51.100.3"))


def test_behind_a_proxy_each_client_has_its_own_failures(believing):
    fail(believing, came("10.1.1.1", ME))
    assert is_limited(believing, came("10.1.1.1", ME))
    assert not is_limited(believing, came("10.1.1.1", OTHER))
    assert not is_limited(believing, came("10.1.1.1"))


def test_a_client_is_the_same_through_any_of_the_proxies_and_without_them(believing):
    fail(believing, came("10.1.1.1", ME))
    for through in (came("10.2.2.2", ME), came("10.1.1.1", f"{ME}, 10.9.9.9"), came("2001:db8:aaaa::1", ME), came(ME)):
        assert is_limited(believing, through)


@pytest.mark.parametrize(
    "spoofed", ["{0}, {1}", "10.5.5.5, {1}", "{0},{0},{1}", "garbage, {1}", ", {1}", "{0}, {1}, 10.9.9.9", " {1} "]
)
def test_what_a_client_writes_to_the_left_of_its_own_address_is_ignored(believing, spoofed):
    for number in range(FAILURES_AT_ONCE):
        fail(believing, came("10.1.1.1", spoofed.format(f"198.51.100.{number}", ME)), 1)
    assert is_limited(believing, came("10.1.1.1", ME))
    assert not is_limited(believing, came("10.1.1.1", "198.51.100.3"))


def test_clients_with_addresses_of_ipv6_are_distinguished(believing):
    fail(believing, came("10.1.1.1", "2001:db8:1::5"))
    assert is_limited(believing, came("2001:db8:aaaa::1", "2001:db8:1::5"))
    assert is_limited(believing, came("2001:db8:1::5"))
    assert not is_limited(believing, came("10.1.1.1", "2001:db8:2::5"))


def test_a_client_of_ipv6_cannot_spoof_either(believing):
    for number in range(FAILURES_AT_ONCE):
        fail(believing, came("2001:db8:aaaa::1", f"2001:db8:9::{number}, 2001:db8:1::5"), 1)
    assert is_limited(believing, came("2001:db8:1::5"))


def test_a_proxy_whose_address_names_an_interface_is_a_proxy_all_the_same():
    believing = Authenticator(PRINCIPALS, (ip_network("fe80::/10"),))
    fail(believing, came("fe80::1%eth0", ME))
    assert is_limited(believing, came(ME))


def test_a_proxy_of_ipv4_that_reaches_a_socket_of_ipv6_is_a_proxy_all_the_same(believing):
    fail(believing, came("::ffff:10.1.1.1", ME))
    assert is_limited(believing, came("10.1.1.1", ME))
    assert not is_limited(believing, came("::ffff:10.1.1.1", OTHER))


@pytest.mark.parametrize("form", ["{0}:{1}", "[2001:db8:1::5]:{1}"])
def test_a_proxy_that_writes_the_port_does_not_give_each_connection_failures_of_its_own(believing, form):
    for port in range(FAILURES_AT_ONCE):
        fail(believing, came("10.1.1.1", form.format(ME, 40_000 + port)), 1)
    assert is_limited(believing, came("10.1.1.1", form.format(ME, 50_000)))


@pytest.mark.parametrize(
    "garbage", ["", " ", ",", ",,,", "garbage", "unknown", "_hidden", "10.1.1.1.1", "\xff", "%", "x" * 9000]
)
@pytest.mark.parametrize("peer", ["10.1.1.1", ME, "", "garbage", "unix:"])
def test_garbage_breaks_nothing_and_limits_nobody_else(believing, peer, garbage):
    fail(believing, came(peer, garbage))
    assert is_limited(believing, came(peer, garbage))
    assert not is_limited(believing, came(OTHER))
    assert not is_limited(believing, came("10.1.1.1", OTHER))


def test_a_chain_of_proxies_alone_ends_at_its_outermost(believing):
    fail(believing, came("10.1.1.1", "10.3.3.3, 10.2.2.2"))
    assert is_limited(believing, came("10.1.1.1", "10.3.3.3"))
    assert not is_limited(believing, came("10.1.1.1", "10.4.4.4"))


def test_a_request_without_any_address_is_limited_like_one(authenticator):
    fail(authenticator, {})
    assert is_limited(authenticator, {})
    assert not is_limited(authenticator, came())
