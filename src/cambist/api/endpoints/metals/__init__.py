"""Bid and ask of metals: in any currency, by any unit of mass, of any purity."""
