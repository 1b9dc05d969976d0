"""Files of accounts that are to be created, and of the keys that they got: CSV with a line of names."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import TYPE_CHECKING

from cambist.accounts.account import DatetimeFormat
from cambist.admin.accounts.account_admin import NewAccount
from cambist.admin.operators.parsing import parse_datetime_format
from cambist.errors import BadParameter, shorten
from cambist.suggestions import did_you_mean

if TYPE_CHECKING:
    from cambist.accounts.account import Account
    from cambist.admin.accounts.account_admin import AccountAdmin
    from cambist.admin.accounts.keys import CreatedKey

MOST_ACCOUNTS = 100_000
"""The most accounts in one file."""

COLUMNS = ("name", "plan", "anchor_day", "datetime_format", "email")
_NEEDED = COLUMNS[:2]


def read_account_file(text: str, admin: AccountAdmin) -> list[NewAccount]:
    """Return the accounts of a file. Errors: BadParameter, which names the line, and the column if it is one."""
    wanted: list[NewAccount] = []
    lines: dict[str, int] = {}
    for line, cells in _rows(text):
        account = _account(line, cells, admin)
        if account.name in lines:
            raise _refused(line, "name", f"[{shorten(account.name)}] is also in line {lines[account.name]}")
        lines[account.name] = line
        wanted.append(account)
        if len(wanted) > MOST_ACCOUNTS:
            raise BadParameter(f"The file has more than {MOST_ACCOUNTS:,} accounts: split it")
    if not wanted:
        raise BadParameter(f"The file has no accounts: write one in each line below [{','.join(_NEEDED)}]")
    known = {account.name for account in admin.accounts()}
    for name, line in lines.items():
        if name in known:
            raise _refused(line, "name", f"there is an account named [{name}] already")
    return wanted


def write_keys(created: Iterable[tuple[Account, CreatedKey]]) -> str:
    """Return the names of accounts and their new keys as CSV."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("name", "plan", "key"))
    writer.writerows((account.name, account.plan, key.text) for account, key in created)
    return text.getvalue()


def _rows(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the cells of each line by column, with its number. Errors: BadParameter."""
    reader = csv.reader(StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        names = [name.strip().lower() for name in next(reader, [])]
        _check_columns(names)
        for cells in reader:
            if len(cells) not in (0, len(names)):
                raise BadParameter(f"Line {reader.line_num}: it has {len(cells)} columns, the first line {len(names)}")
            if any(cell.strip() for cell in cells):
                yield reader.line_num, dict(zip(names, (cell.strip() for cell in cells), strict=True))
    except csv.Error as error:
        raise BadParameter(f"Line {reader.line_num}: this is no CSV: {error}") from None


def _check_columns(names: list[str]) -> None:
    for name in names:
        if name not in COLUMNS:
            raise BadParameter(f"Line 1: unknown column [{shorten(name)}]; {did_you_mean(name, COLUMNS)}")
    if missing := [name for name in _NEEDED if name not in names]:
        raise BadParameter(f"Line 1: the column [{missing[0]}] is missing; there may be {', '.join(COLUMNS)}")
    if len(set(names)) < len(names):
        raise BadParameter("Line 1: a column is there twice")


def _account(line: int, cells: dict[str, str], admin: AccountAdmin) -> NewAccount:
    """Return the account of a line, each of whose cells is tried alone. Errors: BadParameter."""
    day = cells.get("anchor_day") or ""
    if day and not (day.isascii() and day.isdecimal() and len(day) < 3):
        raise _refused(line, "anchor_day", f"[{shorten(day)}] is no day of the month from 1 to 31")
    for column in ("name", "plan", "anchor_day", "datetime_format", "email"):
        try:
            tried = {"name": "a", "plan": next(iter(admin.plans)), column: cells.get(column, "")}
            times = parse_datetime_format(tried.get("datetime_format") or None) or DatetimeFormat.ISO
            anchor_day = int(tried["anchor_day"]) if tried.get("anchor_day") else None
            admin.checked(NewAccount(tried["name"], tried["plan"], anchor_day, times, tried.get("email", "")))
        except BadParameter as error:
            raise _refused(line, column, str(error)) from None
    times = parse_datetime_format(cells.get("datetime_format") or None) or DatetimeFormat.ISO
    return NewAccount(cells["name"], cells["plan"], int(day) if day else None, times, cells.get("email", ""))


def _refused(line: int, column: str, reason: str) -> BadParameter:
    return BadParameter(f"Line {line}, column {column}: {reason}")
