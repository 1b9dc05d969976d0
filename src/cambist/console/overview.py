"""The overview: how the service does, at a glance."""

from __future__ import annotations

import platform
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from cambist import __version__
from cambist.accounts.account_search import AccountSearch
from cambist.admin.accounts.account_admin import AccountAdmin
from cambist.admin.data_folder.overview import BookFacts, DataOverview
from cambist.admin.operators.problems import ProblemAdmin
from cambist.console.call import ConsoleCall
from cambist.monitoring.health_server import HealthApplication
from cambist.monitoring.stream_report import StreamReport
from cambist.monitoring.troubles import QUOTA
from cambist.registry.wiring.components import environment_of
from cambist.settings import Settings
from cambist.status.source_report import SourceReports

_WINDOW = timedelta(minutes=1)
_SILENT_AFTER = timedelta(seconds=20)


class RateSampler:
    """The rate of a number that grows, over the last minute of looks at it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._samples: deque[tuple[datetime, int]] = deque(maxlen=600)

    def rate(self, now: datetime, value: int) -> float | None:
        """Return by how much it grows a second; None at the first look, and after it was set back."""
        with self._lock:
            if self._samples and value < self._samples[-1][1]:
                self._samples.clear()
            self._samples.append((now, value))
            while now - self._samples[0][0] > _WINDOW and len(self._samples) > 2:
                self._samples.popleft()
            first, before = self._samples[0]
        seconds = (now - first).total_seconds()
        return None if seconds <= 0 else round((value - before) / seconds, 2)


@dataclass(frozen=True, slots=True)
class Overview:
    """Puts the overview together from health checks, reports and the data folder."""

    health: HealthApplication
    data: DataOverview
    read_stream: Callable[[], StreamReport | None] | None
    books: RateSampler
    frames: RateSampler

    def answer(self, call: ConsoleCall) -> dict[str, Any]:
        """Return the overview."""
        now, settings, reports = call.now(), call.settings, self.health.read()
        ready, stream = self.health.readiness(), self.read_stream() if self.read_stream else None
        book = self.data.book()
        return {
            "at": now,
            "environment": environment_of(settings),
            "version": __version__,
            "python": platform.python_version(),
            "ready": ready.ready,
            "problems": ready.problems,
            "book": self._book(now, book),
            "matrix": self.data.matrix(),
            "stream": self._stream(now, stream),
            "disk": self.data.disk(),
            "processes": list(_processes(call, reports, stream, book, ready.problems)),
            "sources": _conditions(settings, reports, now),
            "disputes_open": reports.disputes.total if reports is not None else 0,
            **_counts(call),
            **_problems(call),
        }

    def _book(self, now: datetime, book: BookFacts | None) -> dict[str, Any] | None:
        if book is None:
            return None
        age = max(0.0, (now - book.at).total_seconds())
        return {**asdict(book), "age_seconds": round(age, 1), "per_second": self.books.rate(now, book.version)}

    def _stream(self, now: datetime, report: StreamReport | None) -> dict[str, Any] | None:
        if report is None:
            return None
        names = ("written_at", "listens", "connections", "subscribers", "pairs", "lost")
        record = {name: getattr(report, name) for name in names}
        return record | {"frames": report.prices, "frames_per_second": self.frames.rate(now, report.prices)}


def _conditions(settings: Settings, reports: SourceReports | None, now: datetime) -> dict[str, int] | None:
    if reports is None or settings.sandbox or not settings.fetch:
        return None
    found = Counter(str(report.condition(now)) for report in reports.reports)
    return {name: found[name] for name in ("fresh", "late", "held", "failing", "waiting", "off")}


def _counts(call: ConsoleCall) -> dict[str, int]:
    with AccountAdmin(call.settings, call.installation.clock) as admin:
        calls, accounts = admin.calls_since(call.now().date()), admin.find(AccountSearch(limit=1)).total
    return {"accounts": accounts, "calls_today": calls}


def _problems(call: ConsoleCall) -> dict[str, Any]:
    """Return how many recorded problems are open and acknowledged, and the open ones about quotas by their level."""
    found = ProblemAdmin(call.settings, call.installation.clock).problems()
    opened = [each.alarm.trouble for each in found if each.acknowledged is None]
    levels = Counter(trouble.level for trouble in opened if trouble.kind == QUOTA)
    return {
        "problems_open": len(opened),
        "problems_acknowledged": len(found) - len(opened),
        "quotas": {"near": levels[1], "over": levels[2]},
    }


def _processes(
    call: ConsoleCall,
    reports: SourceReports | None,
    stream: StreamReport | None,
    book: BookFacts | None,
    problems: tuple[str, ...],
) -> Iterator[dict[str, Any]]:
    """Yield what each process shows of itself: its last report, or whether it answers."""
    settings, now, roles = call.settings, call.now(), call.settings.chosen_roles
    if "api" in roles:
        api = [problem for problem in problems if problem.startswith("the API")]
        yield _process("API workers", api[0] if api else "", f"answers on port {settings.port}")
    if settings.sandbox:
        yield _reporting("sandbox", now, book.at if book else None)
    elif settings.fetch and "ingest" in roles:
        yield _reporting("ingest", now, reports.written_at if reports else None)
    if settings.stream_port and "stream" in roles:
        yield _reporting("stream", now, stream.written_at if stream else None)
    yield _process("operator port", "", "serves this page")


def _reporting(name: str, now: datetime, written_at: datetime | None) -> dict[str, Any]:
    if written_at is None:
        return _process(name, "has not reported yet")
    age = now - written_at
    seconds = f"{max(age.total_seconds(), 0.0):.0f} s ago"
    return _process(name, f"silent: last reported {seconds}" if age > _SILENT_AFTER else "", f"reported {seconds}")


def _process(name: str, problem: str, note: str = "") -> dict[str, Any]:
    return {"name": name, "working": not problem, "note": problem or note}
