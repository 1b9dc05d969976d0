"""How many sessions a process has with PostgreSQL: never more than its share, whatever it does at once."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.postgresql import postgresql_url

from cambist.errors import StoreBroken
from cambist.storage.sql.backends import SessionLimits, postgresql_sessions
from cambist.storage.sql.engine import open_engine, open_read_only

LIMITED = SessionLimits("cambist test", statement_seconds=1)


@pytest.mark.parametrize(("most", "kind"), [(2, "writing"), (1, "limited"), (3, "reading")])
def test_who_finds_none_free_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, kind: str) -> None:
    monkeypatch.setattr(postgresql_sessions, "_LOCK_SECONDS", 0.05)
    url = postgresql_url(tmp_path)
    opened = {
        "writing": lambda: open_engine(url),
        "limited": lambda: open_engine(url, LIMITED),
        "reading": lambda: open_read_only(url, 3, 1.0),
    }
    engine = opened[kind]()
    with ExitStack() as sessions:
        held = [sessions.enter_context(engine.connect()) for _ in range(most)]
        with pytest.raises(StoreBroken, match=f"the {most} sessions of this process have been in use"):
            engine.connect()
        held[0].close()
        with engine.begin() as connection:
            assert connection.exec_driver_sql("SELECT 1").scalar_one() == 1
    engine.dispose()
