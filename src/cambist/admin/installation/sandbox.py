"""The faults of a sandbox: what goes wrong there on purpose."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import date, datetime
from math import isfinite
from typing import Any

import msgspec

from cambist.accounts.names import echo
from cambist.admin.operators.audit import AuditRecorder
from cambist.errors import BadParameter
from cambist.registry.sandbox.sandbox_faults import faults_as_toml
from cambist.registry.sandbox.sandbox_snapshots import faults_file, simulated_codes
from cambist.sandbox.faults import Faults
from cambist.settings import Settings
from cambist.suggestions import did_you_mean

ALL = "all"
_MAX_DELAY_SECONDS = 86_400


class FaultsAdmin:
    """Sets and ends the faults of a sandbox; each change is recorded in the audit log as that of `who`.

    Errors when made: CannotStart if the data directory is not a sandbox's.
    """

    def __init__(self, settings: Settings, clock: Callable[[], datetime], who: str = "") -> None:
        self._file = faults_file(settings)
        self._clock = clock
        self._audit = AuditRecorder(settings, clock, who)

    def read(self) -> Faults:
        """Return the current faults. Errors: SettingRefused."""
        return self._file.read()

    @staticmethod
    def codes() -> Collection[str]:
        """Return the codes that a fault may name."""
        return simulated_codes()

    def freeze(self, codes: Iterable[str]) -> Faults:
        """Freeze the quotes of these codes, or of `all`; none ends that. Errors: BadParameter, SettingRefused."""
        named = list(codes)
        is_all = [name.strip().lower() for name in named] == [ALL]
        chosen = ALL if is_all else tuple(dict.fromkeys(map(_code, named)))
        return self._change({"stale": chosen, "since": self._clock() if chosen else None})

    def remove_days(self, days: Iterable[date]) -> Faults:
        """Remove the fixings of exactly these days. Errors: SettingRefused."""
        return self._change({"missing": frozenset(days)})

    def distort(self, code: str, factor: float) -> Faults:
        """Multiply the price of a code by a factor; 1 ends that. Errors: BadParameter, SettingRefused."""
        if not (isfinite(factor) and factor > 0):
            raise BadParameter(f"Invalid factor: [{factor}], it takes a number above 0")
        outliers = {**self.read().outlier, _code(code): factor}
        return self._change({"outlier": {name: value for name, value in outliers.items() if value != 1}})

    def delay(self, seconds: float) -> Faults:
        """Delay all quotes; 0 ends that. Errors: BadParameter, SettingRefused."""
        if not 0 <= seconds <= _MAX_DELAY_SECONDS:
            raise BadParameter(f"Invalid seconds: [{seconds:g}], it takes 0 to {_MAX_DELAY_SECONDS}")
        return self._change({"slow": seconds})

    def clear(self) -> Faults:
        """End all faults."""
        return self._write(Faults())

    def _change(self, changes: dict[str, Any]) -> Faults:
        return self._write(msgspec.structs.replace(self.read(), **changes))

    def _write(self, faults: Faults) -> Faults:
        detail = "; ".join(faults_as_toml(faults).splitlines()) or "none"
        with self._audit.action("sandbox.fault", "faults.toml", detail):
            self._file.write(faults)
        return faults


def _code(text: str) -> str:
    """Parse a code. Errors: BadParameter that names the nearest known code."""
    code = text.strip().upper()
    if code not in simulated_codes():
        raise BadParameter(f"The sandbox never quotes [{echo(code)}]; {did_you_mean(code, simulated_codes())}")
    return code
