"""The console of a sandbox in a browser: signing in, accounts and keys, plans, usage, faults, the audit log."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import Page, expect
from tests.patience import PATIENCE
from tests.service.processes import until
from tests.web.browsing import check_accessible, check_fits, layout_shift
from tests.web.operator import open_view, said, sign_in
from tests.web.sandbox import PageService

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

VIEWS = ("Overview", "Problems", "Accounts", "Plans", "Usage", "Sources", "Faults", "Audit log")


@pytest.fixture
def console(page: Page, page_service: PageService) -> Page:
    """The console, signed in."""
    sign_in(page, page_service)
    return page


def status_of(service: PageService, key: str) -> int:
    return service.text("/fetch-one?from=EUR&to=USD", **{"X-API-Key": key})[0]


def create_account(console: Page, name: str) -> str:
    """Create an account by the dialog, and return its key."""
    open_view(console, "Accounts")
    console.get_by_role("button", name="Create an account").click()
    dialog = console.get_by_role("dialog")
    dialog.get_by_label("Name").fill(name)
    dialog.get_by_label("Plan").select_option("one")
    dialog.get_by_role("button", name="Create").click()
    key = dialog.get_by_role("status", name="The new key").inner_text()
    return key.strip()


def close_key(console: Page) -> None:
    console.get_by_role("button", name="I have copied it").click()
    expect(console.get_by_role("dialog")).to_have_count(0)


def test_without_a_session_the_console_says_how_to_sign_in(page, page_service, page_errors):
    page_errors.allow("status of 401")
    page.goto(page_service.operator_url)
    expect(page.get_by_role("heading", name="Sign in to the console")).to_be_visible()
    expect(page.get_by_text("cambist console", exact=True)).to_be_visible()
    check_accessible(page)
    check_fits(page)


@pytest.mark.long
def test_a_link_signs_in_once(page, page_service, page_errors):
    page_errors.allow("status of 40")
    link = page_service.run("console", "--operator-port", str(page_service.operator_port)).strip()
    page.goto(link)
    check_accessible(page)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1, name="Overview")).to_be_visible()
    page.goto(link)
    page.get_by_role("button", name="Sign in").or_(page.get_by_text("cambist console")).first.click()
    expect(page.get_by_role("heading", level=1, name="Overview")).to_have_count(0)


@pytest.mark.long
def test_no_script_can_read_the_session(console, page_service):
    assert console.evaluate("document.cookie") == ""
    assert console.evaluate("localStorage.length + sessionStorage.length") == 0
    (cookie,) = console.context.cookies(page_service.operator_url + "console")
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/console")


@pytest.mark.long
def test_the_overview_shows_the_service_and_renews_itself(console):
    figures = console.get_by_role("heading", level=2)
    for name in ("Rate book", "Stream", "History", "Disk", "Calls today", "Version", "Processes"):
        expect(figures.filter(has_text=re.compile(f"^{name}$"))).to_be_visible()
    book = console.locator("[data-key='Rate book']")
    console.evaluate("document.querySelector(\"[data-key='Rate book']\").dataset.mark = 'the same element'")
    before = book.inner_text()
    expect(book).not_to_have_text(before, timeout=15_000)
    # A refresh that patches leaves elements in place; one that rebuilds would lose the mark and flicker.
    assert console.locator("[data-key='Processes'], [data-key='processes']").count() == 1
    assert layout_shift(console) < 0.02


@pytest.mark.long
def test_a_refresh_keeps_the_focus(console):
    link = console.get_by_role("link", name="Usage by day and endpoint")
    link.focus()
    shown = console.locator(".verdict time")
    before = shown.get_attribute("datetime")
    expect(shown).not_to_have_attribute("datetime", str(before), timeout=15_000)
    expect(link).to_be_focused()


@pytest.mark.long(every=4)
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_accessible_and_fits_every_screen(console, view):
    open_view(console, view)
    console.wait_for_timeout(300)
    check_accessible(console)
    check_fits(console)


@pytest.mark.long(every=4)
@pytest.mark.parametrize("view", ["overview", "problems", "accounts", "plans", "usage", "sandbox", "audit"])
def test_nothing_moves_while_a_view_loads(console, page_service, view):
    console.goto(f"{page_service.operator_url}#/{view}")
    console.reload()
    expect(console.get_by_role("heading", level=1)).to_be_visible()
    console.wait_for_timeout(700)
    assert layout_shift(console) < 0.05


@pytest.mark.long
def test_the_views_are_reached_with_the_keyboard(console):
    console.keyboard.press("Tab")
    expect(console.get_by_role("link", name="Skip to the content")).to_be_focused()
    link = console.get_by_role("navigation", name="Views").get_by_role("link", name="Plans")
    link.focus()
    console.keyboard.press("Enter")
    expect(console.get_by_role("heading", level=1, name="Plans")).to_be_focused()


@pytest.mark.long
def test_a_created_account_has_a_key_that_works_until_it_is_revoked(console, page_service):
    key = create_account(console, "anna@example.org")
    assert until(lambda: status_of(page_service, key) == 200, PATIENCE)
    check_accessible(console)
    console.keyboard.press("Escape")
    expect(console.get_by_role("dialog")).to_be_visible()
    close_key(console)
    expect(console.get_by_role("heading", level=1, name="anna@example.org")).to_be_visible()
    assert key not in console.content()
    console.get_by_role("button", name="Revoke").click()
    check_accessible(console)
    console.get_by_role("button", name="Cancel").click()
    assert status_of(page_service, key) == 200
    console.get_by_role("button", name="Revoke").click()
    console.get_by_role("button", name="Revoke it").click()
    said(console, "is revoked")
    assert until(lambda: status_of(page_service, key) == 401, PATIENCE)
    check_accessible(console)
    check_fits(console)


@pytest.mark.long
def test_a_second_key_is_created_and_the_first_one_replaced(console, page_service):
    create_account(console, "bert")
    close_key(console)
    console.get_by_role("button", name="Create a key").click()
    console.get_by_role("dialog").get_by_label("Name").fill("website")
    console.get_by_role("dialog").get_by_role("button", name="Create").click()
    second = console.get_by_role("status", name="The new key").inner_text().strip()
    close_key(console)
    assert until(lambda: status_of(page_service, second) == 200, PATIENCE)
    expect(console.get_by_role("row").filter(has_text="website")).to_be_visible()
    console.get_by_role("row").filter(has_text="website").get_by_role("button", name="Replace").click()
    console.get_by_label("The old key still works for").select_option("not at all")
    console.get_by_role("button", name="Replace it").click()
    third = console.get_by_role("status", name="The new key").inner_text().strip()
    close_key(console)
    assert until(lambda: (status_of(page_service, second), status_of(page_service, third)) == (401, 200), PATIENCE)


@pytest.mark.long
def test_an_account_is_suspended_resumed_and_moved(console, page_service):
    key = create_account(console, "carla")
    close_key(console)
    console.get_by_role("button", name="Suspend").click()
    console.get_by_role("dialog").get_by_role("button", name="Suspend").click()
    expect(console.get_by_text("suspended", exact=True)).to_be_visible()
    assert until(lambda: status_of(page_service, key) != 200, PATIENCE)
    console.get_by_role("button", name="Resume").click()
    console.get_by_role("dialog").get_by_role("button", name="Resume").click()
    assert until(lambda: status_of(page_service, key) == 200, PATIENCE)
    console.get_by_role("button", name="Change the plan").click()
    console.get_by_role("dialog").get_by_label("Plan").select_option("extra")
    console.get_by_role("dialog").get_by_role("button", name="Change the plan").click()
    said(console, "The plan was changed")
    assert '"plan": "extra"' in page_service.run("account", "list", "--search", "carla", "--json")
    console.get_by_role("button", name="Change the address").click()
    console.get_by_role("dialog").get_by_label("E-mail address").fill("carla@example.org")
    console.get_by_role("dialog").get_by_role("button", name="Change the address").click()
    said(console, "The address was changed")
    expect(console.get_by_text("carla@example.org")).to_be_visible()


@pytest.mark.long
def test_a_refused_name_is_explained_in_the_dialog(console, page_errors):
    page_errors.allow("status of 400")
    open_view(console, "Accounts")
    console.get_by_role("button", name="Create an account").click()
    console.get_by_role("dialog").get_by_label("Name").fill("no blanks, please")
    console.get_by_role("dialog").get_by_role("button", name="Create").click()
    expect(console.get_by_role("alert")).to_contain_text("Invalid account name")
    check_accessible(console)
    console.keyboard.press("Escape")
    expect(console.get_by_role("dialog")).to_have_count(0)


@pytest.mark.long
def test_an_account_is_found_by_a_part_of_its_name(console, page_service):
    page_service.run("account", "create", "needle-in-a-haystack", "--plan", "one")
    open_view(console, "Accounts")
    console.get_by_label("Search").fill("needle")
    expect(console.get_by_role("row")).to_have_count(2)
    expect(console.get_by_role("link", name="needle-in-a-haystack")).to_be_visible()
    console.get_by_label("Search").fill("no such account")
    expect(console.get_by_text("No account matches.")).to_be_visible()


def edit_plans(console: Page, change: Callable[[str], str]) -> Page:
    open_view(console, "Plans")
    text = console.get_by_label("The plans file")
    text.fill(change(text.input_value()))
    return console


@pytest.mark.long
def test_an_error_in_the_plans_is_shown_at_its_line(console):
    edit_plans(console, lambda text: text.replace("burst = 200", "burst = -7", 1))
    line = console.get_by_label("The plans file").input_value().split("\n").index("burst = -7") + 1
    problem = console.locator(".editor-problem")
    expect(problem).to_contain_text(f"Line {line}")
    expect(problem).to_contain_text("[-7]")
    expect(console.get_by_label("The plans file")).to_have_attribute("aria-invalid", "true")
    expect(console.get_by_role("button", name="Save and apply")).to_be_disabled()
    expect(console.locator(".editor-numbers .wrong")).to_have_text(str(line))
    console.get_by_role("button", name=f"Line {line}").click()
    assert console.evaluate("getSelection().toString()") == "burst = -7"
    beside, band = problem.bounding_box(), console.locator(".editor-band").bounding_box()
    assert beside
    assert band
    assert abs(beside["y"] - band["y"]) < 30
    check_accessible(console)
    check_fits(console)


@pytest.mark.long
def test_saved_plans_apply_to_the_running_service(console, page_service):
    edit_plans(console, lambda text: text + '\n[tiny]\ncalls_a_month = 3\ntags = ["currency"]\n')
    expect(console.locator(".editor-problem")).to_contain_text("No error found")
    console.get_by_role("button", name="Save and apply").click()
    console.get_by_role("dialog").get_by_role("button", name="Save and apply").click()
    said(console, "plans in effect")
    expect(console.get_by_role("row").filter(has_text="tiny")).to_be_visible()
    assert "tiny" in (page_service.data / "plans.toml").read_text()
    page_service.run("account", "create", "small", "--plan", "tiny")


@pytest.mark.long
def test_usage_is_shown_by_day_account_and_endpoint(console, page_service):
    for _ in range(3):
        page_service.json("/fetch-one?from=EUR&to=USD")
    assert until(lambda: "/fetch-one" in page_service.run("usage", "--account", "owner", "--csv"), PATIENCE, pause=1)
    open_view(console, "Usage")
    expect(console.get_by_role("row").filter(has_text="/fetch-one").first).to_be_visible()
    expect(console.get_by_role("row").filter(has_text="owner").first).to_be_visible()
    bars = console.get_by_role("list", name="Calls by day").get_by_role("listitem")
    expect(bars).to_have_count(30)
    expect(bars.last).not_to_contain_text(": 0 calls")
    check_accessible(console)
    check_fits(console)


@pytest.mark.long
def test_a_fault_is_switched_on_and_seen(console, page_service):
    def rate() -> float:
        return float(page_service.json("/fetch-one?from=EUR&to=USD")["result"]["USD"])

    fair = rate()
    open_view(console, "Faults")
    console.get_by_label("Code", exact=True).fill("eur")
    console.get_by_label("Price times").fill("3")
    console.get_by_role("button", name="Distort it").click()
    expect(console.get_by_label("End: EUR")).to_be_visible()
    assert until(lambda: rate() > 2 * fair, PATIENCE)
    console.get_by_label("All quotes are late").check()
    said(console, "seconds late")
    check_accessible(console)
    assert "slow = 30" in page_service.run("sandbox", "fault", "show")
    console.get_by_role("button", name="End all faults").click()
    said(console, "Nothing goes wrong")
    expect(console.get_by_label("All quotes are late")).not_to_be_checked()
    assert until(lambda: rate() < 2 * fair, PATIENCE)


@pytest.mark.long
def test_the_audit_log_names_who_did_what(console, page_service):
    page_service.run("account", "create", "by-command", "--plan", "one")
    create_account(console, "by-console")
    close_key(console)
    open_view(console, "Audit log")
    console.get_by_label("Action").select_option("account.create")
    expect(console.get_by_role("row").filter(has_text="by-command").first).to_contain_text("cli")
    expect(console.get_by_role("row").filter(has_text="by-console").first).to_contain_text("console")


@pytest.mark.long
def test_a_console_whose_session_was_ended_elsewhere_says_so(console, page_service, page_errors):
    page_errors.allow("status of 401")
    other = console.context.new_page()
    other.goto(page_service.operator_url)
    other.get_by_role("button", name="Sign out").click()
    other.get_by_role("dialog").get_by_role("button", name="Sign out").click()
    expect(other.get_by_role("heading", name="Your session has ended")).to_be_visible()
    expect(console.get_by_role("heading", name="Your session has ended")).to_be_visible(timeout=15_000)
    expect(console.get_by_role("navigation", name="Views")).to_have_count(0)
    check_accessible(console)


@pytest.mark.long
def test_filters_of_accounts_survive_a_reload_and_going_back(console, page_service):
    for name in ("filter-one", "filter-two"):
        page_service.run("account", "create", name, "--plan", "one")
    page_service.run("account", "suspend", "filter-two")
    open_view(console, "Accounts")
    console.get_by_label("Search").fill("filter-")
    expect(console.get_by_text("2 accounts")).to_be_visible()
    console.get_by_label("State").select_option("suspended")
    expect(console.get_by_text("1 account", exact=True)).to_be_visible()
    console.reload()
    expect(console.get_by_text("1 account", exact=True)).to_be_visible()
    expect(console.get_by_label("State")).to_have_value("suspended")
    console.get_by_role("link", name="filter-two").click()
    expect(console.get_by_role("heading", level=1, name="filter-two")).to_be_visible()
    console.go_back()
    expect(console.get_by_label("Search")).to_have_value("filter-")
    expect(console.get_by_text("1 account", exact=True)).to_be_visible()
    console.go_back()
    expect(console.get_by_text("2 accounts")).to_be_visible()
    expect(console.get_by_label("State")).to_have_value("")


@pytest.mark.long
def test_a_quota_is_seen_on_a_phone(console, page_service):
    page_service.run("account", "create", "a-rather-long-name-of-an-account@example.org", "--plan", "one")
    open_view(console, "Accounts")
    console.set_viewport_size({"width": 390, "height": 900})
    console.get_by_label("Search").fill("rather-long")
    row = console.get_by_role("row").filter(has_text="rather-long")
    box = row.get_by_text("0 % of").bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 390


@pytest.mark.long
def test_a_section_of_the_runbook_is_reached_from_a_problem(console, page_service):
    console.goto(f"{page_service.operator_url}#/runbook?kind=disk")
    expect(console.get_by_role("heading", level=2, name="The disk of the data folder")).to_be_visible()
    check_accessible(console)
    check_fits(console)
    console.get_by_role("link", name="All problems").click()
    expect(console.get_by_role("heading", level=1, name="Problems")).to_be_visible()
