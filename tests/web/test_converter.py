"""The converter in a browser, against what the API answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
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
    """Read a number as the page writes it: with commas between thousands."""
    return Decimal(text.replace(",", ""))


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
        with page.expect_response(asked("/explain", query)) as answered:
            page.goto(f"{page_service.url}#/convert?amount={amount}&from={base}&to={quote}&precision={precision}")
        found = exact(answered.value.body())["converted"]
        shown = value_of(page)
        assert digits(shown) == Decimal(found["result"]), (base, quote)
        rate = re.search(r"= ([\d,.]+) ", page.locator(".answer-rate").inner_text())[1]
        assert digits(rate) == Decimal(found["rate"])
        assert digits(shown).as_tuple().exponent == -precision


def test_a_conversion_with_its_provenance_costs_one_call(page, page_service):
    spent = []
    page.on(
        "response", lambda response: spent.append((urlsplit(response.url).path, response.headers.get("x-calls-cost")))
    )
    page.goto(f"{page_service.url}#/convert?amount=5&from=EUR&to=JPY")
    enter_key(page, page_service.key)
    value_of(page)
    expect(page.locator(".answer-origin .sentence").first).to_be_visible()
    assert [each for each in spent if each[1] not in (None, "0")] == [("/explain", "1")]


def test_prices_that_stand_still_are_those_that_the_api_answers_without_a_browser(open_view, page_service):
    page = open_view("#/convert?amount=123456.789&from=DEM&to=EUR&precision=9")
    own = exact(page_service.text("/convert?amount=123456.789&from=DEM&to=EUR&precision=9")[1].encode())
    assert digits(value_of(page)) == Decimal(own["result"]["EUR"])


@pytest.mark.long(every=2)
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


@pytest.mark.long
def test_the_link_reproduces_the_answer_and_has_no_key(open_view, make_page, page_service):
    page = open_view("#/convert?amount=1&from=EUR&to=USD")
    page.get_by_role("textbox", name="Amount").fill("123456.789")
    expect(page.locator(".answer-asked")).to_contain_text("123,456.789")
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


@pytest.mark.long
def test_a_wrong_amount_is_said_at_the_amount_and_asks_nothing(open_view, page_errors):
    page = open_view("#/convert?amount=1&from=EUR&to=USD")
    value_of(page)
    before = len(page_errors.requests)
    page.get_by_role("textbox", name="Amount").fill("12x")
    expect(page.get_by_text("This is no amount: write a number such as 1234.50")).to_be_visible()
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


@pytest.mark.long
def test_it_is_accessible_fits_every_width_and_does_not_move(open_view, page):
    open_view("#/convert?amount=12345678.90&from=EUR&to=IDR&precision=20")
    value_of(page)
    page.wait_for_timeout(500)
    assert layout_shift(page) < 0.02
    check_accessible(page)
    check_fits(page)


def test_a_link_with_a_day_converts_at_that_day_and_says_of_when_its_fixing_is(open_view, page_service):
    page = open_view("#/convert?amount=100&from=EUR&to=USD&date=2020-01-05")
    own = page_service.json("/convert?amount=100&from=EUR&to=USD&date=2020-01-05&precision=currency")
    assert digits(value_of(page)) == Decimal(str(own["result"]["USD"]))
    expect(page.locator(".answer-time")).to_have_text(
        "Rate of 5 January 2020: there was no fixing, it has that of 3 January 2020"
    )
    expect(page.get_by_label("Day (none: now)")).to_have_value("2020-01-05")
    expect(page.locator(".answer-origin")).to_contain_text("of 3 January 2020, 2 days before, because of the weekend")
    check_accessible(page)
    page.get_by_label("Day (none: now)").fill("")
    expect(page).not_to_have_url(re.compile("date="))
    expect(page.locator(".answer-time time")).to_be_visible()
    page.get_by_label("Day (none: now)").fill("2019-06-03")
    expect(page).to_have_url(re.compile("date=2019-06-03"))
    expect(page.locator(".answer-time")).to_have_text("Rate of 3 June 2019")
    check_fits(page)


@pytest.mark.long(every=2)
@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("date=2020-13-01", "The link asks for the day 2020-13-01, which is none."),
        ("date=foo", "The link asks for the day foo, which is none."),
        ("precision=99", "The link asks for 99 decimals."),
        ("from=XAU&unit=grams", "The link asks for the unit grams, which is none."),
        ("from=XAU&purity=fine", "The link asks for the purity fine, which is none."),
    ],
)
def test_what_cannot_be_read_of_a_link_is_said_and_no_number_is_shown(open_view, query, text, page_errors):
    page = open_view(f"#/convert?amount=100&to=EUR&{query}" if "from" in query else f"#/convert?amount=100&{query}")
    expect(page.get_by_text(text)).to_be_visible()
    expect(page.locator(".answer-number")).to_have_count(0)
    assert not [url for url in page_errors.requests if "/explain?" in url or "/metals/spot" in url]
    check_accessible(page)
    page.get_by_role("button", name="Leave it out").click()
    value_of(page)


def test_a_day_of_the_future_is_refused_in_plain_words(open_view, page_errors):
    page_errors.allow("status of 400")
    later = datetime.now(UTC).date() + timedelta(2)
    page = open_view(f"#/convert?amount=100&from=EUR&to=USD&date={later}")
    expect(page.locator(".answer-card")).to_contain_text(f"Invalid date: {later} is in the future")
    expect(page.locator(".answer-number")).to_have_count(0)


def test_a_link_with_an_unknown_parameter_shows_nothing_but_that(open_view, page_errors):
    page = open_view("#/convert?amuont=5&from=EUR&to=USD")
    expect(page.get_by_role("alert").filter(has_text="“amuont=5”")).to_be_visible()
    expect(page.locator(".answer-number")).to_have_count(0)
    assert not [url for url in page_errors.requests if "/explain?" in url]
    check_accessible(page)
    page.get_by_role("link", name="Open “Convert” without it").click()
    value_of(page)


@pytest.mark.long(every=2)
@pytest.mark.parametrize(
    ("query", "asked_text", "value"),
    [
        ("amount=243.08&from=GBp&to=GBP", "243.08 GBp =", "2.4308"),
        ("amount=-12.50&from=GBP&to=GBp", "-12.50 GBP =", "-1,250"),
        ("amount=1e-9&from=ILA&to=ILS&precision=12", "0.000000001 ILA =", "0.000000000010"),
        ("amount=-1e3&from=DEM&to=EUR", "-1,000 DEM =", "-511.29"),
        ("amount=-0.004&from=DEM&to=EUR&precision=4", "-0.004 DEM =", "-0.0020"),
        ("amount=1000&from=zac&to=ZAR", "1,000 ZAC =", "10.00"),
    ],
)
def test_any_amount_is_converted_and_minor_units_are_told_from_their_currencies(open_view, query, asked_text, value):
    page = open_view(f"#/convert?{query}")
    assert value_of(page) == value
    expect(page.locator(".answer-asked")).to_have_text(asked_text)


@pytest.mark.long(every=3)
@pytest.mark.parametrize(("quote", "places"), [("JPY", 0), ("KWD", 3), ("EUR", 2)])
def test_a_result_has_the_decimals_of_its_currency(open_view, quote, places):
    page = open_view(f"#/convert?amount=1000&from=USD&to={quote}")
    assert digits(value_of(page)).as_tuple().exponent == -places
    expect(page.get_by_label("Decimals")).to_have_value("")


def test_a_small_amount_in_a_coin_has_digits_enough(open_view):
    page = open_view("#/convert?amount=0.01&from=EUR&to=BTC")
    assert len(digits(value_of(page)).as_tuple().digits) >= 5


@pytest.mark.long(every=2)
@pytest.mark.parametrize(
    ("typed", "code"), [("GBp", "GBp"), ("gbp", "GBP"), ("RMB", "CNY"), ("$", "USD"), ("doller", "USD")]
)
def test_what_people_write_for_a_code_leads_to_it(open_view, typed, code):
    page = open_view("#/convert?amount=1&from=EUR&to=CHF")
    box = page.get_by_role("combobox", name="To")
    box.fill(typed)
    expect(page.locator(".picker-option").first).to_be_visible()
    box.press("Enter")
    expect(page).to_have_url(re.compile(rf"to={code}(&|$)"))


def test_a_code_that_is_none_is_refused_without_brackets_and_a_hint_can_be_taken(open_view, page, page_errors):
    page_errors.allow("status of 400")
    sentence = "Invalid/unsupported source currency: [RMB]; for [RMB] did you mean CNY (Chinese Yuan)?"
    refusal = {"error": sentence, "code": "unknown_currency"}
    page.route(re.compile(r"/explain\?.*RMB"), lambda route: route.fulfill(status=400, json=refusal))
    open_view("#/convert?amount=1&from=RMB&to=USD")
    expect(page.locator(".answer-card")).to_contain_text(
        "Invalid/unsupported source currency: RMB; for RMB did you mean"
    )
    page.get_by_role("button", name="Use CNY").click()
    value_of(page)
    assert "from=CNY" in page.url


@pytest.mark.long(every=2)
@pytest.mark.parametrize(
    ("typed", "amount", "shown"),
    [("1,234.50", "1234.50", "1.234.50 EUR"), ("1234,50", "1234.50", "1.234.50 EUR"), ("١٢٣", "123", "123 EUR")],
)
def test_an_amount_is_read_as_people_type_it(open_view, typed, amount, shown):
    page = open_view("#/convert?amount=1&from=EUR&to=USD")
    page.get_by_role("textbox", name="Amount").fill(typed)
    expect(page.get_by_text(re.compile(f"^{shown} =$"))).to_be_visible()
    expect(page.get_by_text(re.compile("^Read as "))).to_be_visible()
    expect(page).to_have_url(re.compile(f"amount={re.escape(amount)}&"))
    check_accessible(page)


def test_a_whole_question_chooses_its_codes(open_view):
    page = open_view("#/convert?amount=1&from=EUR&to=GBP")
    page.get_by_role("textbox", name="Amount").fill("100 usd in jpy")
    expect(page.get_by_text(re.compile("^100 USD =$"))).to_be_visible()
    expect(page).to_have_url(re.compile("amount=100&from=USD&to=JPY"))
    page.get_by_role("textbox", name="Amount").press("Tab")
    expect(page.get_by_role("textbox", name="Amount")).to_have_value("100")


def spending(page: Page) -> list[tuple[str, str]]:
    """Return a list that fills with the paths that cost calls, and how many."""
    found: list[tuple[str, str]] = []
    page.on("response", lambda each: found.append((urlsplit(each.url).path, each.headers.get("x-calls-cost") or "0")))
    return found


@pytest.mark.long
def test_other_currencies_and_a_mark_up_are_kept_in_the_address(open_view, page_service, page_errors):
    page_errors.allow("status of 400")
    page = open_view("#/convert?amount=100&from=EUR&to=DEM")
    value_of(page)
    page.get_by_role("button", name="Other currencies").click()
    spent = spending(page)
    page.get_by_label("Also in").fill("fim; atsx")
    page.get_by_label("Also in").blur()
    expect(page.get_by_text("ATSX")).to_be_visible()
    page.get_by_label("Also in").fill("fim")
    page.get_by_label("Mark-up in %").fill("2.5")
    page.get_by_label("Mark-up in %").blur()
    expect(page).to_have_url(re.compile(r"also=FIM&markup=2\.5%25"))
    rows = page.locator(".more-prices tr")
    expect(rows).to_have_count(2)
    answer = page_service.json("/price-list?from=EUR&to=DEM,FIM&amount=100&markup=2.5%25")
    assert [digits(text) for text in rows.locator("td").all_inner_texts()] == [
        Decimal(str(each["price"])) for each in answer["prices"].values()
    ]
    assert ("/price-list", "2") in spent
    check_accessible(page)
    page.set_viewport_size({"width": 390, "height": 844})
    check_fits(page)
    page.reload()
    enter_key(page, page_service.key)
    expect(rows).to_have_count(2)
    expect(page.get_by_label("Mark-up in %")).to_have_value("2.5")


def test_the_last_30_days_are_drawn_for_one_call_and_open_the_chart(open_view):
    page = open_view("#/convert?amount=1&from=EUR&to=DKK")
    spent = spending(page)
    page.get_by_role("button", name="Other currencies").click()
    page.get_by_role("button", name="Show its last 30 days").click()
    days = page.get_by_role("link", name="30 days: ")
    expect(days).to_be_visible()
    assert [each for each in spent if each[0] == "/time-series"] == [("/time-series", "1")]
    page.get_by_label("Amount").fill("2")
    expect(page.locator(".answer-asked")).to_contain_text("2 EUR")
    assert len([each for each in spent if each[0] == "/time-series"]) == 1
    days.click()
    expect(page).to_have_url(re.compile(r"#/charts\?pairs=EUR/DKK"))


def test_an_answer_is_refreshed_if_that_is_wished(page, page_service):
    page.clock.install()
    page.goto(f"{page_service.url}#/convert?amount=1&from=EUR&to=JPY&every=1")
    enter_key(page, page_service.key)
    value_of(page)
    for _ in range(2):
        with page.expect_response(asked("/explain")):
            page.clock.fast_forward(60_000)


def test_a_service_that_was_away_is_asked_again(page, page_service, page_errors):
    page_errors.allow("ERR_FAILED|Failed to")
    page.clock.install()
    page.goto(f"{page_service.url}#/convert?amount=1&from=EUR&to=JPY")
    enter_key(page, page_service.key)
    value_of(page)
    page.route("**/explain?**", lambda route: route.abort())
    page.get_by_label("Amount").fill("3")
    expect(page.locator(".answer .notice.bad")).to_be_visible()
    page.unroute_all()
    with page.expect_response(asked("/explain")):
        page.clock.fast_forward(5_000)
    expect(page.locator(".answer-asked")).to_contain_text("3 EUR")


def test_a_question_that_is_left_at_once_keeps_its_codes(open_view):
    page = open_view("#/convert?amount=1&from=EUR&to=USD")
    page.get_by_label("Amount").fill("0.00320194 BTC in CHF")
    page.get_by_label("Amount").blur()  # before the wait after typing has ended
    expect(page).to_have_url(re.compile("amount=0.00320194&from=BTC&to=CHF$"))
    expect(page.get_by_label("Amount")).to_have_value("0.00320194")
    expect(page.locator(".answer-asked")).to_have_text("0.00320194 BTC =")
