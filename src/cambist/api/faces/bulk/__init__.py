"""Converting many amounts at once: a CSV file comes in, and goes out with results."""

PATH = "/convert/bulk"
METHODS = ("POST", "OPTIONS")
