"""Ask the service: python ask.py TARGET KEY. Writes the JSON of its answer."""

from __future__ import annotations

import sys
import urllib.request

request = urllib.request.Request(f"http://127.0.0.1{sys.argv[1]}", headers={"X-API-Key": sys.argv[2]})
with urllib.request.urlopen(request, timeout=30) as reply:
    sys.stdout.write(reply.read().decode())
