"""Weighing metals: units of mass, fineness, instruments, and what a weight of a metal costs."""
