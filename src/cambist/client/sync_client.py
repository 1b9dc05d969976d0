"""The client for programs without asyncio."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import Self, TypeVar

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
from cambist.client.methods import iterator, joined, method
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
from cambist.client.transport import client_options

T = TypeVar("T")


class Cambist:
    """Asks a service. Without `url` and `key`, the variables CAMBIST_URL and CAMBIST_KEY are used.

    `timeout` is in seconds. Without `tls`, the certificate authorities of the system are trusted. Several threads may
    use a client. It is closed at the end: `with Cambist() as client: …`. Errors of all methods: CambistError.
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
        self._turns = threading.BoundedSemaphore(AT_ONCE)
        self._http = httpx2.Client(**client_options(self.configuration))

    @classmethod
    @contextmanager
    def sandbox(cls, *, seed: int = 1) -> Iterator[Self]:
        """Run a service with a simulated market on this machine, for tests: `with Cambist.sandbox() as client: …`.

        It asks no other machine, keeps its data in a temporary folder, and ends with the block. The same seed gives the
        same prices. Errors: PackageMissing if the service is not installed, SandboxFailed.
        """
        with running_sandbox(seed) as address, cls(address.url, address.key) as client:
            client.configuration = replace(client.configuration, stream_url=address.stream_url)
            yield client

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def is_cambist(self) -> bool:
        """Return whether a Cambist answers at the address. The key is not sent. Errors: ConnectionFailed."""
        return is_from_cambist(self._exchange(build_probe(self.configuration)))

    def get(self, path: str, parameters: Mapping[str, Value], accept: str = JSON) -> RawAnswer:
        """Return the answer of any path as it is sent: as JSON, or as another media type, such as `text/csv`."""
        return self.send(Call(path, RawAnswer, parameters, accept))

    def send(self, call: Call[T]) -> T:
        """Return the answer to a call."""
        request = build_request(self.configuration, call)
        attempts = Attempts(self.configuration.retries, is_repeatable=not call.body)
        with self._turns:
            while True:
                try:
                    return parse_response(self.configuration, call, self._exchange(request))
                except (ConnectionFailed, ServiceError) as error:
                    pause = attempts.pause_after(error)
                    if pause is None:
                        raise
                time.sleep(pause)

    def _exchange(self, request: Request) -> Response:
        try:
            response = self._http.request(
                request.method, request.url, headers=dict(request.headers), content=request.content or None
            )
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise unreachable(self.configuration, error) from error
        return Response(response.status_code, response.headers, response.content)

    fetch_one = method(rates.fetch_one)
    fetch_multi = method(rates.fetch_multi)
    fetch_all = method(rates.fetch_all)
    fetch_many_to_one = method(rates.fetch_many_to_one)
    fetch_matrix = method(rates.fetch_matrix)
    convert = method(rates.convert)
    convert_bulk = method(bulk.convert_bulk)
    convert_file = method(bulk.convert_file)
    value = method(values.value)
    metals_value = method(values.metals_value)
    price_list_bulk = method(values.price_list_bulk)
    historical = method(history.historical)
    time_series = method(history.time_series)
    averages = method(booking.averages)
    booking_rules = method(booking.booking_rules)
    price_list = method(booking.price_list)
    series = joined(history.series)
    historical_many_to_one = joined(history.historical_many_to_one)
    corrections = method(revisions.corrections)
    vintages = method(revisions.vintages)
    explain = method(explanations.explain)
    sources = method(explanations.sources)
    coverage = method(explanations.coverage)
    currencies = method(lists.currencies)
    crypto_currencies = method(lists.crypto_currencies)
    crypto_pairs = method(lists.crypto_pairs)
    fx_pairs = method(lists.fx_pairs)
    fx_currencies = method(lists.fx_currencies)
    fx_pairs_quote_sizes = method(lists.fx_pairs_quote_sizes)
    metals_instruments = method(lists.metals_instruments)
    metals_purities = method(lists.metals_purities)
    metals_units = method(lists.metals_units)
    metals_list = method(lists.metals_list)
    crypto_fetch_prices = method(quotes.crypto_fetch_prices)
    fx_quote = method(quotes.fx_quote)
    metals_spot = method(quotes.metals_spot)
    metals_quote = method(quotes.metals_quote)
    fx_pairs_historical_limits = method(bars.fx_pairs_historical_limits)
    fx_quote_time_series = method(bars.fx_quote_time_series)
    fx_ohlc_time_series = method(bars.fx_ohlc_time_series)
    usage = method(account.usage)
    alerts = method(account_alerts.alerts)
    alerts_add = method(account_alerts.alerts_add)
    alerts_remove = method(account_alerts.alerts_remove)
    alerts_test = method(account_alerts.alerts_test)
    fx_quote_bars = iterator(paging.fx_quote_bars)
    fx_ohlc_bars = iterator(paging.fx_ohlc_bars)
    all_corrections = iterator(paging.all_corrections)
