"""A watch list that follows the price stream."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime

from cambist.accounts.names import echo
from cambist.cli.watch_list import WatchList
from cambist.client.errors import ServiceError
from cambist.client.price_stream import PriceStream
from cambist.client.stream_messages import Event, Price, Subscribed
from cambist.errors import BadParameter, KeyRefused, NotInPlan, RequestRefused

_ERRORS_BY_STATUS: Mapping[int, type[RequestRefused]] = {400: BadParameter, 401: KeyRefused, 403: NotInPlan}


@dataclass(slots=True)
class WatchedStream:
    """Keeps a watch list up to date. `warn` is called with a sentence if pairs are unknown or the stream is lost."""

    stream: PriceStream
    watch_list: WatchList
    clock: Callable[[], datetime]
    warn: Callable[[str], None]

    async def changes(self) -> AsyncGenerator[str, None]:
        """Yield the symbol of each price that changes, without end, and connect again when the connection is lost.

        Errors: RequestRefused if the service refuses the request and would do so again; ConnectionFailed if the first
        attempt finds no stream.
        """
        try:
            async with aclosing(self.stream.events()) as events:
                async for event in events:
                    symbol = self._apply(event)
                    if symbol:
                        yield symbol
        except ServiceError as error:
            raise _ERRORS_BY_STATUS.get(error.status, RequestRefused)(str(error)) from None

    def _apply(self, event: Event) -> str:
        """Apply an event to the watch list; return the symbol whose price has changed, or an empty string."""
        if isinstance(event, Price):
            symbol = echo(event.symbol)
            return symbol if self.watch_list.update(symbol, event.bid, event.ask, event.as_of) else ""
        if isinstance(event, Subscribed):
            self.watch_list.mark_connected()
            unknown = self.watch_list.mark_unknown(event.unknown)
            if unknown:
                self.warn(f"The stream knows no pair {', '.join(f'[{echo(name)}]' for name in unknown)}")
            return ""
        now = self.clock()
        if self.watch_list.mark_lost(now, event.reason):
            self.warn(f"The stream is lost since {now:%H:%M:%S} UTC: {event.reason}; connecting again")
        return ""
