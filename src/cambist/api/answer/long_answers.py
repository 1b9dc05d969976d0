"""Which answers take too long for the event loop, where all others would wait for them."""

from __future__ import annotations

MOST_AT_ONCE = 1000
"""What an answer may cost that is computed in the event loop: a matrix of some 30 currencies takes milliseconds."""

MOST_RATES_AT_ONCE = 12_000
"""How many rates of series are written in the event loop: those of one pair since 1999, in a few milliseconds."""

MOST_BYTES_AT_ONCE = 512 * 1024
"""How long a cached answer may be that the event loop sends: copying and compressing a longer one takes too long."""
