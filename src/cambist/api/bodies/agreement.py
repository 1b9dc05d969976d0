"""How many sources agree on the rates of an answer, and the refusal of rates that too few agree on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from math import isnan
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.source_tables import compiled_sources, main_anchors
from cambist.api.bodies.verdict_records import current_verdict, shown_rate, status_name
from cambist.api.questions.agreement_parameters import MAX_COMPARED
from cambist.errors import BadParameter, TooFewSources
from cambist.history.code_verdict import CodeVerdict
from cambist.history.rate_matrix import BY_LAW, NOBODY
from cambist.pricing.agreement import Agreement, SourceRate, agreement
from cambist.pricing.number_format import plain_float
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.parity import Parity, parities_on
from cambist.pricing.quote import Derivation
from cambist.reference.assets import COINS
from cambist.verdicts.verdict import DayStatus

MAX_JUDGED = 10
"""For how many codes of a request verdicts are derived again: each reads a year of fixings of all sources."""

_BY_LAW = (Derivation.PEGGED, Derivation.CONVERTED)


class AgreementRecord(Struct, frozen=True, omit_defaults=True):
    """How many independent sources agree on the rate of a code against the US dollar, or which law decides it.

    `deviation` is the highest minus the lowest of their rates of `pair`, present if there are several. Where `law` is
    present the rate follows from that of another code without a source of its own. `status` is what was found of a
    daily fixing: agreed, majority, single, disputed (then `other` is the rate that the rest say) or held.
    """

    sources: int
    pair: str = ""
    deviation: str = ""
    law: str = ""
    status: str = ""
    other: str = ""


Agreements = dict[str, AgreementRecord]

Agreed = Annotated[
    Agreements | UnsetType,
    Meta(description="With `min_sources`: how many independent sources agree on the rate of each code, or which law."),
]


def agreements_now(context: RequestContext, codes: Iterable[str]) -> Agreements:
    """Return the agreement on the current rate of each code, and of those that they are pegged to.

    Errors: RateUnavailable for a code without a rate.
    """
    asked = list(_without_pivot(codes))
    found = _counted_now(context, asked)
    if len(asked) > MAX_JUDGED:
        return found
    return {code: _with_verdict(each, code, _verdict_now(context, code, each)) for code, each in found.items()}


def _counted_now(context: RequestContext, codes: Iterable[str]) -> Agreements:
    parities = {parity.code: parity for parity in parities_on(context.today)}
    compiled = compiled_sources(context)
    found: Agreements = {}
    for code in _without_pivot(codes):
        leg = context.book.leg(code)
        parity = parities.get(code)
        if parity is not None and leg.origin.made in _BY_LAW:
            found[code] = _by_law(parity)
            found |= _counted_now(context, [parity.anchor])
            continue
        votes = context.votes(code)
        rates = [SourceRate(vote.source, vote.mid, vote.source in compiled) for vote in votes if vote.weight]
        alone = Agreement(min(len(leg.origin.sources), 1))
        found[code] = agreement_record(str(leg.pair), agreement(leg.float_mid, rates) if rates else alone)
    return found


def _verdict_now(context: RequestContext, code: str, counted: AgreementRecord) -> CodeVerdict | None:
    is_fixing = not counted.law and context.book.leg(code).origin.is_fixing
    return current_verdict(context, code) if is_fixing else None


def _with_verdict(counted: AgreementRecord, code: str, found: CodeVerdict | None) -> AgreementRecord:
    """Return an agreement with the status of the fixing, and with the other rate if it is disputed."""
    if found is None:
        return counted
    other = ""
    if found.status is DayStatus.DISPUTED:
        other = shown_rate(found.other, Pair(*counted.pair.split("/")), code)
    return replace(counted, status=status_name(found), other=other)


def agreements_on(context: RequestContext, codes: Iterable[str], day: date) -> Agreements:
    """Return the agreement on the rate of each code on a past day, from the archived fixings of all sources.

    Errors: BadParameter for too many codes; RateUnavailable, StoreBusy.
    """
    found, compared = _by_law_on(context, codes, day)
    if len(compared) > MAX_COMPARED:
        raise BadParameter(f"[min_sources] compares at most {MAX_COMPARED} currencies of a past day: [{len(compared)}]")
    compiled, coins = compiled_sources(context), [code for code in compared if code in COINS]
    found |= {code: AgreementRecord(1, f"{code}/{PIVOT}") for code in coins}
    wanted = [code for code in compared if code not in COINS]
    if context.fixings is None:  # simulated rates have one source
        return found | {code: AgreementRecord(1, f"{PIVOT}/{code}") for code in wanted}
    rates = context.state.readers.source_rates(main_anchors(context), wanted, day, day)
    for code in wanted:
        served = context.matrix.cell(day, code)
        last = ((each.source, float(each.units[-1])) for each in rates.of(code))
        of_sources = [SourceRate(source, units, source in compiled) for source, units in last if not isnan(units)]
        found[code] = agreement_record(f"{PIVOT}/{code}", _agreement(context, served, of_sources))
    for code in wanted if len(wanted) <= MAX_JUDGED else ():
        found[code] = _with_verdict(found[code], code, context.verdict(code, day))
    return found


def _agreement(context: RequestContext, served: float, rates: list[SourceRate]) -> Agreement:
    """Return the agreement on a rate; while no source has been asked, a stored rate is known to be of one."""
    if isnan(served):
        return Agreement(0)
    return Agreement(1) if context.source_reports is None else agreement(served, rates)


def _by_law_on(context: RequestContext, codes: Iterable[str], day: date) -> tuple[Agreements, list[str]]:
    """Return the codes that a law decides, and those that sources do."""
    parities = {parity.code: parity for parity in parities_on(day)}
    found: Agreements = {}
    compared: dict[str, None] = {}
    waiting = list(_without_pivot(codes))
    while waiting:
        code = waiting.pop(0)
        parity = parities.get(code)
        if parity is not None and context.matrix.source_and_age(day, code)[0] in (BY_LAW, NOBODY):
            found[code] = _by_law(parity)
            waiting += _without_pivot([parity.anchor])
        else:
            compared[code] = None
    return found, list(compared)


def check_agreement(found: Mapping[str, AgreementRecord], min_sources: int) -> None:
    """Refuse rates that fewer sources agree on. A law needs none. Errors: TooFewSources naming each code."""
    few = {code: each.sources for code, each in found.items() if not each.law and each.sources < min_sources}
    if few:
        counts = ", ".join(f"[{code}] has [{count}]" for code, count in few.items())
        raise TooFewSources(f"Too few sources agree: {counts}; the request asks for {min_sources}")


def agreed_now(context: RequestContext, codes: Iterable[str], min_sources: int | None) -> Agreements | UnsetType:
    """Return the agreement on current rates if a request asks for it. Errors: TooFewSources, RateUnavailable."""
    if min_sources is None:
        return UNSET
    found = agreements_now(context, codes)
    check_agreement(found, min_sources)
    return found


def agreed_on(
    context: RequestContext, codes: Iterable[str], day: date, min_sources: int | None
) -> Agreements | UnsetType:
    """Return the agreement on rates of a day if a request asks for it. Errors: TooFewSources, as `agreements_on`."""
    if min_sources is None:
        return UNSET
    found = agreements_on(context, codes, day)
    check_agreement(found, min_sources)
    return found


def _without_pivot(codes: Iterable[str]) -> Iterator[str]:
    return (code for code in dict.fromkeys(codes) if code != PIVOT)


def _by_law(parity: Parity) -> AgreementRecord:
    return AgreementRecord(0, str(Pair(parity.anchor, parity.code)), law=parity.authority)


def agreement_record(pair: str, found: Agreement) -> AgreementRecord:
    """Return an agreement on the rate of a pair as answers show it."""
    deviation = "" if found.deviation is None else plain_float(found.deviation) if found.deviation else "0"
    return AgreementRecord(found.sources, pair, deviation)
