"""The console of a sandbox: its faults as switches."""

from __future__ import annotations

import msgspec
import pytest
from tests.console.conftest import Browser, Clock

from cambist.admin.operators.sign_in_links import SignInLinks
from cambist.console.routes import console_application
from cambist.monitoring.health_server import HealthApplication
from cambist.settings import Settings


@pytest.fixture
def settings(settings: Settings) -> Settings:
    (settings.data / "environment").write_text("sandbox\n")
    return msgspec.structs.replace(settings, sandbox=True)


@pytest.fixture
def browser(settings: Settings, clock: Clock) -> Browser:
    health = HealthApplication(lambda: None, clock, polls_sources=False)
    application = console_application(settings, health, None, clock, clock.elapsed)
    browser = Browser(application, SignInLinks(settings, clock, clock.elapsed))
    browser.sign_in()
    return browser


def test_faults_are_set_shown_and_ended(browser: Browser) -> None:
    none = {"stale": [], "since": None, "missing": [], "slow": 0.0, "outlier": {}}
    shown = browser.get("/faults").json
    assert {"EUR", "BTC", "XAU"} <= set(shown.pop("codes"))
    assert shown == none
    assert browser.post("/faults/stale", {"codes": ["eur", "JPY"]}).json["stale"] == ["EUR", "JPY"]
    assert browser.get("/faults").json["since"] == "2026-11-20T12:00:00Z"
    assert browser.post("/faults/stale", {"codes": "all"}).json["stale"] == "all"
    assert browser.post("/faults/stale", {"codes": []}).json["stale"] == []
    assert browser.post("/faults/missing", {"days": ["2026-10-05"]}).json["missing"] == ["2026-10-05"]
    assert browser.post("/faults/missing", {"days": []}).json["missing"] == []
    assert browser.post("/faults/slow", {"seconds": 2.5}).json["slow"] == 2.5
    assert browser.post("/faults/outlier", {"code": "eur", "factor": 1.5}).json["outlier"] == {"EUR": 1.5}
    assert browser.post("/faults/outlier", {"code": "EUR", "factor": 1}).json["outlier"] == {}
    cleared = browser.post("/faults/clear").json
    assert {name: cleared[name] for name in none} == none
    details = [each["detail"] for each in browser.get("/audit?action=sandbox.fault").json["entries"]]
    assert details[:3] == ["none", "slow = 2.5", 'slow = 2.5; [outlier]; "EUR" = 1.5']


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("stale", {"codes": ["XAUU"]}, "The sandbox never quotes [XAUU]; did you mean [XAU]?"),
        ("slow", {"seconds": -1}, "Invalid seconds: [-1], it takes 0 to 86400"),
        ("outlier", {"code": "EUR", "factor": 0}, "Invalid factor: [0.0], it takes a number above 0"),
        ("missing", {"days": ["soon"]}, "Invalid day: [soon], it takes a day such as 2026-12-31"),
        ("slow", {}, "Invalid request: Object missing required field `seconds`"),
    ],
)
def test_a_wrong_fault_is_refused_in_words(browser: Browser, path: str, body: object, sentence: str) -> None:
    refused = browser.post(f"/faults/{path}", body)
    assert (refused.refusal, refused.json["error"]) == ((400, "bad_parameter"), sentence)


def test_a_sandbox_has_no_disputes_and_asks_no_source(browser: Browser) -> None:
    assert browser.get("/disputes").refusal == (409, "not_here")
    assert browser.post("/sources/ecb/ask").refusal == (409, "not_here")
    assert browser.get("/session").json["environment"] == "sandbox"
    assert browser.get("/overview").json["sources"] is None
