"""Simulated sources of a cluster, in the formats of real ones: a venue, and a bank that publishes more and more.

    python -m tools.cluster.feeds --address 127.0.0.1 --port PORT

The services ask it by `CAMBIST_GATEWAY=http://ADDRESS:PORT`. The venue is Kraken, whose prices rise with the time of
the day: an older price is a lower one. The bank is the declaration `bank.toml`; it publishes one more fixing every two
seconds, and nothing more after `POST /freeze`, which answers with all of them.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import os
import time
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from aiohttp import web

from cambist.reference.assets import COINS

PAIRS = ("BTC/USD", "ETH/USD", "EUR/USD", "GBP/USD", "USD/JPY")
_AT_MIDNIGHT = {"BTC/USD": 50_000.0, "ETH/USD": 2_000.0, "EUR/USD": 1.1, "GBP/USD": 1.3, "USD/JPY": 150.0}
_OF_A_COIN = 10.0
_TURNS = 20
"""Pairs of further coins have a tick every this many times that the main pairs have one."""
_CODES = (
    *("AMD", "ARS", "AZN", "BDT", "CLP", "COP", "CRC", "DZD", "EGP", "ETB"),
    *("GEL", "GHS", "JMD", "KES", "KGS", "KZT", "LKR", "MAD", "MDL", "MNT"),
)
_DAYS = 60
_FIXING_SECONDS = 2.0
_TICK_SECONDS = 0.1
_CHECK_SECONDS = 0.2

BANK = """\
key = "bank"
name = "Bank of the cluster"
licence = "simulated"
rate_type = "official"
first_day = 2020-01-01
fixed_at = 00:01:00

[request]
url = "https://bank.example/rates.csv"
span = "all"
media = ["text/csv"]

[rates]
anchor = "USD"
direction = "other_per_anchor"

[day]
at = "day"

[schedule]
zone = "UTC"
every = "PT1M"
days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
pause = "PT0S"
reread = 366

[csv]
layout = "long"
code = "code"
rate = "rate"
"""
"""The declaration of the bank, for the folder `sources` of each node."""

Fixings = dict[tuple[str, str], str]
"""Rates as published, by day and code."""


def published(count: int, today: date) -> Fixings:
    """Return the first `count` fixings of the bank."""
    days = [today - timedelta(days=before) for before in range(1, _DAYS + 1)]
    cells = itertools.islice(itertools.product(days, enumerate(_CODES)), count)
    return {(str(day), code): f"{10 * (place + 1) + day.toordinal() % 7 / 100:.4f}" for day, (place, code) in cells}


def coin_pairs(count: int) -> tuple[str, ...]:
    """Return pairs of further coins in dollars, for a rate book of the size of a large installation's."""
    return tuple(itertools.islice((f"{coin}/USD" for coin in COINS if f"{coin}/USD" not in PAIRS), count))


class Feeds:
    """What the sources have published."""

    def __init__(self, count: int, delay: float, coins: int) -> None:
        self._pairs = (*PAIRS, *coin_pairs(coins))
        self._today = datetime.now(UTC).date()
        self._began = time.monotonic() + delay
        self._first = count
        self._frozen: int | None = None

    @property
    def fixings(self) -> Fixings:
        """What the bank has published until now."""
        more = max(0, int((time.monotonic() - self._began) / _FIXING_SECONDS))
        return published(self._first + more if self._frozen is None else self._frozen, self._today)

    def freeze(self) -> Fixings:
        """Let the bank publish nothing more; return all that it has published."""
        self._frozen = self._frozen or len(self.fixings)
        return self.fixings

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer a request to any source, or the harness."""
        path = request.path
        if path == "/freeze":
            return web.json_response([[*key, rate] for key, rate in self.freeze().items()])
        if path.endswith("/v2"):
            return await _send_ticks(request, self._pairs[len(PAIRS) :])
        if path.endswith("/AssetPairs"):
            return web.json_response(_pair_list(self._pairs))
        if path.endswith("/Ticker"):
            return web.json_response(_tickers(self._pairs))
        if path.endswith("/rates.csv"):
            lines = ["day,code,rate", *(f"{day},{code},{rate}" for (day, code), rate in self.fixings.items()), ""]
            return web.Response(text="\n".join(lines), content_type="text/csv")
        return web.Response(status=404)


def price(pair: str, now: float) -> tuple[str, str]:
    """Return bid and ask of a pair at a moment: they rise by a tenth from midnight to midnight."""
    bid = _AT_MIDNIGHT.get(pair, _OF_A_COIN) * (1 + now % 86_400 / 864_000)
    return f"{bid:.7f}", f"{bid * 1.0002:.7f}"


def _pair_list(pairs: Sequence[str]) -> dict[str, object]:
    names = {pair.replace("/", ""): pair.split("/") for pair in pairs}
    rows = {
        key: {"altname": key, "wsname": f"{base}/{quote}", "base": base, "quote": quote, "status": "online"}
        for key, (base, quote) in names.items()
    }
    return {"error": [], "result": rows}


def _tickers(pairs: Sequence[str]) -> dict[str, object]:
    sides = {pair.replace("/", ""): price(pair, time.time()) for pair in pairs}
    tickers = {key: {"a": [ask, "1", "1"], "b": [bid, "1", "1"]} for key, (bid, ask) in sides.items()}
    return {"error": [], "result": tickers}


def _frame(pair: str, now: float) -> str:
    bid, ask = price(pair, now)
    moment = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    quote = f'{{"symbol":"{pair}","bid":{bid},"ask":{ask},"timestamp":"{moment}"}}'
    return f'{{"channel":"ticker","type":"update","data":[{quote}]}}'


async def _send_ticks(request: web.Request, coins: Sequence[str]) -> web.WebSocketResponse:
    """Send ticks of the main pairs and of some coins in turn, at the same moments to every connection."""
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    with contextlib.suppress(ConnectionError):
        while not socket.closed:
            now = time.time() // _TICK_SECONDS * _TICK_SECONDS
            turn = round(now / _TICK_SECONDS) % _TURNS
            for pair in (*PAIRS, *coins[turn::_TURNS]):
                await socket.send_str(_frame(pair, now))
            await asyncio.sleep(now + _TICK_SECONDS - time.time())
    return socket


async def _serve(options: argparse.Namespace) -> None:
    app = web.Application()
    feeds = Feeds(options.fixings, options.delay, options.coins)
    app.router.add_route("*", "/{path:.*}", feeds.answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    await web.TCPSite(runner, options.address, options.port).start()
    parent = os.getppid()
    while os.getppid() == parent:  # noqa: ASYNC110  the parent tells nothing
        await asyncio.sleep(_CHECK_SECONDS)


def write_declaration(folder: Path) -> None:
    """Write the bank's declaration into the data folder of a node."""
    (folder / "sources").mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / "sources" / "bank.toml").write_text(BANK, encoding="utf-8")


def main() -> None:
    """Serve until the process that started this one has ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--address", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--fixings", type=int, default=10, help="how many fixings there are at first")
    parser.add_argument("--delay", type=float, default=0, help="seconds until there are more")
    parser.add_argument("--coins", type=int, default=0, help="how many further coins the venue has")
    asyncio.run(_serve(parser.parse_args()))


if __name__ == "__main__":
    main()
