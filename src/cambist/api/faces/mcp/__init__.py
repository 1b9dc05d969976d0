"""The Model Context Protocol: tools for language models, answered by the endpoints."""

USAGE_LABEL = "mcp"
"""The label under which calls of tools are counted."""

PATH = "/mcp"
