"""Settlement: what a call costs is checked against the quota and counted when its answer is sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cambist.accounts.meter import Meter
from cambist.accounts.principal import Principal
from cambist.accounts.reservation import Reservation
from cambist.accounts.would_block import WouldBlock
from cambist.api.call.call import Call
from cambist.errors import CambistError
from cambist.http.delivery import on_delivery
from cambist.http.responses import encode_headers

Headers = list[tuple[str, str]]


class Settlement:
    """Settles the calls of one worker."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._owed: dict[tuple[int, str], tuple[Principal, int]] = {}
        self._owed_at = 0.0

    def settle(self, call: Call, label: str, cost: int) -> None:
        """Count the calls of an answer that is there, under a label: at once, or when it is sent by a thread.

        Errors: QuotaSpent; WouldBlock on the event loop if only a thread can tell.
        """
        if call.principal is None:
            return
        if not call.is_at_once:
            with self.reserved(call, label) as reservation:
                reservation.change(cost)
            return
        if not call.principal.is_limited:
            self._meter.spend(call.principal, label, cost, call.now)
            return
        try:
            self._meter.admit(call.principal, label, cost, call.now, is_rate_checked=True)
        except (CambistError, WouldBlock):
            self._meter.release()
            raise

    def settle_directly(self, principal: Principal, label: str, cost: int, now: float) -> bytes:
        """Check a direct answer against rate and quota and count it; return the headers of a plan with limits, encoded.

        Calls on a plan without limits are counted by `settle_owed`, which has to be called before answers are sent.
        Errors: RequestRefused, and WouldBlock if only a thread can tell: then nothing was counted.
        """
        if not principal.is_limited:
            owes = id(principal), label
            owed = self._owed.get(owes)
            self._owed[owes] = principal, cost if owed is None else owed[1] + cost
            self._owed_at = now
            return b""
        self._owed_at = now
        if cost == 1:
            admitted = self._meter.runs.admit(principal, label, now)
            policy, state = admitted or self._meter.admit_one(principal, label, now)
            return f"ratelimit-policy: {policy}\r\nratelimit: {state}\r\n".encode()
        self._meter.admit(principal, label, cost, now)
        return encode_headers(self._meter.headers(principal, now, quota_checked=True))

    def settle_owed(self) -> None:
        """Count the calls that direct answers owe: many calls of one key cost as much as one."""
        if self._meter.runs.seen:
            self._meter.runs.end(self._meter.spend, self._owed_at)
        owed, self._owed = self._owed, {}
        for (_, label), (principal, cost) in owed.items():
            self._meter.spend(principal, label, cost, self._owed_at)

    @contextmanager
    def reserved(self, call: Call, label: str) -> Iterator[Reservation]:
        """Reserve calls while an answer is made in a thread, and have them counted when it is sent.

        What is reserved is given back if the answer fails, or is never sent.
        """
        with Reservation(self._meter, call.payer, call.now) as reservation:
            yield reservation
            on_delivery(call.environ, reservation.hand_over(label))

    def check(self, call: Call, cost: int) -> None:
        """Check that the quota has the calls left, before an answer is made that takes long. Errors: QuotaSpent."""
        if call.principal is not None and call.principal.is_limited:
            self._meter.check_quota(call.principal, cost, call.now)

    def headers(self, call: Call, *, is_settled: bool = False) -> Headers:
        """Return the headers about the limits of a plan; with `is_settled` they were read a moment ago."""
        if call.principal is None or not call.principal.is_limited:
            return []
        return self._meter.headers(call.principal, call.now, quota_checked=is_settled)

    def release(self) -> None:
        """Give up what was checked on the event loop and not counted."""
        self._meter.release()
