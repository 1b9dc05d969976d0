"""A price source of beanprice that asks Cambist, a self-hosted service for exchange rates.

Tickers are BASE-QUOTE, such as EUR-USD, XAU-EUR or BTC-USD. The environment names the service: CAMBIST_URL its address,
CAMBIST_KEY the API key.
"""

from __future__ import annotations

import json
import logging
import os
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, TypeVar
from urllib.parse import urlencode

from beanprice import source

T = TypeVar("T")

_TICKER = re.compile(r"([A-Za-z0-9]+)-([A-Za-z0-9]+)", re.ASCII)
_MARKET_TIME = time(16)
"""The hour of a day's price, in the user's time zone: beanprice asks for it, and takes the day from it in that zone."""

_SECONDS = 30


class CambistError(ValueError):
    """The service has no such price, refuses the request, or does not answer; the text says which."""


class Source(source.Source):
    """Prices of currencies, metals and coins."""

    def get_latest_price(self, ticker: str) -> source.SourcePrice | None:
        """Return the price of now, with its market time; None if there is none."""
        return _or_none(ticker, lambda: _latest(*_parse(ticker)))

    def get_historical_price(self, ticker: str, time: datetime) -> source.SourcePrice | None:
        """Return the price that counts for a day, with the day of its fixing; None if there is none."""
        return _or_none(ticker, lambda: _of_day(*_parse(ticker), time.astimezone().date()))

    def get_prices_series(
        self, ticker: str, time_begin: datetime, time_end: datetime
    ) -> list[source.SourcePrice] | None:
        """Return the prices of the days that have a fixing of their own; None if there are none."""
        first, last = time_begin.astimezone().date(), time_end.astimezone().date()
        return _or_none(ticker, lambda: _series(*_parse(ticker), first, last))


def _latest(base: str, quote: str) -> source.SourcePrice:
    answer = _ask("/fetch-one", {"from": base, "to": quote})
    return source.SourcePrice(answer["result"][quote], datetime.fromisoformat(answer["updated"]), quote)


def _of_day(base: str, quote: str, day: date) -> source.SourcePrice:
    answer = _ask("/historical", {"date": day, "from": base, "to": quote})
    fixed_on = date.fromisoformat(answer.get("fixed_on") or answer["date"])
    return source.SourcePrice(answer["results"][quote], _at(fixed_on), quote)


def _series(base: str, quote: str, first: date, last: date) -> list[source.SourcePrice]:
    asked = {"from": base, "to": quote, "start": first, "end": last, "verbose": "true"}
    answer = _ask("/time-series", asked)
    carried = set(answer.get("carried", ()))
    rates = answer["results"][quote].items()
    return [source.SourcePrice(rate, _at(date.fromisoformat(day)), quote) for day, rate in rates if day not in carried]


def _at(day: date) -> datetime:
    return datetime.combine(day, _MARKET_TIME).astimezone()


def _parse(ticker: str) -> tuple[str, str]:
    found = _TICKER.fullmatch(ticker)
    if found is None:
        raise CambistError(f"Invalid ticker: [{ticker}], it takes two codes such as EUR-USD")
    return found[1].upper(), found[2].upper()


def _or_none(ticker: str, ask: Callable[[], T]) -> T | None:
    """Return what is asked for. beanprice asks the next source if it is None, and ends at an exception."""
    try:
        return ask()
    except CambistError as error:
        logging.error("%s: %s", ticker, error)  # noqa: LOG015, TRY400  beanprice shows what the root logger has
        return None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the key is for the address that was named, and for no other."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


def _ask(path: str, query: dict[str, object]) -> Any:
    """Return an answer, with exact numbers. Errors: CambistError."""
    address = os.environ.get("CAMBIST_URL", "").strip().rstrip("/")
    if not address.startswith(("http://", "https://")):
        raise CambistError(f"Set CAMBIST_URL to the address of the service, such as http://127.0.0.1:8000: [{address}]")
    request = urllib.request.Request(f"{address}{path}?{urlencode(query)}")  # noqa: S310  its scheme is checked
    if key := os.environ.get("CAMBIST_KEY", "").strip():
        request.add_header("X-API-Key", key)
    try:
        with _OPENER.open(request, timeout=_SECONDS) as reply:
            return json.load(reply, parse_float=Decimal, parse_int=Decimal)
    except urllib.error.HTTPError as refused:
        raise CambistError(_sentence_of(refused)) from refused
    except OSError as error:
        raise CambistError(f"{address} does not answer: {error}") from error
    except ValueError as error:
        raise CambistError(f"{address} does not answer as Cambist does: {error}") from error


def _sentence_of(refused: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(refused)["error"])
    except (ValueError, LookupError, TypeError):
        return f"{refused.url} answers with {refused.code} {refused.reason}"
