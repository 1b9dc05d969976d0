"""Pairs of currencies: bid and ask now, and bars."""
