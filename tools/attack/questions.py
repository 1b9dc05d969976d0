"""Attacks with questions: answers that nobody awaits, wrong keys, and messages to /mcp."""

from __future__ import annotations

import time

from tools.attack.attack import CROWDED, HELD, Attack, Means, seen
from tools.attack.sockets import sent, sent_and_gone, side_by_side

_CODES = (
    b"AED,ARS,AUD,BGN,BHD,BRL,CAD,CHF,CLP,CNY,COP,CZK,DKK,EGP,EUR,GBP,HKD,HUF,IDR,ILS,INR,ISK,JPY,KES,KRW,KWD,"
    b"MAD,MXN,MYR,NGN,NOK,NZD,OMR,PEN,PHP,PKR,PLN,QAR,RON,RSD,SAR,SEK,SGD,THB,TND,TRY,TWD,UAH,USD,VND,ZAR"
)
_SERIES = b"/time-series.xlsx?from=EUR&to=USD,GBP,JPY,CHF&start=1999-01-04"
_BIG = (
    b"/fetch-matrix?from=" + _CODES + b"&to=" + _CODES,
    b"/time-series?from=EUR&to=USD,GBP,JPY,CHF,SEK,NOK,DKK,PLN,CZK,HUF&start=1999-01-04",
    b"/time-series.parquet?from=EUR&to=USD,GBP,JPY,CHF,SEK,NOK,DKK,PLN,CZK,HUF&start=1999-01-04",
    b"/fetch-all?from=EUR",
)


def _get(target: bytes, key: str) -> bytes:
    return b"GET " + target + b" HTTP/1.1\r\nHost: x\r\nX-API-Key: " + key.encode() + b"\r\n\r\n"


def _gone(means: Means) -> None:
    sent(means, [_get(_SERIES, means.target.small_key)], patience=60)  # nobody is gone yet
    means.begin = time.monotonic()
    request = _get(_SERIES, means.target.small_key)
    side_by_side(means, 60, lambda _: sent_and_gone(means, request, 0.5))


def _big(means: Means) -> None:
    requests = [_get(target, means.target.key) for target in _BIG]
    for request in requests:
        sent(means, [request])
    side_by_side(means, 400, lambda number: sent_and_gone(means, requests[number % len(requests)]))


def _wrong_keys(means: Means) -> None:
    requests = [_get(b"/fetch-one?from=EUR&to=USD", means.chance.randbytes(16).hex()) for _ in range(means.count(2000))]
    side_by_side(means, 2000, lambda number: sent(means, [requests[number]], address="127.0.0.1"))


def _deep(means: Means) -> None:
    bodies = [b"[" * 30_000 + b"]" * 30_000, b'{"a":' * 10_000 + b"1" + b"}" * 10_000]
    bodies.append(b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":' + bodies[1] + b"}")
    head = b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    head += b"X-API-Key: %s\r\nContent-Length: %d\r\n\r\n"

    def client(number: int) -> None:
        body = bodies[number % len(bodies)]
        sent(means, [head % (means.target.key.encode(), len(body)) + body])

    side_by_side(means, 200, client)


def _foreign(means: Means) -> None:
    key = means.target.key.encode()
    evil = b"Origin: http://evil.example\r\n"
    mcp = b"POST /mcp HTTP/1.1\r\nHost: %s\r\n" + evil + b"X-API-Key: %s\r\nContent-Length: 2\r\n\r\n{}"
    metrics = b"GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n"
    form = b"POST /console/sign-in HTTP/1.1\r\nHost: localhost\r\n" + evil + b"Content-Length: 7\r\n\r\ntoken=a"

    def client(number: int) -> None:
        if number % 4 < 2:
            sent(means, [mcp % (b"evil.example" if number % 4 else b"localhost", key)])
        elif means.target.operator:
            sent(means, [metrics if number % 4 == 2 else form], port=means.target.operator)

    side_by_side(means, 400, client)


ATTACKS = (
    Attack(
        "gone",
        "60 workbooks of 27 years on the smallest plan, for clients that are gone after half a second.",
        _gone,
        seen(HELD, "200"),
        seen(CROWDED),
        most_growth=200,
    ),
    Attack(
        "big",
        "400 matrices and long series that nobody waits for.",
        _big,
        seen(HELD, "200"),
        seen(CROWDED),
        most_growth=200,
    ),
    Attack("wrong-keys", "2,000 wrong keys from the address of the normal client.", _wrong_keys, seen("401", "429")),
    Attack("deep", "200 deeply nested messages to /mcp.", _deep, seen("400"), seen("200")),
    Attack(
        "foreign",
        "400 requests of foreign hosts and origins to /mcp and to the operator's port.",
        _foreign,
        seen("403"),
        seen("421"),
    ),
)
