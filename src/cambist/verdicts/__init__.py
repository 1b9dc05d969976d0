"""Verdicts: what each day's rate was, derived from all fixings that are known. Pure: no I/O, no clock."""
