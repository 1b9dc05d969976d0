"""Figures among the measures in SECURITY.md: each is a constant of the code, or is held by a test that has a name."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from cambist.accounts import api_key
from cambist.api.endpoints.currency import fetch_matrix
from cambist.api.faces.mcp import arguments, mcp_resource, protocol, tool
from cambist.api.questions import parameters, symbol_parameters
from cambist.http import connection_limit, departures, listening_socket, request_parser, scheduler
from cambist.ingest import fetch
from cambist.monitoring import health_http
from cambist.processes import delivery_attempts
from cambist.settings import Settings
from cambist.sources import base
from cambist.sources.payloads import bounds, isolated_workbook, memory

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
MEASURES = " ".join(TEXT.partition("## Measures")[2].partition("\n## ")[0].split())
WORDS = {2: "twice", 5: "five", 10: "ten"}
KEY_BITS = math.floor(api_key._RANDOM * math.log2(len(api_key._ALPHABET)) / 10) * 10
CODE = [
    f"{KEY_BITS} bits of randomness",
    f"head {request_parser.MAX_HEAD_BYTES // 1024} KB and {WORDS[connection_limit.IDLE_SECONDS]} seconds",
    f"query {parameters.MAX_QUERY_LENGTH // 1024} KB",
    f"lists {symbol_parameters.MAX_CODES} codes",
    f"a matrix {fetch_matrix.MAX_PAIRS:,} pairs",
    f"no request within {WORDS[connection_limit.IDLE_SECONDS]} seconds",
    f"reads nothing for {WORDS[listening_socket._UNREAD_MILLISECONDS // 1000]} seconds",
    f"holds {connection_limit.MAX_CONNECTIONS} connections",
    f"{Settings().connections_per_address} of one address (`connections_per_address`; a /64",
    f"may have {scheduler.MOST_WAITING[scheduler.Kind.CALL]} waiting, ",
    f"{scheduler.MOST_WAITING[scheduler.Kind.LONG]} of them long (429), a worker {scheduler.MOST_WAITING_IN_ALL} (503)",
    f"{'noticed within a second' if 2 * departures.LOOK_SECONDS < 1 else ''}",
    f"holds {health_http.MAX_CONNECTIONS} connections for {WORDS[int(health_http.MAX_SECONDS)]} seconds",
    f"Arguments have {arguments.MAX_LENGTH} characters",
    f"bodies {mcp_resource.MAX_BODY_BYTES >> 10} KB, lists of messages {protocol.MAX_BATCH}",
    f"answers {tool.MAX_ANSWER_BYTES >> 10} KB",
    f"{base.MAX_PAYLOAD_BYTES >> 20} MB, a minute for each attempt"[: None if fetch._TIMEOUT.total == 60 else 0],
    f"{bounds.MOST_JSON_VALUES:,} JSON values",
    f"{bounds.MOST_XML_PARTS:,} elements and attributes of XML at most {bounds.DEEPEST_XML} deep",
    f"{bounds.MOST_HTML_TAGS:,} tags of HTML at most {bounds.DEEPEST_HTML:,} deep",
    f"{bounds.MOST_CELLS:,} cells of a CSV",
    f"{bounds.MOST_SHEET_CELLS:,} cells of a workbook",
    f"with {isolated_workbook._MOST_BYTES >> 20} MB",
    f"may take {memory.MOST_BYTES >> 30} GB of memory",
    f"was lost {WORDS[delivery_attempts._MOST_ATTEMPTS]} is not given to it again for a day"[
        : None if delivery_attempts._REFUSED_FOR.days == 1 else 0
    ],
]
TESTS = [
    ("Only their SHA-256 is stored", "tests/accounts/test_api_key.py", "test_only_a_sha256_of_the_whole_key_is_kept"),
    (
        "is answered with 429",
        "tests/contract/test_plans.py",
        "test_too_many_failed_keys_from_an_address_are_429_but_valid_keys_still_work",
    ),
    (
        "but by calls of cost 1",
        "tests/contract/test_reserved_quota.py",
        "test_requests_at_the_same_time_spend_no_more_than_the_quota",
    ),
    (
        "HTTP/1.1 that has closed its sending side for half a second gets `100 Continue`",
        "tests/http/test_departures.py",
        "test_a_client_that_sends_no_more_but_reads_gets_its_long_answer",
    ),
    (
        "one of HTTP/1.0 is answered in any case",
        "tests/http/test_departures.py",
        "test_a_client_of_the_older_protocol_gets_nothing_before_its_answer",
    ),
    (
        "in every worker within a second",
        "tests/service/test_ledger.py",
        "test_a_revoked_key_stops_within_a_second_on_every_worker",
    ),
    (
        "are closed within a second",
        "tests/service/test_connections.py",
        "test_1500_silent_connections_of_one_address_leave_the_api_answering",
    ),
    ("The API speaks HTTP/1 only", "tests/service/test_connections.py", "test_http_2_is_not_supported"),
    ("mode 0700, its files 0600", "tests/service/test_service.py", "test_the_data_folder_is_left_for_its_owner_alone"),
]
NO_FIGURES = ("IPv6",)
NUMBER = re.compile(
    r"\d|\b(two|three|five|ten|twelve|twenty|twice|hundred|a second|a minute|an hour|a day)\b", re.IGNORECASE
)


@pytest.mark.parametrize("figure", CODE)
def test_a_figure_is_that_of_the_code(figure: str) -> None:
    assert figure
    assert figure in MEASURES


@pytest.mark.parametrize(("figure", "file", "test"), TESTS)
def test_a_figure_is_held_by_a_test(figure: str, file: str, test: str) -> None:
    assert figure in MEASURES
    assert re.search(rf"^def {test}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), f"No test: {test}"


def test_there_is_no_other_figure() -> None:
    left = MEASURES
    for held in (*CODE, *(figure for figure, *_ in TESTS), *NO_FIGURES):
        left = left.replace(held, "")
    assert [left[max(0, found.start() - 40) : found.end() + 40] for found in NUMBER.finditer(left)] == []
