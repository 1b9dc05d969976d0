"""What a call costs to let in and to count: the same kept answer with the meter and without, in one process."""

import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from statistics import median
from time import perf_counter_ns, time
from typing import Any

from cambist.accounts.account import Account, Holder
from cambist.accounts.api_key import digest, mint
from cambist.accounts.meter import Meter
from cambist.accounts.plan import default_plans, read_plans
from cambist.app.parts import endpoints
from cambist.history.build import Publication, build
from cambist.history.fixing import Fixing
from cambist.market.compose import compose
from cambist.market.pair import Pair
from cambist.server.desk import Desk
from cambist.server.subscribers import Subscriber
from cambist.server.wsgi import Options, build_wsgi
from cambist.stores.ledger.worker import WorkerLedger

CALLS, ROUNDS, COLUMNS = 20_000, 15, 8
KEY = mint(lambda alphabet: alphabet[5])


class Unmetered(Meter):
    """Lets everybody in and counts nothing."""

    def let_in(self, subscriber: Subscriber, now: float) -> None:
        """Do nothing."""

    def afford(self, subscriber: Subscriber, cost: int, now: float) -> None:
        """Do nothing."""

    def spend(self, subscriber: Subscriber, endpoint: str, cost: int, now: float) -> None:
        """Do nothing."""

    def headers(self, subscriber: Subscriber, now: float, *, afforded: bool = False) -> list[tuple[str, str]]:  # noqa: ARG002
        """Say nothing."""
        return []


def main() -> None:
    """Print microseconds a call for an unlimited plan and for one with a quota and a rate."""
    with tempfile.TemporaryDirectory(prefix="cambist-metering-") as folder:
        for plan in ("unlimited", "generous"):
            ledger = WorkerLedger(Path(folder), [endpoint.path for endpoint in endpoints()], COLUMNS)
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
    image = build([Publication("EUR", [fixing])], now.date(), "bench")
    desk = Desk(compose({}, 1, now), image, {digest(KEY): Holder(1, Account(1, "bench", plan))}, plans, time)
    return build_wsgi(endpoints(), desk, meter, Options())


def _microseconds(app: Callable[..., Any]) -> float:
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/fetch-one", "QUERY_STRING": "from=USD&to=AED", "SCRIPT_NAME": ""}
    environ |= {"HTTP_X_API_KEY": KEY, "SERVER_NAME": "x", "SERVER_PORT": "1", "SERVER_PROTOCOL": "HTTP/1.1"}
    environ |= {"wsgi.url_scheme": "http", "REMOTE_ADDR": "127.0.0.1", "wsgi.errors": sys.stderr, "wsgi.input": None}

    def start(status: str, _headers: list[tuple[str, str]], *_: object) -> None:
        if not status.startswith("200"):
            raise SystemExit(f"not measured: {status}")

    app(dict(environ), start)
    begun = perf_counter_ns()
    for _ in range(CALLS):
        app(dict(environ), start)
    return (perf_counter_ns() - begun) / CALLS / 1000


if __name__ == "__main__":
    main()
