"""A newcomer: a key, a question, a link for a colleague, a chart, and a wrong turn on a phone."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import expect

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]


def test_a_newcomer_asks_a_question_and_shares_the_answer(arrives):
    newcomer = arrives("newcomer")
    newcomer.opens()
    newcomer.sees("All prices on this page are simulated")
    newcomer.pastes_the_key()
    newcomer.types("250 usd in eur", into="Amount")
    newcomer.sees_in_the_field("Amount", "250")
    newcomer.sees("250 USD =")
    newcomer.sees_in_the_address("amount=250&from=USD&to=EUR")
    newcomer.presses("Swap the two sides")
    newcomer.sees_in_the_address("amount=250&from=EUR&to=USD")
    newcomer.types("2026-10-31", into="Day (none: now)")
    newcomer.sees("Rate of 31 October 2026: there was no fixing, it has that of 30 October 2026")
    newcomer.can_use_what_is_there()
    with newcomer.does("reads the answer"):
        answer = newcomer.page.locator(".answer-card:not(.waiting) .value").inner_text()

    colleague = arrives("colleague")
    with newcomer.does("sends the link to a colleague"):
        link = newcomer.page.get_by_role("link", name="Link to this answer").get_attribute("href")
    colleague.opens(link)
    colleague.pastes_the_key()
    colleague.sees_in_the_field("Amount", "250")
    colleague.sees_in_the_field("Day (none: now)", "2026-10-31")
    with colleague.does("reads the same answer"):
        expect(colleague.page.locator(".answer-card .value")).to_have_text(answer)
    colleague.follows("Its history")
    colleague.sees("EUR/USD")
    colleague.presses("1Y")
    colleague.sees_in_the_address("#/charts?pairs=EUR/USD&start=")
    colleague.can_use_what_is_there()
    colleague.reloads_the_page()
    with colleague.does("sees the same year"):
        expect(colleague.page.get_by_role("button", name="1Y")).to_have_attribute("aria-pressed", "true")


def test_a_newcomer_finds_the_way_on_a_phone(arrives):
    newcomer = arrives("newcomer", viewport={"width": 390, "height": 844}, has_touch=True)
    newcomer.opens("#/rates?from=EUR")
    newcomer.pastes_the_key()
    newcomer.is_told("There is no view “rates”.")
    newcomer.can_use_what_is_there()
    newcomer.presses(re.compile("^Menu"))
    newcomer.goes_to_the_view("Sources")
    newcomer.sees("Simulated market")
    newcomer.presses(re.compile("^Sources"))
    newcomer.can_use_what_is_there()
    newcomer.goes_to_the_view("Convert")
    newcomer.sees_in_the_field("Amount", "100")
    newcomer.presses("Forget key")
    newcomer.sees("Your API key")
    newcomer.can_use_what_is_there()
