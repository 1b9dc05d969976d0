"""The console's quarantine: a refused fixing beside its neighbours, and the operator's decision."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from tests.console.conftest import Browser

from cambist.history.fixing import Fixing, Receipt, RefusedFixing
from cambist.pricing.pair import Pair
from cambist.settings import Settings
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.sql import SqlStore

CAME_AT = datetime(2026, 11, 19, 16, 0, tzinfo=UTC)
DAY = date(2026, 11, 19)
EUR_USD, USD_EUR, EUR_JPY, USD_JPY = Pair("EUR", "USD"), Pair("USD", "EUR"), Pair("EUR", "JPY"), Pair("USD", "JPY")


def fixing(source: str, pair: Pair, value: str, day: date = DAY) -> Fixing:
    return Fixing(source, pair, day, Decimal(value))


def add(store: SqlStore, source: str, fixings: list[Fixing], refused: list[RefusedFixing] | None = None) -> None:
    store.archive.file(Receipt(source, CAME_AT, "https://rates.example/", source), fixings, refused or [])


@pytest.fixture(autouse=True)
def _quarantined(settings: Settings) -> None:
    """Number 1: a fixing of the ECB that is ten times too high. Three other sources have the same day."""
    store = SqlStore(settings.database_url)
    before = [fixing("ecb", EUR_USD, value, date(2026, 11, day)) for day, value in ((17, "1.1500"), (18, "1.1600"))]
    add(store, "ecb", before, [RefusedFixing(fixing("ecb", EUR_USD, "11.70"), "ten times the day before")])
    add(store, "boc", [fixing("boc", EUR_USD, "1.1700")])
    add(store, "fed", [fixing("fed", USD_EUR, "0.8")])
    add(store, "boj", [fixing("boj", EUR_JPY, "180"), fixing("boj", USD_JPY, "150")])
    add(store, "nbp", [fixing("nbp", Pair("CHF", "PLN"), "4.5")])
    store.close()


def test_waiting_fixings_are_listed_with_the_reason(browser: Browser) -> None:
    found = browser.get("/quarantine").json
    assert (found["total"], found["sources"]) == (1, ["ecb"])
    shown = found["fixings"][0]
    assert (shown["number"], shown["value"], shown["reason"]) == (1, "11.70", "ten times the day before")
    assert browser.get("/quarantine?source=fed").json["total"] == 0


def test_a_fixing_is_shown_beside_its_neighbours(browser: Browser) -> None:
    found = browser.get("/quarantine/1").json
    assert found["rate"] == 11.7
    assert [(each["day"], each["rate"]) for each in found["own"]] == [("2026-11-17", 1.15), ("2026-11-18", 1.16)]
    others = {each["source"]: [point["rate"] for point in each["points"]] for each in found["others"]}
    assert others == {"boc": [1.17], "fed": [1.25], "boj": [pytest.approx(1.2)]}
    assert (found["since"], found["until"], found["agreed"]) == ("2026-09-20", "2026-12-19", [])


def test_an_unknown_number_is_refused(browser: Browser) -> None:
    assert browser.get("/quarantine/2").json["error"].startswith("There is no number [2] in quarantine")
    assert browser.post("/quarantine/accept", {"numbers": [2]}).refusal == (400, "bad_parameter")


def test_an_accepted_fixing_is_stored_and_ingest_is_notified(
    browser: Browser, settings: Settings, audited: Callable[..., list]
) -> None:
    version = data_changes(settings.data).version(Topic.ARCHIVE)
    (accepted,) = browser.post("/quarantine/accept", {"numbers": [1]}).json["accepted"]
    assert (accepted["state"], accepted["filed"]) == ("accepted", "added")
    assert data_changes(settings.data).version(Topic.ARCHIVE) != version
    assert audited() == [("quarantine.accept", "number 1", "done")]
    assert browser.get("/quarantine").json["total"] == 0
    assert browser.get("/quarantine?all=true").json["total"] == 1
    assert [point["rate"] for point in browser.get("/quarantine/1").json["own"]] == [1.15, 1.16, 11.7]


def test_a_rejected_fixing_is_not_stored_and_the_reason_is_kept(browser: Browser, settings: Settings) -> None:
    rejected = browser.post("/quarantine/reject", {"numbers": [1], "reason": "a slipped point"}).json["rejected"]
    assert [each["state"] for each in rejected] == ["rejected"]
    entry = browser.get("/audit?action=quarantine").json["entries"][0]
    assert entry["detail"].endswith("11.70 2026-11-19: a slipped point")
    store = SqlStore(settings.database_url)
    assert store.archive.revisions(EUR_USD, DAY)[0].fixing.source == "boc"
    store.close()
    assert browser.post("/quarantine/accept", {"numbers": [1]}).refusal == (400, "bad_parameter")
