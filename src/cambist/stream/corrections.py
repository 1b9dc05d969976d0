"""The stream of corrections: what sources have corrected is sent as soon as the archive has learnt it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import date

import msgspec

from cambist.accounts.plan import Plan
from cambist.accounts.principal import Principal
from cambist.history.correction_record import CorrectionRecord, correction_record
from cambist.history.corrections import FeedPosition, ReadFeed
from cambist.history.edition import RecordedEdition
from cambist.stream.messages import Op, text_frame
from cambist.stream.subscription import StreamConnection

CORRECTIONS = "corrections"
"""The name of the stream."""

_ENTRIES_AT_ONCE = 500
_ENCODER = msgspec.json.Encoder()
_PLACE = msgspec.json.encode({"op": Op.CORRECTION})[:-1] + b","


class Corrections:
    """The connections that have subscribed to corrections, and the place in the feed up to which they have them.

    `edition` is the edition of the history whose corrections, and all before them, need not be sent any more: a client
    that has just subscribed finds them with `/corrections?since=`. It is empty before the first `advance`.
    """

    group = "currency"
    is_personal = False

    def __init__(self, read: ReadFeed, today: Callable[[], date]) -> None:
        self._read = read
        self._today = today
        self._plans: dict[StreamConnection, Plan] = {}
        self._position: FeedPosition | None = None
        self.edition = ""

    @property
    def since(self) -> str:
        """The edition whose corrections need not be sent any more."""
        return self.edition

    def subscribe(self, connection: StreamConnection, principal: Principal, _since: int | None = None) -> None:
        """Send a connection all corrections from now on, of the days that its plan includes."""
        self._plans[connection] = principal.plan

    def unsubscribe(self, connection: StreamConnection) -> None:
        """Send a connection no more corrections; do nothing if it gets none."""
        self._plans.pop(connection, None)

    async def advance(self, newest: RecordedEdition) -> None:
        """Send what was corrected up to an edition. After an error of `read`, the next call sends the rest."""
        while self._plans and self._position is not None:
            found = await asyncio.to_thread(self._read, self._position, newest.delivery, _ENTRIES_AT_ONCE)
            for each in found:
                self._send(correction_record(each.correction, each))
                self._position = each.position
            if len(found) < _ENTRIES_AT_ONCE:
                break
        if self._position is None or self._position.delivery <= newest.delivery:
            self._position = FeedPosition.behind(newest.delivery, newest.name)
        self.edition = newest.name

    def _send(self, record: CorrectionRecord) -> None:
        frame = text_frame(_PLACE + _ENCODER.encode(record)[1:])
        for connection in tuple(self._subscribed(record.day)):
            connection.send(frame)

    def _subscribed(self, day: date) -> Iterator[StreamConnection]:
        today = self._today()
        return (connection for connection, plan in self._plans.items() if plan.first_day(today) <= day)
