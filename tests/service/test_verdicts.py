"""A service with three banks of its operator's own: a jump, a liar, a dispute, a decision that is taken back."""

from __future__ import annotations

import http.server
import json
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

from cambist.registry.sources.asked_sources import ask_source
from cambist.storage.data_directory import DataDirectory

pytestmark = [pytest.mark.long, pytest.mark.service]

KEYS = ("harbour", "meridian", "quay")
DECLARATION = """
key = "{key}"
name = "{key} bank"
licence = "internal"
rate_type = "official"
first_day = 2020-01-01
fixed_at = 00:01:00

[request]
url = "https://{key}.example/rates.csv?from={{first}}&to={{last}}"
span = 36500

[rates]
anchor = "USD"
direction = "other_per_anchor"
missing = [""]

[day]
at = "Date"
form = "%Y-%m-%d"

[schedule]
zone = "UTC"
start = 00:00:00
end = 23:59:00
every = "PT24H"

[csv]
layout = "wide"
"""


class Banks(http.server.ThreadingHTTPServer):
    """Serves what each bank says, by day and currency."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.said: dict[str, dict[date, dict[str, str]]] = {key: {} for key in KEYS}

    def table(self, key: str) -> bytes:
        days = self.said[key]
        codes = sorted({code for rates in days.values() for code in rates})
        lines = [f"{day}," + ",".join(days[day].get(code, "") for code in codes) for day in sorted(days)]
        return ("\n".join([",".join(["Date", *codes]), *lines]) + "\n").encode()


class _Answer(http.server.BaseHTTPRequestHandler):
    server: Banks

    def do_GET(self) -> None:
        key = self.path.strip("/").split(".")[0]
        found = self.server.table(key) if self.server.said.get(key) else b""
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/csv")
        self.send_header("Content-Length", str(len(found)))
        self.end_headers()
        self.wfile.write(found)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@dataclass
class Service:
    banks: Banks
    data: Path
    port: int
    key: str
    editions: dict[str, str] = field(default_factory=dict)

    def get(self, target: str) -> Any:
        asked = urllib.request.Request(f"http://127.0.0.1:{self.port}{target}", headers={"X-API-Key": self.key})
        try:
            with urllib.request.urlopen(asked, timeout=10) as answer:  # noqa: S310  http
                return json.load(answer) | {"edition": answer.headers.get("Cambist-Edition", "")}
        except urllib.error.HTTPError as error:
            return json.load(error)
        except OSError:
            return {}  # it does not listen yet

    def say(self, bank: str, day: date, **rates: str) -> None:
        """Let a bank publish, and the service ask it now."""
        self.banks.said[bank].setdefault(day, {}).update(rates)
        ask_source(DataDirectory(self.data), bank, datetime.now(UTC))

    def live(self, code: str) -> float | None:
        answer = self.get(f"/fetch-one?from=USD&to={code}")
        return answer["result"][code] if "result" in answer else None

    def past(self, code: str, day: date, as_of: str = "") -> Any:
        return self.get(f"/historical?date={day}&from=USD&to={code}{f'&as_of={as_of}' if as_of else ''}")

    def explained(self, code: str) -> Any:
        legs = self.get(f"/explain?from=USD&to={code}")["legs"]
        return next(leg["verdict"] for leg in legs if "verdict" in leg)

    def serves(self, code: str, value: float) -> bool:
        return until(lambda: self.live(code) == pytest.approx(value), PATIENCE)

    def shows(self, code: str, day: date, value: float) -> bool:
        def is_shown() -> bool:
            answer = self.past(code, day)
            return "results" in answer and answer["results"][code] == pytest.approx(value)

        return until(is_shown, PATIENCE)

    def run(self, *arguments: str) -> str:
        command = [COMMAND, *arguments, "--data", str(self.data)]
        return subprocess.run(command, env=environment(), check=True, capture_output=True, text=True).stdout


def days_before(count: int) -> list[date]:
    today = datetime.now(UTC).date()
    return [today - timedelta(days=number) for number in range(count, 0, -1)]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    data, port = tmp_path_factory.mktemp("verdicts") / "data", free_port()
    (data / "sources").mkdir(parents=True)
    banks = Banks()
    for number, key in enumerate(KEYS):
        (data / "sources" / f"{key}.toml").write_text(DECLARATION.format(key=key))
        for place, day in enumerate(days_before(30)):
            rates = {code: f"{level + place % 3 + number / 10:.2f}" for code, level in LEVELS.items()}
            banks.said[key][day] = rates if number < 2 else {code: rates[code] for code in rates if code != "EGP"}
    threading.Thread(target=banks.serve_forever, daemon=True).start()
    asking = environment(CAMBIST_GATEWAY=f"http://127.0.0.1:{banks.server_port}")
    arguments = ["--data", str(data), "--port", str(port), "--workers", "1"]
    log = data.parent / "log"
    with log.open("wb") as to:
        process = subprocess.Popen([COMMAND, "serve", *arguments], stdout=to, stderr=to, env=asking)
    with ended_in_the_end(process):
        key_file = data / "owner.key"
        assert until(lambda: key_file.exists() or process.poll() is not None, PATIENCE), log.read_text()
        started = Service(banks, data, port, key_file.read_text().strip())
        yesterday = days_before(1)[0]
        for code, level in LEVELS.items():
            assert started.shows(code, yesterday, level + 29 % 3), (
                code,
                started.past(code, yesterday),
                log.read_text(),
            )
        yield started
    banks.shutdown()
    banks.server_close()


LEVELS = {"NGN": 1400.0, "KES": 130.0, "EGP": 48.0, "PKR": 280.0}
TODAY = datetime.now(UTC).date()


def test_a_jump_is_served_with_the_second_bank_that_makes_it(service: Service) -> None:
    service.say("meridian", TODAY, NGN="2098")
    assert until(lambda: service.explained("NGN")["status"] == "held", PATIENCE), service.explained("NGN")
    assert service.live("NGN") == pytest.approx(1402.0)
    service.say("quay", TODAY, NGN="2098.5")
    assert service.serves("NGN", 2098)
    service.say("harbour", TODAY, NGN="2097")
    assert service.serves("NGN", 2097)
    assert service.shows("NGN", TODAY, 2097)
    assert service.explained("NGN")["status"] == "agreed"


def test_a_bank_that_mistakes_a_unit_is_not_served(service: Service) -> None:
    service.say("harbour", TODAY, KES="13001")
    service.say("quay", TODAY, KES="131.2")
    assert service.serves("KES", 131.2)

    def held() -> list[str]:
        fixings = service.explained("KES")["fixings"]
        return [each["because"] for each in fixings if (each["source"], each["status"]) == ("harbour", "held")]

    assert until(held, PATIENCE), service.explained("KES")
    assert "unit" in held()[0]


def test_a_dispute_of_two_is_settled_by_a_third_and_each_moment_stays_known(service: Service) -> None:
    service.say("harbour", TODAY, EGP="49")
    assert service.serves("EGP", 49)
    assert service.shows("EGP", TODAY, 49)
    first = service.past("EGP", TODAY)["edition"]
    service.say("meridian", TODAY, EGP="54")
    assert until(lambda: service.explained("EGP")["status"] == "disputed", PATIENCE), service.explained("EGP")
    service.say("quay", TODAY, EGP="54.1")
    assert service.serves("EGP", 54)
    assert service.shows("EGP", TODAY, 54)
    assert service.past("EGP", TODAY, first)["results"]["EGP"] == pytest.approx(49)


def test_a_decision_of_the_operator_is_applied_and_taken_back(service: Service) -> None:
    service.say("harbour", TODAY, PKR="2.8")
    assert until(lambda: service.explained("PKR")["status"] == "held", PATIENCE), service.explained("PKR")
    assert "PKR" in service.run("disputes", "list")
    service.run("disputes", "accept", "PKR", "2.8", "--reason", "redenominated")
    assert service.serves("PKR", 2.8)
    assert service.shows("PKR", TODAY, 2.8)
    decided = service.past("PKR", TODAY)["edition"]
    service.run("disputes", "take-back", "1")
    assert service.serves("PKR", 282.0)
    assert service.past("PKR", TODAY, decided)["results"]["PKR"] == pytest.approx(2.8)
    assert "sound" in service.run("check")
