"""Random requests: hot questions, questions that are nearly hot, and questions that are refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from cambist.pricing.crypto_pairs import is_coin_pair
from cambist.sandbox.market import SimulatedMarket

CURRENCIES = ("USD", "EUR", "JPY", "GBP", "CHF", "SEK", "TRY", "KRW", "BGN", "AED", "XAF", "DKK", "INR", "BRL", "IDR")
METALS = ("XAU", "XAG", "XPT", "XCU", "XAL")
COINS = ("BTC", "ETH", "USDT", "USDC", "SOL", "DOGE", "SHIB", "ADA", "XRP", "BNB")
ODD = ("DEM", "XXX", "", "usd", "eUr", "btc", "EU%52", "%45UR", "U+S", "ZZZZ", "USD,", "E\u00dcR", "NOPE", "VES", "ZWL")
MARKET = SimulatedMarket(3, COINS)
COIN_PAIRS = [pair for pair in MARKET.pairs() if is_coin_pair(pair)]
UNITS = ("oz_t", "g", "kg", "tael", "tola", "metric_tonne", "lb", "baht", "dwt", "stone", "OZ_T")
PURITIES = ("999", "750", "585", "925", "916", "1000", "0", "1001", "333.5", "999.9", "24k", "950", "")
AMOUNTS = ("1", "100", "0.01", "0.009", "12.345", "99999999999.99", "1e3", "007", ".5", "5.", "1234567.125", "0.125",
           "333.33", "-1", "2.675", "1000000000000000", "0.000001", "8.5", "")  # fmt: skip
REST = ("max_age=PT1H", "max_age=PT1S", "precision=3", "min_sources=1", "rate_type=market", "verbose=1", "partial=true",
        "foo=1", "form=EUR", "", "to=", "from=EUR", "date=2024-02-29", "as_of=2026-01-01", "api_key=")  # fmt: skip
HEADERS = ("If-None-Match: *", "Range: bytes=0-1", "X-Request-Id: mine", "Connection: close", "Accept: text/csv",
           "Accept: application/json", "Accept: */*", "X-Forwarded-For: 10.1.1.1", "User-Agent: wrk", "Host: y",
           "X-API-Key: cmb_other", "Authorization: Basic Y21i", "Authorization: Bearer x", "Cambist-Page: 1",
           "Expect: 100-continue", "Content-Length: 0", " folded", "Accept: text/csv;q=0.1, */*")  # fmt: skip
CODINGS = ("gzip", "identity", "gzip;q=0", "br, gzip", "*")


@dataclass
class Questions:
    """Draws requests; `keys` are those of callers of all kinds, the first one of a caller who may ask everything."""

    chance: Random
    keys: Sequence[str]
    today: date

    def request(self) -> bytes:
        """Return the bytes of a request."""
        chance = self.chance
        target, lines = self._target(), ["Host: x"]
        key = self.keys[0] if chance.random() < 0.5 else chance.choice(self.keys)
        where = chance.choice(
            ("query", "query", "header", "header", "bearer", "none") if self._is_odd() else ("query", "header")
        )
        if where == "query" or (where != "none" and self._is_odd()):
            places = [f"{target}&api_key={key}", target.replace("?", f"?api_key={key}&", 1)]
            target = chance.choice(places) if "?" in target else f"{target}?api_key={key}"
        if where == "header":
            lines.append(f"X-API-Key: {key}")
        elif where == "bearer":
            lines.append(f"Authorization: Bearer {key}")
        if chance.random() < 0.4:
            lines.append(f"Accept-Encoding: {chance.choice(CODINGS)}")
        if self._is_odd():
            lines.append(chance.choice(HEADERS))
        method = "GET" if chance.random() < 0.99 else chance.choice(("HEAD", "POST", "get"))
        version = "HTTP/1.1" if chance.random() < 0.99 else "HTTP/1.0"
        return "\r\n".join([f"{method} {target} {version}", *lines, "", ""]).encode()

    def _is_odd(self) -> bool:
        return self.chance.random() < 0.05

    def _target(self) -> str:
        path, parts = self.chance.choice(
            (self._pair, self._pair, self._pair, self._amount, self._amount, self._all, self._several, self._matrix,
             self._coins, self._coins, self._quote, self._quote, self._metal, self._metal, self._day, self._series)
        )()  # fmt: skip
        if self._is_odd():
            parts.append(self.chance.choice(REST))
        if self._is_odd():
            self.chance.shuffle(parts)
        if self._is_odd() and parts:
            parts.pop()
        return f"{path}?{'&'.join(parts)}" if parts else path

    def _code(self, *kinds: Sequence[str]) -> str:
        if self.chance.random() < 0.02:
            return self.chance.choice(ODD)
        return self.chance.choice([code for kind in kinds for code in kind])

    def _asset(self) -> str:
        return self._code(CURRENCIES, CURRENCIES, COINS, METALS)

    def _codes(self, count: int, *kinds: Sequence[str]) -> str:
        return self.chance.choice((",", ",", ",", ",", ", ", "%2C") if self._is_odd() else (",",)).join(
            self._code(*kinds) for _ in range(self.chance.randrange(1, count + 1))
        )

    def _pair(self) -> tuple[str, list[str]]:
        return "/fetch-one", [f"from={self._asset()}", f"to={self._asset()}"]

    def _amount(self) -> tuple[str, list[str]]:
        chance = self.chance
        amount = (
            chance.choice(AMOUNTS)
            if chance.random() < 0.3
            else f"{chance.randrange(1, 10 ** chance.randrange(2, 14)) / 100}"
        )
        return "/convert", [f"from={self._asset()}", f"to={self._asset()}", f"amount={amount}"]

    def _all(self) -> tuple[str, list[str]]:
        return "/fetch-all", [f"from={self._code(CURRENCIES, METALS[:1])}"] if self.chance.random() < 0.9 else []

    def _several(self) -> tuple[str, list[str]]:
        kinds = (CURRENCIES, CURRENCIES, METALS[:2])
        return "/fetch-multi", [f"from={self._code(*kinds)}", f"to={self._codes(5, *kinds)}"]

    def _matrix(self) -> tuple[str, list[str]]:
        return "/fetch-matrix", [f"from={self._codes(6, CURRENCIES)}", f"to={self._codes(6, CURRENCIES)}"]

    def _coins(self) -> tuple[str, list[str]]:
        names = [self._coin_pair() for _ in range(self.chance.randrange(1, 5))]
        if self._is_odd():
            names *= 3
        return "/crypto/fetch-prices", [f"pairs={','.join(names)}"]

    def _coin_pair(self) -> str:
        if self._is_odd():
            return f"{self._code(COINS)}/{self._code(COINS, CURRENCIES)}"
        return str(self.chance.choice(COIN_PAIRS))

    def _quote(self) -> tuple[str, list[str]]:
        slash = self.chance.choice(("", "/"))
        names = [
            f"{self._code(CURRENCIES)}{slash}{self._code(CURRENCIES)}" for _ in range(self.chance.choice((1, 1, 1, 2)))
        ]
        return "/fx/quote", [f"pairs={','.join(names)}"]

    def _metal(self) -> tuple[str, list[str]]:
        parts = [f"metal={self._code(METALS)}", f"currency={self._code(CURRENCIES)}"]
        if self.chance.random() < 0.7:
            parts.append(f"unit={self.chance.choice(UNITS)}")
        if self.chance.random() < 0.7:
            parts.append(f"purity={self.chance.choice(PURITIES)}")
        return "/metals/spot", parts

    def _past(self) -> date:
        longest = self.chance.choice((3, 40, 9000))
        return self.today + timedelta(days=2 - self.chance.randrange(longest))

    def _day(self) -> tuple[str, list[str]]:
        parts = [f"from={self._code(CURRENCIES, METALS[:1])}", f"date={self._past()}"]
        if self.chance.random() < 0.3:
            parts.append(f"to={self._codes(3, CURRENCIES)}")
        return "/historical", parts

    def _series(self) -> tuple[str, list[str]]:
        days = sorted((self._past(), self._past()))
        start = max(days[0], days[1] - timedelta(days=self.chance.choice((10, 400, 4000))))
        parts = [
            f"from={self._code(CURRENCIES)}",
            f"to={self._codes(1, CURRENCIES)}",
            f"start={start}",
            f"end={days[1]}",
        ]
        return "/time-series", parts
