"""What a client may ask to be told of: codes and sources that exist, within its plan, by a way that is set."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import structs

from cambist.accounts.alerts.addresses import check_webhook
from cambist.accounts.alerts.definition import AlertDefinition, Way, When, check_definition
from cambist.accounts.principal import Principal
from cambist.api.answer.request_context import RequestContext
from cambist.api.questions.symbol_parameters import ANY_ASSET, read_code
from cambist.api.state.alert_book import AlertBook
from cambist.errors import BadParameter, KeyMissing, NotInPlan, RateUnavailable, shorten
from cambist.pricing.cross_rates import check_crossable
from cambist.reference.assets import AssetKind, kind_of
from cambist.reference.minor_units import MINOR_UNITS
from cambist.suggestions import did_you_mean

_GROUPS = {AssetKind.CURRENCY: "currency", AssetKind.METAL: "metals", AssetKind.COIN: "crypto"}


@dataclass(frozen=True, slots=True)
class Owner:
    """Who asks about alerts, and the alerts."""

    payer: Principal
    book: AlertBook


def owner_of(context: RequestContext) -> Owner:
    """Return who asks. Errors: KeyMissing without a key of its own, RateUnavailable where nothing is kept."""
    book = context.state.readers.alerts
    if context.payer is None or context.payer.is_visitor:
        raise KeyMissing("Alerts are kept for an account: the request needs its API key")
    if book is None:
        raise RateUnavailable("This service keeps no alerts")
    return Owner(context.payer, book)


def read_definition(context: RequestContext, owner: Owner, asked: AlertDefinition) -> AlertDefinition:
    """Return a definition with its codes as they are written here. Errors: BadParameter, NotInPlan."""
    check_definition(asked)
    if asked.when is When.PUBLISHED:
        asked = structs.replace(asked, source=_source(context, asked.source))
    elif asked.base:
        asked = structs.replace(
            asked, base=_code(owner, asked.base, "source"), quote=_code(owner, asked.quote, "target")
        )
        if asked.base == asked.quote:
            raise BadParameter(f"Invalid to: [{asked.quote}] is the currency of [from] too")
        check_crossable(asked.base, asked.quote)
        _check_corrected(asked)
    elif asked.when is When.QUOTA and owner.payer.plan.calls_a_month is None:
        raise BadParameter(f"Invalid when: the plan [{owner.payer.plan.name}] has no quota")
    _check_way(owner, asked)
    return asked


def _code(owner: Owner, text: str, role: str) -> str:
    code = read_code(text, role, ANY_ASSET)
    if code in MINOR_UNITS:
        raise BadParameter(f"Invalid currency: [{code}] is a part of another one; give the level in that")
    kind = kind_of(code)
    group = _GROUPS[kind] if kind is not None else ""
    if group not in owner.payer.tags:
        raise NotInPlan(f"The plan [{owner.payer.plan.name}] does not include the group [{group}]")
    return code


def _check_corrected(asked: AlertDefinition) -> None:
    if asked.when is When.CORRECTED and any(kind_of(code) is AssetKind.COIN for code in (asked.base, asked.quote)):
        raise BadParameter("Invalid from: closes of coins are not corrected")


def _source(context: RequestContext, text: str) -> str:
    reports = context.source_reports
    keys = [] if reports is None else [report.key for report in reports.reports]
    key = text.strip().lower()
    if key not in keys:
        raise BadParameter(f"Unknown source: [{shorten(text)}]; {did_you_mean(key, keys)}")
    if reports is not None and any(report.key == key and not report.enabled for report in reports.reports):
        raise BadParameter(f"Invalid source: [{key}] is not asked by this service")
    return key


def _check_way(owner: Owner, asked: AlertDefinition) -> None:
    if asked.deliver is Way.WEBHOOK:
        check_webhook(asked.address, allows_private=owner.book.allows_private)
    elif asked.deliver is Way.EMAIL and not owner.book.has_mail:
        raise BadParameter("Invalid deliver: this service sends no e-mail; use [webhook] or [stream]")
    elif asked.deliver is Way.EMAIL and not owner.payer.account.email:
        raise BadParameter("Invalid deliver: the account has no e-mail address; its operator can set one")
    elif asked.deliver is Way.STREAM and "stream" not in owner.payer.tags:
        raise NotInPlan(f"The plan [{owner.payer.plan.name}] does not include the group [stream]")
