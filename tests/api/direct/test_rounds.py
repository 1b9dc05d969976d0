"""Requests that come in one round of the event loop are answered as they would be one after the other."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.api.direct.two_ways import TwoWays, settled

from cambist.history.rate_matrix import RateMatrix

START = datetime(2026, 11, 20, 12, tzinfo=UTC)
ROUNDS = 60


def test_a_round_is_answered_and_counted_like_single_requests(real_matrix: RateMatrix, tmp_path: Path) -> None:
    both = TwoWays(real_matrix, tmp_path, 3, START, None)
    direct, general = both.ways
    chance, keys = both.chance, [key for key, stored in both.keys.items() if stored is not None]
    for _ in range(ROUNDS):
        both.move()
        often, asked = chance.choice(keys), []
        for _ in range(chance.choice((1, 3, 8, 32))):
            key = often if chance.random() < 0.8 else chance.choice(keys)
            base, quote = chance.sample(("EUR", "USD", "JPY", "BTC", "XAU", "SEK", "NOK"), 2)
            path = chance.choice(("/fetch-one", "/fetch-all", "/convert"))
            query = {"/fetch-all": f"from={base}", "/convert": f"from={base}&to={quote}&amount=7"}
            question = query.get(path, f"from={base}&to={quote}")
            asked.append(f"GET {path}?{question}&api_key={key} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        expected = [settled(general.respond(each)) for each in asked]
        assert [settled(each) for each in answers_of_a_round(direct, asked)] == expected
        assert direct.counted() == general.counted()
    assert direct.direct_answers.total() > ROUNDS


def answers_of_a_round(way: Any, asked: list[bytes]) -> list[bytes]:
    """Return the answers to requests that come on as many connections before any is answered."""
    connections = [way.connect() for _ in asked]
    for (connection, _), each in zip(connections, asked, strict=True):
        connection.data_received(each)
        way.answer_waiting()
    way.send_answered()
    return [b"".join(transport.sent) for _, transport in connections]
