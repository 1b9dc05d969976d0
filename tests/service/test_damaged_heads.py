"""Damaged heads of requests over real sockets: each answer is HTTP, none is a fault, and no connection stays."""

from __future__ import annotations

import json
import os
import random
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import until
from tools.attack.measure import memory, sockets
from tools.attack.sockets import opened
from tools.attack.target import Target, started

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

HEADS = int(os.environ.get("HEADS", "500"))
SEED = int(os.environ.get("SEED", "1"))
WELL = b"GET /fetch-one?from=EUR&to=USD HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n"
WELL += b"X-API-Key: wrong\r\nConnection: close\r\n\r\n"
LINES = (
    b"Content-Length: -1",
    b"Content-Length: 1\r\nContent-Length: 2",
    b"Transfer-Encoding: xchunked",
    b" folded: x",
)
LINES += (b"Host: a\r\nHost: b", b"X: \xff\xfe", b"Accept-Encoding: \x7f", b"Range: bytes=9-1")
LINES += (b"Upgrade: h2c", b"A" * 9000)
PIECES = (
    b"\0",
    b"\r",
    b"\n",
    b"\r\n",
    b" ",
    b":",
    b"%",
    b"%00",
    b"%zz",
    b"\xc3\x28",
    b"..",
    b"//",
    b"?",
    b"#",
    b"\t",
    b"[",
)
METHODS = (b"POST", b"HEAD", b"OPTIONS", b"CONNECT", b"get", b"PRI", b"G\tT", b"")


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    folder = tmp_path_factory.mktemp("heads")
    copy_first_start(folder / "data", is_sandbox=True)
    with started(folder) as service:
        yield service


def damaged(chance: random.Random) -> bytes:
    """Damage a good head in up to four places."""
    head = WELL
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(head))
        way = chance.randrange(5)
        if way == 0:
            head = head[:place] + chance.choice(PIECES) + head[place:]
        elif way == 1:
            head = head[:place] + bytes([chance.randrange(256)]) + head[place + 1 :]
        elif way == 2:
            head = head.replace(b"Accept: */*", chance.choice(LINES), 1)
        elif way == 3:
            head = head.replace(b"GET", chance.choice(METHODS), 1)
        else:
            head = head[:place] + head[place + chance.randint(1, 9) :]
    return head


def answered(port: int, head: bytes) -> bytes:
    """Send a head, say that no more follows, and return all that is answered."""
    received = b""
    with opened(port) as client:
        try:
            client.sendall(head)
            client.shutdown(socket.SHUT_WR)
            while part := client.recv(65536):
                received += part
        except ConnectionResetError:
            pass  # closed before all was read
    return received


def fault(answer: bytes) -> str:
    """Say what is wrong with the first answer, empty if nothing is; no answer at all is right for half a head."""
    if not answer:
        return ""
    head, ended, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    if not ended or not first.startswith(b"HTTP/1.1 ") or not first[9:12].isdigit():
        return "no head of an answer"
    if any(b":" not in line for line in lines):
        return "a header without a colon"
    # Another transfer coding, and another version of HTTP, are refused by RFC 9112 with a status that begins with 5.
    if first[9:10] == b"5" and first[9:12] not in {b"501", b"505"}:
        return f"a fault: {first!r}"
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines)}
    size = int(headers.get(b"content-length", b"0"))
    if headers.get(b"content-type", b"").startswith(b"application/json") and body and first[9:10] in b"45":
        error = json.loads(body[:size])
        return "" if {"error", "code"} <= set(error) else "an error of another form"
    return ""


def test_damaged_heads_get_answers_and_leave_nothing(target: Target) -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    heads = [damaged(chance) for _ in range(HEADS)]
    processes, wrong, answers = set(memory(target)), [], []

    def client(number: int) -> None:
        answer = answered(target.port, heads[number])
        answers.append(answer)
        if found := fault(answer):
            wrong.append((found, heads[number], answer[:200]))

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(client, range(len(heads))))
    assert wrong == []
    assert sum(bool(answer) for answer in answers) > HEADS // 2
    assert set(memory(target)) == processes
    assert until(lambda: sockets(target) == 0, PATIENCE)
