"""Bid and ask of metals in any currency, unit of mass and purity."""
