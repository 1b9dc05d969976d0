"""Rates between currencies: now, on past days and in series; some endpoints accept metals and coins too."""
