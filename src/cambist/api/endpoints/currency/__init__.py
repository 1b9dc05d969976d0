"""Rates between physical currencies: live, converted, and of the past."""
