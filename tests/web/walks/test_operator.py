"""An operator: a known problem, an account over its quota, a disputed fixing, and what the audit log has of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import Browser, expect
from tests.patience import PATIENCE
from tests.service.processes import until
from tests.web.live import DISPUTING, LiveService, serving_live
from tests.web.operator import said, sign_in

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

PLAN = '\n[tiny]\ncalls_a_month = 3\ntags = ["currency"]\n'
LOGGED = {
    "problem.acknowledge": "quota:bakery@example.org",
    "account.buy": "bakery@example.org",
    "dispute.reject": "a typo of the source",
}


@pytest.fixture(scope="module")
def live(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    """A live installation: only there do sources disagree."""
    assert browser
    with serving_live(tmp_path_factory.mktemp("operator")) as service:
        yield service


def use_up(live: LiveService) -> None:
    """Let a bakery ask more often than its plan allows."""
    plans = live.data / "plans.toml"
    plans.write_text(plans.read_text() + PLAN)
    live.run("plans", "reload")
    created = live.run("account", "create", "bakery@example.org", "--plan", "tiny")
    key = next(word for word in created.split() if word.startswith("cmb_"))
    answers = []

    def is_refused() -> bool:
        answers.append(live.text("/fetch-one?from=EUR&to=USD", **{"X-API-Key": key})[0])
        return answers[-1] == 429

    assert until(is_refused, PATIENCE, pause=0.2), answers


def test_an_operator_has_a_morning(arrives, live):
    use_up(live)
    operator = arrives("operator", service=live)
    with operator.does("signs in with the link of `cambist console`"):
        sign_in(operator.page, live)
    operator.sees("Sources disagree about")

    operator.goes_to_the_view("Problems")
    problem = operator.page.get_by_role("row").filter(has_text="bakery@example.org")
    with operator.does("sees that the bakery has used its quota"):
        expect(problem).to_be_visible(timeout=PATIENCE * 1000)
    operator.presses("Acknowledge quota:bakery@example.org")
    operator.types("it gets more", into="Note")
    operator.presses("Acknowledge it")
    with operator.does("sees that it is known"):
        said(operator.page, "The problem is acknowledged.")
        expect(problem).to_contain_text("it gets more")
    operator.can_use_what_is_there()

    operator.goes_to_the_view("Accounts")
    operator.types("bakery", into="Search")
    operator.chooses("over the quota", in_="State")
    operator.sees("1 account")
    operator.follows("bakery@example.org")
    operator.presses("Add calls")
    operator.types("500", into="Calls")
    operator.presses("Add them")
    with operator.does("sees that the bakery can ask again"):
        said(operator.page, "The calls were added.")
        expect(operator.page.locator("main")).to_contain_text("of 503 calls")
    operator.can_use_what_is_there()

    operator.goes_to_the_view("Disputes")
    choices = operator.page.get_by_role("region", name="What you can decide about EGP").get_by_role("row")
    operator.presses(re.compile("^Reject"), within=choices.filter(has_text=DISPUTING))
    operator.types("a typo of the source", into="Reason")
    operator.presses("Reject it")
    with operator.does("has it decided"):
        said(operator.page, "was rejected")
        decisions = msgspec.json.decode(live.run("disputes", "decisions", "--json"))
        assert [(each["code"], each["decision"], each["reason"]) for each in decisions] == [
            ("EGP", "reject", "a typo of the source")
        ]

    operator.goes_to_the_view("Sources")
    with operator.does("looks at the last day of a source"):
        strip = operator.page.get_by_role("img", name="Last 24 hours: ").first
        expect(strip).to_be_visible(timeout=PATIENCE * 1000)
        expect(strip.locator("g")).to_have_count(48)
    operator.can_use_what_is_there()

    operator.goes_to_the_view("Audit log")
    with operator.does("finds all of it in the audit log"):
        rows = operator.page.get_by_role("row")
        for action, about in LOGGED.items():
            expect(rows.filter(has_text=action).first).to_contain_text(about)
    operator.can_use_what_is_there()
