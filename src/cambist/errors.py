"""The errors of Cambist. Nothing here knows HTTP: `api/errors.py` maps each error to a status and a body.

CambistError
├── RequestRefused                 a request cannot be answered as it is
│   ├── BadParameter               a parameter is missing, malformed or out of range
│   │   └── UnknownSymbol          an unknown code, or one that is not allowed here
│   │       ├── UnknownMetal       no metal has this code
│   │       ├── UnknownCryptoPair  no venue lists this pair of coins
│   │       ├── UnknownFxPair      this is not a pair of currencies
│   │       └── UnknownInstrument  no metals instrument has one of these names
│   ├── KeyRefused                 the API key does not identify an active account
│   │   ├── KeyMissing             the request has no API key
│   │   ├── KeyMalformed           this cannot be an API key: it is mistyped or cut off
│   │   ├── KeyUnknown             the API key is well-formed, but does not exist here
│   │   ├── KeyEnded               the API key was revoked or has expired
│   │   ├── KeysDiffer             the request has two different API keys
│   │   └── AccountSuspended       the account of the API key is suspended
│   ├── NotInPlan                  the plan does not include the endpoint, or history that old
│   ├── RetryLater                 the same request may succeed later
│   │   ├── RateLimited            too many requests in a short time
│   │   ├── QuotaSpent             the request costs more calls than the period has left
│   │   ├── QuotaUnknown           it cannot be known now whether the quota allows the request
│   │   ├── TooManyFailedKeys      too many requests with a wrong API key from one address
│   │   └── StoreBusy              the database does not answer in time
│   ├── ReceiptUnavailable         no receipt can be signed now
│   ├── LockEnded                  the rate lock that a request names has ended
│   ├── NoRate                     there is no rate for these symbols on this day
│   │   ├── NoRateOfType           neither of two currencies has a rate of the type asked for
│   │   └── NotKnownThen           there is a rate now, but it was not known at the moment of `as_of`
│   └── RateUnavailable            a current rate is missing or too old
│       └── TooFewSources          fewer sources agree on a rate than the request asks for
├── NameTaken                      an account of this name exists already
├── ChangedMeanwhile               a file was changed since it was read
├── NotHere                        an action that this installation does not have
├── LinkRefused                    a sign-in link of the console is unknown, used or expired
├── PlansRefused                   a plans file is malformed
├── SourceRefused                  the declaration of an operator's own source is wrong
├── SourceBroken                   an answer of a source is not what this source publishes
│   ├── CellBroken                 one cell or column of an answer cannot be read
│   ├── SourceUnreachable          a source cannot be reached, or does not answer in time
│   └── NothingPublished           a source has published nothing for the requested days
├── RateMatrixDamaged              the file of the rate matrix is damaged
├── RateBookDamaged                the file of the rate book is damaged
├── StoreBroken                    the database cannot be read or written
│   ├── StoreUnreachable           the server of the database cannot be reached
│   └── NoLongerLeading            another node has become the leader of the ingest
├── RedisUnreachable               Redis does not answer in time, or refuses a command
├── ReceiptInvalid                 a receipt was not signed by this service for this answer
├── LogInconsistent                the log of editions does not continue what was signed before
├── CannotCopy                     a database cannot be copied into another
├── BackupRefused                  a backup cannot be made, or a file cannot be restored
├── SettingRefused                 a setting is unknown, malformed or out of range
└── CannotStart                    the machine does not allow the service to start
"""

from cambist.redaction import without_keys


class CambistError(Exception):
    """The root of all errors. Its text is a sentence that may be shown to the client."""


class RequestRefused(CambistError):
    """A request cannot be answered as it is."""


class BadParameter(RequestRefused):
    """A parameter is missing, malformed or out of range."""


class UnknownSymbol(BadParameter):
    """An unknown code, or one that is not allowed here. `hint` says which endpoint accepts it."""

    kind = "currency"

    def __init__(self, symbol: str, role: str = "target", hint: str = "") -> None:
        self.symbol, self.role = shorten(symbol), role
        super().__init__(f"Invalid/unsupported {f'{role} {self.kind}'.strip()}: [{self.symbol}]{hint and f', {hint}'}")


class UnknownMetal(UnknownSymbol):
    """No metal has this code."""

    kind = "metal"


class UnknownCryptoPair(UnknownSymbol):
    """No venue lists this pair of coins."""

    kind = "crypto pair"


class UnknownFxPair(UnknownSymbol):
    """This is not a pair of currencies."""

    kind = "fx pair"


class UnknownInstrument(UnknownSymbol):
    """No metals instrument has one of these names."""

    kind = "metals instrument"


class KeyRefused(RequestRefused):
    """The API key does not identify an active account. The text never repeats the key."""


class KeyMissing(KeyRefused):
    """The request has no API key."""


class KeyMalformed(KeyRefused):
    """This cannot be an API key: it is mistyped or cut off."""


class KeyUnknown(KeyRefused):
    """The API key is well-formed, but does not exist here."""


class KeyEnded(KeyRefused):
    """The API key was revoked or has expired."""


class KeysDiffer(KeyRefused):
    """The request has two different API keys."""


class AccountSuspended(KeyRefused):
    """The account of the API key is suspended."""


class NotInPlan(RequestRefused):
    """The plan does not include the endpoint, or history that old."""


class RetryLater(RequestRefused):
    """The same request may succeed later, in `retry_after` seconds."""

    def __init__(self, sentence: str, retry_after: int) -> None:
        super().__init__(sentence)
        self.retry_after = retry_after


class RateLimited(RetryLater):
    """Too many requests in a short time."""


class QuotaSpent(RetryLater):
    """The request costs more calls than the period has left."""


class QuotaUnknown(RetryLater):
    """It cannot be known now whether the quota allows the request: this node has used up its part of it."""


class TooManyFailedKeys(RetryLater):
    """Too many requests with a wrong API key from one address."""


class StoreBusy(RetryLater):
    """The database does not answer in time, or too many requests wait for it already."""


class ReceiptUnavailable(RequestRefused):
    """No receipt can be signed now: the key cannot be read, created or announced."""


class LockEnded(RequestRefused):
    """The rate lock that a request names has ended."""


class NoRate(RequestRefused):
    """There is no rate for these symbols on this day."""


class NoRateOfType(NoRate):
    """Neither of two currencies has a rate of the type asked for; the text says which types they have."""


class NotKnownThen(NoRate):
    """There is a rate now, but it was not known at the moment of `as_of`; `first_edition` is the first with it."""

    def __init__(self, sentence: str, first_edition: str | None = None) -> None:
        self.first_edition = first_edition
        super().__init__(sentence)


class RateUnavailable(RequestRefused):
    """A current rate is missing or too old; a later request may succeed."""


class TooFewSources(RateUnavailable):
    """Fewer sources agree on a rate than the request asks for; only independent ones count."""


class NameTaken(CambistError):
    """An account of this name exists already."""


class ChangedMeanwhile(CambistError):
    """A file was changed since it was read, so that writing it would undo that."""


class NotHere(CambistError):
    """An action that this installation does not have, such as asking the sources of a sandbox."""


class LinkRefused(CambistError):
    """A sign-in link of the console is unknown, used or expired."""


class PlansRefused(CambistError):
    """A plans file is malformed; the text names the file and the line.

    `line`, `plan` and `field` say where, as far as it is known.
    """

    def __init__(self, sentence: str, line: int | None = None, plan: str = "", field: str = "") -> None:
        super().__init__(sentence)
        self.line = line
        self.plan = plan
        self.field = field


class SourceRefused(CambistError):
    """The declaration of an operator's own source is wrong; the text names the file and the field."""


class SourceBroken(CambistError):
    """An answer of a source is not what this source publishes."""


class CellBroken(SourceBroken):
    """One cell or column of an answer cannot be read; the rest may still be used."""


class SourceUnreachable(SourceBroken):
    """A source cannot be reached, or does not answer in time."""


class NothingPublished(SourceBroken):
    """A source has published nothing for the requested days, as its well-formed answer says."""


class RateMatrixDamaged(CambistError):
    """The file of the rate matrix is damaged, or was written by another version."""


class RateBookDamaged(CambistError):
    """The file of the rate book is damaged, or was written by another version."""


class StoreBroken(CambistError):
    """The database cannot be read or written."""


class StoreUnreachable(StoreBroken):
    """The server of the database cannot be reached, or has closed the connection."""


class NoLongerLeading(StoreBroken):
    """Another node has become the leader of the ingest, so nothing was stored."""


class RedisUnreachable(CambistError):
    """Redis does not answer in time, or refuses a command."""


class ReceiptInvalid(CambistError):
    """A receipt was not signed by this service for this answer; the text says what does not fit."""


class LogInconsistent(CambistError):
    """The log of editions does not continue what was signed before, so nothing is signed."""


class CannotCopy(CambistError):
    """A database cannot be copied into another; the text says which of them is to blame."""


class BackupRefused(CambistError):
    """A backup cannot be made, or a file cannot be restored; nothing was changed."""


class SettingRefused(CambistError):
    """A setting is unknown, malformed or out of range."""


class CannotStart(CambistError):
    """The machine does not allow the service to start: a taken port, a folder that cannot be written."""


MAX_ECHO_LENGTH = 64


def shorten(value: str) -> str:
    """Return `value` as an error may repeat it: without keys, at most 64 characters, and how many there are if more."""
    safe = without_keys(value)
    return safe if len(safe) <= MAX_ECHO_LENGTH else f"{safe[:MAX_ECHO_LENGTH]}… {len(safe)} characters"
