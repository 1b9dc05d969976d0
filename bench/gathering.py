"""The gatherer alone, as the service runs it, on a data folder that is prepared already."""

import os
import sys
from pathlib import Path

from cambist.app.feeds import feeds
from cambist.app.gatherer import gather
from cambist.settings import Settings

if __name__ == "__main__":
    folder, gateway = sys.argv[1:]
    others = ",".join(key for key in feeds() if key != "kraken")
    settings = Settings(data=Path(folder), gateway=gateway, feeds_off=others, log_level="warning")
    gather(settings, os.getppid(), {})
