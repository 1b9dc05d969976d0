"""Rate locks: the token that holds the rates of an answer, and the rates that a token holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct, UnsetType

from cambist.accounts.principal import Principal
from cambist.api.answer.request_context import RequestContext, written
from cambist.errors import BadParameter, KeyMissing, LockEnded, NotInPlan, ReceiptInvalid
from cambist.pricing.pair import Pair
from cambist.receipts.rate_lock import LockClaims, decode_lock, encode_lock

_MOST_PAIRS = 50
_OTHER_RATES = ("day", "as_of", "rate_type", "source", "rule", "booking")
_OF_NOW = ("min_sources", "max_age")


class LockRecord(Struct, frozen=True):
    """A token that holds the rates of this answer until `ends_at`, for the account that asked."""

    token: str
    ends_at: str | int


Locked = LockRecord | UnsetType
LockedRates = Mapping[Pair, str]
"""Rates with 15 significant digits by pair."""


def check_alone(params: Any) -> None:
    """Refuse what would choose another rate than that of now beside a lock. Errors: BadParameter."""
    names = (*_OTHER_RATES, *_OF_NOW) if isinstance(params.lock, str) else _OTHER_RATES
    name = next((name for name in names if getattr(params, name, None) is not None), None)
    if name is not None:
        raise BadParameter(
            f"Invalid lock: it holds a rate of now, and cannot be combined with [{'date' if name == 'day' else name}]"
        )


def check_grant(context: RequestContext, duration: timedelta, pairs: int) -> Principal:
    """Return who may hold that many rates for that long. Errors: KeyMissing, NotInPlan, BadParameter."""
    payer = context.payer
    if payer is None:
        raise KeyMissing("A rate is held for an account: the request needs its API key")
    longest = timedelta(minutes=payer.plan.lock_minutes)
    if duration > longest:
        raise NotInPlan(f"The plan [{payer.plan.name}] holds rates for [{payer.plan.lock_minutes}] minutes at most")
    if pairs > _MOST_PAIRS:
        raise BadParameter(f"Invalid lock: it holds [{_MOST_PAIRS}] rates at most, not [{pairs}]")
    return payer


def grant(context: RequestContext, duration: timedelta, rates: LockedRates, of: datetime) -> LockRecord:
    """Return a lock of rates. Errors: KeyMissing, NotInPlan, BadParameter, ReceiptUnavailable, StoreBusy."""
    payer = check_grant(context, duration, len(rates))
    now = int(context.timestamp)
    claims = LockClaims(
        iat=now,
        exp=now + int(duration.total_seconds()),
        account=payer.account.number,
        rates={f"{pair.base}/{pair.quote}": rate for pair, rate in rates.items()},
        of=of.timestamp(),
    )
    signer = context.state.readers.receipts
    signer.prepare()
    token = signer.sign_lock(encode_lock(claims))
    return LockRecord(token, written(datetime.fromtimestamp(claims.exp, UTC), context.form))


def held(context: RequestContext, token: str) -> LockClaims:
    """Return what a token holds for the account that asks. Errors: BadParameter, NotInPlan."""
    try:
        claims = decode_lock(context.state.readers.receipts.verify_lock(token))
    except ReceiptInvalid as error:
        raise BadParameter("Invalid lock: the token was changed, or another service made it") from error
    if context.payer is None or context.payer.account.number != claims.account:
        raise NotInPlan("The lock holds rates for another account")
    return claims


def held_rate(context: RequestContext, token: str, pair: Pair, rate_now: Callable[[], str]) -> tuple[str, datetime]:
    """Return the rate of a pair that a token holds, and of when it is. Errors: BadParameter, NotInPlan, LockEnded."""
    claims = context.remembered((held, token), lambda: held(context, token))
    rate = claims.rates.get(f"{pair.base}/{pair.quote}")
    if rate is None:
        pairs = ", ".join(claims.rates)
        raise BadParameter(f"Invalid lock: it does not hold a rate of [{pair.base}/{pair.quote}]. It holds [{pairs}]")
    if context.timestamp >= claims.exp:
        ended = written(datetime.fromtimestamp(claims.exp, UTC))
        raise LockEnded(f"The lock ended at [{ended}]; the rate of [{pair.base}/{pair.quote}] is now [{rate_now()}]")
    return rate, datetime.fromtimestamp(claims.of, UTC)


def _record_of(context: RequestContext, token: str) -> LockRecord:
    claims = context.remembered((held, token), lambda: held(context, token))
    return LockRecord(token, written(datetime.fromtimestamp(claims.exp, UTC), context.form))


def lock_record(context: RequestContext, lock: timedelta | str, rates: LockedRates, of: datetime) -> LockRecord:
    """Return the lock of an answer: the one that was asked for, or the one that was used."""
    return _record_of(context, lock) if isinstance(lock, str) else grant(context, lock, rates, of)
