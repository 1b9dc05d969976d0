"""Changed verdicts of past days in `/corrections`: what is published instead, and what it was caused by."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from xml.etree.ElementTree import fromstring

import pytest
from msgspec.json import decode
from tests.contract.three_sources import KEYS, LAST, ThreeSources, calm

from cambist.client.answers import decode_custom_type
from cambist.client.endpoints.revisions import CorrectionsResponse

ATOM = "{http://www.w3.org/2005/Atom}"
BEFORE = LAST - timedelta(days=1)
TODAY = date(2026, 11, 20)


@pytest.fixture
def three(make_client, tmp_path):
    made = ThreeSources(make_client(), tmp_path)
    yield made
    made.close()


def verdicts(three, query):
    """Return the corrections of verdicts in an answer."""
    return [each for each in three.get(f"/corrections?{query}")["corrections"] if each.get("kind") == "verdict"]


def test_a_source_that_corrects_itself_to_a_jump_is_replaced_with_the_next(three):
    edition = three.editions[-1]
    three.deliver("boa", {LAST: "2098"})
    (found,) = verdicts(three, f"since={edition}")
    assert found["earlier"] == {"value": "1400", "nominal": 1, "received_at": "2026-11-20T09:00:00Z", "source": "boa"}
    assert found["corrected"] == {
        "value": "1400.25",
        "nominal": 1,
        "received_at": "2026-11-20T09:03:00Z",
        "source": "cbn",
    }
    assert found["cause"] == {"received_at": "2026-11-20T09:03:00Z", "source": "boa"}
    assert (found["date"], found["base"], found["quote"], found["source"]) == (str(LAST), "USD", "NGN", "cbn")
    assert found["affected_until"] == str(LAST + timedelta(days=14))
    own = [each for each in three.get(f"/corrections?since={edition}")["corrections"] if "kind" not in each]
    assert [each["corrected"]["value"] for each in own] == ["2098"], "what the source itself corrected is there too"


def test_a_held_jump_that_is_confirmed_later_is_a_correction(three):
    for number, key in enumerate(KEYS):
        three.deliver(key, calm(number, BEFORE), "GHS")
    edition = three.editions[-1]
    three.deliver("boa", {LAST: "2098"}, "GHS")
    assert verdicts(three, f"since={edition}") == [], "a first verdict corrects nothing"
    three.deliver("cbn", {LAST: "2099"}, "GHS")
    (found,) = verdicts(three, f"since={edition}")
    assert (found["earlier"]["value"], found["earlier"]["status"]) == ("1400", "held")
    assert (found["corrected"]["value"], found["corrected"]["source"]) == ("2098", "boa")
    assert "status" not in found["corrected"]
    assert found["cause"]["source"] == "cbn"


def test_a_decision_is_a_cause(three):
    edition = three.editions[-1]
    three.decide("1400", LAST, accepts=False)
    three.deliver("fmd", {LAST: "1500"})
    before = three.editions[-1]
    three.deliver("boa", {LAST: "1500.5"})
    three.decide("1500", LAST, accepts=False)
    found = verdicts(three, f"since={before}")
    assert found
    assert all(("decision" in each["cause"]) == (each is found[-1]) for each in found)
    assert found[-1]["cause"]["decision"] is True
    assert verdicts(three, f"since={edition}")[-len(found) :] == found
    assert verdicts(three, f"since={three.editions[-1]}") == []


def test_the_newest_day_is_no_correction(three):
    edition = three.editions[-1]
    three.deliver("boa", {TODAY: "1401"})
    three.deliver("cbn", {TODAY: "1500"})
    three.deliver("fmd", {TODAY: "1501"})
    assert verdicts(three, f"since={edition}") == []


def test_the_first_judging_of_an_archive_corrects_nothing(make_client, tmp_path):
    three = ThreeSources(make_client(), tmp_path, is_shown=False)
    for key, value in zip(KEYS, ("2098", "1400", "1401"), strict=True):
        three.file(key, {LAST: value})
    three.show()
    assert three.get(f"/historical?date={LAST}&to=NGN")["results"] == {"NGN": 1400}
    edition = "1-" + three.editions[0].split("-", 1)[1]
    assert verdicts(three, f"since={edition}") == []
    assert verdicts(three, "to=NGN") == []
    three.close()


def test_pages_of_the_feed_have_each_correction_once(three):
    edition = three.editions[-1]
    days = [each for each in calm(0) if each > LAST - timedelta(days=9)]
    for day in days:
        three.deliver("boa", {day: "2098"})
    found, since = [], edition
    for _ in range(3 * len(days)):
        answer = three.get(f"/corrections?since={since}&limit=1")
        found += answer["corrections"]
        since = answer["next"]
        if since == three.editions[-1]:
            break
    whole = three.get(f"/corrections?since={edition}")["corrections"]
    assert found == whole
    assert len({each["id"] for each in whole}) == len(whole)
    assert len([each for each in whole if "kind" in each]) >= len(days)
    assert verdicts(three, f"since={three.editions[-1]}") == []


def test_a_pair_has_those_of_its_codes_newest_day_first(three):
    three.deliver("boa", {LAST: "2098"})
    three.deliver("boa", {BEFORE: "2097"})
    assert [each["date"] for each in verdicts(three, "from=EUR&to=NGN")] == [str(LAST), str(BEFORE)]
    assert verdicts(three, "from=EUR&to=GHS") == []
    assert [each["date"] for each in verdicts(three, f"to=NGN&end={BEFORE}")] == [str(BEFORE)]


def test_the_atom_feed_says_what_is_published_instead_and_why(three):
    edition = three.editions[-1]
    three.deliver("boa", {LAST: "2098"})
    reply = three.client.get(f"/corrections.atom?since={edition}")
    entries = fromstring(reply.content).findall(f"{ATOM}entry")  # noqa: S314  our own answer
    titles = [entry.findtext(f"{ATOM}title") for entry in entries]
    assert f"USD/NGN {LAST}: 1400 by boa, now 1400.25 by cbn" in titles
    text = entries[titles.index(f"USD/NGN {LAST}: 1400 by boa, now 1400.25 by cbn")].findtext(f"{ATOM}content")
    assert text.startswith("Since a delivery of boa of 2026-11-20T09:03:00Z, USD/NGN of 2026-11-19 was 1400 by boa")


def test_the_client_reads_them(three):
    edition = three.editions[-1]
    three.deliver("boa", {LAST: "2098"})
    content = three.client.get(f"/corrections?since={edition}").content
    found = decode(content, type=CorrectionsResponse, dec_hook=decode_custom_type).corrections[-1]
    assert (found.kind, found.corrected.value, found.cause.source) == ("verdict", Decimal("1400.25"), "boa")
