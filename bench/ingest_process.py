"""The ingest process alone, as the service runs it, on a prepared data folder."""

import os
import sys
from pathlib import Path

from cambist.processes.ingestor import ingest
from cambist.registry.sources.source_adapters import adapters
from cambist.settings import Settings

if __name__ == "__main__":
    folder, gateway = sys.argv[1:]
    others = ",".join(key for key in adapters() if key != "kraken")
    settings = Settings(data=Path(folder), gateway=gateway, feeds_off=others, log_level="warning")
    ingest(settings, os.getppid(), {})
