"""Verdicts in `/explain`: how many agree, what each source says, why a fixing is held, and what would settle it."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from msgspec.json import decode
from tests.contract.three_sources import KEYS, LAST, ThreeSources
from tests.reading import read_with

from cambist.client.answers import decode_custom_type
from cambist.client.endpoints import explanations
from cambist.errors import RateUnavailable, StoreBusy

TODAY = date(2026, 11, 20)
SATURDAY = LAST - timedelta(days=5)


@pytest.fixture
def three(make_client, tmp_path):
    made = ThreeSources(make_client(), tmp_path)
    yield made
    made.close()


def said(three, **values):
    """Let sources publish a value of today."""
    for key, value in values.items():
        three.deliver(key, {TODAY: value})


def test_where_all_agree_the_verdict_says_how_many_and_lists_each(three):
    said(three, boa="1401", cbn="1402", fmd="1401.5")
    found = three.verdict()
    assert (found["status"], found["sentence"], found["pair"]) == ("agreed", "3 of 3 agree", "USD/NGN")
    assert (found["date"], found["level"]) == ("2026-11-20", "1401.5")
    assert [(each["source"], each["rate"], each["weight"], each["status"]) for each in found["fixings"]] == [
        ("boa", "1401", 1.0, "agreed"),
        ("cbn", "1402", 1.0, "agreed"),
        ("fmd", "1401.5", 1.0, "agreed"),
    ]
    assert found["fixings"][0]["distance"] == pytest.approx(100 * (1401 / 1401.5 - 1), abs=1e-3)
    assert not {"other", "settles", "held_since", "because"} & set(found)


def test_a_liar_is_held_with_the_reason_and_its_distance(three):
    said(three, boa="140100", cbn="1401", fmd="1402")
    found = three.verdict()
    assert found["sentence"].startswith("2 of 3 agree")
    liar = found["fixings"][0]
    assert (liar["source"], liar["status"]) == ("boa", "held")
    assert liar["because"] == "it is 100 times more, as if by a mistaken unit"
    assert liar["distance"] == pytest.approx(9896, abs=20)
    assert three.get("/fetch-one?to=NGN")["result"] == {"NGN": 1401}


def test_a_jump_of_all_is_agreed(three):
    said(three, boa="2098", cbn="2100", fmd="2099")
    found = three.verdict()
    assert (found["status"], found["sentence"]) == ("agreed", "3 of 3 agree")


def test_a_jump_of_one_is_held_since_when_and_why_and_what_would_settle_it(three):
    said(three, boa="2098")
    answer = three.get("/explain?to=NGN")
    (leg,) = answer["legs"]
    found = leg["verdict"]
    assert answer["result"]["NGN"] == pytest.approx(1401, abs=2), "the rate of the day before stands"
    assert (found["status"], found["other"], found["held_since"]) == ("held", "2098", "2026-11-20")
    assert found["sentence"] == "what boa published is held, and the rate of before stands"
    assert found["because"] == "boa: it jumps, and nobody else has published that day"
    assert found["settles"] == "one more original that says 2098, or the next publication of boa"
    said(three, cbn="2099")
    found = three.verdict()
    assert "held_since" not in found
    assert [each["status"] for each in found["fixings"]] == ["agreed", "agreed"]
    assert three.get("/fetch-one?to=NGN")["result"] == {"NGN": 2098}


def test_a_past_day_is_explained_by_the_fixing_that_is_served_while_newer_ones_are_held(three):
    said(three, boa="2098")
    answer = three.get(f"/explain?to=NGN&date={TODAY}")
    (leg,) = answer["legs"]
    assert answer["result"] == {"NGN": 1400}
    assert (leg["rate"], leg["published"], leg["fixed_on"]) == ("1400", "1400", str(LAST))
    assert (leg["carried_days"], leg["because"], leg["verdict"]["held_since"]) == (1, "held", str(TODAY))


def test_a_unit_error_of_one_is_not_settled_by_its_own_repetition(three):
    said(three, boa="140100")
    found = three.verdict()
    assert found["status"] == "held"
    assert found["because"] == "boa: it is 100 times more, as if by a mistaken unit"
    assert found["settles"] == (
        "the next publication of boa, if it is near the agreed rate, or a decision of the operator"
    )


def test_a_dispute_shows_the_other_rate(three):
    said(three, boa="1401", cbn="1700")
    found = three.verdict()
    assert found["status"] == "disputed"
    assert {found["level"], found["other"]} == {"1401", "1700"}
    assert found["sentence"] == f"1 of 2 agree, others say {found['other']}"
    assert f"one more original that says {found['other']}" in found["settles"]


def test_a_single_source_says_so(three):
    said(three, cbn="1402")
    found = three.verdict()
    assert (found["status"], found["sentence"]) == ("single", "only cbn has published")


def test_what_the_operator_decided_is_a_reason(three):
    said(three, boa="1550", cbn="1551", fmd="1401")
    three.decide("1550", TODAY, accepts=False)
    found = three.verdict()
    held = [each for each in found["fixings"] if each["status"] == "held"]
    assert [(each["source"], each["because"]) for each in held] == [
        ("boa", "the operator has rejected it"),
        ("cbn", "the operator has rejected it"),
    ]
    assert three.get("/fetch-one?to=NGN")["result"] == {"NGN": 1401}


def test_a_past_day_has_the_verdict_of_its_fixings_and_a_weekend_those_before_it(three):
    found = three.verdict(f"to=NGN&date={SATURDAY}")
    assert (found["date"], found["sentence"]) == (str(SATURDAY - timedelta(days=1)), "3 of 3 agree")


def test_a_past_day_is_settled_by_what_came_later(three):
    three.deliver("boa", {LAST: "2098"})
    said(three, boa="2100", cbn="2101", fmd="2102")
    found = three.verdict(f"to=NGN&date={LAST}")
    assert "settles" not in found
    assert [each["source"] for each in found["fixings"]] == list(KEYS)


def test_the_direction_is_that_of_the_leg(three):
    for key in KEYS:
        three.deliver(key, {TODAY: "0.8"}, "EUR")
    found = three.verdict(f"from=EUR&to=USD&date={TODAY}")
    assert (found["pair"], found["level"], found["fixings"][0]["rate"]) == ("USD/EUR", "0.8", "0.8")


def test_a_database_that_does_not_answer_leaves_the_verdict_out_of_a_current_rate(three):
    said(three, boa="1401")
    before = three.client.get("/explain?to=NGN").json
    for error in (RateUnavailable("gone"), StoreBusy("busy", 5)):

        def broken(*_asked, error=error):
            raise error

        read_with(three.client.worker_state, verdicts=broken)
        three.client.worker_state.caches.clear()
        answer = three.get("/explain?to=NGN")
        assert answer["result"] == before["result"]
        assert "verdict" not in answer["legs"][0]
        assert three.client.get(f"/explain?to=NGN&date={LAST}").status == 503


def test_an_edition_has_the_verdict_that_was_shown_then(three):
    said(three, boa="2098")
    then, edition = three.get(f"/explain?to=NGN&date={TODAY}"), three.editions[-1]
    said(three, cbn="2099")
    three.decide("2098", TODAY, accepts=True)
    assert three.verdict(f"to=NGN&date={TODAY}")["status"] == "agreed"
    again = three.get(f"/explain?to=NGN&date={TODAY}&as_of={edition}")
    assert again["legs"][0]["verdict"]["status"] == "held"
    assert again | {"ms": 0} == then | {"ms": 0}


# Agreement


def test_agreement_says_single(three):
    said(three, cbn="1402")
    found = three.get("/fetch-one?to=NGN&min_sources=1")["agreement"]["NGN"]
    assert (found["status"], "other" in found) == ("single", False)
    assert three.get(f"/historical?date={TODAY}&to=NGN&min_sources=1")["agreement"]["NGN"]["status"] == "single"


def test_agreement_says_disputed_with_the_other_rate(three):
    said(three, boa="1401", cbn="1700")
    other = three.verdict()["other"]
    for query in (
        "fetch-one?to=NGN&min_sources=1",
        "explain?to=NGN&verbose=1",
        f"historical?date={TODAY}&to=NGN&min_sources=1",
        f"convert?date={TODAY}&to=NGN&amount=1&min_sources=1",
    ):
        found = three.get(f"/{query}")["agreement"]["NGN"]
        assert (found["status"], found["other"]) == ("disputed", other)


def test_agreement_says_held(three):
    said(three, boa="2098")
    assert three.get("/fetch-one?to=NGN&min_sources=1")["agreement"]["NGN"]["status"] == "held"


def test_a_request_for_many_codes_counts_sources_without_judging_each(three, monkeypatch):
    monkeypatch.setattr("cambist.api.bodies.agreement.MAX_JUDGED", 0)
    assert "status" not in three.get("/fetch-one?to=NGN&min_sources=1")["agreement"]["NGN"]
    assert "status" not in three.get(f"/historical?date={LAST}&to=NGN&min_sources=1")["agreement"]["NGN"]


# Elsewhere


def test_the_client_reads_verdicts(three):
    said(three, boa="2098")
    content = three.client.get("/explain?to=NGN&verbose=1").content
    answer = decode(content, type=explanations.ExplainResponse, dec_hook=decode_custom_type)
    found = answer.legs[0].verdict
    assert (found.other, found.held_since, found.fixings[0].rate) == (Decimal(2098), TODAY, Decimal(2098))
    assert answer.agreement["NGN"].status == "held"
