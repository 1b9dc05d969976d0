"""The workloads: what is requested, and the goals."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

import questions

Case = Literal["moving", "standing"]
"""Whether the rate book changes ten times a second while it is measured, or not at all."""


@dataclass(frozen=True)
class Target:
    """A minimum for a ratio, or a maximum for a percentile in ms."""

    of: Literal["ratio", "p50", "p99"]
    limit: float

    def reached(self, figure: float) -> bool:
        """Return whether a figure reaches the target."""
        return figure >= self.limit if self.of == "ratio" else figure < self.limit

    def __str__(self) -> str:
        return f"≥ {self.limit:.2f}" if self.of == "ratio" else f"{self.of} < {self.limit:g} ms"


@dataclass(frozen=True)
class Workload:
    """One kind of request: its paths, and `shown` as the table has it. `cases` are the books that it is measured with.

    Its answers are compared with a constant, or with those to the same requests of `beside`, in so many `rounds`.
    """

    name: str
    shown: str
    make_paths: Callable[[], Iterable[str]]
    target: Target | None = None
    key: Literal["header", "query"] = "query"
    is_sequential: bool = False
    cases: tuple[Case, ...] = ("moving",)
    beside: str = ""
    rounds: int = 2

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths, made when they are first needed."""
        return tuple(self.make_paths())


def _one(path: str) -> Callable[[], Iterable[str]]:
    return lambda: (path,)


PAIR, ALL = "/fetch-one?from=EUR&to=USD", "/fetch-all?from=USD"
_BOTH: tuple[Case, ...] = ("moving", "standing")

DIALECTS = {
    "DV1": "/v1/latest?base={}",
    "DV2": "/v2/rates?base={}",
    "DOX": "/api/latest.json?base={}",
    "DFX": "/fixer/latest?base={}",
    "DCL": "/live?source={}",
    "DEA": "/v6/latest/{}",
    "DCG": "/api/v3/simple/price?ids=bitcoin&vs_currencies={}",
    "DCC": "/data/price?fsym=BTC&tsyms={}",
    "DCB": "/v2/prices/BTC-{}/spot",
    "DCV": "/api/v7/convert?q=USD_{}&compact=ultra",
    "DEC": "/stats/eurofxref/eurofxref-daily.xml",
}
"""The hot path of each dialect, with a random currency where the braces are."""

WORKLOADS = (
    Workload("W1", f"{PAIR}, key in the header", _one(PAIR), Target("ratio", 1.2), key="header"),
    Workload("W1Q", f"{PAIR}&api_key=…", _one(PAIR), Target("ratio", 1.2)),
    Workload("W1R", "/fetch-one, a random pair", questions.pair_paths, Target("ratio", 1.0), cases=_BOTH),
    Workload("W2", ALL, _one(ALL), Target("ratio", 1.0), key="header"),
    Workload("W2R", "/fetch-all, a random base", questions.base_paths, Target("ratio", 0.8), cases=_BOTH),
    Workload("CVR", "/convert, random", questions.convert_paths, Target("ratio", 0.8), cases=_BOTH),
    Workload("CP2", "/crypto/fetch-prices, two random pairs", lambda: questions.price_paths(2), Target("ratio", 0.8)),
    Workload("CP10", "/crypto/fetch-prices, ten random pairs", lambda: questions.price_paths(10), Target("ratio", 0.4)),
    Workload("FXR", "/fx/quote, a random pair", questions.quote_paths, Target("ratio", 0.7)),
    Workload("MSR", "/metals/spot, random", questions.metal_paths, Target("ratio", 0.5)),
    Workload("MUL", "/fetch-multi, five random", questions.multi_paths, Target("ratio", 0.6)),
    Workload("MXR", "/fetch-matrix, 20 x 20 random", questions.matrix_paths, Target("ratio", 0.15)),
    Workload("W3", "/historical, random days and bases", questions.past_day_paths, Target("ratio", 0.4)),
    Workload("W4", "/time-series, a random year", questions.year_paths, Target("ratio", 0.2)),
    Workload(
        "W5", "/time-series, 27 years, one at a time", questions.long_series_paths, Target("p50", 2), is_sequential=True
    ),
    *(
        Workload(
            name,
            template.format("…"),
            partial(questions.paths_of, template),
            Target("ratio", 0.3),
            key="header",
            rounds=1,
        )
        for name, template in DIALECTS.items()
    ),
)

COMPARED = (
    Workload("PLAN", f"{PAIR}, on a plan with quota and rate", _one(PAIR), Target("ratio", 0.85), beside="the owner's"),
    Workload(
        "PLANR",
        "/fetch-one, a random pair, on a plan with quota and rate",
        questions.pair_paths,
        Target("ratio", 0.85),
        beside="the owner's",
    ),
    Workload("ACC", f"{PAIR}, among 10,000 accounts", _one(PAIR), Target("ratio", 0.95), beside="one account"),
    Workload("KEYS", f"{PAIR}, 10,000 keys in turn", _one(PAIR), Target("ratio", 0.8), beside="one key"),
)
"""Workloads that are compared with the same requests of another caller, while the book moves."""
