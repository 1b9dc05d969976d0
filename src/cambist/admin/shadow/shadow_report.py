"""Sum up what was written down: by endpoint and pair, what is the same, what differs, and what it cost. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median

from msgspec import Struct

from cambist.admin.shadow.differences import MINOR, AnswerDifference, DifferenceKind
from cambist.admin.shadow.shadow_log import ShadowRecord

_FEWEST_FOR_P95 = 20
"""Of fewer times the 95th percentile is not shown: it would be the slowest one alone."""

_MOST_PAIRS, _MOST_CHANGES, _MOST_CODES = 20, 30, 8
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_IN_BRACKETS = re.compile(r"\[[^\]]*\]")
_LINE = re.compile(r"^line \d+")
_CODE = re.compile(r"(?<=\.)[A-Z][A-Z0-9]{2,9}(?=\.|$)|^[A-Z]{3,5}(?=\.|$)")


class AnswerTimes(Struct, frozen=True):
    """Milliseconds until an answer began: their median, and their 95th percentile if there are twenty at least."""

    count: int
    median_ms: float
    p95_ms: float | None


class WidestGap(Struct, frozen=True):
    """Of two numbers the distance as a part of theirs, with the field and the request that show it."""

    apart: float
    where: str
    theirs: str
    ours: str
    target: str


class ShadowSums(Struct, frozen=True, kw_only=True):
    """The requests of one pair, or of a whole endpoint.

    `requests` are `same`, `minor`, `different` and `not_compared` together. `kinds` count the requests in which a kind
    of difference occurs. `calls` are those that ours has named; `without_cost` answers of ours named none.
    """

    pair: str
    requests: int
    same: int
    minor: int
    different: int
    not_compared: int
    kinds: dict[str, int]
    widest: WidestGap | None
    theirs: AnswerTimes | None
    ours: AnswerTimes | None
    calls: int
    without_cost: int


class ShadowChange(Struct, frozen=True, kw_only=True):
    """One change that programs would meet: in how many requests, with an example, and the codes that it is about."""

    kind: DifferenceKind
    where: str
    requests: int
    theirs: str
    ours: str
    target: str
    codes: list[str]
    more_codes: int


class EndpointSums(Struct, frozen=True, kw_only=True):
    """An endpoint: all of it, its pairs with the most requests, and its changes; `more…` count those not listed."""

    endpoint: str
    total: ShadowSums
    pairs: list[ShadowSums]
    more_pairs: int
    changes: list[ShadowChange]
    more_changes: int


class ShadowReport(Struct, frozen=True, kw_only=True):
    """What a log says. `unreadable` lines were no records; `simulated` counts answers of ours that are a sandbox's."""

    first: datetime | None
    last: datetime | None
    total: ShadowSums
    reasons: dict[str, int]
    tolerances: list[str]
    simulated: int
    unreadable: int
    endpoints: list[EndpointSums]


def make_shadow_report(records: Iterable[ShadowRecord | None]) -> ShadowReport:
    """Return the sums of records; None is a line that could not be read."""
    gathered = _Gathered()
    for record in records:
        if record is None:
            gathered.unreadable += 1
        else:
            gathered.add(record)
    return gathered.report()


@dataclass(slots=True)
class _Sums:
    """The sums of one pair or endpoint while they are made."""

    requests: int = 0
    states: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    widest: WidestGap | None = None
    theirs: list[float] = field(default_factory=list)
    ours: list[float] = field(default_factory=list)
    calls: int = 0
    without_cost: int = 0

    def add(self, record: ShadowRecord) -> None:
        self.requests += 1
        self.states[_state(record)] += 1
        self.kinds.update({each.kind.value for each in record.differences})
        for times, side in ((self.theirs, record.theirs), (self.ours, record.ours)):
            if side.ms is not None:
                times.append(side.ms)
        self.calls += record.calls or 0
        self.without_cost += record.ours.status > 0 and record.calls is None
        for each in record.differences:
            if each.apart is not None and (self.widest is None or each.apart > self.widest.apart):
                self.widest = WidestGap(each.apart, each.where, each.theirs, each.ours, record.target)

    def sums(self, pair: str = "") -> ShadowSums:
        return ShadowSums(
            pair=pair,
            requests=self.requests,
            same=self.states["same"],
            minor=self.states["minor"],
            different=self.states["different"],
            not_compared=self.states["not compared"],
            kinds={kind.value: self.kinds[kind.value] for kind in DifferenceKind if self.kinds[kind.value]},
            widest=self.widest,
            theirs=_times(self.theirs),
            ours=_times(self.ours),
            calls=self.calls,
            without_cost=self.without_cost,
        )


@dataclass(slots=True)
class _Changes:
    """One change while it is counted: its first example, and the codes that it is about."""

    example: AnswerDifference
    target: str
    requests: int = 0
    codes: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Endpoint:
    """An endpoint while its requests are counted."""

    total: _Sums = field(default_factory=_Sums)
    pairs: defaultdict[str, _Sums] = field(default_factory=lambda: defaultdict(_Sums))
    changes: dict[tuple[DifferenceKind, str], _Changes] = field(default_factory=dict)

    def add(self, record: ShadowRecord) -> None:
        self.total.add(record)
        self.pairs[record.pair].add(record)
        seen = set()
        for each in record.differences:
            where, codes = _general(each.where)
            change = self.changes.setdefault((each.kind, where), _Changes(each, record.target))
            change.codes.update(codes)
            seen.add((each.kind, where))
        for key in seen:
            self.changes[key].requests += 1

    def sums(self, endpoint: str) -> EndpointSums:
        pairs = sorted(self.pairs.items(), key=lambda item: (-item[1].requests, item[0]))
        changes = sorted(self.changes.items(), key=lambda item: (item[0][0] in MINOR, -item[1].requests, item[0][1]))
        return EndpointSums(
            endpoint=endpoint,
            total=self.total.sums(),
            pairs=[sums.sums(pair) for pair, sums in pairs[:_MOST_PAIRS]],
            more_pairs=max(0, len(pairs) - _MOST_PAIRS),
            changes=[_change(kind, where, found) for (kind, where), found in changes[:_MOST_CHANGES]],
            more_changes=max(0, len(changes) - _MOST_CHANGES),
        )


@dataclass(slots=True)
class _Gathered:
    """All records while they are read."""

    total: _Sums = field(default_factory=_Sums)
    endpoints: defaultdict[str, _Endpoint] = field(default_factory=lambda: defaultdict(_Endpoint))
    reasons: Counter[str] = field(default_factory=Counter)
    tolerances: dict[str, None] = field(default_factory=dict)
    moments: list[datetime] = field(default_factory=list)
    simulated: int = 0
    unreadable: int = 0

    def add(self, record: ShadowRecord) -> None:
        self.total.add(record)
        method = "" if record.method == "GET" else f"{record.method} "
        self.endpoints[f"{method}{record.endpoint}"].add(record)
        self.reasons.update([record.not_compared] if record.not_compared else [])
        self.tolerances[record.tolerance] = None
        self.simulated += record.environment == "sandbox"
        kept = [*self.moments, record.at]
        self.moments = [min(kept), max(kept)]

    def report(self) -> ShadowReport:
        ordered = sorted(self.endpoints.items(), key=lambda item: (-item[1].total.requests, item[0]))
        return ShadowReport(
            first=min(self.moments, default=None),
            last=max(self.moments, default=None),
            total=self.total.sums(),
            reasons=dict(self.reasons.most_common()),
            tolerances=list(self.tolerances),
            simulated=self.simulated,
            unreadable=self.unreadable,
            endpoints=[found.sums(name) for name, found in ordered],
        )


def _state(record: ShadowRecord) -> str:
    if record.not_compared:
        return "not compared"
    if not record.differences:
        return "same"
    is_minor = not record.more and all(each.kind in MINOR for each in record.differences)
    return "minor" if is_minor else "different"


def _times(milliseconds: Sequence[float]) -> AnswerTimes | None:
    if not milliseconds:
        return None
    ordered = sorted(milliseconds)
    p95 = ordered[-(-95 * len(ordered) // 100) - 1] if len(ordered) >= _FEWEST_FOR_P95 else None
    return AnswerTimes(len(ordered), round(median(ordered), 1), p95)


def _change(kind: DifferenceKind, where: str, found: _Changes) -> ShadowChange:
    codes = sorted(found.codes)
    return ShadowChange(
        kind=kind,
        where=where,
        requests=found.requests,
        theirs=found.example.theirs,
        ours=found.example.ours,
        target=found.target,
        codes=codes[:_MOST_CODES],
        more_codes=max(0, len(codes) - _MOST_CODES),
    )


def _general(where: str) -> tuple[str, list[str]]:
    """Return the path of a field with `{code}`, `{date}` and `[]` in place of what differs, and its codes."""
    where = _LINE.sub("line {number}", _DAY.sub("{date}", _IN_BRACKETS.sub("[]", where)))
    return _CODE.sub("{code}", where), _CODE.findall(where)
