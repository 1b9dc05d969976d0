"""Placeholder until the table of metals is here."""

METALS: dict[str, object] = dict.fromkeys(("XAU", "XAG", "XPT", "XPD", "XAL", "XCU", "XPB", "XNI", "XZN"))
