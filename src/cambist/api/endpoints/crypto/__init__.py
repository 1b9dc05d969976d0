"""Prices of cryptocurrencies: the pairs that venues list, and their prices now."""
