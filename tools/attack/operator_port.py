"""Attacks on the operator's port: too many connections, long heads, and guesses at links of the console."""

from __future__ import annotations

from tools.attack.attack import HELD, Attack, Means, seen
from tools.attack.sockets import held, sent, side_by_side

_GUESS = (
    b"POST /console/sign-in HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 49\r\n\r\ntoken=%b"
)


def _crowd(means: Means) -> None:
    with held(means, 300, b"GET /metrics HTTP/1.1\r\n", means.target.operator):
        means.wait(5)


def _operator_heads(means: Means) -> None:
    heads = (
        b"GET /" + b"a" * 65_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + (b"A: " + b"a" * 60_000 + b"\r\n") * 90,
    )
    side_by_side(means, 400, lambda number: sent(means, [heads[number % 2]], port=means.target.operator))


def _guesses(means: Means) -> None:
    tokens = [means.chance.randbytes(22).hex()[:43].encode() for _ in range(means.count(400))]
    side_by_side(means, 400, lambda number: sent(means, [_GUESS % tokens[number]], port=means.target.operator))


ATTACKS = (
    Attack(
        "crowd", "300 connections to the operator's port that begin a request.", _crowd, seen(HELD), port="operator"
    ),
    Attack(
        "operator-heads",
        "400 heads of up to 5 MB at the operator's port.",
        _operator_heads,
        seen("414"),
        seen("431"),
        port="operator",
    ),
    Attack(
        "guesses",
        "400 guesses at links of the console.",
        _guesses,
        seen("403", "429"),
        seen("503"),  # sixteen who do not wait for the end of their answers are more than the port answers at once
        suite_share=0.2,
        port="operator",
    ),
)
