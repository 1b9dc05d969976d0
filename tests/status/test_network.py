"""Whether any source can be reached, and the sentence that says so."""

from __future__ import annotations

from datetime import date, timedelta

from msgspec import structs
from tests.status.test_source_report import NOW, report

from cambist.status.network import no_network
from cambist.status.source_report import SourceReport, SourceReports

SECOND = timedelta(seconds=1)


def lost(key: str, **rest: object) -> SourceReport:
    facts = {"key": key, "failures": 1, "last_failure": NOW, "unreachable": True, "why": "no answer in time"}
    return report(**facts | rest)


def sentence(*reports: SourceReport) -> str:
    found = no_network(SourceReports(NOW, reports))
    return "" if found is None else found.sentence


def test_without_a_network_the_newest_stored_day_and_its_best_source_are_named() -> None:
    day = date(2026, 10, 30)
    reports = (lost("ecb", last=day), lost("boc", name="Bank", last=day), lost("old", last=date(2020, 1, 1)))
    assert sentence(*reports) == "No network: newest rates of 30 October 2026 (European Central Bank and 1 other)"
    assert sentence(lost("ecb")) == "No network: no rates are stored yet"
    received = lost("ecb", last=day, newest=NOW)
    assert sentence(received) == "No network: newest rates of 20 November 2026 (European Central Bank)"


def test_it_ends_with_the_first_answer_and_needs_several_failures() -> None:
    three = [lost(key) for key in ("a", "b", "c")]
    assert sentence(*three)
    assert not sentence(*three, report(key="d", last_success=NOW + SECOND))
    were_there = [lost(key, last_success=NOW - SECOND) for key in ("a", "b", "c")]
    assert sentence(*were_there, report(key="d", last_success=NOW - SECOND)), "it was lost while the service ran"
    one_gets_through = report(key="d", last_success=NOW - SECOND)
    assert not sentence(*three, one_gets_through), "who never answered may be out of reach in any case"
    assert sentence(*three, lost("d", last_success=NOW - SECOND)), "the only one that got through is lost"
    assert not sentence(*three[:2], *[report(key=key) for key in "def"]), "two of many may both be down"
    refused = lost("e", unreachable=False, last_failure=NOW + SECOND, why="answered 500")
    assert not sentence(*three, refused), "who refuses is there"
    many = [lost(key) for key in "fghi"]
    assert sentence(*three, *many, refused), "a sign-in page is read as what a source sends"


def test_sources_that_are_off_or_not_asked_yet_say_nothing() -> None:
    assert no_network(None) is None
    assert not sentence(report())
    assert not sentence(structs.replace(lost("ecb"), enabled=False))
    found = no_network(SourceReports(NOW, (lost("a"), lost("b"), lost("c", why="other"), report(key="d"))))
    assert found is not None
    assert (found.unreached, found.why) == (("a", "b", "c"), "no answer in time")
