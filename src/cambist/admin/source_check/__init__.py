"""Check what sources really send: ask each once, and compare the answers with what is expected and with each other."""
