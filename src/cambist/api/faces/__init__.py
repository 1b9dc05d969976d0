"""How a question is read and an answer is written, for each kind of client. No rule about money, time or limits."""
