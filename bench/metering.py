"""What a call costs to let in and to count: the same kept answer with the meter and without, in one process."""

import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from statistics import median
from time import thread_time_ns
from typing import Any

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest, mint
from cambist.accounts.meter import Meter
from cambist.accounts.plan import default_plans, read_plans
from cambist.accounts.principal import Principal, Principals
from cambist.api.application import ApiOptions, build_application
from cambist.api.state.worker_state import WorkerState
from cambist.history.fixing import Fixing
from cambist.history.rate_matrix_builder import SourceHistory, build_rate_matrix
from cambist.pricing.pair import Pair
from cambist.pricing.rate_book import RateBook
from cambist.pricing.rate_book_assembly import assemble_rate_book
from cambist.registry.wiring.components import endpoints
from cambist.storage.shared.usage.worker_counters import WorkerCounters

CALLS, ROUNDS, WRITER_SLOTS = 20_000, 15, 8
KEY = mint(lambda alphabet: alphabet[5])


class Unmetered(Meter):
    """Allows every call and counts nothing."""

    def check_rate(self, principal: Principal, now: float) -> None:
        """Do nothing."""

    def check_quota(self, principal: Principal, cost: int, now: float, what: str = "") -> None:
        """Do nothing."""

    def admit(
        self,
        principal: Principal,
        endpoint: str,
        cost: int,
        now: float,
        what: str = "",
        *,
        is_rate_checked: bool = False,
    ) -> None:
        """Do nothing."""

    def spend(self, principal: Principal, endpoint: str, cost: int, now: float) -> None:
        """Do nothing."""

    def headers(self, principal: Principal, now: float, *, quota_checked: bool = False) -> list[tuple[str, str]]:  # noqa: ARG002
        """Return no headers."""
        return []


def main() -> None:
    """Print microseconds a call for an unlimited plan and for one with a quota and a rate."""
    with tempfile.TemporaryDirectory(prefix="cambist-metering-") as folder:
        for plan in ("unlimited", "generous"):
            ledger = WorkerCounters(Path(folder), [endpoint.path for endpoint in endpoints()], WRITER_SLOTS)
            with_meter, without = _app(plan, Meter(ledger, {})), _app(plan, Unmetered(ledger, {}))
            costs = [_microseconds(with_meter) - _microseconds(without) for _ in range(ROUNDS)]
            sys.stdout.write(f"metering on the plan {plan}: {median(costs):.2f} µs a call\n")


def _app(plan: str, meter: Meter) -> Callable[..., Any]:
    plans = read_plans(
        f"{default_plans()}\n[generous]\ncalls_a_month = 1_000_000_000\nrate = 1_000_000\nburst = 1_000_000\n"
        'tags = ["currency"]\n',
        "the benchmark's plans",
    )
    now = datetime.now(UTC)
    fixing = Fixing("bench", Pair("EUR", "USD"), now.date(), Decimal("1.1"))
    matrix = build_rate_matrix([SourceHistory("EUR", [fixing])], now.date(), "bench")
    worker_state = WorkerState(
        RateBook.of(assemble_rate_book({}, 1, now)),
        matrix,
        Principals({digest(KEY): StoredKey(1, Account(1, "bench", plan))}, plans),
    )
    return build_application(endpoints(), worker_state, meter, ApiOptions())


def _microseconds(app: Callable[..., Any]) -> float:
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/fetch-one", "QUERY_STRING": "from=USD&to=AED", "SCRIPT_NAME": ""}
    environ |= {"HTTP_X_API_KEY": KEY, "SERVER_NAME": "x", "SERVER_PORT": "1", "SERVER_PROTOCOL": "HTTP/1.1"}
    environ |= {"wsgi.url_scheme": "http", "REMOTE_ADDR": "127.0.0.1", "wsgi.errors": sys.stderr, "wsgi.input": None}

    def start(status: str, _headers: list[tuple[str, str]], *_: object) -> None:
        if not status.startswith("200"):
            raise SystemExit(f"not measured: {status}")

    app(dict(environ), start)
    begun = thread_time_ns()
    for _ in range(CALLS):
        app(dict(environ), start)
    return (thread_time_ns() - begun) / CALLS / 1000


if __name__ == "__main__":
    main()
