"""The converter in a browser, against what the API answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

import msgspec
from playwright.sync_api import Page, Response, expect
from tests.web.browsing import check_accessible, check_fits, enter_key, layout_shift

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

PAIRS = [
    ("100", "EUR", "JPY", 2),
    ("0.01", "USD", "VND", 0),
    ("1234567890123.4567", "USD", "IDR", 20),
    ("2500", "DEM", "EUR", 5),
    ("1", "USD", "AED", 10),
    ("3", "BTC", "CHF", 8),
    ("250", "EUR", "ETH", 18),
    ("7", "XAU", "EUR", 6),
    ("99.99", "GBP", "XAG", 12),
    ("5", "XAU", "XAG", 7),
    ("1", "XAL", "CNY", 2),
    ("12", "CHF", "CHF", 2),
]


def digits(text: str) -> Decimal:
    """Read a number as the page writes it: grouped by narrow spaces."""
    return Decimal(re.sub(r"\s", "", text))


def exact(body: bytes) -> dict:
    """Decode an answer with all digits of its numbers."""
    return msgspec.json.decode(re.sub(rb"(?<=[:])(-?[0-9.]+(?:[eE][-+]?[0-9]+)?)(?=[,}])", rb'"\1"', body))


def asked(path: str, query: dict[str, list[str]] | None = None) -> Callable[[Response], bool]:
    """Return whether a response is that of a path, and of a query if there is one."""

    def matches(response: Response) -> bool:
        url = urlsplit(response.url)
        return url.path == path and (query is None or parse_qs(url.query) == query)

    return matches


def value_of(page: Page) -> str:
    expect(page.locator(".answer-card:not(.waiting) .value")).to_be_visible()
    return page.locator(".answer-card .value").inner_text()


def test_the_answer_is_that_of_convert_to_the_last_digit(page, page_service):
    page.goto(page_service.url)
    enter_key(page, page_service.key)
    for amount, base, quote, precision in PAIRS:
        # The view without parameters, which came before, may still be asking.
        query = {"amount": [amount], "from": [base], "to": [quote], "precision": [str(precision)]}
        with page.expect_response(asked("/convert", query)) as answered:
            page.goto(f"{page_service.url}#/convert?amount={amount}&from={base}&to={quote}&precision={precision}")
        body = exact(answered.value.body())
        result = body["result"]
        shown = value_of(page)
        assert digits(shown) == Decimal(result[quote]), (base, quote)
        assert digits(re.search(r"= ([\d\s.]+) ", page.locator(".answer-rate").inner_text())[1]) == Decimal(
            result["rate"]
        )
        assert Decimal(re.sub(r"\s", "", shown)).as_tuple().exponent == -precision


def test_prices_that_stand_still_are_those_that_the_api_answers_without_a_browser(open_view, page_service):
    page = open_view("#/convert?amount=123456.789&from=DEM&to=EUR&precision=9")
    own = exact(page_service.text("/convert?amount=123456.789&from=DEM&to=EUR&precision=9")[1].encode())
    assert digits(value_of(page)) == Decimal(own["result"]["EUR"])


@pytest.mark.parametrize(("unit", "purity"), [("gram", "750"), ("kilogram", "999.5"), ("tola", ""), ("oz_t", "916")])
def test_a_metal_is_converted_by_unit_and_purity_at_its_spot_price(open_view, unit, purity):
    page = open_view("#/convert?amount=1&from=EUR&to=USD")
    for route, sign in (("amount=12.5&from=XAU&to=EUR", 1), ("amount=5000&from=EUR&to=XAU", -1)):
        with page.expect_response(asked("/metals/spot")) as answered:
            page.evaluate(f"location.hash = '#/convert?{route}&precision=6&unit={unit}&purity={purity}'")
        price = Decimal(answered.value.json()["mid"])
        amount = Decimal(re.search(r"amount=([\d.]+)", route)[1])
        expected = amount * price if sign > 0 else amount / price
        assert digits(value_of(page)) == expected.quantize(Decimal("1e-6"), ROUND_HALF_UP)
        expect(page.get_by_label("Unit")).to_have_value(unit)


def test_assets_are_found_while_typing_by_code_name_or_country(open_view):
    page = open_view("#/convert?amount=1&from=EUR&to=USD")
    box = page.get_by_role("combobox", name="To")
    for typed, code in (
        ("jp", "JPY"),
        ("rupiah", "IDR"),
        ("switzer", "CHF"),
        ("gold", "XAU"),
        ("bitcoin", "BTC"),
        ("côte", "XOF"),
    ):
        box.click()
        box.press("Control+a")
        box.press_sequentially(typed)
        option = page.get_by_role("option").filter(has=page.get_by_text(code, exact=True))
        expect(option).to_be_visible()
        option.click()
        expect(page).to_have_url(re.compile(rf"to={code}(&|$)"))
        expect(box).to_have_value(re.compile(rf"^{code} \u2013 "))
        expect(page.get_by_role("listbox")).to_have_count(0)


def test_the_list_is_worked_with_the_keyboard(open_view):
    page = open_view("#/convert?amount=1&from=EUR&to=USD")
    box = page.get_by_role("combobox", name="From")
    box.focus()
    page.keyboard.type("fran")
    expect(box).to_have_attribute("aria-expanded", "true")
    first = box.get_attribute("aria-activedescendant")
    page.keyboard.press("ArrowDown")
    assert box.get_attribute("aria-activedescendant") != first
    chosen = page.locator(f"#{box.get_attribute('aria-activedescendant')} b").inner_text()
    check_accessible(page)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(rf"from={chosen}&"))
    page.keyboard.type("zzzz")
    expect(page.get_by_text("Nothing is found")).to_be_visible()
    page.keyboard.press("Escape")
    expect(box).to_have_value(re.compile(rf"^{chosen} \u2013 "))


def test_swapping_the_sides_swaps_the_address(open_view):
    page = open_view("#/convert?amount=3&from=EUR&to=JPY&precision=4")
    value_of(page)
    page.get_by_role("button", name="Swap").click()
    expect(page).to_have_url(re.compile("amount=3&from=JPY&to=EUR&precision=4"))
    expect(page.locator(".answer-asked")).to_contain_text("3 JPY")


def test_the_link_reproduces_the_answer_and_has_no_key(open_view, make_page, page_service):
    page = open_view("#/convert?amount=1&from=EUR&to=USD")
    page.get_by_role("textbox", name="Amount").fill("123456.789")
    expect(page.locator(".answer-asked")).to_contain_text("123\u202f456.789")
    page.evaluate("location.hash = '#/convert?amount=2&from=XAU&to=DEM&precision=7&unit=gram&purity=585'")
    shown = value_of(page)
    link = page.get_by_role("link", name="Link to this answer").evaluate("(link) => link.href")
    assert page_service.key not in link
    other = make_page()
    other.goto(link)
    enter_key(other, page_service.key)
    assert re.sub(r"[\d\s.]+", "#", value_of(other)) == re.sub(r"[\d\s.]+", "#", shown)
    assert other.locator(".answer-asked").inner_text() == page.locator(".answer-asked").inner_text()
    expect(other.get_by_label("Decimals")).to_have_value("7")
    expect(other.get_by_label("Purity")).to_have_value("585")


def test_the_answer_says_when_it_is_from_and_where_it_comes_from(open_view):
    page = open_view("#/convert?amount=1&from=XAU&to=AED")
    value_of(page)
    expect(page.locator(".answer-time time")).to_have_attribute("title", re.compile(r"^\d{4}-\d\d-\d\d [\d:]{8} UTC$"))
    expect(page.locator(".answer-origin")).to_contain_text("Simulated market")
    expect(page.locator(".answer-origin")).to_contain_text(
        "3.6725 AED for 1 USD by law (Central Bank of the United Arab"
    )
    page.get_by_text("How it is crossed").click()
    expect(page.get_by_role("table")).to_contain_text("XAU/USD")
    check_accessible(page)


def test_a_wrong_amount_is_said_at_the_amount_and_asks_nothing(open_view, page_errors):
    page = open_view("#/convert?amount=1&from=EUR&to=USD")
    value_of(page)
    before = len(page_errors.requests)
    page.get_by_role("textbox", name="Amount").fill("12x")
    expect(page.get_by_text("An amount has digits")).to_be_visible()
    expect(page.get_by_role("textbox", name="Amount")).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".answer-number")).to_have_count(0)
    assert len(page_errors.requests) == before
    check_accessible(page)


def test_a_refusal_of_the_api_is_shown_in_its_words(open_view, page_errors):
    page_errors.allow("status of 400")
    page = open_view("#/convert?amount=1&from=XAU&to=BTC")
    expect(page.locator(".answer-card").get_by_text("Coins are not priced in metals")).to_be_visible()
    check_accessible(page)


def test_the_key_is_in_no_attribute_store_or_address(open_view, page_service, page_errors):
    page = open_view("#/convert?amount=1&from=EUR&to=USD")
    value_of(page)
    assert page_service.key not in page.content()
    assert page_service.key not in page.evaluate(
        "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])"
    )
    assert not [url for url in page_errors.requests if page_service.key in url]


def test_it_is_accessible_fits_every_width_and_does_not_move(open_view, page):
    open_view("#/convert?amount=12345678.90&from=EUR&to=IDR&precision=20")
    value_of(page)
    page.wait_for_timeout(500)
    assert layout_shift(page) < 0.02
    check_accessible(page)
    check_fits(page)
