"""`GET /time-series`: daily rates of up to ten pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, timedelta
from functools import partial
from typing import Annotated, Any, TypeVar

from msgspec import UNSET, Raw, Struct, UnsetType

from cambist.api.answer.answer_table import AnswerTable
from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.long_answers import MOST_RATES_AT_ONCE
from cambist.api.answer.rendering import RatesByCode
from cambist.api.answer.request_context import RequestContext
from cambist.api.answer.series_rendering import rates_by_day
from cambist.api.answer.written_years import YEARS
from cambist.api.bodies.coin_rates import PriceName, coin_series, currency_ages, is_of_coin, names_of_coin
from cambist.api.bodies.partial import ListParameters, Unavailable, answer_each
from cambist.api.bodies.publisher_rates import Booked, PublisherRates, RuleName, Source, choice_of, earliest_counted
from cambist.api.bodies.publisher_series import CountedSeries, counted_series, names_of_choice, published_series
from cambist.api.bodies.rate_columns import DAY_COLUMNS, series_rows
from cambist.api.bodies.typed_rates import TypedRates
from cambist.api.bodies.weights import WeightName, weight_factor, weight_names
from cambist.api.questions.agreement_parameters import RateTypeName
from cambist.api.questions.known_parameters import AsOf, Assume, Assumed
from cambist.api.questions.parameter_types import EARLIEST_DAY, INTERVALS, day, flag, interval, not_after_today
from cambist.api.questions.publisher_parameters import Booking, PublisherKey, Rule
from cambist.api.questions.symbol_parameters import Codes, asset, codes
from cambist.api.questions.weight_parameters import Fineness, WeightUnit
from cambist.errors import BadParameter, NoRate
from cambist.history.averages import closes
from cambist.history.fixing_age import carried_days, fixing_ages, is_immutable
from cambist.history.known_state import Scope
from cambist.history.rate_matrix_excerpt import columns
from cambist.history.series import Series, read_series
from cambist.pricing.pair import PIVOT, Pair

D = TypeVar("D")

MAX_SERIES = 10
DEFAULT_DAYS = 30
"""The days up to the end that a request without a start gets."""


class TimeSeriesParams(ListParameters, frozen=True, kw_only=True):
    """A source, up to ten targets, and a period."""

    quotes: Annotated[
        Codes, codes("to", "target", max_count=MAX_SERIES, description="Targets, up to ten.", example="USD,GBP")
    ]
    base: Annotated[
        str,
        asset(
            "from",
            "source",
            default=PIVOT,
            description="Source, USD if left out: a currency, a coin, or a metal by the ounce or the tonne.",
            example="EUR",
        ),
    ]
    start: Annotated[
        date | None, day("start", default=None, description="First day; 30 days up to the end if left out.")
    ]
    end: Annotated[date | None, day("end", default=None, description="Last day, today if left out or later.")]
    interval: Annotated[
        str, interval("interval", default="P1D", description="Each day, or the close of each week, month or year.")
    ]
    as_of: AsOf = None
    assume: Assume = None
    verbose: Annotated[bool, flag("verbose", description="Add `carried` and `fixed_on`: true, 1, yes or y.")]
    rate_type: RateTypeName = None
    source: PublisherKey = None
    rule: Rule = None
    booking: Booking = None
    unit: WeightUnit = None
    purity: Fineness = None

    def __post_init__(self) -> None:
        """Refuse unknown targets, and of a coin what no close has. Errors: UnknownSymbol, BadParameter."""
        ListParameters.__post_init__(self)
        is_of_coin(self)


class TimeSeriesResponse(Struct, frozen=True):
    """Every calendar day that has a rate, in ascending order; with a longer interval the last one of each.

    `carried`, only with `verbose`, lists the days without a fixing of their own, which use the one before or by a rule
    another one, and `fixed_on` has the day of that fixing for each; both for several targets by target.
    """

    start: date
    end: date
    interval: str
    base: str
    results: RatesByCode
    unit: WeightName = UNSET
    purity: WeightName = UNSET
    price: PriceName = UNSET
    carried: list[date] | dict[str, list[date]] | UnsetType = UNSET
    fixed_on: dict[str, date | dict[str, date]] | UnsetType = UNSET
    source: Source = UNSET
    rule: RuleName = UNSET
    booking: Booked = UNSET
    unavailable: Unavailable = UNSET
    assumed: Assumed = UNSET


def is_answer_immutable(context: RequestContext, params: TimeSeriesParams) -> bool:
    """A series is immutable when its last day is immutable for all of its pairs."""
    if params.end is None or params.rate_type is not None or choice_of(params) is not None or is_of_coin(params):
        return False  # neither rates of a type or a source nor closes are in the rate matrix
    return is_immutable(context.matrix, params.end, context.today, (params.base, *params.quotes))


def cost(context: RequestContext, params: TimeSeriesParams) -> int:
    """One call for each target in the answer."""
    return len(_read_series(context, params)[0]) if params.partial else len(params.quotes)


def is_long(context: RequestContext, params: TimeSeriesParams) -> bool:
    """Whether all series together have too many days."""
    start, end = _period(params, context)
    return _is_counted(params) or len(params.quotes) * ((end - start).days + 1) > MOST_RATES_AT_ONCE


def earliest_day(context: RequestContext, params: TimeSeriesParams) -> date:
    """The first day of the period, or an earlier one that counts for it."""
    start = _period(params, context)[0]
    try:
        return earliest_counted(params, start)
    except NoRate:  # the rule begins later
        return start


def scope(context: RequestContext, params: TimeSeriesParams) -> Scope:
    """Return the period and the pairs."""
    return Scope(*_period(params, context), tuple(Pair(params.base, quote) for quote in params.quotes), is_series=True)


def etag_data(context: RequestContext, params: TimeSeriesParams) -> Iterable[bytes]:
    """It is read from the cells of both sides; their ages and sources decide `carried`, and `fixed_on` of tables."""
    period = _period(params, context)
    return columns(context.matrix, (params.base, *params.quotes), *period)


def answer(context: RequestContext, params: TimeSeriesParams) -> TimeSeriesResponse:
    """Return the rates of each day of a period, the same as at `/historical`; days without a rate are left out.

    With `rate_type` the rates are made of fixings of that type, with `source` of the days on which one source published
    them, with `rule` or `booking` those that count for each day. A longer interval has the last rate of each week,
    month or year. The rates of a metal are by its own unit, or by `unit` and `purity`. A coin has the days whose close
    was archived.
    """
    start, end = _period(params, context)
    series, unavailable = _read_series(context, params)
    unit, purity = weight_names(params)
    ages_of = _ages_of(context, params)
    carried = {code: carried_days(one, ages_of(one)) for code, one in series.items()} if params.verbose else {}
    fixed_on: dict[str, Any] = {
        code: {str(day): fixed for day, fixed in days.items()} for code, days in carried.items()
    }
    is_one = len(params.quotes) == 1
    return TimeSeriesResponse(
        start=start,
        end=end,
        interval=params.interval,
        base=params.base,
        results=_written(context, params, series.values()),
        unit=unit,
        purity=purity,
        carried=_one_or_all({code: list(days) for code, days in carried.items()}, is_one=is_one),
        fixed_on=_one_or_all(fixed_on, is_one=is_one),
        unavailable=unavailable,
        assumed=context.assumed,
        **(names_of_choice(_of_source(context, params), is_counted=_is_counted(params)) | names_of_coin(params)),
    )


def _written(context: RequestContext, params: TimeSeriesParams, series: Iterable[Series]) -> Raw:
    """Write series as an object of target to date to rate; days without a rate are left out."""
    chosen = (params.rate_type, params.unit, params.purity, choice_of(params))
    is_daily = params.interval == INTERVALS[0] and all(one is None for one in chosen) and not is_of_coin(params)
    is_plain = is_daily and context.matrix is context.state.matrix
    write = partial(YEARS.written, context.matrix) if is_plain else rates_by_day
    return Raw(b"{" + b",".join([b'"%b":%b' % (one.pair.quote.encode(), write(one)) for one in series]) + b"}")


def _is_counted(params: TimeSeriesParams) -> bool:
    """Return whether each day has the rate that counts for it by a rule, and not the one that was published then."""
    return params.rule is not None or params.booking is not None


def table(context: RequestContext, params: TimeSeriesParams) -> AnswerTable:
    """Return the rates of one target after the other, a row for each day."""
    series, unavailable = _read_series(context, params)
    left_out = () if unavailable is UNSET else tuple(unavailable)
    return AnswerTable(DAY_COLUMNS, series_rows(series.values(), _ages_of(context, params)), left_out)


def _read_series(context: RequestContext, params: TimeSeriesParams) -> tuple[dict[str, Series], list[str] | UnsetType]:
    typed, period = _typed(context, params), _period(params, context)

    of_source, weight = _of_source(context, params), weight_factor(context, params)

    def read(quote: str) -> Series:
        pair = Pair(params.base, quote)
        if is_of_coin(params):
            series = coin_series(context, pair, *period)
        elif _is_counted(params):
            series = _counted(context, params, quote).series
        elif of_source is not None:
            series = published_series(of_source, pair, *period)
        elif typed is not None:
            series = typed.series(params.base, quote)
        else:
            series = read_series(context.matrix, pair, *period)
        if weight != 1.0:
            series = Series(series.pair, series.first_day, series.values * weight)
        return series if params.interval == INTERVALS[0] else closes(series, params.interval)

    return answer_each(params.quotes, read, partial=params.partial, unknown=params.quotes.unknown)


def _counted(context: RequestContext, params: TimeSeriesParams, quote: str) -> CountedSeries:
    """Return what counts for each day by a rule."""

    def read() -> CountedSeries:
        rates = _of_source(context, params)
        if rates is None:
            raise TypeError("There is no rule")
        return counted_series(rates, Pair(params.base, quote), *_period(params, context), targets=len(params.quotes))

    found: CountedSeries = context.remembered((counted_series, quote), read)
    return found


def _of_source(context: RequestContext, params: TimeSeriesParams) -> PublisherRates | None:
    choice = choice_of(params)
    return None if choice is None else PublisherRates(context, choice, (params.base, *params.quotes))


def _typed(context: RequestContext, params: TimeSeriesParams) -> TypedRates | None:
    return context.once(_read_typed, params)


def _read_typed(context: RequestContext, params: TimeSeriesParams) -> TypedRates | None:
    if params.rate_type is None:
        return None
    return TypedRates(context, params.rate_type, (params.base, *params.quotes), _period(params, context))


def _ages_of(context: RequestContext, params: TimeSeriesParams) -> Callable[[Series], list[int | None]]:
    """Return what tells how old the fixing of each day of a series is."""
    typed = _typed(context, params)
    if is_of_coin(params):
        return partial(currency_ages, context)
    if _is_counted(params):
        return lambda series: _counted(context, params, series.pair.quote).ages
    if params.source is not None:
        return lambda series: [0] * len(series.values)
    if typed is not None:
        return lambda series: typed.fixing_ages(series.pair)
    return partial(fixing_ages, context.matrix)


def _one_or_all(by_code: dict[str, D], *, is_one: bool) -> D | dict[str, D] | UnsetType:
    """Return what there is of one target alone, or of several by target."""
    if not by_code:
        return UNSET
    return next(iter(by_code.values())) if is_one else by_code


def _period(params: TimeSeriesParams, context: RequestContext) -> tuple[date, date]:
    """Return the first and last day of the period. Without a start it begins no earlier than the plan includes."""
    today = context.today
    end = min(params.end or today, today)
    start = params.start or max(end - timedelta(days=DEFAULT_DAYS - 1), EARLIEST_DAY, min(context.reach, end))
    start = not_after_today("start", start, today)
    if start > end:
        raise BadParameter(f"Invalid start: [{start}] is after end [{end}]")
    return start, end


endpoint: Endpoint[TimeSeriesParams, TimeSeriesResponse] = Endpoint(
    path="/time-series",
    tag="currency",
    summary="Daily rates from one currency to up to ten",
    params=TimeSeriesParams,
    body=TimeSeriesResponse,
    answer=answer,
    table=table,
    cost=cost,
    is_immutable=is_answer_immutable,
    etag_data=etag_data,
    earliest_day=earliest_day,
    scope=scope,
    is_long=is_long,
)
