"""The client for programs with asyncio."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

import httpx2

from cambist.client import paging
from cambist.client.answers import RawAnswer
from cambist.client.call import JSON, Call, Value
from cambist.client.endpoints import (
    account,
    bars,
    booking,
    bulk,
    explanations,
    history,
    lists,
    quotes,
    rates,
    revisions,
    values,
)
from cambist.client.endpoints import (
    alerts as account_alerts,
)
from cambist.client.errors import ConnectionFailed, ServiceError
from cambist.client.methods import async_iterator, async_joined, async_method
from cambist.client.protocol import (
    Request,
    Response,
    build_probe,
    build_request,
    is_from_cambist,
    parse_response,
    read_configuration,
    unreachable,
)
from cambist.client.retries import AT_ONCE, Attempts, Retries
from cambist.client.sandbox import running_sandbox
from cambist.client.stream_messages import Stream
from cambist.client.transport import client_options

if TYPE_CHECKING:
    from cambist.client.price_stream import PriceStream

T = TypeVar("T")


class AsyncCambist:
    """Asks a service in an event loop. Its methods are those of `Cambist`: `await client.fetch_one("EUR", "USD")`.

    Without `url` and `key`, the variables CAMBIST_URL and CAMBIST_KEY are used. `timeout` is in seconds. Without `tls`,
    the certificate authorities of the system are trusted. A client is closed at the end:
    `async with AsyncCambist() as client: …`. Errors of all methods: CambistError.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 10.0,
        tls: ssl.SSLContext | None = None,
        retries: Retries | None = None,
    ) -> None:
        self.configuration = read_configuration(url, key, timeout, tls, retries)
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._http = httpx2.AsyncClient(**client_options(self.configuration))

    @classmethod
    @asynccontextmanager
    async def sandbox(cls, *, seed: int = 1) -> AsyncIterator[Self]:
        """Run a service with a simulated market, for tests: `async with AsyncCambist.sandbox() as client: …`.

        It is that of `Cambist.sandbox`. Errors: PackageMissing if the service is not installed, SandboxFailed.
        """
        stack = ExitStack()
        try:
            address = await asyncio.to_thread(stack.enter_context, running_sandbox(seed))
            async with cls(address.url, address.key) as client:
                client.configuration = replace(client.configuration, stream_url=address.stream_url)
                yield client
        finally:
            await asyncio.to_thread(stack.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def is_cambist(self) -> bool:
        """Return whether a Cambist answers at the address. The key is not sent. Errors: ConnectionFailed."""
        return is_from_cambist(await self._exchange(build_probe(self.configuration)))

    def stream(
        self, pairs: str | Iterable[str], stream: Stream | str = Stream.FX, *, url: str | None = None
    ) -> PriceStream:
        """Return the prices of pairs as they change, such as `EURUSD`; connected when it is iterated.

        Without `url`, the address of the stream is the variable CAMBIST_STREAM_URL, or port 8001 of the service.
        """
        # Who only asks over HTTP does not wait for the WebSocket library.
        from cambist.client.price_stream import PriceStream, StreamAddress

        configuration = self.configuration
        address = StreamAddress(url or configuration.stream_url, configuration.key, configuration.tls)
        return PriceStream(address, pairs, stream)

    async def get(self, path: str, parameters: Mapping[str, Value], accept: str = JSON) -> RawAnswer:
        """Return the answer of any path as it is sent: as JSON, or as another media type, such as `text/csv`."""
        return await self.send(Call(path, RawAnswer, parameters, accept))

    async def send(self, call: Call[T]) -> T:
        """Return the answer to a call."""
        request = build_request(self.configuration, call)
        attempts = Attempts(self.configuration.retries, is_repeatable=not call.body)
        async with self._turns:
            while True:
                try:
                    return parse_response(self.configuration, call, await self._exchange(request))
                except (ConnectionFailed, ServiceError) as error:
                    pause = attempts.pause_after(error)
                    if pause is None:
                        raise
                await asyncio.sleep(pause)

    async def _exchange(self, request: Request) -> Response:
        try:
            response = await self._http.request(
                request.method, request.url, headers=dict(request.headers), content=request.content or None
            )
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise unreachable(self.configuration, error) from error
        return Response(response.status_code, response.headers, response.content)

    fetch_one = async_method(rates.fetch_one)
    fetch_multi = async_method(rates.fetch_multi)
    fetch_all = async_method(rates.fetch_all)
    fetch_many_to_one = async_method(rates.fetch_many_to_one)
    fetch_matrix = async_method(rates.fetch_matrix)
    convert = async_method(rates.convert)
    convert_bulk = async_method(bulk.convert_bulk)
    convert_file = async_method(bulk.convert_file)
    value = async_method(values.value)
    metals_value = async_method(values.metals_value)
    price_list_bulk = async_method(values.price_list_bulk)
    historical = async_method(history.historical)
    time_series = async_method(history.time_series)
    averages = async_method(booking.averages)
    booking_rules = async_method(booking.booking_rules)
    price_list = async_method(booking.price_list)
    series = async_joined(history.series)
    historical_many_to_one = async_joined(history.historical_many_to_one)
    corrections = async_method(revisions.corrections)
    vintages = async_method(revisions.vintages)
    explain = async_method(explanations.explain)
    sources = async_method(explanations.sources)
    coverage = async_method(explanations.coverage)
    currencies = async_method(lists.currencies)
    crypto_currencies = async_method(lists.crypto_currencies)
    crypto_pairs = async_method(lists.crypto_pairs)
    fx_pairs = async_method(lists.fx_pairs)
    fx_currencies = async_method(lists.fx_currencies)
    fx_pairs_quote_sizes = async_method(lists.fx_pairs_quote_sizes)
    metals_instruments = async_method(lists.metals_instruments)
    metals_purities = async_method(lists.metals_purities)
    metals_units = async_method(lists.metals_units)
    metals_list = async_method(lists.metals_list)
    crypto_fetch_prices = async_method(quotes.crypto_fetch_prices)
    fx_quote = async_method(quotes.fx_quote)
    metals_spot = async_method(quotes.metals_spot)
    metals_quote = async_method(quotes.metals_quote)
    fx_pairs_historical_limits = async_method(bars.fx_pairs_historical_limits)
    fx_quote_time_series = async_method(bars.fx_quote_time_series)
    fx_ohlc_time_series = async_method(bars.fx_ohlc_time_series)
    usage = async_method(account.usage)
    alerts = async_method(account_alerts.alerts)
    alerts_add = async_method(account_alerts.alerts_add)
    alerts_remove = async_method(account_alerts.alerts_remove)
    alerts_test = async_method(account_alerts.alerts_test)
    fx_quote_bars = async_iterator(paging.fx_quote_bars)
    fx_ohlc_bars = async_iterator(paging.fx_ohlc_bars)
    all_corrections = async_iterator(paging.all_corrections)
