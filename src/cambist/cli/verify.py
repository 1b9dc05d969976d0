"""`cambist verify`: whether a receipt is valid, and what it says."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec import UNSET

from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.cli.output import print_json
from cambist.errors import ReceiptInvalid

if TYPE_CHECKING:
    from cambist.receipts.verification import VerifiedReceipt

_SHOWN_BYTES = 2000


_File = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="Receipt from POST /receipts, a report, or an answer with its receipt."),
]
_Receipt = Annotated[
    Path | None,
    typer.Option(help="Receipt of the answer in FILE: alone, or the headers of the answer, as `curl -D` writes."),
]
_Keys = Annotated[
    Path | None,
    typer.Option(
        help="Keys of the service, as it serves them at /.well-known/jwks.json. Default: those in the data folder."
    ),
]
_Output = Annotated[Path | None, typer.Option(help="Write the verified answer into this file.")]


def verify(
    file: _File,
    *,
    receipt: _Receipt = None,
    keys: _Keys = None,
    output: _Output = None,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Verify that a service gave an answer, and show to which question and when. No connection is needed.

    FILE is a receipt from `POST /receipts`, which contains its answer. Or it is an answer that was asked for with
    `receipt=1`: then name the file with its header `Cambist-Receipt` too.
    Or it is a report, whose rates by day are then compared with those that were signed.

    Exit with 1 if one bit of the answer or of the receipt was changed, or if another key signed it.
    """
    from cambist.admin.installation.receipt_keys import known_keys, read_file
    from cambist.admin.report.report_check import check_shown_rates, receipt_in_report
    from cambist.receipts.verification import read_receipt, verify_receipt

    key_set = known_keys(read_folder_settings(data), keys)
    content = read_file(file)
    within = receipt_in_report(content) if receipt is None else None
    signed, answer = (within or content, None) if receipt is None else (read_file(receipt), content)
    try:
        verified = verify_receipt(read_receipt(signed), key_set, answer)
        if within is not None:
            check_shown_rates(content, verified.content)
    except ReceiptInvalid as invalid:
        typer.echo(f"Not valid: {invalid}.", err=True)
        raise typer.Exit(1) from None
    if output is not None:
        output.write_bytes(verified.content)
    if as_json:
        print_json(_record(verified))
    else:
        _print(verified, with_answer=output is None)


def _print(verified: VerifiedReceipt, *, with_answer: bool) -> None:
    typer.echo("The receipt is valid.\n")
    for name, value in _record(verified).items():
        typer.echo(f"  {name:<12} {value}")
    if with_answer:
        typer.echo(f"\n{_shown(verified.content)}")


def _record(verified: VerifiedReceipt) -> dict[str, Any]:
    claims, key = verified.claims, verified.key
    node = f", node {key.node}" if key.node else ""
    optional = {"edition": claims.edition, "environment": claims.environment, "sent": claims.request_sha256}
    status = f" ({key.status})" if key.status else ""
    return {
        "question": claims.question,
        "answered at": f"{datetime.fromtimestamp(claims.iat, UTC):%Y-%m-%dT%H:%M:%SZ}",
        "status": claims.status,
        **{name: value for name, value in optional.items() if value is not UNSET},
        "answer": f"{claims.content_type}, {claims.length} bytes, SHA-256 {claims.sha256}",
        "signed by": f"{claims.iss}, key {key.kid}{status}{node}",
    }


def _shown(content: bytes) -> str:
    """Return an answer for a terminal; only the beginning of a long one, and none that is no text."""
    try:
        text = content[:_SHOWN_BYTES].decode(errors="strict" if len(content) <= _SHOWN_BYTES else "ignore")
    except UnicodeDecodeError:
        return "The answer is not text: write it into a file with --output."
    return text if len(content) <= _SHOWN_BYTES else f"{text}…\n\nAll of it is written into a file with --output."
