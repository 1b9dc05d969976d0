"""Everything that can go wrong, in the field's words. No HTTP here: `api/errors.py` gives each a status.

CambistError
├── RequestRefused             what was asked cannot be answered as asked
│   ├── BadParameter           a parameter is missing, malformed or out of range
│   │   └── UnknownSymbol      a code that no table knows, or that has no place where it was given
│   │       ├── UnknownMetal   a code that is no metal's
│   │       ├── UnknownPair    a pair of coins that no venue lists
│   │       ├── UnknownFxPair  no pair of currencies
│   │       └── UnknownInstrument  none of the instruments asked for exists
│   ├── KeyRefused             who asks is not let in
│   │   ├── KeyMissing         no key was brought
│   │   ├── KeyMalformed       what was brought cannot be a key: mistyped or cut off
│   │   ├── KeyUnknown         a well-formed key that opens nothing here
│   │   ├── KeyEnded           a key that was revoked or has expired
│   │   ├── KeysDiffer         two different keys in one request
│   │   └── AccountSuspended   the key is right, its account is suspended
│   ├── NotInPlan              the plan does not include what was asked
│   ├── ToBeAskedLater         the same request may be answered later
│   │   ├── RateLimited        too many requests at once
│   │   ├── QuotaSpent         more calls than the period has left
│   │   └── TooManyFailures    too many keys from an address opened nothing
│   ├── NoRate                 the symbols exist, that day has no rate for them
│   └── RateUnavailable        a rate is due, but none is here or none is fresh enough
├── NameTaken                  there is an account of that name already
├── PlansRefused               a plans file is malformed
├── SourceRefused              an operator's own source is declared wrongly
├── SourceBroken                 a source sent something that is not what it publishes
│   ├── CellBroken             one cell or column of what a source sent cannot be read
│   ├── SourceSilent           a source cannot be reached, or does not answer in time
│   └── NothingPublished       a source says, well-formed, that it has nothing for the days asked
├── RateMatrixDamaged               the columnar image is not what was written
├── RateBookDamaged               the published book is not what was written
├── StoreBroken                the database cannot be read or written
├── SettingRefused             a setting is unknown, malformed or out of range
└── CannotStart                the machine does not allow the service to start
"""


class CambistError(Exception):
    """The root: its text is a sentence that may be shown to whoever asked."""


class RequestRefused(CambistError):
    """What was asked cannot be answered as asked."""


class BadParameter(RequestRefused):
    """A parameter is missing, malformed or out of range."""


class UnknownSymbol(BadParameter):
    """A code that no table knows, or that has no place where it was given.

    `role` is `source` or `target`, as the interface words it; `hint` says where the code would be right.
    """

    kind = "currency"

    def __init__(self, symbol: str, role: str = "target", hint: str = "") -> None:
        self.symbol = shown(symbol)
        what = f"{role} {self.kind}".strip()
        super().__init__(f"Invalid/unsupported {what}: [{self.symbol}]{hint and f', {hint}'}")


class UnknownMetal(UnknownSymbol):
    """A code that is no metal's."""

    kind = "metal"


class UnknownPair(UnknownSymbol):
    """A pair of coins that no venue lists."""

    kind = "crypto pair"


class UnknownFxPair(UnknownSymbol):
    """No pair of currencies."""

    kind = "fx pair"


class UnknownInstrument(UnknownSymbol):
    """None of the instruments asked for exists."""

    kind = "metals instrument"


class KeyRefused(RequestRefused):
    """Who asks is not let in. The text never repeats the key."""


class KeyMissing(KeyRefused):
    """No key was brought."""


class KeyMalformed(KeyRefused):
    """What was brought cannot be a key: mistyped or cut off."""


class KeyUnknown(KeyRefused):
    """A well-formed key that opens nothing here."""


class KeyEnded(KeyRefused):
    """A key that was revoked or has expired."""


class KeysDiffer(KeyRefused):
    """Two different keys in one request."""


class AccountSuspended(KeyRefused):
    """The key is right, its account is suspended."""


class NotInPlan(RequestRefused):
    """The plan does not include what was asked: the endpoint, or history that old."""


class ToBeAskedLater(RequestRefused):
    """The same request may be answered later: after `retry_after` seconds."""

    def __init__(self, sentence: str, retry_after: int) -> None:
        super().__init__(sentence)
        self.retry_after = retry_after


class RateLimited(ToBeAskedLater):
    """Too many requests at once."""


class QuotaSpent(ToBeAskedLater):
    """More calls than the period has left."""


class TooManyFailures(ToBeAskedLater):
    """Too many keys from an address opened nothing."""


class NoRate(RequestRefused):
    """The symbols exist, that day has no rate for them."""


class RateUnavailable(RequestRefused):
    """A rate is due, but none is here or none is fresh enough; asking later may help."""


class NameTaken(CambistError):
    """There is an account of that name already."""


class PlansRefused(CambistError):
    """A plans file is malformed; the text names the file and the line."""


class SourceRefused(CambistError):
    """An operator's own source is declared wrongly; the text names the file and the field."""


class SourceBroken(CambistError):
    """A source sent something that is not what it publishes."""


class CellBroken(SourceBroken):
    """One cell or column of what a source sent cannot be read; the rest may stand."""


class SourceSilent(SourceBroken):
    """A source cannot be reached, or does not answer in time."""


class NothingPublished(SourceBroken):
    """A source says, well-formed, that it has nothing for the days asked."""


class RateMatrixDamaged(CambistError):
    """The columnar image is not what was written, or was written by another version."""


class RateBookDamaged(CambistError):
    """The published book is not what was written, or was written by another version."""


class StoreBroken(CambistError):
    """The database cannot be read or written."""


class SettingRefused(CambistError):
    """A setting is unknown, malformed or out of range."""


class CannotStart(CambistError):
    """The machine does not allow the service to start: a taken port, a folder that cannot be written."""


LONGEST_ECHO = 64


def shown(value: str) -> str:
    """Give `value` as an error may echo it: at most 64 characters, the rest counted."""
    if len(value) <= LONGEST_ECHO:
        return value
    return f"{value[:LONGEST_ECHO]}… {len(value)} characters"
