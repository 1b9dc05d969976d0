"""Questions to the service."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import aiohttp

_PATIENCE = aiohttp.ClientTimeout(total=30)
_UNAUTHORIZED = 401
_NO_RATE = (400, 404)
"""Answers about a pair: it has an unknown code, or no rate."""


class CambistError(Exception):
    """The service does not answer, or refuses; the text says why."""


class KeyRefusedError(CambistError):
    """The service refuses the API key."""


class NoRateError(CambistError):
    """The service has no rate of a pair."""


@dataclass(frozen=True, slots=True)
class Rate:
    """What one unit of a pair's base is worth, and the market's time of that rate."""

    value: float
    updated: datetime


class Client:
    """A service with its address and key."""

    def __init__(self, session: aiohttp.ClientSession, url: str, key: str) -> None:
        """Make a client; an empty key sends none."""
        self._session, self._url = session, url.rstrip("/")
        self._headers = {"X-API-Key": key} if key else {}

    async def rates(self, pairs: list[tuple[str, str]]) -> tuple[dict[tuple[str, str], Rate], list[str]]:
        """Return the rates of pairs, and what the service says about those that it has none of.

        Errors: CambistError if the service does not answer, or refuses for a reason that is not a pair's.
        """
        found: dict[tuple[str, str], Rate] = {}
        missing = []
        for base, quote in pairs:
            try:
                answer = await self._ask("/fetch-one", {"from": base, "to": quote})
            except NoRateError as error:
                missing.append(str(error))
                continue
            found[base, quote] = Rate(answer["result"][quote], datetime.fromisoformat(answer["updated"]))
        return found, missing

    async def _ask(self, path: str, query: dict[str, str]) -> Any:
        """Follow no redirect: the key is for this address alone."""
        asked = {"params": query, "headers": self._headers, "timeout": _PATIENCE, "allow_redirects": False}
        try:
            async with self._session.get(f"{self._url}{path}", **asked) as reply:
                answer = await reply.json(content_type=None)
                status = reply.status
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise CambistError(f"{self._url} does not answer as Cambist does: {error}") from error
        if status == _UNAUTHORIZED:
            raise KeyRefusedError(_sentence(answer, status))
        if status in _NO_RATE:
            raise NoRateError(_sentence(answer, status))
        if not isinstance(answer, dict) or "result" not in answer or "updated" not in answer:
            raise CambistError(_sentence(answer, status))
        return answer


def _sentence(answer: object, status: int) -> str:
    error = answer.get("error") if isinstance(answer, dict) else None
    return str(error or f"The address answers with {status}, and not as Cambist does")
