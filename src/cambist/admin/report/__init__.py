"""The report on the rates of a period, as an accountant files it."""
