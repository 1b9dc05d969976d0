"""sdmx1 with a source of one's own: python run_sdmx1.py ADDRESS. Writes what it reads."""

from __future__ import annotations

import json
import logging
import sys

import sdmx

logging.disable()
sdmx.add_source({"id": "CAMBIST", "name": "Cambist", "url": f"{sys.argv[1]}/service"})
client = sdmx.Client("CAMBIST")
message = client.data(
    "EXR", key="D.USD+JPY.EUR.SP00.A", params={"startPeriod": "2024-02-28", "endPeriod": "2024-03-04"}
)
frame = sdmx.to_pandas(message)
rows = {}
for key, value in frame.items():
    named = dict(zip(frame.index.names, key, strict=True))
    rows[f"{named['CURRENCY']} {named['TIME_PERIOD']}"] = value
print(json.dumps(rows))
