"""The venues: their lists of pairs, their tickers, and the frames of their WebSockets."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from itertools import count
from typing import Any

from faults import Fault, Reply
from prices import Prices
from recordings import RecordingFolder, as_it_is

Pairs = Mapping[str, tuple[str, str]]
"""A venue's pairs, base and quote, by the name that its socket uses."""

_JSON = "application/json"


@dataclass
class Venue(ABC):
    """One venue. `lists`, `tells` and `hears` are patterns of the addresses of list, tickers and socket."""

    prices: Prices
    recording_folder: RecordingFolder
    counted: Iterator[int] = field(default_factory=lambda: count(int(datetime.now(UTC).timestamp() * 1000)))

    key = ""
    real = ""
    lists = ""
    tells = "(?!)"
    hears = ""
    tells_at_once = True

    @cached_property
    def listed(self) -> str:
        return self.recording_folder.text(self.real, f"{self.key}/list.json")

    @cached_property
    def pairs(self) -> Pairs:
        return dict(self._pairs(json.loads(self.listed)))

    def answer(self, text: str, fault: Fault) -> Reply | None:
        if re.search(self.lists, text):
            return Reply(self.listed.encode(), _JSON)
        if re.search(self.tells, text):
            return Reply(json.dumps(self._tickers(fault)).encode(), _JSON)
        return None

    def sides(self, name: str, fault: Fault) -> tuple[str, str]:
        """Return bid and ask of a pair; faults change bitcoin's."""
        base, quote = self.pairs[name]
        bid, ask = self.prices.sides(self.key, base, quote)
        if fault.change is not as_it_is and base in ("BTC", "XBT"):
            bid, ask = sorted((fault.change(bid), fault.change(ask)), key=float)
        return bid, ask

    def greeting(self) -> list[str]:
        """Return the frames for a new connection."""
        return []

    @abstractmethod
    def _pairs(self, listed: Any) -> Iterator[tuple[str, tuple[str, str]]]: ...

    def _tickers(self, fault: Fault) -> Any:
        """Return all quotes as the answer to a request."""
        raise NotImplementedError

    @abstractmethod
    def heard(self, message: str) -> tuple[list[str], list[str]]:
        """Handle a client's message; return the replies and the pairs that it subscribes to."""

    @abstractmethod
    def frame(self, name: str, fault: Fault) -> str:
        """Return the frame with a pair's current quote."""


def moment(fault: Fault) -> datetime:
    return datetime.now(UTC) + fault.shift


def zulu(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Kraken(Venue):
    key, real = "kraken", "kraken/cryptofeed_rest_0_public_AssetPairs.json"
    lists, tells = r"^api\.kraken\.com/0/public/AssetPairs", r"^api\.kraken\.com/0/public/Ticker"
    hears = r"^ws\.kraken\.com/v2$"

    def greeting(self) -> list[str]:
        data = [{"version": "2.0.10", "system": "online", "api_version": "v2", "connection_id": next(self.counted)}]
        return [json.dumps({"channel": "status", "type": "update", "data": data})]

    def _pairs(self, listed: Any) -> Iterator[tuple[str, tuple[str, str]]]:
        for entry in listed["result"].values():
            base, slash, quote = entry.get("wsname", "").partition("/")
            if slash:
                renamed = {"XBT": "BTC", "XDG": "DOGE"}
                yield f"{renamed.get(base, base)}/{renamed.get(quote, quote)}", (base, quote)

    def _tickers(self, fault: Fault) -> Any:
        result = {}
        names = {pair: name for name, pair in self.pairs.items()}
        for key, entry in json.loads(self.listed)["result"].items():
            base, slash, quote = entry.get("wsname", "").partition("/")
            if slash:
                bid, ask = self.sides(names[base, quote], fault)
                result[key] = {"a": [ask, "1", "1.000"], "b": [bid, "2", "2.000"], "c": [bid, "0.1"]}
        return {"error": [], "result": result}

    def heard(self, message: str) -> tuple[list[str], list[str]]:
        said = json.loads(message)
        if said.get("method") != "subscribe":
            return [], []
        now, replies, taken = zulu(datetime.now(UTC)), [], []
        for symbol in said["params"]["symbol"]:
            reply: dict[str, Any] = {"method": "subscribe", "time_in": now, "time_out": now}
            if symbol in self.pairs:
                taken.append(symbol)
                result = {"channel": "ticker", "event_trigger": "bbo", "snapshot": True, "symbol": symbol}
                replies.append(json.dumps(reply | {"result": result, "success": True}))
            else:
                error = f"Currency pair not supported {symbol}"
                replies.append(json.dumps(reply | {"error": error, "success": False, "symbol": symbol}))
        return replies, taken

    def frame(self, name: str, fault: Fault) -> str:
        bid, ask = self.sides(name, fault)
        # The venue writes prices as numbers: their digits are kept.
        return (
            f'{{"channel":"ticker","type":"update","data":[{{"symbol":"{name}","bid":{bid},"bid_qty":1.5,"ask":{ask},'
            f'"ask_qty":0.2,"last":{bid},"volume":9.5,"timestamp":"{zulu(moment(fault))}"}}]}}'
        )


class Coinbase(Venue):
    key, real = "coinbase", "coinbase/cryptofeed_rest_products.json"
    lists, hears = r"^api\.exchange\.coinbase\.com/products$", r"^ws-feed\.exchange\.coinbase\.com/?$"

    def _pairs(self, listed: Any) -> Iterator[tuple[str, tuple[str, str]]]:
        for product in listed:
            yield product["id"], (product["base_currency"], product["quote_currency"])

    def heard(self, message: str) -> tuple[list[str], list[str]]:
        said = json.loads(message)
        if said.get("type") != "subscribe":
            return [], []
        unknown = [product for product in said["product_ids"] if product not in self.pairs]
        if unknown:
            reason = f"{unknown[0]} is not a valid product"
            return [json.dumps({"type": "error", "message": "Failed to subscribe", "reason": reason})], []
        channels = [{"name": "ticker", "product_ids": said["product_ids"]}]
        return [json.dumps({"type": "subscriptions", "channels": channels})], said["product_ids"]

    def frame(self, name: str, fault: Fault) -> str:
        bid, ask = self.sides(name, fault)
        frame = {"type": "ticker", "sequence": next(self.counted), "product_id": name, "price": bid}
        frame |= {"best_bid": bid, "best_bid_size": "0.5", "best_ask": ask, "best_ask_size": "0.2", "side": "buy"}
        return json.dumps(frame | {"time": zulu(moment(fault)), "trade_id": 9, "last_size": "0.04"})


class Binance(Venue):
    key, real = "binance", "binance/cryptofeed_rest_api_v3_exchangeInfo.json"
    lists = r"^data-api\.binance\.vision/api/v3/exchangeInfo"
    tells = r"^data-api\.binance\.vision/api/v3/ticker/bookTicker$"
    hears = r"^data-stream\.binance\.vision/stream$"
    tells_at_once = False

    def _pairs(self, listed: Any) -> Iterator[tuple[str, tuple[str, str]]]:
        for symbol in listed["symbols"]:
            if symbol["status"] == "TRADING":
                yield symbol["symbol"], (symbol["baseAsset"], symbol["quoteAsset"])

    def _tickers(self, fault: Fault) -> Any:
        quotes = ((name, *self.sides(name, fault)) for name in self.pairs)
        return [{"symbol": n, "bidPrice": b, "bidQty": "1.5", "askPrice": a, "askQty": "0.2"} for n, b, a in quotes]

    def heard(self, message: str) -> tuple[list[str], list[str]]:
        said = json.loads(message)
        if said.get("method") != "SUBSCRIBE":
            return [], []
        names = [stream.removesuffix("@bookTicker").upper() for stream in said["params"]]
        return [json.dumps({"result": None, "id": said["id"]})], [name for name in names if name in self.pairs]

    def frame(self, name: str, fault: Fault) -> str:
        bid, ask = self.sides(name, fault)
        data = {"u": next(self.counted), "s": name, "b": bid, "B": "1.50000000", "a": ask, "A": "0.20000000"}
        return json.dumps({"stream": f"{name.lower()}@bookTicker", "data": data})


class Okx(Venue):
    key, real = "okx", "okx/cryptofeed_rest_api_v5_public_instruments_instType_SPOT.json"
    lists = r"^www\.okx\.com/api/v5/public/instruments\?instType=SPOT$"
    tells = r"^www\.okx\.com/api/v5/market/tickers\?instType=SPOT$"
    hears = r"^ws\.okx\.com:8443/ws/v5/public$"

    def _pairs(self, listed: Any) -> Iterator[tuple[str, tuple[str, str]]]:
        for instrument in listed["data"]:
            yield instrument["instId"], (instrument["baseCcy"], instrument["quoteCcy"])

    def _tickers(self, fault: Fault) -> Any:
        quotes = ((name, *self.sides(name, fault)) for name in self.pairs)
        common = {"instType": "SPOT", "lastSz": "0.1", "ts": str(int(moment(fault).timestamp() * 1000))}
        data = [
            common | {"instId": name, "last": bid, "bidPx": bid, "bidSz": "1.5", "askPx": ask, "askSz": "0.2"}
            for name, bid, ask in quotes
        ]
        return {"code": "0", "msg": "", "data": data}

    def heard(self, message: str) -> tuple[list[str], list[str]]:
        if message == "ping":
            return ["pong"], []
        said = json.loads(message)
        replies, taken = [], []
        for arg in said["args"] if said.get("op") == "subscribe" else ():
            if arg["channel"] == "bbo-tbt" and arg["instId"] in self.pairs:
                taken.append(arg["instId"])
                replies.append(json.dumps({"event": "subscribe", "arg": arg, "connId": "a4d3ae55"}))
            else:
                replies.append(json.dumps({"event": "error", "code": "60012", "msg": "Invalid request"}))
        return replies, taken

    def frame(self, name: str, fault: Fault) -> str:
        bid, ask = self.sides(name, fault)
        ts = str(int(moment(fault).timestamp() * 1000))
        best = {"asks": [[ask, "0.2", "0", "3"]], "bids": [[bid, "1.5", "0", "8"]], "ts": ts}
        best |= {"seqId": next(self.counted)}
        return json.dumps({"arg": {"channel": "bbo-tbt", "instId": name}, "data": [best]})


class Bitstamp(Venue):
    key, real = "bitstamp", "bitstamp/cryptofeed_rest_api_v2_trading_pairs_info.json"
    lists = r"^www\.bitstamp\.net/api/v2/trading-pairs-info/$"
    tells = r"^www\.bitstamp\.net/api/v2/ticker/$"
    hears = r"^ws\.bitstamp\.net/?$"

    def _pairs(self, listed: Any) -> Iterator[tuple[str, tuple[str, str]]]:
        for entry in listed:
            base, _, quote = entry["name"].partition("/")
            yield entry["url_symbol"], (base, quote)

    def _tickers(self, fault: Fault) -> Any:
        common = {"timestamp": str(int(moment(fault).timestamp())), "volume": "9.1", "side": "0", "market_type": "SPOT"}
        quotes = ((pair, *self.sides(name, fault)) for name, pair in self.pairs.items())
        return [common | {"pair": "/".join(pair), "last": bid, "bid": bid, "ask": ask} for pair, bid, ask in quotes]

    def heard(self, message: str) -> tuple[list[str], list[str]]:
        said = json.loads(message)
        channel = said["data"]["channel"] if said.get("event") == "bts:subscribe" else ""
        name = channel.removeprefix("order_book_")
        if not channel or name not in self.pairs:
            error = {"code": None, "message": "Incorrect JSON format."}
            return [json.dumps({"event": "bts:error", "channel": "", "data": error})], []
        return [json.dumps({"event": "bts:subscription_succeeded", "channel": channel, "data": {}})], [name]

    def frame(self, name: str, fault: Fault) -> str:
        bid, ask = self.sides(name, fault)
        micro = int(moment(fault).timestamp() * 1_000_000)
        data = {"timestamp": str(micro // 1_000_000), "microtimestamp": str(micro)}
        data |= {"bids": [[bid, "1.50000000"]], "asks": [[ask, "0.20000000"]]}
        return json.dumps({"data": data, "channel": f"order_book_{name}", "event": "data"})


VENUES = (Kraken, Coinbase, Binance, Okx, Bitstamp)
