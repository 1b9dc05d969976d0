"""URLs of several PostgreSQL servers, and a promotion of the one that followed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.postgresql import TestServer, primary_and_standby, url_of_servers

from cambist.accounts.account import Account
from cambist.errors import CannotStart, StoreUnreachable
from cambist.settings import without_password
from cambist.storage.sql import SqlStore
from cambist.storage.sql.backends.postgresql_url import engine_url

WRITABLE = "read-write"


@pytest.mark.parametrize(
    ("url", "hosts", "ports"),
    [
        ("postgresql://a,b/db", "a,b", ","),
        ("postgresql://u:p%40@a:1,b:2/db", "a,b", "1,2"),
        ("postgresql://u@a,b:2/db?sslmode=require", "a,b", ",2"),
        ("postgresql+psycopg://[::1]:5,[fe80::2]/db", "::1,fe80::2", "5,"),
        ("postgresql:///db?host=a,b", "a,b", ","),
        ("postgresql:///db?host=a,b&port=7", "a,b", "7,7"),
        ("postgresql:///db?host=/run/one,/run/two&port=1,2", "/run/one,/run/two", "1,2"),
        ("postgresql:///db?host=a:1&host=b:2", "a,b", "1,2"),
    ],
)
def test_of_several_hosts_the_one_is_used_that_can_be_written(url: str, hosts: str, ports: str) -> None:
    found = engine_url(url)
    assert (found.query["host"], found.query["port"], found.host, found.port) == (hosts, ports, None, None)
    assert found.query["target_session_attrs"] == WRITABLE
    assert found.database == "db"


def test_one_host_is_used_whatever_it_allows_and_what_the_url_says_holds() -> None:
    one = engine_url("postgresql://u:p@db.example.com:6543/cambist?sslmode=verify-full")
    assert (one.host, one.port, dict(one.query)) == ("db.example.com", 6543, {"sslmode": "verify-full"})
    assert engine_url("postgresql://a,b/db?target_session_attrs=any").query["target_session_attrs"] == "any"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("postgresql://u:secret@a:0,b/db", "the port 0 is not from 1 to 65535"),
        ("postgresql://u:secret@a:99999/db", "the port 99999 is not"),
        ("postgresql://u:secret@a:x,b/db", r"\[a:x\] is not a host or host:port"),
        ("postgresql://u:secret@a:x/db", r"\[a:x\] is not a host or host:port"),
        ("postgresql://u:secret@a,,b/db", "one of its hosts has no name"),
        ("postgresql://u:secret@/db?host=a,b,c&port=1,2", "3 hosts and 2 ports"),
        ("postgresql:a,b", "it is no URL"),
    ],
)
def test_a_url_that_cannot_be_used_is_refused_without_its_password(url: str, reason: str) -> None:
    with pytest.raises(CannotStart, match=reason) as refused:
        SqlStore(url)
    assert "secret" not in str(refused.value)
    assert "postgresql://user@db1" in str(refused.value)


@pytest.mark.parametrize("hosts", ["a,b", "a:1,b:2", "[::1]:5,b"])
def test_the_password_of_several_hosts_is_not_shown(hosts: str) -> None:
    assert without_password(f"postgresql://u:se,c@ret@{hosts}/db") == f"postgresql://u:***@{hosts}/db"


@pytest.fixture
def servers() -> Iterator[tuple[TestServer, TestServer]]:
    with primary_and_standby() as both:
        yield both


@pytest.mark.long
def test_the_next_statement_after_a_promotion_goes_to_the_new_primary(servers: tuple[TestServer, TestServer]) -> None:
    primary, standby = servers
    store = SqlStore(url_of_servers("postgres", standby, primary))  # the standby is asked first
    store.migrate()
    store.accounts.create(Account(0, "before", "one"))
    primary.stop()
    with pytest.raises(StoreUnreachable):
        store.accounts.create(Account(0, "lost", "one"))
    standby.execute("SELECT pg_promote()")
    store.accounts.create(Account(0, "after", "one"))
    assert standby.execute("SELECT name FROM accounts ORDER BY id") == [("before",), ("after",)]
    store.close()


@pytest.mark.long
def test_a_standby_alone_is_refused_in_one_sentence(servers: tuple[TestServer, TestServer]) -> None:
    _, standby = servers
    store = SqlStore(standby.url("postgres"))
    with pytest.raises(CannotStart, match="standby or read-only, and takes no writes; name the primary"):
        store.migrate()
    store.close()
    store = SqlStore(url_of_servers("postgres", standby, standby))
    with pytest.raises(CannotStart, match="cannot be reached"):
        store.migrate()
    store.close()
