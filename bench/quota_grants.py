"""How many first calls of a period one node grants, and how long it prepares the next period of all its accounts.

Threads of a node are played by writer slots that ask for the next account as soon as the last one was granted. The
database is a PostgreSQL of the tests, with nothing written to its disk at once: a server that waits for its disk adds
that time to each round, whatever the number of requests in it.
"""

import sys
import tempfile
from collections.abc import Collection, Mapping
from datetime import date
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.postgresql import postgresql_server

from cambist.accounts.quota import AccountQuota, period_of
from cambist.cluster.quota_keeper import ClusterView, QuotaKeeper
from cambist.storage.shared.usage.lease_file import LeaseFile
from cambist.storage.shared.usage.lease_writer import LeaseWriter
from cambist.storage.sql import SqlStore

ACCOUNTS, QUOTA, NODES = 100_000, 10_000, 3
LAST_DAY, FIRST_DAY = date(2026, 11, 30), date(2026, 12, 1)
FIRST_CALLS = 20_000
SLOTS = (1, 8, 32, 128)

_ACCOUNTS = f"""INSERT INTO accounts (id, name, plan, created_at)
SELECT number, 'account ' || number, 'one', now() FROM generate_series(1, {ACCOUNTS}) AS number"""  # noqa: S608  a number


def run() -> None:
    """Print the figures."""
    server = postgresql_server()
    database = server.new_database("TEMPLATE migrated")
    server.execute(_ACCOUNTS, database)
    store, today = SqlStore(server.url(database)), [LAST_DAY]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "leases"
        board = LeaseWriter(path, lambda _slot: None)

        def quotas(numbers: Collection[int], day: date) -> Mapping[int, AccountQuota]:
            return {
                one.number: AccountQuota(period_of(one.anchor_day, day), QUOTA)
                for one in store.accounts.numbered(numbers)
            }

        view = ClusterView(lambda: True, lambda: NODES)
        keeper = QuotaKeeper("bench", store.quota_leases, board, quotas, view, lambda: today[0])
        keeper.grant_requests()
        account = 1
        for slots in SLOTS:
            threads = [LeaseFile(path, lambda slot=slot: slot) for slot in range(slots)]
            first, rounds, began = account, max(1, FIRST_CALLS // max(slots, 32) // 4), perf_counter()
            for _ in range(rounds):
                for thread in threads:
                    thread.request(account, 1, 0)
                    account += 1
                keeper.grant_requests()
            taken = perf_counter() - began
            each = f"{1000 * taken / rounds:.1f} ms a round"
            print(f"{slots:4} threads wait: {(account - first) / taken:7.0f} first calls a second, {each}", flush=True)
        _prepare(store, keeper, board)
    store.close()
    server.execute(f"DROP DATABASE {database} WITH (FORCE)")


def _prepare(store: SqlStore, keeper: QuotaKeeper, board: LeaseWriter) -> None:
    """Give every account a lease of the period that ends, and let the keeper prepare the next one."""
    november = period_of(1, LAST_DAY)
    with store.quota_leases._engine.begin() as connection:  # noqa: SLF001
        connection.exec_driver_sql(
            "INSERT INTO quota_leases (account_id, period_start, node, granted) "  # noqa: S608  numbers
            f"SELECT id, '{november.start}', 'bench', 100 FROM accounts ON CONFLICT DO NOTHING"
        )
    keeper._sync_due = 0.0  # noqa: SLF001
    began = perf_counter()
    rounds = 0
    while rounds == 0 or keeper._ending:  # noqa: SLF001
        keeper.grant_requests()
        rounds += 1
    taken = perf_counter() - began
    ready = sum(board.lease(number, FIRST_DAY) is not None for number in range(1, ACCOUNTS + 1))
    print(f"{ready} of {ACCOUNTS} accounts prepared in {taken:.1f} s of work, {rounds} rounds", flush=True)


if __name__ == "__main__":
    run()
