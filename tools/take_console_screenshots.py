"""Write pictures of every view of the operator's console to docs/screenshots: three widths, light and dark.

A sandbox and a live installation with simulated sources are started for it, with some accounts, calls and faults, so
that there is something to see. `--only console-plans,console-usage` takes some views.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from math import sin
from pathlib import Path
from typing import TYPE_CHECKING

from cambist.accounts.usage_counters import CounterTotal
from cambist.storage.sql import SqlStore
from take_screenshots import FOLDER, ROOT, SCHEMES, SIZES, Shot

if TYPE_CHECKING:
    from tests.web.sandbox import PageService

LIVE = (
    Shot("console-overview", "#/overview", 4),
    Shot("console-sources", "#/sources"),
    Shot("console-disputes", "#/disputes"),
)
"""Views that a sandbox does not have, or that say more in a live installation."""

SANDBOX = (
    Shot("console-accounts", "#/accounts"),
    Shot("console-problems", "#/problems"),
    Shot("console-runbook", "#/runbook?kind=source"),
    Shot("console-account", "#/account?name=shop"),
    Shot("console-plans", "#/plans"),
    Shot("console-usage", "#/usage"),
    Shot("console-faults", "#/sandbox"),
    Shot("console-audit", "#/audit"),
)


WITHOUT_FOLDER = "for (const each of document.querySelectorAll('.path')) each.textContent = '/var/lib/cambist'"
"""Pictures show the folder of an installed service, not the one on the machine that takes them."""


def main() -> int:
    """Take the pictures, and say how many there are."""
    sys.path.insert(0, str(ROOT))
    from tests.web.live import serving_live  # noqa: PLC0415  only with the line above
    from tests.web.sandbox import missing_requirement, serving_page  # noqa: PLC0415  as above

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="names of views with commas; all if left out")
    only = parser.parse_args().only
    missing = missing_requirement()
    if missing:
        print(f"No screenshots: {missing}.")
        return 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for shots, serving in ((LIVE, serving_live), (SANDBOX, serving_page)):
        wanted = [shot for shot in shots if not only or shot.name in only.split(",")]
        if wanted:
            with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as service:
                if shots is SANDBOX:
                    fill(service)
                take(wanted, service)
    print(f"{len([*FOLDER.glob('console-*.png')])} pictures of the console in {FOLDER.relative_to(ROOT)}")
    return 0


def fill(service: PageService) -> None:
    """Do in a sandbox what operators and clients do."""
    for name, plan in (("shop", "one"), ("treasury", "premium"), ("analytics@example.org", "extra")):
        service.run("account", "create", name, "--plan", plan)
    service.run("key", "create", "shop", "--name", "website")
    service.run("account", "suspend", "treasury")
    service.run("account", "buy", "shop", "50000")
    service.run("sandbox", "fault", "outlier", "XAU", "1.5")
    service.run("sandbox", "fault", "slow", "30")
    store = SqlStore(f"sqlite:///{service.data / 'cambist.db'}")
    today, numbers = datetime.now(UTC).date(), {account.name: account.number for account in store.accounts.all()}
    shares = (
        ("shop", "/fetch-one", 9000),
        ("shop", "/fetch-multi", 3000),
        ("analytics@example.org", "/time-series", 900),
    )
    store.usage.store_totals(
        CounterTotal(today - timedelta(days=back), 0, numbers[name], endpoint, int(calls * (1.6 + sin(back / 1.1))))
        for back in range(1, 30)
        for name, endpoint, calls in shares
    )
    store.close()


def take(shots: list[Shot], service: PageService) -> None:
    """Take pictures of one installation with one session."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  it is not installed everywhere
    from tests.web.operator import sign_in  # noqa: PLC0415  it imports playwright
    from tests.web.sandbox import CHROMIUM  # noqa: PLC0415  as above

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        entry = browser.new_context()
        sign_in(entry.new_page(), service)
        session = entry.storage_state()
        for scheme in SCHEMES:
            for width, height in SIZES:
                context = browser.new_context(
                    viewport={"width": width, "height": height},
                    color_scheme=scheme,
                    locale="en-GB",
                    timezone_id="UTC",
                    storage_state=session,
                )
                for shot in shots:
                    page = context.new_page()
                    page.goto(f"{service.operator_url}{shot.route}")
                    page.wait_for_selector("h1")
                    page.wait_for_timeout(shot.seconds * 1000)
                    page.evaluate(WITHOUT_FOLDER)
                    page.screenshot(path=FOLDER / f"{shot.name}-{width}-{scheme}.png", animations="disabled")
                    page.close()
                context.close()
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
