"""What is wrong with a file, in a sentence for the person who named it."""

from __future__ import annotations


def describe_os_error(error: OSError) -> str:
    """Return what is wrong with a file, and what to do, as a sentence; other errors as they are."""
    if not error.filename or not error.strerror:
        return str(error)
    name = f"[{error.filename}]"
    if isinstance(error, FileNotFoundError):
        return f"There is no file or folder {name}: check the name, and the folder that you are in"
    if isinstance(error, IsADirectoryError):
        return f"{name} is a folder: name a file"
    if isinstance(error, NotADirectoryError):
        return f"{name} lies below a file: name a folder"
    if isinstance(error, PermissionError):
        return f"{name} may not be read or written by this user ({error.strerror}): change its owner or mode"
    return f"{name}: {error.strerror}"
