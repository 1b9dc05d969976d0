"""The table of what a peer without a key can cost: its tests exist, and its figures are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.service.test_connections import MOST_OF_UNREAD, UNREAD
from tests.service.test_tls import MOST_OF_UNREAD_OVER_TLS, UNREAD_OVER_TLS

from cambist.api import request_bodies
from cambist.api.direct import dialect_answers, header_blocks
from cambist.console import http, sessions
from cambist.http import body_room, connection, connection_limit, listening_socket, refusals, request_parser
from cambist.http import server as http_server
from cambist.monitoring import health_http
from cambist.monitoring.alerts import webhook
from cambist.stream import admission, client_connection, messages, server, session, unauthenticated_limit

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8").partition("## What a peer without a key can cost")[2]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.partition("\n## ")[0].splitlines()
    if line.startswith("| ")
][1:]
FIGURES = {
    "head of a request": f"{request_parser.MAX_HEAD_BYTES // 1024} KB",
    "body at `/receipts`, where the key may be in the body": f"{request_bodies.MAX_QUESTION_BYTES // 1024} KB",
    "all bodies that are read or wait, also with keys": (
        f"{body_room.MOST_BYTES_OF_ONE >> 20} MB of one account or address, {body_room.MOST_BYTES_IN_ALL >> 20} MB of "
        "a worker, then 429 or 503"
    ),
    "headers of requests that are remembered": (
        f"only those of requests that were answered, {header_blocks._MAX_BYTES >> 20} MB of a worker"
    ),
    "sizes and extensions of chunks, and trailers": f"{request_parser.MAX_FRAMING_BYTES // 1024} KB of one body",
    "requests behind one that waits": f"{connection.READ_AHEAD_BYTES // 1024} KB are parsed, then reading pauses",
    "time for a request, head and body together": f"{connection_limit.IDLE_SECONDS} seconds",
    "connections of a worker": f"{connection_limit.MAX_CONNECTIONS}, those that are silent longest go",
    "answer that is not read": (
        f"{MOST_OF_UNREAD / UNREAD:g} MB, and {listening_socket._UNREAD_MILLISECONDS // 1000} seconds"
    ),
    "the same over TLS, with a silent connection": (
        f"{MOST_OF_UNREAD_OVER_TLS / UNREAD_OVER_TLS:g} MB, and {listening_socket._UNREAD_MILLISECONDS // 1000} seconds"
    ),
    "time to confirm the end of TLS": f"{http_server._SHUTDOWN_SECONDS:g} second",
    "answers in a dialect that are kept for the next who asks the same": f"{dialect_answers.MOST_KEPT} of a path",
    "refusals, such as those of wrong keys and malformed requests": (
        f"{refusals.MOST_AT_ONCE} of one address are sent at once in each half second, the rest half a second later; "
        "never those of an account"
    ),
    "receiver of an alert that answers slowly": f"{webhook.SECONDS:g} seconds",
    "head of a handshake of the stream": "16 KB",  # the library's, which the test holds
    "time for a handshake of the stream": f"{server._HANDSHAKE_SECONDS} seconds",
    "time for a key after it": f"{client_connection._KEY_SECONDS:g} seconds",
    "frame before the key": f"{messages.MAX_MESSAGE_BYTES_BEFORE_AUTH // 1024} KB are kept",
    "message in parts before the key": f"{messages.MAX_MESSAGE_BYTES_BEFORE_AUTH // 1024} KB",
    "pings, parts and messages without end": (
        f"{session.FRAMES_PER_SECOND:g} a second, {session.FRAME_BURST} at once; then the connection ends"
    ),
    "connections to the stream after the handshake, without a key": f"{admission.MAX_UNAUTHENTICATED} of one address",
    "the same, those before the handshake among them": (
        f"{unauthenticated_limit.MAX_OF_ONE_ADDRESS} of one address, {unauthenticated_limit.MAX_IN_ALL:,} in all, "
        "those that are silent longest go"
    ),
    "connections to the operator's port": f"{health_http.MAX_CONNECTIONS}",
    "time of a request to the operator's port": f"{health_http.MAX_SECONDS:g} seconds",
    "head of a request to the operator's port": f"{request_parser.MAX_HEAD_BYTES // 1024} KB",
    "body of a request to the console without a session": (
        f"none is read but the form that signs in, of {http.MAX_FORM // 1024} KB"
    ),
    "guesses at a link of the console": (
        f"{sessions.MAX_FAILURES} a minute are recorded, then 429; a link that works is never refused"
    ),
    "sessions of the console": f"{sessions.MAX_SESSIONS}, the one that was idle longest goes",
}


@pytest.mark.parametrize(("what", "bound", "test"), ROWS)
def test_a_row_names_a_test_that_exists_and_the_bound_of_the_code(what: str, bound: str, test: str) -> None:
    path, _, name = test.strip("`").partition("::")
    assert re.search(rf"^def {name}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), f"No test: {test}"
    assert bound == FIGURES.get(what, bound)
    assert what in FIGURES or not re.search(r"\d", bound.replace("RFC 9112", "")), f"Nothing holds [{bound}]"


def test_each_bound_of_the_code_has_a_row() -> None:
    assert FIGURES.keys() <= {what for what, *_ in ROWS}
