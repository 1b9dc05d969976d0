"""The Python client of the service: `Cambist`, and `AsyncCambist` for asyncio.

It needs nothing else of the package `cambist`, and is also installed alone, as `cambist-client`.
"""

from cambist.client.async_client import AsyncCambist
from cambist.client.call import Interval
from cambist.client.minor_units import minor_units, round_to_currency
from cambist.client.retries import NO_RETRIES, Retries
from cambist.client.stream_messages import Stream
from cambist.client.sync_client import Cambist
from cambist.client.version import VERSION

__all__ = [
    "NO_RETRIES",
    "VERSION",
    "AsyncCambist",
    "Cambist",
    "Interval",
    "Retries",
    "Stream",
    "minor_units",
    "round_to_currency",
]
