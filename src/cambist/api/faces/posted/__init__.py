"""Questions that are the JSON body of a POST."""

METHODS = ("POST", "OPTIONS")
