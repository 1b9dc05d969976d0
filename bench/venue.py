"""One venue on loopback that tells as many ticks a second as it is asked for, each with the moment it was sent."""

import argparse
import asyncio
import contextlib
import itertools
from collections.abc import Iterator
from datetime import UTC, datetime
from time import perf_counter

from aiohttp import web

from cambist.reference.assets import COINS

QUOTES = ("USD", "EUR", "BTC")
BURST_EVERY = 0.01


def symbols(coins: int) -> list[str]:
    """Name the pairs: so many coins, each in dollars, euros and bitcoin."""
    names = [coin for coin in COINS if coin != "BTC"][: coins - 1]
    return ["BTC/USD", "BTC/EUR", "EUR/USD", *(f"{name}/{quote}" for name in names for quote in QUOTES)]


def listed(names: list[str]) -> dict[str, object]:
    """Write the list of pairs in the venue's format."""
    rows = {
        name.replace("/", ""): {"altname": name.replace("/", ""), "wsname": name, "base": base, "quote": quote}
        for name in names
        for base, _, quote in [name.partition("/")]
    }
    return {"error": [], "result": {key: row | {"status": "online"} for key, row in rows.items()}}


def frame(name: str, number: int) -> str:
    """Write a tick; its price moves a little, its time is now."""
    price = 1 + (number % 997) / 1_000_000
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    quote = f'{{"symbol":"{name}","bid":{price:.6f},"ask":{price * 1.0005:.6f},"timestamp":"{moment}"}}'
    return f'{{"channel":"ticker","type":"update","data":[{quote}]}}'


async def tell(request: web.Request) -> web.WebSocketResponse:
    """Send ticks at the rate, in bursts of a hundredth of a second, until the other side goes."""
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    names, rate = itertools.cycle(request.app["names"]), request.app["rate"]
    with contextlib.suppress(ConnectionError):
        await _tell(socket, names, rate)
    return socket


async def _tell(socket: web.WebSocketResponse, names: Iterator[str], rate: int) -> None:
    began, sent = perf_counter(), 0
    while not socket.closed:
        due = int((perf_counter() - began) * rate)
        for number in range(sent, due):
            await socket.send_str(frame(next(names), number))
        sent = due
        await asyncio.sleep(BURST_EVERY)


async def answer(request: web.Request) -> web.StreamResponse:
    """Answer what is asked of the venue: its list, its tickers (none), its socket."""
    path = request.path
    if path.endswith("/v2"):
        return await tell(request)
    if path.endswith("/AssetPairs"):
        return web.json_response(listed(request.app["names"]))
    return web.Response(status=503)


def main() -> None:
    """Listen until told to stop."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--coins", type=int, required=True)
    parser.add_argument("--rate", type=int, required=True)
    given = parser.parse_args()
    app = web.Application()
    app["names"], app["rate"] = symbols(given.coins), given.rate
    app.router.add_get("/{path:.*}", answer)
    web.run_app(app, host="127.0.0.1", port=given.port, print=None)


if __name__ == "__main__":
    main()
