"""The context: what all connections of the stream share."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from cambist.accounts.addresses import Networks
from cambist.stream.admission import StreamAdmission
from cambist.stream.billing import Billing
from cambist.stream.broadcaster import Broadcaster
from cambist.stream.feeds import Feed
from cambist.stream.prices import Prices


@dataclass(frozen=True, slots=True)
class StreamContext:
    """What all connections share. `feeds` are the streams without pairs by name.

    `proxies` are the networks whose `X-Forwarded-For` is trusted, `page_origin` is an origin whose pages are trusted
    beside those of the stream's own host. `opened` is set whenever a connection is opened.
    """

    admission: StreamAdmission
    billing: Billing
    prices: Prices
    broadcaster: Broadcaster
    feeds: Mapping[str, Feed]
    proxies: Networks = ()
    page_origin: str = ""
    opened: asyncio.Event = field(default_factory=asyncio.Event)
