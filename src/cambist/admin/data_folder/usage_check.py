"""Compare the stored usage with its checksums and with what the counter files have counted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

from cambist.storage import AccountStore
from cambist.storage.shared.usage.counter_copy import counter_file_names
from cambist.storage.shared.usage.counter_file import CounterFile
from cambist.storage.shared.usage.layout import CounterFileName

_Total = tuple[int, str]
"""An account and an endpoint."""


def usage_faults(store: AccountStore, ledger: Path) -> Iterator[str]:
    """Yield a sentence for each row that is not what was stored, and each that has more calls than were counted.

    Counters are ahead of the database, never behind it. Only the files of the last days are kept. Errors: StoreBroken.
    """
    yield from (f"the row {row} is not what was stored" for row in store.usage.damaged_rows())
    names = sorted(name for name in counter_file_names(ledger) if name.day is not None and not name.damaged)
    since = min((name.day for name in names if name.day), default=None)
    if since is None:
        return
    stored: dict[tuple[date, int], dict[_Total, int]] = {}
    for total in store.usage.totals(since):  # read first: counting goes on meanwhile
        stored.setdefault((total.day, total.file), {})[total.account, total.endpoint] = total.calls
    for name in names:
        yield from _beyond(ledger, name, stored)


def _beyond(ledger: Path, name: CounterFileName, stored: dict[tuple[date, int], dict[_Total, int]]) -> Iterator[str]:
    try:
        file = CounterFile(ledger, name)
    except (OSError, ValueError):
        return  # its own check names it, or it was removed meanwhile
    key = date.fromisoformat(name.stem), file.layout.number
    for (account, endpoint), calls in stored.get(key, {}).items():
        counted = _counted(file, account, endpoint)
        if calls > counted:
            yield f"the account {account} has {calls:,} calls of {endpoint} on {name.day}, {name} counted {counted:,}"


def _counted(file: CounterFile, account: int, endpoint: str) -> int:
    row = file.rows.get(endpoint)
    return file.row_totals(account)[row] if row is not None and account < file.accounts else 0
