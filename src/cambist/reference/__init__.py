"""Reference tables: currencies, coins, metals, units, purities, pegs, redenominations, closed days, quote sizes."""
