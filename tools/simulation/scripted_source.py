"""Sources that follow a script: what each publishes, when, with which mistakes, and the truth beside it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from tools.simulation.newest_values import Place, SettledValue
from tools.simulation.scenario import ALL_PAIRS, Mistake
from tools.simulation.truth import Truth

from cambist.errors import NothingPublished
from cambist.history.fixing import Fixing
from cambist.ingest.schedule import works_on
from cambist.pricing.pair import PIVOT, Pair
from cambist.sources.base import FixingAdapter, Source, SourceRequest

DIGITS = 6
_DAY = timedelta(days=1)
_LONGEST_DELAY_MINUTES = 45
_FACTORS = {"hundred": 100.0, "hundredth": 0.01, "typed": 1.4, "slipped": 1.15, "revised": 1.01, "off": 1.03}
_DRIFT = 1.005
"""By how much a source that drifts is farther off with each day."""

_HARMLESS = frozenset({"late", "twice", "ahead", "hanging"})
"""What is wrong with a source although its fixings are right."""


@dataclass(frozen=True, slots=True)
class ScriptedPair:
    """A pair as a source publishes it."""

    pair: Pair
    nominal: int


@dataclass(frozen=True, slots=True)
class ScriptedFixing:
    """What a source says about a pair on a day, and what would have been true.

    `place` and `value` are what the archive has of it.
    """

    fixing: Fixing
    true_value: float
    place: Place = field(init=False)
    value: SettledValue = field(init=False)

    def __post_init__(self) -> None:
        one = self.fixing
        object.__setattr__(self, "place", (one.source, one.pair.base, one.pair.quote, one.day.isoformat()))
        object.__setattr__(self, "value", (one.nominal, str(one.value)))


@dataclass(slots=True)
class ScriptedSource:
    """A source whose every fixing is decided by the seed, its mistakes and the truth."""

    source: Source
    truth: Truth
    first_day: date
    codes: Sequence[str]
    seed: int
    mistakes: Sequence[Mistake] = ()
    pairs: list[ScriptedPair] = field(init=False)
    _fixings: dict[tuple[int, date, Mistake | None], ScriptedFixing] = field(default_factory=dict)
    _plain: dict[date, Sequence[ScriptedFixing] | None] = field(default_factory=dict)
    _published_at: dict[date, datetime] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.mistakes = [each for each in self.mistakes if each.source == self.source.key]
        chance = random.Random(f"{self.seed} {self.source.key} pairs")  # noqa: S311  the same for each seed
        anchor = self.source.anchor
        self.pairs = []
        for code in self.codes:
            pair = Pair(anchor, code) if chance.random() < 0.5 else Pair(code, anchor)
            self.pairs.append(ScriptedPair(pair, chance.choice((1, 1, 1, 10, 100))))

    def published_at(self, day: date) -> datetime:
        """Return when the source publishes its fixings of a day (UTC), unless it is late."""
        if day not in self._published_at:
            chance = random.Random(f"{self.seed} {self.source.key} {day}")  # noqa: S311  as above
            start = datetime.combine(day, self.source.schedule.start, self.source.zone)
            at = start + timedelta(minutes=chance.uniform(0, _LONGEST_DELAY_MINUTES))
            self._published_at[day] = at.astimezone(UTC)
        return self._published_at[day]

    def changes(self, days: int) -> list[datetime]:
        """Return the moments (UTC) at which what the source shows changes in so many days, in order."""
        found = []
        for day in (self.first_day + number * _DAY for number in range(days)):
            if works_on(self.source.schedule, day):
                at = self.published_at(day)
                shown = {each.shown_days for each in self.mistakes if self._covers(each, day)}
                found += [at + after * _DAY for after in {0, *shown}]
        return sorted(found)

    def hangs_at(self, now: datetime) -> bool:
        """Return whether the source does not answer now."""
        return any(each.kind == "hanging" and self._covers(each, now.date()) for each in self.mistakes)

    def fixings(self, now: datetime, first: date, last: date) -> list[ScriptedFixing]:
        """Return what the source shows now about the days from `first` to `last`."""
        found: list[ScriptedFixing] = []
        day = max(first, self.first_day)
        while day <= min(last, now.date() + _DAY):
            found += self._fixings_on(day, now)
            day += _DAY
        return found

    def _fixings_on(self, day: date, now: datetime) -> Sequence[ScriptedFixing]:
        """Return what the source shows now about a day."""
        if day not in self._plain:
            self._plain[day] = self._plain_fixings(day)
        plain = self._plain[day]
        if plain is not None:
            return plain if now >= self.published_at(day) else ()
        return [scripted for place in range(len(self.pairs)) for scripted in self._fixings_of(place, day, now)]

    def _plain_fixings(self, day: date) -> Sequence[ScriptedFixing] | None:
        """Return what the source says about a day; None if that changes, because there is a mistake in it."""
        if not works_on(self.source.schedule, day):
            return ()
        if any(self._covers(each, day) for each in self.mistakes):
            return None
        return [self._fixing(place, day, None) for place in range(len(self.pairs))]

    def _fixings_of(self, place: int, day: date, now: datetime) -> Iterator[ScriptedFixing]:
        at, mistakes = self.published_at(day), [each for each in self.mistakes if self._is_about(each, place, day)]
        late = max((each.shown_days for each in mistakes if each.kind == "late"), default=0)
        if now < at + late * _DAY:
            return
        shown = next((each for each in mistakes if not each.shown_days or now < at + each.shown_days * _DAY), None)
        is_harmless = shown is None or shown.kind in _HARMLESS
        yield self._fixing(place, day, None if is_harmless else shown)
        if shown is not None and shown.kind == "twice":
            yield self._fixing(place, day, None)
        if shown is not None and shown.kind == "ahead":
            yield self._fixing(place, day + 5 * _DAY, None)

    def _fixing(self, place: int, day: date, mistake: Mistake | None) -> ScriptedFixing:
        if (place, day, mistake) not in self._fixings:
            self._fixings[place, day, mistake] = self._new_fixing(place, day, mistake)
        return self._fixings[place, day, mistake]

    def _new_fixing(self, place: int, day: date, mistake: Mistake | None) -> ScriptedFixing:
        true_value, of_pair = self._true_value(place, day), self.pairs[place]
        value = true_value if mistake is None else self._wrong_value(place, day, mistake)
        written = Decimal(format(Decimal(f"{value:.{DIGITS}g}"), "f"))
        return ScriptedFixing(Fixing(self.source.key, of_pair.pair, day, written, of_pair.nominal), true_value)

    def _wrong_value(self, place: int, day: date, mistake: Mistake) -> float:
        first = self.first_day + mistake.day * _DAY
        if mistake.kind == "stale":
            return self._true_value(place, first - _DAY)
        true_value = self._true_value(place, day)
        if mistake.kind == "inverted":
            return self.pairs[place].nominal ** 2 / true_value
        if mistake.kind == "swapped":
            return self._true_value((place + 1) % len(self.pairs), day)
        if mistake.kind == "drift":
            return float(true_value * _DRIFT ** ((day - first).days + 1))
        return true_value * _FACTORS.get(mistake.kind, mistake.size)

    def _true_value(self, place: int, day: date) -> float:
        of_pair = self.pairs[place]
        return self.truth.rate(of_pair.pair.base, of_pair.pair.quote, day, self.hour_of(day)) * of_pair.nominal

    def hour_of(self, day: date) -> float:
        """Return the hour (UTC) of the market that the source's fixings of a day are about, from its midnight."""
        at = datetime.combine(day, self.source.fixed_at, self.source.zone)
        return (at - datetime.combine(day, time(), UTC)) / timedelta(hours=1)

    def _is_about(self, mistake: Mistake, place: int, day: date) -> bool:
        is_meant = mistake.pair == ALL_PAIRS or mistake.pair % len(self.pairs) == place
        return is_meant and self._covers(mistake, day)

    def _covers(self, mistake: Mistake, day: date) -> bool:
        first = self.first_day + mistake.day * _DAY
        return first <= day < first + mistake.days * _DAY


class ScriptedAdapter(FixingAdapter):
    """The adapter of a scripted source: a line of text for each fixing."""

    def __init__(self, scripted: ScriptedSource) -> None:
        self.source = scripted.source
        self.scripted = scripted

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Yield one request for all days."""
        yield SourceRequest(url=f"https://{self.source.key}.example/{first}/{last}", first=first, last=last)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the lines."""
        del subject
        lines = content.decode().splitlines()
        if not lines:
            raise NothingPublished(f"{self.source.key}: has nothing")
        for line in lines:
            base, quote, day, nominal, value = line.split()
            yield Fixing(self.source.key, Pair(base, quote), date.fromisoformat(day), Decimal(value), int(nominal))


def content_of(fixings: Sequence[ScriptedFixing]) -> bytes:
    """Return the answer of a source that says these fixings."""
    published = [scripted.fixing for scripted in fixings]
    lines = [f"{one.pair.base} {one.pair.quote} {one.day} {one.nominal} {one.value}" for one in published]
    return "\n".join(lines).encode()


def codes_of(source: Source, codes: Sequence[str], seed: int, count: int = 4, always: Sequence[str] = ()) -> list[str]:
    """Return the codes that a source publishes beside its anchor: the pivot, some others, and those of `always`."""
    chance = random.Random(f"{seed} {source.key} codes")  # noqa: S311  the same for each seed
    others = [code for code in codes if code not in {source.anchor, PIVOT}]
    pivot = [] if source.anchor == PIVOT else [PIVOT]
    return [*pivot, *sorted(chance.sample(others, min(count - len(pivot), len(others)))), *always]
