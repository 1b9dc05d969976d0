"""Receipts of answers: with the parameter `receipt`, in a header; from `POST /receipts`, with the answer in it."""

PATH = "/receipts"
METHODS = ("POST", "OPTIONS")
KEYS_PATH = "/.well-known/jwks.json"
PARAMETER = "receipt"
