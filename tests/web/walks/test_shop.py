"""A shop: one price list in forty currencies, rounded as shops do it, and last prices that stay."""

from __future__ import annotations

import csv

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

ARTICLES = [(f"MUG-{number}", f"{number * 4 + 3.5:.2f}") for number in range(1, 13)]
FORTY = (
    "USD,GBP,CHF,SEK,NOK,DKK,PLN,CZK,HUF,RON,TRY,ILS,AUD,NZD,CAD,MXN,BRL,ARS,COP,PEN,UYU,ZAR,EGP,MAD,KES,NGN,"
    "INR,PKR,THB,SGD,MYR,IDR,PHP,CNY,HKD,TWD,AED,SAR,QAR,RSD"
)


@pytest.mark.long
def test_a_shop_prices_its_articles_in_forty_currencies_and_keeps_its_last_prices(arrives, tmp_path, page_errors):
    page_errors.allow("400")  # the list with yen is refused
    assert len(FORTY.split(",")) == 40
    shop = arrives("shop")
    shop.opens()
    shop.pastes_the_key()
    shop.goes_to_the_view("Prices")
    shop.types("\n".join(["sku,price", *map(",".join, ARTICLES)]), into="Articles")
    shop.types(f"{FORTY},JPY", into="Currencies")
    shop.types("3%", into="Mark-up")
    shop.chooses("Up to .99", in_="Rounding")
    shop.presses("Price them")
    shop.is_told("the smallest amount of JPY is 1")
    shop.types(FORTY, into="Currencies")
    shop.presses("Price them")
    rows = shop.reads_the_table("Articles")
    with shop.does("finds a price of every article in every currency, which ends in .99"):
        assert [row[:2] for row in rows] == [[sku, code] for sku, _ in ARTICLES for code in FORTY.split(",")]
        assert all(row[2].endswith(".99") for row in rows)
        assert all(float(row[2].replace(",", "")) >= float(row[3].replace(",", "")) for row in rows)
    shop.can_use_what_is_there()
    saved = shop.saves("Save as CSV", to=tmp_path / "prices.csv")
    with shop.does("has the same prices in the file"):
        told = list(csv.reader(saved.read_text().splitlines()))[1:]
        assert [row[:2] for row in told] == [row[:2] for row in rows]
        assert [row[2] for row in told] == [row[2].replace(",", "") for row in rows]

    last = {row[0]: row[2] for row in told if row[1] == "USD"}
    shop.types(
        "\n".join(["sku,price,last.USD", *(f"{sku},{price},{last[sku]}" for sku, price in ARTICLES)]), into="Articles"
    )
    shop.types("USD,GBP", into="Currencies")
    shop.types("5%", into="Mark-up")
    shop.types("20%", into="Keep the last price within")
    shop.presses("Price them")
    shop.sees("kept")
    with shop.does("finds the last prices in dollars, although the mark-up is another"):
        rows = shop.reads_the_table("Articles")
        assert {row[0]: row[2] for row in rows if row[1] == "USD"} == last
        assert {row[1] for row in rows if row[7] == "kept"} == {"USD"}

    shop.reloads_the_page()
    for field, value in {
        "Currencies": "USD,GBP", "Mark-up": "5%", "Rounding": "charm:0.99", "Keep the last price within": "20%",
    }.items():  # fmt: skip
        shop.sees_in_the_field(field, value)
