"""A type checker sees the parameters and the answer of every method, though methods are made from functions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """\
from cambist.client import AsyncCambist, Cambist

client = Cambist("http://127.0.0.1:8000", "k")
reveal_type(client.fetch_one("EUR", "USD"))
reveal_type(client.convert("1", "EUR", "USD", precision=3).rate)
reveal_type(client.fx_ohlc_bars("EURUSD"))
client.fetch_one(1, "USD")
client.fetch_one("EUR", "USD", colour="red")
client.fetch_one("EUR")


async def main() -> None:
    async with AsyncCambist() as other:
        reveal_type(await other.historical("2024-02-29"))
        reveal_type(other.fx_quote_bars("EURUSD"))
        async for price in other.stream("EURUSD"):
            reveal_type(price.bid)
"""


@pytest.mark.long
def test_a_type_checker_knows_the_methods(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "mypy.ini").write_text(f"[mypy]\nmypy_path = {ROOT / 'src'}\nstrict = true\n")
    mypy = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "program.py"]
    shown = subprocess.run(mypy, cwd=tmp_path, capture_output=True, text=True, check=False).stdout.splitlines()
    said = [line.partition(": ")[2] for line in shown if line.startswith("program.py")]
    assert [line.removeprefix('note: Revealed type is "').removesuffix('"') for line in said] == [
        "cambist.client.endpoints.rates.FetchOneResponse",
        "decimal.Decimal",
        "typing.Iterator[cambist.client.endpoints.bars.OhlcRow]",
        'error: Argument 1 has incompatible type "int"; expected "str"  [arg-type]',
        'error: Unexpected keyword argument "colour"  [call-arg]',
        "error: Too few arguments  [call-arg]",
        "cambist.client.endpoints.history.HistoricalResponse",
        "typing.AsyncIterator[cambist.client.endpoints.bars.QuoteRow]",
        "decimal.Decimal",
    ]
