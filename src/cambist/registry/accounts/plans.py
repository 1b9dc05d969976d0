"""The plans of a data directory: the operator edits `plans.toml`, and `plans.current` is in effect."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from cambist.accounts.account import OWNER, Account
from cambist.accounts.plan import Plan, default_plans, read_plans
from cambist.errors import PlansRefused
from cambist.storage.atomic_file import write_atomically
from cambist.storage.shared.change_notifier import ChangeNotifier, Topic

log = logging.getLogger(__name__)

PlansFile = tuple[str, Mapping[str, Plan]]
"""The text of a plans file, and the plans in it."""

SharePlans = Callable[[str], object]
"""What puts a plans text into effect for all nodes of a service on several machines."""


def plans_file(folder: Path) -> Path:
    """Return the file that the operator edits."""
    return folder / "plans.toml"


def read_plans_file(path: Path) -> PlansFile:
    """Read a plans file. Errors: PlansRefused, with the file, the line and the reason."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise PlansRefused(_missing_file_message(path)) from None
    except OSError as error:
        raise PlansRefused(f"{path} cannot be read: {error.strerror}") from None
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PlansRefused(f"{path}, line {line}: it is not UTF-8") from None
    return text, read_plans(text, str(path))


def activate_plans(folder: Path, text: str, changes: ChangeNotifier, share: SharePlans | None = None) -> None:
    """Put a valid plans text into effect, and notify the workers. With `share`, all nodes have it then.

    Errors: StoreBroken if it cannot be shared, and nothing is changed.
    """
    if share is not None:
        share(text)
    write_atomically(_current(folder), text.encode())
    changes.notify(Topic.PLANS)


def publish_plans(folder: Path, changes: ChangeNotifier, accounts: Sequence[Account] = ()) -> Mapping[str, Plan]:
    """Put `plans.toml` into effect at a start; write the default plans first if there are no customers yet.

    If the file is invalid and the service has run before, the old plans stay in effect, with a warning.
    Errors: PlansRefused if there are no old plans, or if the file is missing although accounts of customers exist.
    """
    path, customers = plans_file(folder), [account for account in accounts if account.name != OWNER]
    if not path.exists():
        if customers:
            raise PlansRefused(f"{_missing_file_message(path)} ({len(customers)} accounts of customers are on plans)")
        write_atomically(path, default_plans().encode())
    try:
        text, plans = read_plans_file(path)
        check_account_plans(accounts, plans, path)
    except PlansRefused as refused:
        if not _current(folder).exists():
            raise
        plans = current_plans(folder)
        log.warning("Plans: %s; the old plans stay in effect", refused)
        return plans
    activate_plans(folder, text, changes)
    return plans


def check_account_plans(accounts: Iterable[Account], plans: Mapping[str, Plan], path: Path) -> None:
    """Check that every account's plan exists. Errors: PlansRefused, with the first account whose plan is missing."""
    for account in accounts:
        if account.plan not in plans:
            raise PlansRefused(f"{path} lacks the plan [{account.plan}] of the account [{account.name}]")


def current_plans(folder: Path) -> Mapping[str, Plan]:
    """Return the plans in effect: `plans.toml` as it was when it was last activated.

    Errors: PlansRefused.
    """
    path = _current(folder)
    return read_plans_file(path if path.exists() else plans_file(folder))[1]


def _current(folder: Path) -> Path:
    return folder / "plans.current"


def _missing_file_message(path: Path) -> str:
    """Return that a plans file is missing, and how to get one."""
    current = _current(path.parent)
    last = f"copy the plans last in force (cp {current} {path}), " if current.exists() else ""
    defaults = f"write the default plans (cambist plans defaults > {path})"
    return f"{path} is missing: restore it from a backup, {last}or {defaults}"
