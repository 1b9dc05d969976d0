"""Metals: units of mass, fineness, instruments, and the price of a weight of a metal."""
