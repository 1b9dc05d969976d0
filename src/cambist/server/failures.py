"""Failed keys by client address: guessing is slowed down to nothing, those who are known there are not disturbed.

An address may fail so many times at once and then once in a while. Beyond that, every key that has not opened the gate
from there before is refused unseen, right or wrong, so that a guess learns nothing.
"""

from __future__ import annotations

from math import ceil
from typing import Any

from cambist.accounts.addresses import Networks, client_address, neighbourhood
from cambist.accounts.api_key import Digest
from cambist.accounts.rate_limit import Bucket
from cambist.errors import TooManyFailures

FAILURES_AT_ONCE = 20
FAILURES_A_SECOND = 0.5
_MOST_REMEMBERED = 50_000


class Failures:
    """Counts failed keys of one worker; `proxies` are the networks whose `X-Forwarded-For` is believed."""

    def __init__(self, proxies: Networks = ()) -> None:
        self._proxies = proxies
        self._buckets: dict[str, Bucket] = {}
        self._counts: dict[str, int] = {}
        self._known: set[tuple[str, Digest]] = set()

    def succeeded(self, environ: dict[str, Any], digest: Digest) -> None:
        """Remember that a key opened the gate from an address."""
        # By the peer: to look further for every answer would cost more than it tells.
        known = (environ.get("REMOTE_ADDR", ""), digest)
        if known not in self._known:
            if len(self._known) > _MOST_REMEMBERED:
                self._known.clear()
            self._known.add(known)

    def check(self, environ: dict[str, Any], digest: Digest, now: float) -> None:
        """Refuse a key unseen where too many have failed. Errors: TooManyFailures."""
        if not self._buckets:
            return
        address = self._address(environ)
        if address not in self._buckets or (environ.get("REMOTE_ADDR", ""), digest) in self._known:
            return
        bucket = self._read(address, now)
        if bucket.level < 1:
            wait = ceil((1 - bucket.level) / FAILURES_A_SECOND)
            raise TooManyFailures("Too many failed API keys from this address; try again later", wait)

    def failed(self, environ: dict[str, Any], now: float) -> None:
        """Count a key that opened nothing."""
        address = self._address(environ)
        if len(self._buckets) > _MOST_REMEMBERED:
            for oldest in list(self._buckets)[: _MOST_REMEMBERED // 2]:
                self._buckets.pop(oldest, None)
                self._counts.pop(oldest, None)
        self._read(address, now)
        self._counts[address] = self._counts.get(address, 0) + 1

    def _read(self, address: str, now: float) -> Bucket:
        counted = self._counts.get(address, 0)
        last = self._buckets.get(address) or Bucket(FAILURES_AT_ONCE, counted, now)
        bucket = self._buckets[address] = last.read(counted, now, FAILURES_A_SECOND, FAILURES_AT_ONCE)
        return bucket

    def _address(self, environ: dict[str, Any]) -> str:
        peer = str(environ.get("REMOTE_ADDR", ""))
        forwarded = environ.get("HTTP_X_FORWARDED_FOR")
        return neighbourhood(client_address(peer, forwarded or "", self._proxies))
