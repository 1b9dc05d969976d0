"""A venue on loopback that sends ticks at a chosen rate, each with the time of sending."""

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
    """Return the names of pairs: each coin in dollars, euros and bitcoin."""
    names = [coin for coin in COINS if coin != "BTC"][: coins - 1]
    return ["BTC/USD", "BTC/EUR", "EUR/USD", *(f"{name}/{quote}" for name in names for quote in QUOTES)]


def pair_list(names: list[str]) -> dict[str, object]:
    """Return the list of pairs in the venue's format."""
    rows = {
        name.replace("/", ""): {"altname": name.replace("/", ""), "wsname": name, "base": base, "quote": quote}
        for name in names
        for base, _, quote in [name.partition("/")]
    }
    return {"error": [], "result": {key: row | {"status": "online"} for key, row in rows.items()}}


def frame(name: str, number: int) -> str:
    """Return a tick whose price moves a little and whose time is now."""
    price = 1 + (number % 997) / 1_000_000
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    quote = f'{{"symbol":"{name}","bid":{price:.6f},"ask":{price * 1.0005:.6f},"timestamp":"{moment}"}}'
    return f'{{"channel":"ticker","type":"update","data":[{quote}]}}'


async def send_ticks(request: web.Request) -> web.WebSocketResponse:
    """Send ticks at the rate, in bursts of a hundredth of a second, until the client disconnects."""
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    names, rate = itertools.cycle(request.app["names"]), request.app["rate"]
    with contextlib.suppress(ConnectionError):
        await _send_ticks(socket, names, rate)
    return socket


async def _send_ticks(socket: web.WebSocketResponse, names: Iterator[str], rate: int) -> None:
    started, sent = perf_counter(), 0
    while not socket.closed:
        due = int((perf_counter() - started) * rate)
        for number in range(sent, due):
            await socket.send_str(frame(next(names), number))
        sent = due
        await asyncio.sleep(BURST_EVERY)


async def answer(request: web.Request) -> web.StreamResponse:
    """Answer a request: the list of pairs, the WebSocket, or a 503."""
    path = request.path
    if path.endswith("/v2"):
        return await send_ticks(request)
    if path.endswith("/AssetPairs"):
        return web.json_response(pair_list(request.app["names"]))
    return web.Response(status=503)


def main() -> None:
    """Listen until a signal stops the process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--coins", type=int, required=True)
    parser.add_argument("--rate", type=int, required=True)
    arguments = parser.parse_args()
    app = web.Application()
    app["names"], app["rate"] = symbols(arguments.coins), arguments.rate
    app.router.add_get("/{path:.*}", answer)
    web.run_app(app, host="127.0.0.1", port=arguments.port, print=None)


if __name__ == "__main__":
    main()
