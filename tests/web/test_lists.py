"""Price lists, metals, positions and reports in a browser: what they show is what the API answers."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import Locator, Page, expect
from tests.patience import PATIENCE
from tests.service.processes import COMMAND, environment
from tests.web.browsing import PageErrors, check_accessible, check_fits, enter_key
from tests.web.sandbox import PageService

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

DAY = "2026-10-30"


def opened(page: Page, service: PageService, route: str) -> None:
    page.goto(f"{service.url}#/{route}")
    enter_key(page, service.key)


def rows_of(page: Page, name: str) -> list[list[str]]:
    table = page.get_by_role("region", name=name).locator("tbody tr")
    expect(table.first).to_be_visible()
    return [row.locator("th, td").all_inner_texts() for row in table.all()]


def answer(service: PageService, path: str, question: object | None = None) -> dict[str, object]:
    body = None if question is None else json.dumps(question).encode()
    request = Request(  # noqa: S310  on this machine
f"{service.url.rstrip('/')}{path}", body, {"X-API-Key": service.key, "Content-Type": "application/json"})  # fmt: skip
    with urlopen(request) as reply:  # noqa: S310  on this machine
        found: dict[str, object] = json.load(reply)
    return found


@pytest.mark.long
def test_articles_are_priced_and_saved(page: Page, page_service: PageService, tmp_path: Path) -> None:
    opened(page, page_service, f"prices?from=EUR&to=USD,CHF&markup=2.5%25&rounding=charm:0.95&date={DAY}")
    page.get_by_label("Articles", exact=True).fill("sku,price,cost\nA-1,12.50,8\nB-2,99,\n")
    page.get_by_role("button", name="Price them").click()
    rows = rows_of(page, "Articles")
    articles = [{"sku": "A-1", "price": 12.5, "cost": 8}, {"sku": "B-2", "price": 99}]
    terms = {"from": "EUR", "to": ["USD", "CHF"], "markup": "2.5%", "rounding": "charm:0.95", "date": DAY}
    told = answer(page_service, "/price-list/bulk", {**terms, "articles": articles})
    prices = {(each["sku"], code): price for each in told["articles"] for code, price in each["prices"].items()}  # type: ignore[attr-defined]
    assert {(row[0], row[1]): float(row[2]) for row in rows} == {key: each["price"] for key, each in prices.items()}
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save as CSV").click()
    saving.value.save_as(tmp_path / "prices.csv")
    assert list(csv.reader((tmp_path / "prices.csv").read_text().splitlines()))[1:] == rows
    check_accessible(page)
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        check_fits(page)


def test_what_is_wrong_with_a_list_is_said(page: Page, page_service: PageService, page_errors: PageErrors) -> None:
    page_errors.allow("400")
    opened(page, page_service, "prices?to=USD")
    page.get_by_label("Articles", exact=True).fill("sku,prize\nA,1\n")
    page.get_by_role("button", name="Price them").click()
    expect(page.get_by_role("alert").filter(has_text="Unknown column: prize")).to_be_visible()
    page.get_by_label("Articles", exact=True).fill("sku,price\nA,1\n")
    page.get_by_label("Currencies", exact=True).fill("USD,ZZZ")
    page.get_by_role("button", name="Price them").click()
    expect(page.get_by_role("alert").filter(has_text="ZZZ")).to_be_visible()
    expect(page.get_by_role("table")).to_have_count(0)


def test_positions_from_a_file_are_valued(page: Page, page_service: PageService, tmp_path: Path) -> None:
    file = tmp_path / "positions.csv"
    file.write_text("asset;amount;cost\nUSD;1200;1050\nXAU;2;\n")
    opened(page, page_service, f"positions?currency=CHF&date={DAY}&since=2026-01-02")
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_label("Positions", exact=True)).to_have_value(file.read_text())
    page.get_by_role("button", name="Value them").click()
    rows = rows_of(page, "Positions")
    listed = [{"asset": "USD", "amount": 1200, "cost": 1050}, {"asset": "XAU", "amount": 2}]
    told = answer(page_service, "/value", {"currency": "CHF", "date": DAY, "since": "2026-01-02", "positions": listed})
    totals = told["totals"]
    assert isinstance(totals, dict)
    assert [row[0] for row in rows] == ["USD", "XAU", "Together"]
    assert rows[0][7] == "30 October 2026", "the day of its rate"
    assert [float(rows[-1][place].replace(",", "")) for place in (3, 5, 6)] == [
        totals[name] for name in ("worth", "gain", "change")
    ]
    check_accessible(page)


def first_prices(board: Locator) -> list[float]:
    """Return the prices of the first row, once they have come."""
    cells = board.locator("tbody tr").first.locator("td")
    for number in range(2):
        expect(cells.nth(number)).to_have_text(re.compile(r"^[\d.]+$"))
    return [float(price) for price in cells.all_inner_texts()]


def test_a_shop_shows_what_it_pays_and_asks(page: Page, page_service: PageService) -> None:
    opened(page, page_service, "metals?currency=CHF&buy=3&sell=5&items=XAU:750,XAG:925")
    board = page.get_by_role("table", name="CHF for one gram")
    expect(board.get_by_role("rowheader", name="Gold 750 18 carat")).to_be_visible()
    paid, asked = first_prices(board)
    assert paid / asked == pytest.approx(0.97 / 1.05, rel=0.02)
    page.get_by_role("textbox", name="Percent above").fill("50")
    page.get_by_role("button", name="Show these").click()
    expect(page).to_have_url(f"{page_service.url}#/metals?currency=CHF&buy=3&sell=50&items=XAU:750,XAG:925&unit=gram")
    _, dearer = first_prices(board)
    assert dearer / asked == pytest.approx(1.5 / 1.05, rel=0.02)
    page.get_by_role("button", name="Value them").click()
    assert [row[0] for row in rows_of(page, "Pieces")] == ["rings", "cutlery", "Together"]
    check_accessible(page)
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        check_fits(page)


@pytest.mark.long(every=2)
@pytest.mark.parametrize(
    ("route", "says"),
    [
        ("metals?unit=stone", "is no unit of mass"),
        ("metals?items=GOLD", "names no metal"),
        ("metals?buy=120", "is no percentage"),
        ("prices?colour=red", "does not understand"),
        ("positions?unit=gram", "does not understand"),
        ("report?month=10", "does not understand"),
    ],
)
def test_a_link_that_is_not_understood_is_said(page: Page, page_service: PageService, route: str, says: str) -> None:
    opened(page, page_service, route)
    expect(page.get_by_role("alert").filter(has_text=says)).to_be_visible()


@pytest.mark.long(every=3)
@pytest.mark.parametrize("rule", ["", "&booking=eu-customs", "&booking=de-vat"])
def test_a_report_shows_the_rates_and_its_receipt_is_valid(
    page: Page, page_service: PageService, tmp_path: Path, rule: str
) -> None:
    period = "from=EUR&to=USD,GBP&start=2026-10-01&end=2026-10-31"
    opened(page, page_service, f"report?{period}{rule}")
    days = rows_of(page, "Rates by day")
    told = answer(page_service, f"/time-series?{period}{rule}")["results"]
    assert isinstance(told, dict)
    assert {row[0]: float(row[1]) for row in days} == told["USD"]
    assert {row[0]: float(row[2]) for row in days} == told["GBP"]
    if rule:
        expect(page.get_by_text({"eu-customs": "2015/2447", "de-vat": "UStG"}[rule[9:]])).to_be_visible()
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save the receipt").click()
    saving.value.save_as(tmp_path / "report.jws")
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps(answer(page_service, "/.well-known/jwks.json")))
    ended = subprocess.run(
        [COMMAND, "verify", str(tmp_path / "report.jws"), "--keys", str(keys), "--json"],
        env=environment(), capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["question"].startswith("GET /time-series?")
    check_accessible(page)


def test_a_report_prints_without_the_form(page: Page, page_service: PageService) -> None:
    opened(page, page_service, "report?from=EUR&to=USD&start=2026-10-01&end=2026-10-31")
    expect(page.get_by_role("region", name="Rates by day")).to_be_visible()
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Print")).to_be_hidden()
    expect(page.get_by_role("navigation")).to_be_hidden()
    expect(page.get_by_role("rowheader", name="2026-10-31")).to_be_visible()


def test_what_cannot_be_reported_is_said(page: Page, page_service: PageService, page_errors: PageErrors) -> None:
    page_errors.allow("400")
    opened(page, page_service, "report?from=EUR&to=ZZZ&start=2026-10-01&end=2026-10-31")
    expect(page.get_by_role("alert").filter(has_text="ZZZ")).to_be_visible()
    expect(page.get_by_role("table")).to_have_count(0)
