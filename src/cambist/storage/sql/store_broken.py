"""Turn errors of the driver into StoreBroken."""

from __future__ import annotations

from sqlalchemy import ExceptionContext
from sqlalchemy.exc import DBAPIError, IntegrityError

from cambist.errors import StoreBroken


def raise_store_broken(context: ExceptionContext, remedy: str = "") -> None:
    """Raise StoreBroken for errors of the driver, but not for a violated constraint, which callers handle."""
    error = context.sqlalchemy_exception
    if isinstance(error, DBAPIError) and not isinstance(error, IntegrityError):
        raise broken(error.orig, remedy) from error


def broken(error: BaseException | None, remedy: str = "") -> StoreBroken:
    """Return the error in one line: drivers write several."""
    return StoreBroken(f"The database cannot be used: {' '.join(str(error).split())}{remedy}")
