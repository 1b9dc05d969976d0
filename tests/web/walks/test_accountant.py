"""An accountant: the rates of a month by the rule of an authority, on paper, with a receipt that is verified."""

from __future__ import annotations

import json
import subprocess

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import expect
from tests.patience import PATIENCE
from tests.service.processes import COMMAND, environment

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

TERMS = {
    "From": "EUR",
    "To": "USD,GBP",
    "First day": "2026-10-01",
    "Last day": "2026-10-31",
    "Rule of an authority": "de-vat",
}


def test_an_accountant_files_a_month_and_verifies_its_receipt(arrives, page_service, tmp_path):
    accountant = arrives("accountant")
    accountant.opens("#/report")
    accountant.pastes_the_key()
    for field, text in TERMS.items():
        accountant.types(text, into=field)
    accountant.presses("Make the report")
    accountant.sees("EUR in USD, GBP")
    accountant.sees("UStG")
    days = accountant.reads_the_table("Rates by day")
    with accountant.does("finds each day of the month, and the fixing of Friday on Saturday"):
        assert [row[0] for row in days] == [f"2026-10-{day:02}" for day in range(1, 32)]
        assert days[-1][3] == "2026-10-30"
        assert days[-1][1:3] == days[-2][1:3]
    accountant.can_use_what_is_there()

    with accountant.does("prints it"):
        accountant.page.evaluate("window.print = () => { document.title = 'printed'; }")
        accountant.page.get_by_role("button", name="Print").click()
        expect(accountant.page).to_have_title("printed")
        assert accountant.page.pdf().startswith(b"%PDF")
    receipt = accountant.saves("Save the receipt", to=tmp_path / "report.jws")
    with accountant.does("verifies the receipt"):
        keys = tmp_path / "keys.json"
        keys.write_text(page_service.text("/.well-known/jwks.json")[1])
        command = [COMMAND, "verify", str(receipt), "--keys", str(keys), "--json"]
        ended = subprocess.run(
            command, env=environment(), capture_output=True, text=True, check=False, timeout=PATIENCE
        )
        assert ended.returncode == 0, ended.stderr
        question = json.loads(ended.stdout)["question"]
        assert "from=EUR&to=USD,GBP&start=2026-10-01&end=2026-10-31" in question
        assert "booking=de-vat" in question

    accountant.reloads_the_page()
    with accountant.does("sees the same report again"):
        assert accountant.reads_the_table("Rates by day") == days


def test_an_accountant_learns_whose_fixing_counts_on_a_sunday(arrives):
    accountant = arrives("accountant")
    accountant.opens("#/convert?amount=1190&from=EUR&to=CHF&date=2026-10-25")
    accountant.pastes_the_key()
    accountant.sees("it has that of 23 October 2026")
    accountant.sees("Simulated market, of 23 October 2026, 2 days before, because of the weekend")
    accountant.can_use_what_is_there()
