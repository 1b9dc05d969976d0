"""Give a running service a rate matrix with a number of years."""

import datetime as dt
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.rate_matrix_builder import SourceHistory, build_rate_matrix
from cambist.pricing.pair import PIVOT, Pair
from cambist.reference.currency_tables import CURRENCIES
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.shared.rate_matrix_file import write_rate_matrix

_CURRENCIES = 40
_AHEAD = dt.timedelta(days=400)
_DAYS_A_YEAR = 365.25


@dataclass(frozen=True)
class ShorterHistory:
    """A rate matrix: its size, the first and last day with fixings, and the currencies that have them."""

    megabytes: float
    first: dt.date
    last: dt.date
    codes: list[str]


def keep_years(folder: Path, years: int) -> ShorterHistory:
    """Replace the rate matrix by one with so many years up to today.

    It has forty currencies on every working day, as a central bank publishes them.
    """
    today = dt.datetime.now(dt.UTC).date()
    last = (today - FIRST_DAY).days - 1
    rows = np.array([row for row in range(max(0, last - int(years * _DAYS_A_YEAR)), last + 1) if (row + 3) % 7 < 5])
    chance = np.random.default_rng(1)
    others = (code for code in CURRENCIES if code not in (PIVOT, "EUR"))
    codes = [code for code in others if all(CURRENCIES[code].lives_on(day) for day in (FIRST_DAY, today))]
    series = [
        PairSeries(Pair("EUR", code), rows.astype(np.int64), 1 + chance.random(len(rows)).round(4))
        for code in (PIVOT, *codes[:_CURRENCIES])
    ]
    matrix = build_rate_matrix([SourceHistory("EUR", series, "bench")], today + _AHEAD, f"bench-{years}")
    path = DataDirectory(folder).matrix
    write_rate_matrix(path, matrix)
    data_changes(folder).notify(Topic.MATRIX)
    first_day, last_day = (FIRST_DAY + dt.timedelta(days=int(row)) for row in (rows[0], rows[-1]))
    return ShorterHistory(path.stat().st_size / 1e6, first_day, last_day, codes[:_CURRENCIES])
