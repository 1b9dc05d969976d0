"""Reading payloads of any kind within bounds.

A source may send anything. Size, counts and depth are looked at before a parser may allocate anything for them, and the
parsers are called in this package only. `memory` is the last bound, for what none of the others has foreseen.
"""
