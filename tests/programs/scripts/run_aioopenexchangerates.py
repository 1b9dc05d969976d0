"""aioopenexchangerates with its fixed host: python run_aioopenexchangerates.py KEY."""

from __future__ import annotations

import asyncio
import json
import sys

from aioopenexchangerates import Client
from aioopenexchangerates.exceptions import OpenExchangeRatesAuthError


async def main(key: str) -> dict[str, object]:
    """Ask for names and rates, and show that a wrong key is refused as one."""
    async with Client(key) as client:
        latest = await client.get_latest("EUR", ["USD", "JPY"])
        names = await client.get_currencies()
    async with Client("wrong") as stranger:
        try:
            await stranger.get_latest()
        except OpenExchangeRatesAuthError:
            refused = True
    return {"rates": latest.rates, "base": latest.base, "names": len(names), "refused": refused}


print(json.dumps(asyncio.run(main(sys.argv[1]))))
