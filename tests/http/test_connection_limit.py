"""How many connections a worker holds, and which go where there are too many."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from ipaddress import ip_network

import pytest

from cambist.accounts.addresses import Networks
from cambist.http.connection_limit import Connection, ConnectionLimit, excess


def connection(address: str, silent: int) -> Connection:
    return Connection(0, 0, address, silent)


def test_nothing_goes_while_there_are_few() -> None:
    held = [connection("a", 1), connection("a", 9_000), connection("b", 5)]
    assert excess(held, 3, 2) == []


def test_of_one_address_those_silent_longest_go() -> None:
    held = [connection("a", silent) for silent in (50, 9_000, 0, 8_000)] + [connection("b", 9_999)]
    assert excess(held, 10, 2) == [connection("a", 8_000), connection("a", 9_000)]


def test_of_all_those_silent_longest_go() -> None:
    held = [connection(str(number), silent) for number, silent in enumerate((7, 9_000, 0, 3))]
    assert [gone.silent for gone in excess(held, 2, 100)] == [7, 9_000]


def test_what_goes_for_its_address_takes_no_place_from_others() -> None:
    held = [connection("a", silent) for silent in range(100)] + [connection("b", 9_000)]
    assert connection("b", 9_000) not in excess(held, 3, 2)


def test_addresses_that_are_not_counted_are_limited_only_in_all() -> None:
    held = [connection("", silent) for silent in range(5)]
    assert (len(excess(held, 10, 1)), len(excess(held, 3, 1))) == (0, 2)


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0), backlog=100) as server:
        yield server


def held_after_a_look(server: socket.socket, clients: int, most: int, of_one: int, proxies: Networks = ()) -> int:
    """Connect so many, the last of which has just said something; give how many are still open after a look."""
    with ExitStack() as stack:
        ours, theirs = [], []
        for _ in range(clients):
            ours.append(stack.enter_context(socket.create_connection(server.getsockname(), 5)))
            theirs.append(stack.enter_context(server.accept()[0]))
        limit = ConnectionLimit(server.getsockname()[1], most, of_one, proxies)
        closed = limit.close_excess()
        for client in ours:
            client.setblocking(False)
        states = Counter(_is_open(client) for client in ours)
        assert states[False] == closed
        assert server.fileno() >= 0
        return states[True]


def _is_open(client: socket.socket) -> bool:
    try:
        return client.recv(1) != b""
    except BlockingIOError:
        return True


@pytest.mark.parametrize(
    ("clients", "most", "of_one", "left"), [(12, 100, 5, 5), (12, 7, 50, 7), (12, 100, 100, 12), (0, 1, 1, 0)]
)
def test_a_look_closes_what_is_too_much(
    listening: socket.socket, clients: int, most: int, of_one: int, left: int
) -> None:
    assert held_after_a_look(listening, clients, most, of_one) == left
    assert held_after_a_look(listening, 1, 1, 1) == 1  # it still listens


def test_a_proxys_address_may_hold_more(listening: socket.socket) -> None:
    proxies = (ip_network("127.0.0.0/8"),)
    assert held_after_a_look(listening, 12, 100, 5, proxies) == 12
    assert held_after_a_look(listening, 12, 8, 5, proxies) == 8


def test_connections_of_other_ports_are_left_alone(listening: socket.socket) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, ExitStack() as stack:
        for _ in range(6):
            stack.enter_context(socket.create_connection(other.getsockname(), 5))
            stack.enter_context(other.accept()[0])
        assert ConnectionLimit(listening.getsockname()[1], 1, 1, ()).close_excess() == 0
