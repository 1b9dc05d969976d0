"""The simulated market of the sandbox. The same seed always gives the same prices. Pure."""
