"""Disputes: which codes are open, since when, what is held, and what each choice would serve."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from tests.disputes import EUR_USD, fair, file, file_agreement, file_dispute, weekdays

from cambist.history.choices import CodeDecisions
from cambist.history.code_judgement import day_number, read_code_rates
from cambist.history.disputes import held_fixings, judge_contested, open_disputes
from cambist.history.judging import Judging
from cambist.history.verdict_log import Decision, holding
from cambist.ingest.snapshot_builder import judging_of
from cambist.pricing.pair import Pair
from cambist.registry.sources.source_adapters import built_in
from cambist.storage.sql import SqlStore

TODAY = date(2026, 11, 20)
SOURCES = [built_in(key).source for key in ("ecb", "fed", "boj")]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    store = SqlStore(f"sqlite:///{tmp_path / 'archive.db'}")
    store.migrate()
    yield store
    store.close()


def judged(store: SqlStore) -> Judging:
    judging = judging_of(store, SOURCES)
    judging.update()
    judge_contested(judging, TODAY, most=None)
    return judging


def decisions_about(store: SqlStore, code: str = "EUR", today: date = TODAY) -> CodeDecisions:
    judging = judging_of(store, SOURCES)
    rates = read_code_rates(store.archive, judging.rules, code)
    assert rates is not None
    return CodeDecisions(rates, [each for each in holding(store.verdicts.decisions()) if each.code == code], today)


def decide(store: SqlStore, level: str, *, accepts: bool) -> Decision:
    return store.verdicts.decide(decisions_about(store).decision(Decimal(level), accepts=accepts))


def test_sources_that_agree_have_no_dispute(store: SqlStore) -> None:
    file_agreement(store.archive, TODAY)
    judging = judged(store)
    assert open_disputes(judging, TODAY).disputes == ()
    assert held_fixings(judging) == {}


def test_a_dispute_says_since_when_what_is_served_and_what_each_source_says(store: SqlStore) -> None:
    first, _ = file_dispute(store.archive, TODAY)
    (found,) = open_disputes(judged(store), TODAY).disputes
    assert (found.code, found.since, found.day) == ("EUR", first, TODAY)
    assert found.served is not None
    assert (found.served.source, found.served.day) == ("fed", TODAY)
    assert found.served.units == pytest.approx(1 / float(fair(TODAY)))
    assert found.other == pytest.approx(1 / 11.52)
    said = {each.source: (each.status, each.why) for each in found.fixings}
    assert said == {
        "ecb": ("held", "it is wrong by the factor of a unit"),
        "boj": ("agreed", ""),
        "fed": ("agreed", ""),
    }


def test_the_oldest_dispute_comes_first(store: SqlStore) -> None:
    days = weekdays(TODAY)
    for code, wrong in (("SEK", 1), ("NOK", 3)):
        for source in ("boj", "fed"):
            file(store.archive, source, Pair("USD", code), [(day, f"9.5{day.day:02}") for day in days])
        file(store.archive, "fed", Pair("USD", code), [(day, f"95.{day.day:02}") for day in days[-wrong:]])
    found = open_disputes(judged(store), TODAY)
    assert [(each.code, each.since) for each in found.disputes] == [("NOK", days[-3]), ("SEK", days[-1])]
    assert found.total == 2


def test_what_was_published_last_weeks_ago_is_in_no_dispute(store: SqlStore) -> None:
    file_dispute(store.archive, TODAY)
    judging = judged(store)
    assert open_disputes(judging, TODAY + timedelta(days=14)).total == 1
    assert open_disputes(judging, TODAY + timedelta(days=15)).total == 0


def test_the_held_fixings_of_a_source_are_counted(store: SqlStore) -> None:
    first, _ = file_dispute(store.archive, TODAY)
    found = held_fixings(judged(store))
    assert {key: (each.count, each.since, each.all) for key, each in found.items()} == {"ecb": (1, first, True)}
    file(store.archive, "ecb", Pair("EUR", "SEK"), [(day, "11.0") for day in weekdays(TODAY)[:-2]])
    file(store.archive, "ecb", Pair("EUR", "JPY"), [(TODAY, "1730.3")])
    for source in ("boj", "fed"):
        file(store.archive, source, Pair("USD", "JPY"), [(day, f"150.{day.day:02}") for day in weekdays(TODAY)])
    held = held_fixings(judged(store))["ecb"]
    assert held.count == 1
    assert not held.all


def test_a_lone_source_that_jumps_is_held_and_the_rate_before_is_served(store: SqlStore) -> None:
    file_agreement(store.archive, TODAY, ["ecb"])
    file(store.archive, "ecb", EUR_USD, [(TODAY, "11.50")])
    (found,) = open_disputes(judged(store), TODAY).disputes
    assert (found.status, found.since) == ("held", TODAY)
    assert found.served is not None
    assert found.served.day == weekdays(TODAY)[-2]


def test_after_a_start_only_codes_that_may_be_contested_are_judged_and_a_few_at_once(store: SqlStore) -> None:
    file_dispute(store.archive, TODAY)
    for source in ("boj", "fed"):
        file(store.archive, source, Pair("USD", "SEK"), [(day, f"9.5{day.day:02}") for day in weekdays(TODAY)])
    judging_of(store, SOURCES).update()
    again = judging_of(store, SOURCES)
    again.update()
    assert again.standings == {}
    assert not judge_contested(again, TODAY, most=0)
    assert open_disputes(again, TODAY, complete=False).total == 0
    assert judge_contested(again, TODAY, most=1)
    assert again.standings.keys() == {"EUR"}
    assert [each.code for each in open_disputes(again, TODAY).disputes] == ["EUR"]


@pytest.mark.long
def test_a_dispute_that_is_continued_began_when_it_began(store: SqlStore) -> None:
    days = weekdays(TODAY, 300)
    for source in ("ecb", "boj", "fed"):
        file(store.archive, source, EUR_USD, [(day, fair(day)) for day in days[:-100]])
    judging = judging_of(store, SOURCES)
    judging.update()
    for day in days[-100:]:
        for source in ("boj", "fed"):
            file(store.archive, source, EUR_USD, [(day, fair(day))])
        file(store.archive, "ecb", EUR_USD, [(day, f"11.5{day.day:02}")])
        judging.note_filed(store.archive.revision(), day, day)
    judging.update()
    (continued,) = open_disputes(judging, TODAY).disputes
    (whole,) = open_disputes(judged(store), TODAY).disputes
    assert continued == whole


def test_each_choice_says_what_it_would_serve(store: SqlStore) -> None:
    file_dispute(store.archive, TODAY)
    found = decisions_about(store).examine()
    assert found.is_open
    choices = {(each.accepts, each.sources): each for each in found.choices}
    accepted = choices[True, ("ecb",)]
    assert accepted.serves is not None
    assert (accepted.serves.source, accepted.serves.day, accepted.days) == ("ecb", TODAY, 2)
    rejected = choices[False, ("ecb",)]
    assert rejected.serves is not None
    assert (rejected.serves.source, rejected.days) == ("fed", 0)
    assert choices[False, ("fed", "boj")].serves != rejected.serves


@pytest.mark.parametrize(("accepts", "level", "served"), [(True, "0.0868", "ecb"), (False, "0.0868", "fed")])
def test_a_decision_serves_what_its_choice_said_and_ends_the_dispute(
    store: SqlStore, *, accepts: bool, level: str, served: str
) -> None:
    file_dispute(store.archive, TODAY)
    chosen = decisions_about(store)
    expected = chosen.preview(chosen.decision(Decimal(level), accepts=accepts)).serves
    decide(store, level, accepts=accepts)
    judging = judged(store)
    assert open_disputes(judging, TODAY).total == 0
    assert "ecb" not in held_fixings(judging)
    standing = judging.standing("EUR")
    assert standing is not None
    assert expected is not None
    assert (standing.verdict.source, standing.units) == (served, expected.units)


def test_a_decision_settles_later_days_of_its_level_too(store: SqlStore) -> None:
    file_dispute(store.archive, TODAY)
    decide(store, "0.0868", accepts=True)
    monday = TODAY + timedelta(days=3)
    file(store.archive, "ecb", EUR_USD, [(monday, "11.523")])
    file(store.archive, "fed", EUR_USD, [(monday, "1.1523")])
    judging = judged(store)
    assert open_disputes(judging, monday).total == 0
    standing = judging.standing("EUR")
    assert standing is not None
    assert standing.verdict.source == "ecb"


def test_the_rates_of_one_code_are_those_of_the_whole_archive(store: SqlStore) -> None:
    file_dispute(store.archive, TODAY)
    days = weekdays(TODAY)
    file(store.archive, "ecb", Pair("EUR", "SEK"), [(day, f"11.{day.day:02}") for day in days])
    file(store.archive, "fed", Pair("GBP", "USD"), [(day, "1.3") for day in days])
    judging = judged(store)
    for code in ("EUR", "SEK", "GBP"):
        whole, alone = judging.rates(code), read_code_rates(store.archive, judging.rules, code)
        assert whole is not None
        assert alone is not None
        assert [each.key for each in whole.histories] == [each.key for each in alone.histories]
        assert (whole.days == alone.days).all()
        assert ((whole.units == alone.units) | (whole.units != whole.units)).all()
    assert read_code_rates(store.archive, judging.rules, "CHF") is None
    assert day_number(TODAY) == judging.standings["EUR"].verdict.day
