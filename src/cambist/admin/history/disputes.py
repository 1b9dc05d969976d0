"""The operator's decisions on disputed levels, whether the service runs or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from types import TracebackType
from typing import Self

from msgspec import structs

from cambist.accounts.names import echo
from cambist.admin.history.decisions import (
    DecidedLevel,
    DecisionPreview,
    WantedDecision,
    WantedException,
    decision_detail,
    is_held_by,
)
from cambist.admin.operators.audit import AuditRecorder
from cambist.errors import BadParameter, CannotStart
from cambist.history.choices import Choice, CodeDecisions, Examination
from cambist.history.code_judgement import day_number, day_of, read_code_rates
from cambist.history.dispute import Disputes
from cambist.history.disputes import judge_contested, open_disputes
from cambist.history.verdict_log import Decision, holding
from cambist.ingest.snapshot_builder import judging_of, rules_of
from cambist.registry.sources.source_adapters import fixing_adapters
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.status.environment import Environment
from cambist.status.source_report import SourceReports
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.suggestions import did_you_mean

_REPORT_AGE = timedelta(seconds=15)
"""Reports come every second: if the last is older, no service runs that would know the disputes."""

MOST_AT_ONCE = 20
"""Decisions that are taken at once: each judges a code anew."""

_LEAST, _MOST = Decimal("1e-12"), Decimal("1e12")


class DisputeAdmin:
    """Lists disputes, and takes and takes back decisions of a data directory; the ingest process is notified.

    Decisions are recorded in the audit log as those of `who`, by default of the user who runs this process.
    Errors when made: CannotStart for a directory without a database, or of a sandbox; SourceRefused.
    """

    def __init__(self, settings: Settings, clock: Callable[[], datetime], who: str = "") -> None:
        if not settings.data.is_dir() or not (settings.database or (settings.data / "cambist.db").exists()):
            raise CannotStart(f"There is no archive in {settings.data}: run [cambist serve] once, or name --data")
        self._folder = DataDirectory(settings.data)
        self._folder.check(Environment.LIVE)
        self._sources = [adapter.source for adapter in fixing_adapters(settings).values()]
        self._clock = clock
        self._audit = AuditRecorder(settings, clock, who)
        self._store = open_store(settings)
        self._changes = data_changes(settings.data)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._store.close()

    def disputes(self) -> Disputes:
        """Return the open disputes, oldest first: as a running service has reported them, or by judging the archive.

        If the last decision is not among what they follow, they are not complete: the service has yet to apply it.
        """
        reports = read_json_file(self._folder.source_reports, SourceReports)
        if reports is None or self._clock() - reports.written_at > _REPORT_AGE:
            judging, today = judging_of(self._store, self._sources), self._clock().date()
            judging.update()
            judge_contested(judging, today, most=None)
            return open_disputes(judging, today)
        decision = max((each.number for each in self._store.verdicts.decisions()), default=0)
        is_complete = reports.disputes.complete and reports.disputes.decision >= decision
        return structs.replace(reports.disputes, complete=is_complete)

    def examine(self, code: str) -> Examination:
        """Return what holds of a code, and what each choice would serve. Errors: BadParameter."""
        return self._code(code).examine()

    def decisions(self) -> list[DecidedLevel]:
        """Return all decisions, newest first."""
        known = self._store.verdicts.decisions()
        ended = {each.takes_back: each.number for each in known if each.takes_back is not None}
        found = [each for each in known if each.takes_back is None]
        return [DecidedLevel(each, each.number not in ended, ended.get(each.number)) for each in reversed(found)]

    def preview(self, wanted: WantedDecision) -> Choice:
        """Return what a decision would serve; nothing is stored. Errors: BadParameter."""
        code = self._code(wanted.code)
        return code.preview(self._decision(code, wanted))

    def preview_all(self, wanted: Sequence[WantedDecision | WantedException]) -> list[DecisionPreview]:
        """Return what decisions would serve if all of them are taken; nothing is stored. Errors: BadParameter."""
        if not 1 <= len(wanted) <= MOST_AT_ONCE:
            raise BadParameter(f"Invalid decisions: [{len(wanted)}] at once, it takes 1 to {MOST_AT_ONCE}")
        codes: dict[str, CodeDecisions] = {}
        made: list[Decision] = []
        for each in wanted:
            code = codes.setdefault(each.code.upper(), codes.get(each.code.upper()) or self._code(each.code))
            made.append(self._any_decision(code, each))
        found = []
        for decision in made:
            code = codes[decision.code]
            others = [each for each in made if each.code == decision.code and each is not decision]
            found.append(DecisionPreview(decision, code.served, code.preview(decision, others)))
        return found

    def held_by(self, source: str) -> list[str]:
        """Return the codes in dispute of which the newest fixing of a source is held, at most as many as are reported.

        Errors: BadParameter for an unknown source.
        """
        keys = [each.key for each in self._sources]
        if source not in keys:
            raise BadParameter(f"Unknown source: [{echo(source)}]; {did_you_mean(source, keys)}")
        return [each.code for each in self.disputes().disputes if is_held_by(each, source)]

    def preview_without(self, number: int) -> Choice:
        """Return what would be served if a decision was taken back; nothing is stored. Errors: BadParameter."""
        decision = self._holding(number)
        return self._code(decision.code).preview_without(decision)

    def decide(self, wanted: WantedDecision) -> DecidedLevel:
        """Accept or reject the fixings near a level. Errors: BadParameter, and nothing is changed.

        An interrupted command can be repeated: the same decision is not taken twice.
        """
        name = "dispute.accept" if wanted.accepts else "dispute.reject"
        with self._audit.action(name, wanted.code, wanted.level) as action:
            decision = self._decision(self._code(wanted.code), wanted)
            action.detail = decision_detail(decision)
            return self._decided(decision)

    def decide_all(self, wanted: Sequence[WantedDecision | WantedException]) -> list[DecidedLevel]:
        """Take several decisions. Errors: BadParameter if one of them is refused, and then nothing is changed."""
        self.preview_all(wanted)
        return [self.leave_out(each) if isinstance(each, WantedException) else self.decide(each) for each in wanted]

    def leave_out(self, wanted: WantedException) -> DecidedLevel:
        """Leave a source out for a code until a day; `take_back` ends that. Errors: BadParameter."""
        with self._audit.action("source.leave-out", wanted.source, f"{wanted.code} until {wanted.last}") as action:
            decision = self._any_decision(self._code(wanted.code), wanted)
            action.detail = decision_detail(decision)
            return self._decided(decision)

    def take_back(self, number: int, reason: str = "") -> DecidedLevel:
        """Take a decision back. Errors: BadParameter, and nothing is changed."""
        with self._audit.action("dispute.take-back", f"decision {number}", echo(reason)) as action:
            decision = self._holding(number)
            ending = structs.replace(decision, number=0, reason=reason, made_at=self._clock(), takes_back=number)
            action.detail = decision_detail(ending)
            return DecidedLevel(decision, holds=False, taken_back_by=self._store_decision(ending).number)

    def _decided(self, decision: Decision) -> DecidedLevel:
        known = [each for each in holding(self._store.verdicts.decisions()) if _is_same(each, decision)]
        return DecidedLevel(known[0] if known else self._store_decision(decision), holds=True, taken_back_by=None)

    def _store_decision(self, decision: Decision) -> Decision:
        try:
            return self._store.verdicts.decide(decision)
        finally:
            self._changes.notify(Topic.ARCHIVE)

    def _code(self, code: str) -> CodeDecisions:
        rates = read_code_rates(self._store.archive, rules_of(self._sources), code.upper())
        if rates is None:
            raise BadParameter(f"No source has fixings of [{echo(code)}], which can be decided about")
        decisions = [each for each in holding(self._store.verdicts.decisions()) if each.code == rates.code]
        return CodeDecisions(rates, decisions, self._clock().date())

    def _decision(self, code: CodeDecisions, wanted: WantedDecision) -> Decision:
        first = code.first_day if wanted.first is None else day_number(wanted.first)
        last = None if wanted.last is None else day_number(wanted.last)
        if last is not None and last < first:
            raise BadParameter(f"The decision would end on {day_of(last)}, before it begins on {day_of(first)}")
        level = _level(code, wanted.level)
        decision = code.decision(level, accepts=wanted.accepts, first=first, last=last, reason=wanted.reason)
        decision = structs.replace(decision, made_at=self._clock())
        if not code.meant(decision):
            raise BadParameter(
                f"No fixing of {decision.code} from {day_of(first)} on is within 2 % of [{decision.level:f}]: "
                f"see [cambist disputes show {decision.code}]"
            )
        return decision

    def _any_decision(self, code: CodeDecisions, wanted: WantedDecision | WantedException) -> Decision:
        if isinstance(wanted, WantedDecision):
            return self._decision(code, wanted)
        today = self._clock().date()
        first, last = day_number(wanted.first or today), day_number(wanted.last)
        if last < first:
            raise BadParameter(f"The exception would end on {wanted.last}, before it begins on {day_of(first)}")
        if wanted.source not in code.sources:
            near = did_you_mean(wanted.source, code.sources)
            raise BadParameter(f"The source [{echo(wanted.source)}] has no fixings of [{echo(wanted.code)}]; {near}")
        return structs.replace(code.leaving_out(wanted.source, first, last, wanted.reason), made_at=self._clock())

    def _holding(self, number: int) -> Decision:
        for each in self.decisions():
            if each.decision.number == number:
                if each.taken_back_by is not None:
                    raise BadParameter(f"Decision [{number}] was taken back by [{each.taken_back_by}]")
                return each.decision
        raise BadParameter(f"There is no decision [{number}]: see [cambist disputes decisions]")


def _level(code: CodeDecisions, text: str) -> Decimal:
    """Return the level that a text means: a number, or the newest fixing of a source."""
    units = code.newest_of(text.lower())
    if units is not None:
        return Decimal(f"{units:.8g}")
    try:
        level = Decimal(text)
    except InvalidOperation:
        raise BadParameter(
            f"Unknown level: [{echo(text)}], it takes units per US dollar such as 1.25, or a source; "
            + did_you_mean(text, (each.source for each in code.standing.newest))
        ) from None
    if not (level.is_finite() and _LEAST <= level <= _MOST):
        raise BadParameter(f"Invalid level: [{echo(text)}], it takes units per US dollar such as 1.25")
    return level


def _is_same(one: Decision, other: Decision) -> bool:
    names = ("code", "first_day", "last_day", "level", "accepts", "source")
    return all(getattr(one, name) == getattr(other, name) for name in names)
