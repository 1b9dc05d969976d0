"""The WebSocket API: it pushes the newest price of each pair to the clients that are subscribed to it."""
