"""Prices of cryptocurrencies: what venues list, and what it is worth now."""
