"""The tools, one file each. Each module defines `tool: Tool[…]`."""
