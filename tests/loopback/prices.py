"""What everything is worth in dollars: currencies as the ECB's recording has it, coins by hand or by their name's hash.

All venues deal around the same worth, which wanders a little with every tick, drawn from a seed: so their prices agree
within some tenths of a thousandth, and differ.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field

KNOWN = {
    "USD": 1.0,
    "ZUSD": 1.0,
    "BTC": 65_000.0,
    "WBTC": 64_980.0,
    "ETH": 2_600.0,
    "ETH2": 2_590.0,
    "BNB": 700.0,
    "SOL": 140.0,
    "XRP": 1.9,
    "ADA": 0.55,
    "DOGE": 0.15,
    "LTC": 85.0,
    "BCH": 420.0,
    "DOT": 4.1,
    "LINK": 14.0,
    "USDT": 0.9998,
    "USDC": 1.0001,
    "DAI": 0.9997,
    "BUSD": 0.9996,
    "TUSD": 0.9991,
    "USDP": 0.9999,
    "PAX": 0.9999,
    "GUSD": 0.9995,
    "PAXG": 5_140.0,
    "XAU": 5_140.0,
    "XAG": 88.0,
    "XPT": 2_230.0,
    "XPD": 1_690.0,
}
ALIASES = {"XBT": "BTC", "XDG": "DOGE", "CGLD": "CELO"}
"""Codes that one venue uses for what others call differently."""

PER_TONNE = {"XCU": 12_300.0, "XAL": 3_000.0, "XZN": 3_100.0, "XPB": 1_990.0, "XNI": 17_400.0}

_STEP, _RETURNS = 5e-5, 0.98
_OFFSET = 3e-4
_HALF_SPREAD = 2e-4
_DIGITS = 8


def drawn(*names: str) -> float:
    """Draw a number from 0 to 1 out of names: always the same."""
    digest = hashlib.sha256("/".join(names).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


@dataclass
class Prices:
    """Worths in dollars that wander; `currencies` are worths of currencies."""

    currencies: Mapping[str, float]
    seed: int = 1
    chance: random.Random = field(init=False)
    _drift: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)  # noqa: S311  it draws prices, not secrets

    def worth(self, code: str) -> float:
        code = ALIASES.get(code, code)
        fixed = KNOWN.get(code) or self.currencies.get(code) or 10 ** (drawn("worth", code) * 4 - 2)
        return fixed * math.exp(self._drift.get(code, 0.0))

    def step(self, code: str) -> None:
        """Let one thing's worth wander."""
        code = ALIASES.get(code, code)
        if code not in ("USD", "ZUSD"):
            self._drift[code] = self._drift.get(code, 0.0) * _RETURNS + self.chance.gauss(0, _STEP)

    def sides(self, venue: str, base: str, quote: str) -> tuple[str, str]:
        """Return bid and ask of a pair at a venue; each venue differs a little from the others."""
        offset = 1 + (drawn(venue, base, quote) - 0.5) * 2 * _OFFSET
        mid = self.worth(base) / self.worth(quote) * offset
        return plain(mid * (1 - _HALF_SPREAD)), plain(mid * (1 + _HALF_SPREAD))


def plain(value: float) -> str:
    """Write a price with so many digits that its spread can be seen, and never with an exponent."""
    return f"{value:.{max(_DIGITS - 1 - math.floor(math.log10(value)), 0)}f}"
