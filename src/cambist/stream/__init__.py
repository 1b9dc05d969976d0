"""The WebSocket API: prices are pushed to clients, and each connection always gets the newest one."""
