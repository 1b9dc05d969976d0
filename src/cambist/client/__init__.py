"""Python clients of the service."""
