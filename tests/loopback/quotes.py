"""The polled sources of quotes, and the sources of daily metal prices."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from aiohttp import web
from faults import Fault, Reply
from official import SourceCall
from prices import PER_TONNE, Prices, drawn
from recordings import as_it_is

from cambist.pricing.pair import Pair
from cambist.pricing.trading_hours import hours_of, last_trading_moment

_BEIJING = ZoneInfo("Asia/Shanghai")
_SINA = {"CAD": "XCU", "AHD": "XAL", "ZSD": "XZN", "PBD": "XPB", "NID": "XNI"}
_SINA_NAMES = {"CAD": "LME铜", "AHD": "LME铝", "ZSD": "LME锌", "PBD": "LME铅", "NID": "LME镍"}
_METALS_BY_NAME = {
    "Al": ("XAL", "Aluminium"),
    "Cu": ("XCU", "Copper"),
    "Ni": ("XNI", "Nickel"),
    "Pb": ("XPB", "Lead"),
    "Zn": ("XZN", "Zinc"),
}
_LBMA = {"gold_pm": "XAU", "silver": "XAG", "platinum_pm": "XPT", "palladium_pm": "XPD"}


@dataclass(frozen=True)
class QuoteSource:
    """A source of current quotes; `told` makes its answer of what is asked, and of the moment."""

    key: str
    at: str
    told: Callable[[Prices, re.Match[str], datetime, Fault], Reply]
    prices: Prices
    needs: str = ""

    def answer(self, text: str, fault: Fault, request: web.Request) -> Reply | None:
        match = re.search(self.at, text)
        if match is None:
            return None
        if self.needs and not request.headers.get(self.needs):
            return Reply(b"Forbidden", "text/plain", 403)
        return self.told(self.prices, match, datetime.now(UTC) + fault.shift, fault)


def quote_sources(prices: Prices) -> list[QuoteSource]:
    return [
        QuoteSource("swissquote", r"^forex-data-feed\.swissquote\.com/.*/(\w{3})/(\w{3})$", _swissquote, prices),
        QuoteSource("sina", r"^hq\.sinajs\.cn/list=([\w,]+)$", _sina, prices, "Referer"),
        QuoteSource(
            "twelvedata",
            r"^api\.twelvedata\.com/exchange_rate\?symbol=([\w/,]+)$",
            _twelvedata,
            prices,
            "Authorization",
        ),
    ]


def _sides(prices: Prices, key: str, pair: tuple[str, str], fault: Fault, changed: str) -> tuple[str, str]:
    prices.step(pair[0])
    bid, ask = prices.sides(key, *pair)
    return (fault.change(bid), fault.change(ask)) if changed in pair and fault.change is not as_it_is else (bid, ask)


def _last_dealt(pair: Pair, now: datetime) -> datetime:
    """Return the time of a quote; outside trading hours, a second before the market closed, as these sources do."""
    closed_at = last_trading_moment(hours_of(pair), now).as_of
    return now if closed_at == now else closed_at - timedelta(seconds=1)


def _swissquote(prices: Prices, match: re.Match[str], now: datetime, fault: Fault) -> Reply:
    bid, ask = sorted(map(float, _sides(prices, "swissquote", (match[1], match[2]), fault, "XAU")))
    profiles = [
        {"spreadProfile": name, "bidSpread": wide, "askSpread": wide, "bid": bid - wide * bid, "ask": ask + wide * ask}
        for name, wide in (("premium", 1e-4), ("prime", 5e-5), ("elite", 0.0))
    ]
    ts = int(_last_dealt(Pair(match[1], match[2]), now).timestamp() * 1000)
    platforms = [
        {"topo": {"platform": name, "server": "Live5"}, "spreadProfilePrices": profiles, "ts": ts - late}
        for name, late in (("SwissquoteLtd", 0), ("MT5", 11))
    ]
    return Reply(json.dumps(platforms).encode(), "application/json")


def _sina(prices: Prices, match: re.Match[str], now: datetime, fault: Fault) -> Reply:
    lines = []
    there = _last_dealt(Pair("XCU", "USD"), now).astimezone(_BEIJING)
    for code in match[1].replace("hf_", "").split(","):
        if code not in _SINA:
            lines.append(f'var hq_str_hf_{code}="";\n')
            continue
        mid = PER_TONNE[_SINA[code]] * prices.worth("LME") / prices.worth("LME")
        bid, ask = f"{mid - 1:.2f}", f"{mid + 1.5:.2f}"
        if code == "CAD" and fault.change is not as_it_is:
            bid, ask = sorted((fault.change(bid), fault.change(ask)), key=float)
        cells = f"{mid:.2f},0.1952,{bid},{ask},{mid:.2f},{mid:.2f},{there:%H:%M:%S},{mid:.2f},{mid:.2f},3770,1,2"
        lines.append(f'var hq_str_hf_{code}="{cells},{there:%Y-%m-%d},{_SINA_NAMES[code]}";\n')
    return Reply("".join(lines).encode("gbk"), "application/javascript; charset=GB18030")


def _twelvedata(prices: Prices, match: re.Match[str], now: datetime, fault: Fault) -> Reply:
    rates = {}
    for symbol in match[1].split(","):
        base, quote = symbol.split("/")
        bid, _ = _sides(prices, "twelvedata", (base, quote), fault, "XAU")
        rates[symbol] = {"symbol": symbol, "rate": float(bid), "timestamp": int(now.timestamp())}
    return Reply(json.dumps(rates).encode(), "application/json; charset=utf-8")


def _price(code: str, worth: float, day: date) -> float:
    """Return a metal's price on a day: near its value, and always the same."""
    return round(worth * (1 + (drawn(code, str(day)) - 0.5) * 0.01), 2)


@dataclass(frozen=True)
class Lbma:
    """The London auctions' prices, a metal's history at once."""

    prices: Prices
    key: str = "lbma"

    def answer(self, asked: SourceCall) -> Reply | None:
        match = re.search(r"^prices\.lbma\.org\.uk/json/(\w+)\.json", asked.text)
        if match is None or match[1] not in _LBMA:
            return None
        code, newest = _LBMA[match[1]], asked.calendar.newest
        rows = []
        for day in asked.calendar.days(newest - timedelta(days=365), newest):
            price = f"{_price(code, self.prices.worth(code), day):.2f}"
            price = asked.change(price) if code == "XAU" else price
            rows.append({"is_cms_locked": 1, "d": str(day + asked.calendar.shift), "v": [float(price), 0, None]})
        return Reply(json.dumps(rows).encode(), "application/json")


@dataclass(frozen=True)
class Westmetall:
    """A base metal's year as a page of tables."""

    key: str = "westmetall"

    def answer(self, asked: SourceCall) -> Reply | None:
        match = re.search(r"^www\.westmetall\.com/en/markdaten\.php\?.*field=LME_(\w\w)_cash&year=(\d{4})", asked.text)
        if match is None or match[1] not in _METALS_BY_NAME:
            return None
        code, name = _METALS_BY_NAME[match[1]]
        header = "".join(
            f"<th>{cell}</th>"
            for cell in ("date", f"LME {name} Cash-Settlement", f"LME {name} 3-month", f"LME {name} stock")
        )
        days = list(asked.calendar.days(date(int(match[2]), 1, 1), date(int(match[2]), 12, 31)))
        rows = "".join(self._row(asked, code, day) for day in reversed(days))
        body = f"<body><table><tr><td>Home</td></tr></table>\n<table>\n<tr>{header}</tr>\n{rows}</table></body>"
        return Reply(f"<!DOCTYPE html>\n<html>{body}</html>\n".encode(), "text/html; charset=utf-8")

    @staticmethod
    def _row(asked: SourceCall, code: str, day: date) -> str:
        cash = _price(code, PER_TONNE[code], day)
        text = asked.change(f"{cash:.2f}") if code == "XCU" else f"{cash:.2f}"
        cells = (f"{day + asked.calendar.shift:%d. %B %Y}", f"{float(text):,.2f}", f"{cash * 1.004:,.2f}", "150,025")
        return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>\n"
