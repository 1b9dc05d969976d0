"""Turn errors of the driver into StoreBroken."""

from __future__ import annotations

from sqlalchemy import ExceptionContext
from sqlalchemy.exc import DBAPIError, IntegrityError

from cambist.errors import StoreBroken, StoreUnreachable


def raise_store_broken(context: ExceptionContext, remedy: str = "", *, is_gone: bool = False) -> None:
    """Raise StoreBroken for errors of the driver, but not for a violated constraint, which callers handle."""
    error = context.sqlalchemy_exception
    if isinstance(error, DBAPIError) and not isinstance(error, IntegrityError):
        raise broken(error.orig, remedy, is_gone=is_gone) from error


def broken(error: BaseException | None, remedy: str = "", *, is_gone: bool = False) -> StoreBroken:
    """Return the error in one line: drivers write several. `is_gone` says whether there is no connection."""
    reason = " ".join(str(error).split())
    if is_gone:
        return StoreUnreachable(f"The database cannot be reached: {reason}")
    return StoreBroken(f"The database cannot be used: {reason}{remedy}")
