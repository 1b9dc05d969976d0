"""`POST /price-list/bulk`: a list of articles in many currencies, kept near to the prices that it had."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from msgspec import UNSET, Struct, UnsetType, field

from cambist.api.answer.answer_table import NUMBER, AnswerTable, Cell, Column, cell_of
from cambist.api.answer.posted_endpoint import PostedEndpoint
from cambist.api.answer.rendering import Number, number
from cambist.api.answer.request_context import RequestContext
from cambist.api.endpoints.currency.convert import AnyAmountParams
from cambist.api.endpoints.currency.price_list import EXACT_PLACES, Price, parse_markup, price_of
from cambist.api.questions.parameter_types import not_after_today
from cambist.api.questions.symbol_parameters import MONEY, MONEY_AND_METALS, read_code
from cambist.errors import BadParameter, UnknownSymbol, shorten
from cambist.pricing.number_format import plain_float
from cambist.pricing.pair import PIVOT
from cambist.pricing.price_rounding import PriceRounding, parse_rounding

MOST_PRICES = 10_000
_PERCENT = re.compile(r"([0-9]{1,4}(\.[0-9]{1,6})?) ?%?")
_NO_CHANGE = Decimal(0)


class ArticleQuestion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An article, its price, and if you like what it costs you and its last prices by currency."""

    sku: str
    price: Decimal
    cost: Decimal | None = None
    last: dict[str, Decimal] = {}


class PriceListQuestion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"day": "date"}):
    """Articles priced in `from`, and the currencies `to` which they are priced in; 10,000 prices at most.

    `markup` and `rounding` are those of `/price-list`. A price that differs from the last one by no more than
    `keep_within` stays as it was, and none changes by more than `max_change`: both are percentages.
    """

    articles: list[ArticleQuestion]
    base: str = field(default=PIVOT, name="from")
    quotes: list[str] = field(name="to")
    markup: str = "0%"
    rounding: str = "currency"
    keep_within: str = "0%"
    max_change: str | None = None
    day: date | None = None


class ListRate(Struct, frozen=True, kw_only=True):
    """The rate of a currency, and of when it is: a current one has `updated`, one of a day `fixed_on`."""

    rate: Number
    updated: str | int | UnsetType = UNSET
    fixed_on: date | UnsetType | None = UNSET


class ArticlePrice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A price: `amount` is the article's at the rate, to which `markup` and then `rounding` were added.

    `kept`: it differs from the last price by so little that this stays. `limited`: it would change by more than is
    allowed. `below_cost`: it is lower than the article's cost, or than its own price, at the rate.
    """

    price: Number
    amount: Number
    markup: Number
    rounding: Number
    kept: bool = False
    limited: bool = False
    below_cost: bool = False


class ArticleRecord(Struct, frozen=True):
    """The prices of an article by currency."""

    sku: str
    prices: dict[str, ArticlePrice]


class PriceListBulkResponse(Struct, frozen=True, rename={"base": "from"}):
    """The rates that were used, the articles in the order of the request, and how many prices are below cost."""

    base: str
    rates: dict[str, ListRate]
    articles: list[ArticleRecord]
    below_cost: int


class _Terms(NamedTuple):
    """How prices are made: the parsed parameters of a question."""

    base: str
    quotes: list[str]
    markup: Decimal
    rounding: PriceRounding
    keep_within: Decimal
    max_change: Decimal | None
    day: date | None


def answer(context: RequestContext, question: PriceListQuestion) -> PriceListBulkResponse:
    """Return every article in every currency: converted, marked up, rounded, and kept near to its last price."""
    terms, records = _terms(context, question), []
    rates: dict[str, ListRate] = {}
    for place, article in enumerate(question.articles, 1):
        last, prices = _checked_last(article, place), {}
        for quote in terms.quotes:
            found = price_of(context, _asked(terms, quote, article.price), terms.markup, terms.rounding)
            rates.setdefault(quote, _rate(found))
            prices[quote] = _settled(article, last.get(quote), found, terms, quote)
        records.append(ArticleRecord(article.sku, prices))
    below = sum(price.below_cost for record in records for price in record.prices.values())
    return PriceListBulkResponse(terms.base, rates, records, below)


def _terms(context: RequestContext, question: PriceListQuestion) -> _Terms:
    quotes = list(dict.fromkeys(read_code(text, "target", MONEY) for text in question.quotes))
    prices = len(question.articles) * len(quotes)
    if not 1 <= prices <= MOST_PRICES:
        raise BadParameter(f"Invalid articles: these are [{prices}] prices, it takes from 1 to {MOST_PRICES}")
    return _Terms(
        base=read_code(question.base, "source", MONEY_AND_METALS),
        quotes=quotes,
        markup=parse_markup("markup", question.markup),
        rounding=parse_rounding("rounding", question.rounding),
        keep_within=_percent("keep_within", question.keep_within),
        max_change=None if question.max_change is None else _percent("max_change", question.max_change),
        day=question.day and not_after_today("date", question.day, context.today),
    )


def _percent(name: str, text: str) -> Decimal:
    found = _PERCENT.fullmatch(text.strip())
    if found is None:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes a percentage from 0 up, such as 1%")
    return Decimal(found[1])


def _checked_last(article: ArticleQuestion, place: int) -> dict[str, Decimal]:
    """Return the last prices of an article by code. Errors: BadParameter, which names it by its number."""
    for name, value in (("price", article.price), ("cost", article.cost), *article.last.items()):
        if value is not None and (not value.is_finite() or value <= 0 or abs(value.adjusted()) > 15):
            raise BadParameter(f"Article {place}: Invalid {name}: [{shorten(str(value))}], it takes a number above 0")
    try:
        return {read_code(code, "", MONEY): price for code, price in article.last.items()}
    except UnknownSymbol as error:
        raise BadParameter(f"Article {place}: Invalid last: {error}") from error


def _asked(terms: _Terms, quote: str, amount: Decimal) -> AnyAmountParams:
    return AnyAmountParams(
        base=terms.base, quote=quote, amount=amount, day=terms.day, precision=EXACT_PLACES, max_age=None
    )


def _settled(article: ArticleQuestion, last: Decimal | None, found: Price, terms: _Terms, quote: str) -> ArticlePrice:
    """Return a price as it is after the last one was looked at."""
    price = found.price
    is_kept = is_limited = False
    if last is not None:
        change = (price / last - 1) * 100
        is_kept = price != last and abs(change) <= terms.keep_within
        is_limited = not is_kept and terms.max_change is not None and abs(change) > terms.max_change
        if is_kept:
            price = last
        elif is_limited:
            price = _limited(last, change, terms, quote)
    floor = found.cost if article.cost is None else found.cost * article.cost / article.price
    return ArticlePrice(
        price=number(price),
        amount=number(found.cost),
        markup=number(found.markup),
        rounding=number(price - found.cost - found.markup),
        kept=is_kept,
        limited=is_limited,
        below_cost=price < floor,
    )


def _limited(last: Decimal, change: Decimal, terms: _Terms, quote: str) -> Decimal:
    """Return the last price changed by as much as is allowed, rounded as all prices."""
    most = terms.max_change or _NO_CHANGE
    allowed = last * (100 + (most if change > 0 else -most)) / 100
    return terms.rounding.round(Fraction(allowed), quote)


def _rate(found: Price) -> ListRate:
    rate = number(Decimal(plain_float(found.found.rate)))
    return ListRate(rate=rate, updated=found.found.updated, fixed_on=found.found.fixed_on)


_COLUMNS = (
    Column("sku"),
    Column("currency"),
    *(Column(name, NUMBER) for name in ("price", "amount", "markup", "rounding", "rate")),
    *(Column(name) for name in ("as_of", "kept", "limited", "below_cost")),
)


def table(found: PriceListBulkResponse) -> AnswerTable:
    """Return a row for each article and currency."""
    return AnswerTable(_COLUMNS, _rows(found))


def _rows(found: PriceListBulkResponse) -> Iterator[tuple[Cell, ...]]:
    for article in found.articles:
        for code, price in article.prices.items():
            rate = found.rates[code]
            numbers = (price.price, price.amount, price.markup, price.rounding, rate.rate)
            as_of = rate.fixed_on if rate.updated is UNSET else rate.updated
            said = ("yes" if each else "no" for each in (price.kept, price.limited, price.below_cost))
            yield article.sku, code, *map(cell_of, numbers), cell_of(as_of), *said


def cost(context: RequestContext, question: PriceListQuestion) -> int:
    """One call for each currency, however many articles there are."""
    return len(_terms(context, question).quotes)


def earliest_day(_context: RequestContext, question: PriceListQuestion) -> date | None:
    """The day of the request, if it has one."""
    return question.day


endpoint: PostedEndpoint[PriceListQuestion, PriceListBulkResponse] = PostedEndpoint(
    path="/price-list/bulk",
    tag="currency",
    summary="A list of articles in many currencies",
    question=PriceListQuestion,
    body=PriceListBulkResponse,
    answer=answer,
    cost=cost,
    earliest_day=earliest_day,
    lines="articles",
    table=table,
    example=(
        b'{"from": "EUR", "to": ["USD", "GBP"], "markup": "2.5%", "rounding": "charm:0.95", "keep_within": "1%", '
        b'"articles": [{"sku": "A-1", "price": 12.50, "cost": 8, "last": {"USD": 14.95}}]}'
    ),
)
