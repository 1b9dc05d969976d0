"""Compare the answers of another service with ours, request by request, before a switch."""
