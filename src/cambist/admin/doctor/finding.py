"""What a check found, and what all checks look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from cambist.settings import Settings
from cambist.status.environment import Environment


class Severity(StrEnum):
    """Whether something must be done (`problem`), may have to be done (`warning`), or not."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report: what was looked at, what was found, and what to do unless all is well."""

    check: str
    severity: Severity
    found: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class InstallationState:
    """What the checks look at. `is_served` says whether a service uses the data folder now."""

    settings: Settings
    variables: Mapping[str, str]
    now: datetime
    environment: Environment | None
    is_served: bool

    @property
    def path(self) -> Path:
        """The data folder."""
        return self.settings.data


Check = Callable[[InstallationState], Iterable[Finding]]


def ok(check: str, found: str) -> Finding:
    """Return a finding with which all is well."""
    return Finding(check, Severity.OK, found)


def warning(check: str, found: str, remedy: str) -> Finding:
    """Return a finding that may need attention."""
    return Finding(check, Severity.WARNING, found, remedy)


def problem(check: str, found: str, remedy: str) -> Finding:
    """Return a finding that must be repaired."""
    return Finding(check, Severity.PROBLEM, found, remedy)
