"""Copy the counter files of a directory while workers count."""

from __future__ import annotations

from pathlib import Path

from cambist.storage.shared.usage.counter_file import CounterFile
from cambist.storage.shared.usage.layout import CounterFileName
from cambist.storage.shared.usage.sparse_space import copy_with_holes

_TRIES = 3


def copy_counter_files(folder: Path, target: Path) -> None:
    """Copy all counter files into an empty directory. A file that is removed meanwhile was written to the database.

    Each copy has at least what was counted before, and at most what was counted until the end. Errors: OSError.
    """
    copied: set[CounterFileName] = set()
    # A file may be renamed or created while others are copied.
    while new := counter_file_names(folder) - copied:
        for name in sorted(new):
            _copy(folder, target, name)
        copied |= new
    for name in copied:
        if name.damaged:  # if it was renamed after it had been copied, its calls must not be counted twice
            (target / str(CounterFileName(name.stem, name.generation))).unlink(missing_ok=True)


def counter_file_names(folder: Path) -> set[CounterFileName]:
    """Return the names of all counter files in a directory, which may be missing. Errors: OSError."""
    if not folder.is_dir():
        return set()
    names = (CounterFileName.parse(path.name) for path in folder.iterdir())
    return {name for name in names if name is not None}


def _copy(folder: Path, target: Path, name: CounterFileName) -> None:
    """Copy a file, again if the copy has a damaged counter: it may have been written at this very moment."""
    for _ in range(_TRIES):
        try:
            copy_with_holes(folder / str(name), target / str(name))
        except FileNotFoundError:
            return
        if not counter_faults(target, name):
            return


def counter_faults(folder: Path, name: CounterFileName) -> list[str]:
    """Return a sentence for each fault of a counter file, with what is lost."""
    try:
        return CounterFile(folder, name).faults()
    except (OSError, ValueError) as error:
        return [f"{error}, and all that it counted since it was last saved is lost"]
