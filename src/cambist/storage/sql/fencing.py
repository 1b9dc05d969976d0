"""Fencing: who leads the ingest no longer commits nothing more, even if it does not know that yet."""

from __future__ import annotations

from sqlalchemy import Connection, Engine, select

from cambist.errors import NoLongerLeading
from cambist.storage.sql.schema import leadership

LEADER_EPOCH = "leader_epoch"
"""The option of an engine whose transactions are fenced: the epoch in which they may be committed."""

_SESSION = "cambist leader"


def leader_epoch(engine: Engine) -> int | None:
    """Return the epoch in which transactions of an engine may be committed; None if they always may."""
    epoch: int | None = engine.get_execution_options().get(LEADER_EPOCH)
    return epoch


def session_name(epoch: int) -> str:
    """Return the name of the sessions that file in an epoch, by which the next leader finds and ends them."""
    return f"{_SESSION} {epoch}"


def check_leads(connection: Connection, epoch: int) -> None:
    """Check that nobody has led since an epoch, and that nobody will before the end of this transaction.

    The row is locked against changes of its key alone: its term is renewed meanwhile, but a takeover waits for the
    commit. Errors: NoLongerLeading.
    """
    lock = select(leadership.c.epoch).where(leadership.c.epoch == epoch).with_for_update(read=True, key_share=True)
    if connection.execute(lock).one_or_none() is None:
        raise NoLongerLeading("Another node leads the ingest: nothing was filed here")
