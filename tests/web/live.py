"""A live installation whose sources are simulated on a loopback port, for the console in a browser."""

from __future__ import annotations

import http.client
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import msgspec
from tests.service.processes import COMMAND, ended_in_the_end, environment, free_port, until
from tests.web.sandbox import PageService

from cambist.history.fixing import Fixing, Receipt, RefusedFixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters import ADAPTERS
from cambist.storage.sql import SqlStore

PATIENCE = 180
"""Seconds until it answers, on a busy machine: its first start reads the whole history of the ECB."""

PLAYER = Path(__file__).parent.parent / "loopback" / "play.py"
ASKED = ("ecb", "boc", "nbp")
REFUSING = "riksbank"
"""The source whose fixings are put in quarantine: no other fixing of it is there."""

REFUSED = (("EUR", "USD", "1.6123"), ("EUR", "GBP", "86.44"), ("EUR", "JPY", "18.346"))
"""What is put in quarantine: base, quote currency and the value that the source published."""


@dataclass
class LiveService(PageService):
    """A live service; `sources_port` is that of the simulated sources."""

    sources_port: int = 0

    def is_up(self) -> bool:
        """Return whether it answers, or has ended: its sources have neither coins nor metals."""
        if self.process.poll() is not None:
            return True
        try:
            return self.text("/fetch-one?from=USD&to=EUR")[0] == 200
        except OSError:
            return False

    def fault(self, source: str, fault: str | None) -> None:
        """Have a source fail from now on, or answer again."""
        said = msgspec.json.encode({"source": source, "fault": fault, "seconds": 1})
        with closing(http.client.HTTPConnection("127.0.0.1", self.sources_port, timeout=20)) as connection:
            connection.request("POST", "/control", said)
            assert connection.getresponse().status == 200

    def put_in_quarantine(self) -> None:
        """Put fixings of one source in quarantine, among accepted ones of its own and of another source."""
        today = datetime.now(UTC).date()
        store = SqlStore(f"sqlite:///{self.data / 'cambist.db'}")
        for base, quote, value in REFUSED:
            pair, refused = Pair(base, quote), _weekday_before(today, 6)
            fair = {"USD": "1.08", "GBP": "0.8644", "JPY": "183.46"}[quote]
            days = [day for back in range(60) if (day := today - timedelta(days=back)).weekday() < 5 and day != refused]
            for source in (REFUSING, "boe"):
                near = [Fixing(source, pair, day, Decimal(fair) + Decimal(day.day) / 10_000) for day in days]
                wrong = [RefusedFixing(Fixing(source, pair, refused, Decimal(value)), _REASON)]
                receipt = Receipt(source, datetime.now(UTC), "https://rates.example/", f"{source} {pair}")
                store.archive.file(receipt, near, wrong if source == REFUSING else ())
        store.close()


_REASON = "it differs by 48.60 % from the median of 5 other sources"


def _weekday_before(today: date, days: int) -> date:
    day = today - timedelta(days=days)
    return day - timedelta(days=max(0, day.weekday() - 4))


@contextmanager
def serving_live(folder: Path) -> Iterator[LiveService]:
    """Serve a live installation that asks three simulated sources, with three fixings in quarantine."""
    ready = folder / "sources-port"
    player = subprocess.Popen([sys.executable, str(PLAYER), "--ready", str(ready), "--for", "600", "--rate", "1"])
    with ended_in_the_end(player):
        assert until(ready.exists, PATIENCE)
        ports = {name: free_port() for name in ("port", "stream_port", "operator_port")}
        chosen = {f"CAMBIST_{name.upper()}": str(value) for name, value in ports.items()} | {
            "CAMBIST_WORKERS": "1",
            "CAMBIST_GATEWAY": f"http://127.0.0.1:{int(ready.read_text())}",
            "CAMBIST_FEEDS_OFF": ",".join(key for key in ADAPTERS if key not in ASKED),
        }
        data, log = folder / "data", folder / "log"
        with log.open("wb") as to:
            command = [COMMAND, "serve", "--data", str(data)]
            process = subprocess.Popen(command, env=environment(**chosen), stdout=to, stderr=to)
        service = LiveService(process, data, log, **ports, sources_port=int(ready.read_text()))
        with ended_in_the_end(process):
            assert until(service.is_up, PATIENCE), log.read_text()
            assert process.poll() is None, log.read_text()
            service.put_in_quarantine()
            yield service
