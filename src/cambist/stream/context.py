"""The context: what all connections of the stream share."""

from __future__ import annotations

from dataclasses import dataclass

from cambist.accounts.addresses import Networks
from cambist.stream.admission import Admission
from cambist.stream.billing import Billing
from cambist.stream.broadcaster import Broadcaster
from cambist.stream.prices import Prices


@dataclass(frozen=True, slots=True)
class StreamContext:
    """What all connections share. `proxies` are the networks whose `X-Forwarded-For` is trusted."""

    admission: Admission
    billing: Billing
    prices: Prices
    broadcaster: Broadcaster
    proxies: Networks = ()
