"""What can be asked: codes, amounts, days, units, freshness and agreement. The rules about input, for every face."""
