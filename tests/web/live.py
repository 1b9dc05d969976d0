"""A live installation whose sources are simulated on a loopback port, for the console in a browser."""

from __future__ import annotations

import http.client
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from tests.disputes import file, weekdays
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tests.web.sandbox import PageService
from tools.ports import free_port

from cambist.pricing.pair import Pair
from cambist.sources.adapters import ADAPTERS
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.sql import SqlStore

"""Seconds until it answers, on a busy machine: its first start reads the whole history of the ECB."""

PLAYER = Path(__file__).parent.parent / "loopback" / "play.py"
ASKED = ("ecb", "boc", "nbp")
DISPUTING, OTHERS = "boj", ("fed", "cbc")
"""The source that says something else than two others since two days."""

DISPUTED = {"EGP": ("47.61", "4.761"), "UAH": ("41.05", "61.57"), "GEL": ("2.714", "271.4")}
"""What is in dispute: how much of a currency a dollar is worth by the others, and by the source that disputes it."""


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

    def file_disputes(self) -> None:
        """File what three sources say about some currencies; one of them disputes the newest days."""
        days = weekdays(datetime.now(UTC).date())
        store = SqlStore(f"sqlite:///{self.data / 'cambist.db'}")
        for code, (fair, wrong) in DISPUTED.items():
            for source in (*OTHERS, DISPUTING):
                values = [(day, f"{fair}{day.day:02}") for day in days]
                if source == DISPUTING:
                    values[-2:] = [(day, f"{wrong}{day.day:02}") for day, _ in values[-2:]]
                file(store.archive, source, Pair("USD", code), values)
        store.close()
        data_changes(self.data).notify(Topic.ARCHIVE)


@contextmanager
def serving_live(folder: Path) -> Iterator[LiveService]:
    """Serve a live installation that asks three simulated sources, with three disputes."""
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
        copy_first_start(data)
        with log.open("wb") as to:
            command = [COMMAND, "serve", "--data", str(data)]
            process = subprocess.Popen(command, env=environment(**chosen), stdout=to, stderr=to)
        service = LiveService(process, data, log, **ports, sources_port=int(ready.read_text()))
        with ended_in_the_end(process):
            assert until(service.is_up, PATIENCE), log.read_text()
            assert process.poll() is None, log.read_text()
            service.file_disputes()
            yield service
