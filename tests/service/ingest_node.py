"""Run the ingest process of one of several nodes alone: `python ingest_node.py FOLDER DATABASE GATEWAY NODE`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from cambist.pricing import trading_hours

trading_hours.hours_of = lambda _pair: trading_hours.Hours.ALWAYS  # else no minute of a weekend has bars

from cambist.processes.ingestor import ingest  # noqa: E402
from cambist.registry.sources.source_adapters import adapters  # noqa: E402
from cambist.settings import Settings  # noqa: E402

SOURCES = {"ecb", "boc", "nbp", "cnb", "kraken", "coinbase"}
NOBODY = "redis://127.0.0.1:9/0"
"""The ingest process itself does not talk to Redis."""

if __name__ == "__main__":
    folder, database, gateway, node = sys.argv[1:]
    others = ",".join(sorted(adapters().keys() - SOURCES))
    settings = Settings(
        data=Path(folder), database=database, redis=NOBODY, node=node, gateway=gateway, feeds_off=others
    )
    ingest(settings, os.getppid(), {})
