"""The version of the client, which is that of the service that it belongs to."""

VERSION = "0.2.0.dev0"
