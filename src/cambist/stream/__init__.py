"""The stream: prices pushed to clients over WebSockets, each connection always its newest."""
