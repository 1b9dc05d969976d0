"""The real Home Assistant with the integration of `packages/home-assistant`, against a running service."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.programs.conftest import SCRIPTS, Place

pytestmark = [pytest.mark.service]

INTEGRATION = Path(__file__).parents[2] / "packages" / "home-assistant" / "custom_components" / "cambist"
PYTHON = Path(sys.prefix) / "homeassistant" / "bin" / "python"
URL = "http://127.0.0.1"


@pytest.fixture(scope="module")
def found(place: Place, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What Home Assistant makes of forms: a good one, the same again, and wrong ones."""
    if not PYTHON.exists():
        pytest.skip("Home Assistant is not installed: `make home-assistant` installs it, with Python 3.13")
    folder = tmp_path_factory.mktemp("home")
    (folder / "custom_components").mkdir()
    (folder / "custom_components" / "cambist").symlink_to(INTEGRATION)
    good = {"url": URL, "api_key": place.key, "pairs": "EUR/USD, eur/chf, XAU/EUR, BTC/USD", "minutes": 5}
    wrong = [
        {"url": "127.0.0.1"},
        {"url": "http://127.0.0.1:1"},
        {"api_key": "cmb_no", "pairs": "GBP/USD"},
        {"pairs": "GBP USD"},
        {"pairs": "GBP/XYZ"},
    ]
    filled = [good, good, *(good | each for each in wrong)]
    out = place.run(str(PYTHON), str(SCRIPTS / "run_home_assistant.py"), str(folder), json.dumps(filled))
    return json.loads(out.splitlines()[-1])


def test_there_is_a_sensor_for_each_pair_with_the_rate_of_the_service(found: Any, place: Place) -> None:
    assert found["forms"][0]["type"] == "create_entry"
    assert list(found["sensors"]) == ["EUR/USD", "EUR/CHF", "XAU/EUR", "BTC/USD"]
    for name, (state, unit, moment) in found["sensors"].items():
        base, quote = name.split("/")
        answer = place.ask(f"/fetch-one?from={base}&to={quote}")
        assert (float(state), unit) == (answer["result"][quote], quote)
        assert moment == answer["updated"].replace("Z", "+00:00")


def test_a_service_is_added_once_and_its_sensors_go_with_it(found: Any) -> None:
    assert (found["forms"][1]["type"], found["forms"][1]["reason"]) == ("abort", "already_configured")
    assert found["left"] == {}


def test_what_is_wrong_is_said_at_its_field(found: Any) -> None:
    said = [(form["errors"], form["told"]) for form in found["forms"][2:]]
    assert said[0] == ({"url": "no_address"}, "127.0.0.1")
    assert (said[1][0], "does not answer" in said[1][1]) == ({"base": "cannot_connect"}, True)
    assert (said[2][0], "key" in said[2][1]) == ({"api_key": "invalid_auth"}, True)
    assert said[3] == ({"pairs": "no_pair"}, "GBP USD")
    assert (said[4][0], "[XYZ]" in said[4][1]) == ({"pairs": "no_rate"}, True)


def test_the_texts_of_the_form_are_those_of_its_translation() -> None:
    assert (INTEGRATION / "strings.json").read_text() == (INTEGRATION / "translations" / "en.json").read_text()
