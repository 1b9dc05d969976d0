"""Cambist: exchange rates, crypto prices and metals prices that say where they come from."""

__version__ = "0.2.0.dev0"
