"""Sources, coverage and currencies in a browser: what they show is what the API answers."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import Page, expect
from tests.web.browsing import check_accessible, check_fits, layout_shift

from cambist.reference.assets import METALS
from cambist.reference.currency_tables import CURRENCIES

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

NOW = "2026-11-20T12:00:00Z"


def source(name: str, state: str, **rest: object) -> dict[str, object]:
    return {
        "name": name,
        "home": f"https://{name.lower()}.example/",
        "terms": f"https://{name.lower()}.example/terms",
        "licence": "open data, with attribution",
        "redistribution": "allowed",
        "pace": "daily",
        "rate_type": "official",
        "covers": "30 currencies against the zloty",
        "state": state,
        "why": "",
        "last_success": NOW,
        "newest": NOW,
        "lag": 172800,
        "quoted": 30,
        "quarantined": 0,
        "left_out": [],
        "history": {"pairs": 33, "first": "2002-01-02", "last": "2026-11-19"},
    } | rest


SOURCES = {
    "ecb": source("Frankfurt", "fresh", covers="29 currencies against the euro"),
    "shut": source("Shut", "off", why="its terms do not allow redistribution", redistribution="forbidden"),
    "nbp": source(
        "Warsaw", "failing", why="The layout has changed: no column [kurs]", left_out=["XDR is no rate: [-]"]
    ),
    "slow": source("Slow", "late"),
    "new": source(
        "New", "waiting", newest=None, lag=None, last_success=None, history={"pairs": 0, "first": None, "last": None}
    ),
}


@pytest.fixture
def with_sources(page: Page) -> None:
    """Answer `/sources` with sources in every state, which a sandbox does not have."""
    page.route(
        re.compile(r"/sources(\?|$)"),
        lambda route: route.fulfill(json={"environment": "live", "updated": NOW, "sources": SOURCES, "ms": 0}),
    )


def sources_shown(page: Page) -> list[str]:
    return page.locator("[data-source]").evaluate_all("(all) => all.map((each) => each.dataset.source)")


# Sources


@pytest.mark.usefixtures("with_sources")
def test_sources_that_are_wrong_come_first_and_say_why(open_view):
    page = open_view("#/sources")
    expect(page.locator("[data-source]")).to_have_count(5)
    assert sources_shown(page) == ["nbp", "slow", "new", "ecb", "shut"]
    badges = page.locator("[data-source] summary .badge").all_inner_texts()
    assert badges == ["Failing", "Late", "Waiting", "Fresh", "Off"]
    expect(page.locator("[data-source=nbp] summary")).to_contain_text("The layout has changed: no column [kurs]")
    expect(page.locator("[data-source=ecb] summary")).to_contain_text("2 days old")
    expect(page.locator("[data-source=new] summary")).to_contain_text("nothing yet")
    expect(page.locator("[data-source=shut] summary")).to_contain_text("not to be passed on")


@pytest.mark.usefixtures("with_sources")
def test_a_source_opens_with_its_terms_and_links_that_tell_nothing(open_view):
    page = open_view("#/sources")
    opened = page.locator("[data-source=nbp]")
    opened.locator("summary").click()
    expect(opened).to_contain_text("open data, with attribution")
    expect(opened).to_contain_text("33 pairs, 2 January 2002 to 19 November 2026")
    expect(opened).to_contain_text("XDR is no rate: [-]")
    for name, address in (("Home page", "https://warsaw.example/"), ("Terms", "https://warsaw.example/terms")):
        link = opened.get_by_role("link", name=name)
        assert (link.get_attribute("href"), link.get_attribute("rel")) == (address, "noopener noreferrer")
    assert page.url.endswith("#/sources?source=nbp"), "the address reproduces what is shown"
    check_accessible(page)
    check_fits(page)


@pytest.mark.usefixtures("with_sources")
def test_sources_are_filtered_by_state_and_text_and_the_address_keeps_it(open_view):
    page = open_view("#/sources")
    page.get_by_role("group", name="State").get_by_role("button", name="Failing").click()
    assert sources_shown(page) == ["nbp"]
    page.get_by_role("group", name="State").get_by_role("button", name="All").click()
    page.get_by_label("Find a source").fill("EURO frankf")
    assert sources_shown(page) == ["ecb"]
    expect(page.get_by_text("1 of 5 sources")).to_be_visible()
    assert "q=EURO" in page.url
    page.get_by_label("Find a source").fill("no such source")
    page.get_by_role("button", name="Show all sources").click()
    assert len(sources_shown(page)) == 5


def test_a_sandbox_has_one_source_whose_facts_are_those_of_the_api(open_view, page_service):
    page = open_view("#/sources?source=sandbox")
    known = page_service.json("/sources")["sources"]["sandbox"]
    opened = page.locator("[data-source=sandbox]")
    expect(opened).to_contain_text(known["licence"])
    expect(opened).to_contain_text(known["covers"])
    expect(opened.locator("summary .badge")).to_have_text("Fresh")
    assert opened.get_by_role("link", name="Home page").count() == 0, "it has none"


def test_before_any_source_was_asked_the_view_says_so(open_view, page, page_errors):
    page_errors.allow("status of 503")
    error = {"error": "No source has been asked yet", "code": "rate_unavailable"}
    page.route(re.compile(r"/sources(\?|$)"), lambda route: route.fulfill(status=503, json=error))
    page = open_view("#/sources")
    expect(page.get_by_text("No source has been asked yet")).to_be_visible()


def test_sources_that_cannot_be_reached_are_grey_and_the_reason_is_told_once(open_view, page):
    lost = {"ecb": source("Frankfurt", "failing", why="no answer in time"), "nbp": SOURCES["nbp"]}
    network = {
        "sentence": "No network: newest rates of 30 October 2026 (Frankfurt)",
        "unreached": ["ecb"],
        "why": "no answer",
    }
    answer = {"environment": "live", "updated": NOW, "sources": lost, "no_network": network, "ms": 0}
    page.route(re.compile(r"/sources(\?|$)"), lambda route: route.fulfill(json=answer))
    page = open_view("#/sources")
    expect(page.locator("[data-source] summary .badge")).to_have_text(["Failing", "Not reached"])
    expect(page.locator("[data-source=ecb] summary")).not_to_contain_text("no answer")
    expect(page.get_by_text("1 source was asked, and none was reached (mostly: no answer).")).to_be_visible()
    check_accessible(page)
    check_fits(page)


# Coverage


def test_coverage_has_every_currency_and_metal_as_the_api_answers(open_view, page_service):
    page = open_view("#/coverage")
    answer = page_service.json("/coverage")["currencies"]
    expect(page.locator("[data-code]")).to_have_count(len(CURRENCIES) + len(METALS))
    for code in ("EUR", "XAU"):
        record = answer[code]["sources"]["sandbox"]
        line = page.locator(f"[data-code={code}]")
        expect(line).to_contain_text("Only Simulated market")
        expect(line).to_contain_text(f"since {record['first'][:4]}")
        line.locator("summary").click()
        row = line.locator("tbody tr")
        expect(row).to_contain_text(record["first"])
        expect(row).to_contain_text(record["last"])
    expect(page.locator("[data-code=DEM] summary .badge")).to_have_text("Ended")
    expect(page.locator("[data-code=AED] summary .badge")).to_have_text("Fixed by law")
    check_accessible(page)
    check_fits(page)


def test_coverage_is_filtered_by_kind_text_and_source(open_view):
    page = open_view("#/coverage?q=bulgaria")
    codes = "(all) => all.map((each) => each.dataset.code)"
    found = page.locator("[data-code]")
    expect(found.first).to_be_visible()
    assert {"BGN", "EUR"} <= set(found.evaluate_all(codes))
    page.get_by_role("group", name="How well covered").get_by_role("button", name="Ended").click()
    ended = found.evaluate_all(codes)
    assert "BGN" in ended
    assert all(CURRENCIES[code].last_day for code in ended)
    page.get_by_label("Find a currency").fill("")
    page.get_by_role("group", name="How well covered").get_by_role("button", name="No source now").click()
    page.get_by_label("Published by").select_option(label="Simulated market")
    assert "kind=none" in page.url
    assert "source=sandbox" in page.url


COVERED = {"pairs": 1, "first": "1999-01-04", "last": "2026-11-19", "votes": False, "current": True, "compiled": False}


@pytest.mark.usefixtures("with_sources")
def test_a_currency_of_one_source_is_named_as_such_and_one_of_several_is_not(open_view, page):
    sources = {
        "CHF": {"ecb": COVERED | {"votes": True}, "nbp": COVERED},
        "PLN": {"nbp": COVERED | {"first": "2002-01-02"}, "slow": COVERED | {"compiled": True}},
        "ISK": {"shut": COVERED | {"current": False}},
    }
    counts = {"CHF": 2, "PLN": 1, "ISK": 0}
    records = {code: {"independent": counts[code], "law": "", "sources": each} for code, each in sources.items()}
    page.route(re.compile(r"/coverage(\?|$)"), lambda route: route.fulfill(json={"currencies": records, "ms": 0}))
    page = open_view("#/coverage")
    badges = page.locator("[data-code] summary .badge")
    expect(badges).to_have_text(["2 sources", "Only Warsaw", "No source now"])
    page.locator("[data-code=PLN] summary").click()
    line = page.locator("[data-code=PLN]")
    expect(line).to_contain_text("One source only: nobody confirms its rate.")
    expect(line.locator("tr[data-source=slow]")).to_contain_text("compiles the rates of others")
    page.locator("[data-code=CHF] summary").click()
    first = page.locator("[data-code=CHF] tr[data-source=ecb]")
    expect(first).to_contain_text("behind the rate of now")
    expect(first).to_contain_text("Fresh")
    check_fits(page)


# One currency


def test_a_currency_that_lives_shows_what_it_is_worth_and_who_says_so(open_view, page_service):
    page = open_view("#/currency?code=AED")
    expect(page.get_by_role("heading", level=1)).to_have_text("United Arab Emirates Dirham")
    figure = page.locator(".price-figure")
    rate = page_service.json("/explain?from=AED&to=USD")["result"]["USD"]
    expect(figure).to_have_text(f"1 AED = {rate} USD")
    expect(page.get_by_text("3.6725 AED for 1 USD by law (Central Bank of the United Arab Emirates).")).to_be_visible()
    laws = page.get_by_role("region", name="Pegs and redenominations").get_by_role("listitem")
    expect(laws).to_have_count(2)
    expect(laws.last).to_contain_text("1 December 1997 until today")
    expect(page.get_by_text("since 19 May 1973")).to_be_visible()
    expect(page.get_by_text("2 decimals")).to_be_visible()
    check_accessible(page)
    check_fits(page)


def test_a_floating_currency_names_its_source_and_the_age(open_view):
    page = open_view("#/currency?code=EUR")
    sentence = page.locator(".sentences li")
    expect(sentence).to_have_count(1)
    expect(sentence).to_have_text(re.compile(r"^Simulated market, "))
    expect(page.get_by_role("region", name="Facts")).to_contain_text("Germany")
    expect(page.locator("tr[data-source=sandbox]")).to_be_visible()
    expect(page.get_by_text("One source only: nobody confirms its rate.")).to_be_visible()


def test_a_rate_whose_newest_fixing_is_held_says_since_when_why_and_what_would_settle_it(open_view, page: Page):
    reason = "it jumps, and nobody else has published that day"
    fixing = {"source": "boa", "rate": "2098", "weight": 1.0, "status": "held", "distance": 49.75, "because": reason}
    verdict = {
        "status": "held",
        "sentence": "what boa published is held, and the rate of before stands",
        "pair": "USD/NGN",
        "date": "2026-11-20",
        "level": "1401",
        "other": "2098",
        "fixings": [fixing],
        "settles": "one more original that says 2098, or the next publication of boa",
        "held_since": "2026-11-20",
        "because": f"boa: {reason}",
    }
    leg = {"base": "USD", "quote": "NGN", "rate": "1401", "made": "published", "sources": ["boa"], "as_of": NOW}
    answer = {
        "base": "NGN",
        "date": None,
        "result": {"USD": 0.0007137},
        "updated": NOW,
        "legs": [leg | {"verdict": verdict}],
    }
    page.route(re.compile(r"/explain\?"), lambda route: route.fulfill(json=answer | {"ms": 0}))
    page = open_view("#/currency?code=NGN")
    shown = page.locator(".verdict")
    expect(shown).to_contain_text("What boa published is held, and the rate of before stands.")
    expect(shown).to_contain_text(f"Held since 20 November 2026: boa: {reason}.")
    expect(shown).to_contain_text("What would settle it: one more original that says 2098")
    expect(shown.locator(".badge")).to_have_text("Held")
    shown.locator("summary").click()
    cells = shown.locator("tbody tr").first.locator("th, td").all_inner_texts()
    assert cells == ["BOA", "2,098", "1", "+49.8 %", f"Held: {reason}"]
    check_accessible(page)
    check_fits(page)


def test_a_currency_that_ended_says_what_replaced_it_by_which_law(open_view):
    page = open_view("#/currency?code=BGN")
    notice = page.locator(".notice")
    expect(notice).to_contain_text("Ended on 31 December 2025: replaced by the euro at 1.95583 BGN for 1 EUR.")
    expect(notice).to_contain_text("Regulation (EU) 2025/1409")
    laws = page.get_by_role("region", name="Pegs and redenominations").get_by_role("listitem")
    expect(laws).to_contain_text(["1,000 BGL became 1 BGN", "1.95583 BGN for 1 EUR", "Fixed to the euro for ever"])
    notice.get_by_role("link", name="EUR").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Euro")


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("DEM", ["Ended on 31 December 2001", "1.95583 DEM for 1 EUR", "Regulation (EC) No 2866/98"]),
        (
            "VES",
            [
                "Venezuelan Bolívar",
                "100,000 VEF became 1 VES",
                "1,000,000 VES became 1 new VES",
                "Venezuela",
            ],
        ),
        ("CSK", ["1 CSK for 1 CZK and 1 CSK for 1 SKK", "No rate now: no law fixes what it is worth today."]),
        ("XAU", ["Gold", "Precious metal", "Troy ounce", "Good Delivery minimum (995‰)"]),
        ("XCU", ["Copper", "Copper Grade A cathode, at least 99.9935 %"]),
        ("USD", ["US Dollar", "1 USD = "]),
    ],
)
def test_each_kind_of_currency_has_its_facts(open_view, code, texts):
    page = open_view(f"#/currency?code={code}")
    main = page.locator("#view")
    expect(page.get_by_role("heading", name="Who publishes it")).to_be_visible()
    for text in texts:
        expect(main).to_contain_text(text)


@pytest.mark.parametrize(("code", "to"), [("JPY", "USD"), ("USD", "EUR"), ("DEM", "USD"), ("XAU", "USD")])
def test_the_chart_shows_all_days_of_the_time_series(open_view, page_service, code, to):
    page = open_view(f"#/currency?code={code}")
    series = page_service.text(f"/time-series?from={code}&to={to}&start=1970-01-01")[1]
    first, last = re.search(r'"(\d{4}-\d\d-\d\d)":', series.partition("results")[2]), re.findall(r":([\d.]+)", series)
    assert first
    link = page.get_by_role("link", name="Open in charts")
    expect(link).to_have_attribute("href", re.compile(rf"pairs={code}/{to}&start={first[1]}&end="))
    shown = page.locator(".currency-value").inner_text()
    assert shown.partition(": ")[2].partition(", ")[0].replace(",", "") == last[-2], "the last day, before `ms`"
    check_accessible(page)
    check_fits(page)


def test_the_chart_of_a_currency_that_lost_most_of_its_worth_has_a_log_scale_and_its_laws(open_view):
    page = open_view("#/currency?code=VES")
    expect(page.get_by_text("With a log scale")).to_be_visible()
    expect(page.get_by_role("link", name="Open in charts")).to_have_attribute("href", re.compile("log=1"))
    expect(page.locator(".chart-marker-text").first).to_contain_text("100,000 VEF")


def test_a_currency_without_a_day_says_so_in_place_of_its_chart(open_view, page, page_errors):
    page_errors.allow("status of 404")
    error = {"error": "No rate of [JPY] is known", "code": "no_rate"}
    page.route(re.compile(r"/time-series\?"), lambda route: route.fulfill(status=404, json=error))
    page = open_view("#/currency?code=JPY")
    expect(page.get_by_role("region", name="JPY/USD")).to_contain_text("No rate of JPY is known")


def test_a_code_that_is_none_says_so(open_view):
    page = open_view("#/currency?code=XXQ")
    expect(page.get_by_text("No currency and no metal has the code XXQ.")).to_be_visible()
    page.get_by_role("link", name="see all currencies").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Currencies and metals")


def test_a_coin_is_named_and_can_be_converted(open_view):
    page = open_view("#/currency?code=BTC")
    expect(page.get_by_text("BTC is Bitcoin, a coin.")).to_be_visible()
    link = page.get_by_role("link", name="Convert BTC")
    assert link.get_attribute("href") == "#/convert?amount=1&from=BTC&to=USD"


def test_all_currencies_are_listed_and_found_by_country(open_view):
    page = open_view("#/currency")
    expect(page.locator(".code-link")).to_have_count(len(CURRENCIES) + len(METALS))
    page.get_by_label("Find a currency or metal").fill("ivory")
    expect(page.locator(".code-link b")).to_have_text(["XOF"])
    page.get_by_label("Find a currency or metal").fill("sao tome")
    expect(page.locator(".code-link b")).to_have_text(["STN", "STD"])
    assert "q=sao" in page.url
    page.get_by_label("Find a currency or metal").fill("nowhere at all")
    expect(page.get_by_text("No currency and no metal is called that.")).to_be_visible()
    page.get_by_label("Find a currency or metal").fill("")
    check_accessible(page)
    check_fits(page)


def test_the_three_views_link_to_each_other(open_view):
    page = open_view("#/sources")
    tabs = page.get_by_role("navigation", name="What stands behind")
    for name in ("Coverage", "Currencies", "Sources"):
        tabs.get_by_role("link", name=name).click()
        expect(tabs.get_by_role("link", name=name)).to_have_attribute("aria-current", "page")
        marked = page.get_by_role("navigation", name="Views").get_by_role("link", name="Sources")
        expect(marked).to_have_attribute("aria-current", "page")


def test_little_moves_while_a_currency_loads(open_view):
    page = open_view("#/currency?code=EUR")
    expect(page.locator("tr[data-source=sandbox]")).to_be_visible()
    assert layout_shift(page) < 0.05
