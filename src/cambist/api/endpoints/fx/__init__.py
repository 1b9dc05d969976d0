"""Pairs of currencies as they trade: bid and ask, now and bar by bar."""
