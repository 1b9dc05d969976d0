"""Each endpoint tried in a browser, and the programs that it shows, run as they stand."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import Page, expect
from tests.service.processes import environment
from tests.web.browsing import check_accessible, check_fits
from tests.web.sandbox import PageService

from cambist.registry.wiring.components import endpoints

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

PATHS = [endpoint.path for endpoint in endpoints()]
TIMEOUT = 30


@pytest.fixture
def open_try(page: Page, page_service: PageService) -> Callable[[str], Page]:
    from tests.web.browsing import enter_key  # noqa: PLC0415  it imports playwright

    def open_route(query: str) -> Page:
        page.goto(f"{page_service.url}#/try{query}")
        enter_key(page, page_service.key)
        expect(page.get_by_role("button", name="Send")).to_be_visible()
        return page

    return open_route


def send(page: Page) -> str:
    """Send the request, and return the status that is shown."""
    page.get_by_role("button", name="Send").click()
    status = page.locator(".try-status .badge").first
    expect(status).to_have_text(re.compile(r"^\d{3} "))
    return status.text_content()[:3]


def program(page: Page, language: str) -> str:
    page.get_by_role("tab", name=language, exact=True).click()
    return page.get_by_role("tabpanel").text_content()


def choose(page: Page, path: str) -> None:
    page.get_by_role("navigation", name="Endpoints").get_by_role("link", name=path, exact=True).click()
    expect(page.locator("#try-path code")).to_have_text(path)


def body(page: Page) -> str:
    more = page.get_by_role("button", name=re.compile("^Show all"))
    if more.is_visible():
        more.click()
    return page.get_by_role("region", name="Body of the answer").text_content()


def without_time(value: object) -> object:
    """Return an answer without what changes from one second to the next: numbers and times."""
    if isinstance(value, dict):
        return {name: without_time(each) for name, each in value.items()}
    if isinstance(value, list):
        return [without_time(each) for each in value]
    return type(value).__name__


@pytest.mark.long
def test_every_endpoint_answers_its_form_as_it_answers_curl(open_try, page_service):
    page = open_try("")
    for path in PATHS:
        choose(page, path)
        command = program(page, "curl")
        done = run(["sh", "-c", command.replace("YOUR_KEY", page_service.key)])
        head, _, content = done.partition("\r\n\r\n")
        status = send(page)
        assert status == head.split()[1] == "200", f"{path}: {content}"
        shown = body(page)
        assert without_time(json.loads(shown)) == without_time(json.loads(content)), path
        cost = re.search(r"x-calls-cost: (\d+)", head, re.IGNORECASE)
        expect(page.locator(".try-status")).to_contain_text(f"cost {cost[1]} call" if cost else "cost no call")


REQUESTS = {
    "?endpoint=/historical&date=2024-02-29&from=EUR&to=USD,JPY": "200",
    "?endpoint=/crypto/fetch-prices&pairs=BTC/USD,ETH/BTC": "200",
    "?endpoint=/convert&from=EUR&to=ZZZ&amount=1": "400",
}


def interpreter_of(language: str) -> str:
    """Return what runs a program; skip the test if it is not installed."""
    if language == "Python, httpx" and find_spec("httpx") is None:
        pytest.skip("the package httpx is not installed")
    interpreter = shutil.which("node") if language == "JavaScript" else sys.executable
    if interpreter is None:
        pytest.skip("There is no node")
    return interpreter


@pytest.mark.long(every=3)
@pytest.mark.parametrize("language", ["Python", "Python, httpx", "JavaScript"])
@pytest.mark.parametrize("query", REQUESTS)
def test_the_programs_run_and_get_the_same_status(open_try, page_service, page_errors, query, language):
    page_errors.allow("status of 400")
    interpreter = interpreter_of(language)
    page = open_try(query)
    assert send(page) == REQUESTS[query]
    file = page_service.data.parent / ("program.mjs" if language == "JavaScript" else "program.py")
    file.write_text(program(page, language).replace("YOUR_KEY", page_service.key))
    status, _, printed = run([interpreter, str(file)]).partition("\n")
    assert status == REQUESTS[query]
    assert without_time(json.loads(printed)) == without_time(json.loads(body(page)))


def run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=True, env=environment(), cwd=Path("/"))
    return done.stdout.decode()


@pytest.mark.long
def test_an_error_is_shown_as_the_api_sends_it(open_try, page_service, page_errors):
    page_errors.allow("status of 400")
    page = open_try("?endpoint=/fetch-multi&from=EUR&to=ZZZ")
    assert send(page) == "400"
    status, sent = page_service.text("/fetch-multi?from=EUR&to=ZZZ")
    assert (status, json.loads(body(page))) == (400, json.loads(sent))
    check_accessible(page)


def test_an_answer_keeps_all_its_digits(open_try, page_service):
    query = "date=2024-02-29&from=EUR&to=USD&amount=12345678901234567890.123456789&precision=12"
    page = open_try(f"?endpoint=/convert&{query}")
    assert send(page) == "200"
    sent = page_service.text(f"/convert?{query}")[1]
    number = re.search(r'"USD":\s*([\d.]+)', sent)[1]
    assert len(number) > 25
    assert f'"USD": {number}' in body(page)


def test_a_link_reproduces_the_form(open_try, page_service):
    page = open_try("?endpoint=/historical")
    page.get_by_label("from", exact=True).fill("GBP")
    page.get_by_label("verbose").check()
    address = page.url
    assert "from=GBP" in address
    page.reload()
    from tests.web.browsing import enter_key  # noqa: PLC0415  it imports playwright

    enter_key(page, page_service.key)
    expect(page.get_by_label("from", exact=True)).to_have_value("GBP")
    expect(page.get_by_label("verbose")).to_be_checked()
    assert page.url == address


def test_the_key_is_in_no_program(open_try, page_service):
    page = open_try("?endpoint=/convert")
    send(page)
    for language in ("curl", "Python", "Python, httpx", "JavaScript"):
        text = program(page, language)
        assert "YOUR_KEY" in text
        assert page_service.key not in text
    assert page_service.key not in page.content()
    assert urlsplit(page.url).query == ""


def test_tabs_are_moved_through_with_the_keyboard(open_try):
    page = open_try("?endpoint=/convert")
    page.get_by_role("tab", name="curl").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Python", exact=True)).to_be_focused()
    page.keyboard.press("End")
    expect(page.get_by_role("tabpanel")).to_contain_text("await fetch")


@pytest.mark.long
def test_try_it_is_accessible_and_fits_every_width(open_try):
    page = open_try("?endpoint=/metals/spot")
    send(page)
    check_accessible(page)
    check_fits(page)
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="/metals/spot").click()
    choose(page, "/time-series")
    expect(page.locator("#try-path code")).to_have_text("/time-series")
