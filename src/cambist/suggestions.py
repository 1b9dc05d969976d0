"""What a mistyped name was probably meant for. Pure."""

from __future__ import annotations

from collections.abc import Iterable


def edit_distance(word: str, other: str) -> int:
    """Return how many letters must be changed, added, removed or swapped with a neighbour to turn one into the other.

    This is the optimal string alignment distance.
    """
    previous: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(word, 1):
        previous, before_previous, row = row, previous, [i]
        for j, other_letter in enumerate(other, 1):
            distance = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (letter != other_letter))
            if i > 1 and j > 1 and (letter, word[i - 2]) == (other[j - 2], other_letter):
                distance = min(distance, before_previous[j - 2] + 1)
            row.append(distance)
    return row[-1]


def near_names(name: str, known: Iterable[str], edits: int | None = None) -> list[str]:
    """Return the known names within so many edits, the nearest first, whatever the case.

    An edit is a letter that is changed, added, removed or swapped with its neighbour; None is half the name's length.
    """
    typed = name.casefold()
    most = max(1, len(typed) // 2) if edits is None else edits
    near = []
    for each in known:
        other = each.casefold()
        if abs(len(other) - len(typed)) <= most and (distance := edit_distance(typed, other)) <= most:
            begins_alike = other[:2] == typed[:2]
            near.append((distance, not begins_alike, each))
    return [each for _, _, each in sorted(near)]


def did_you_mean(name: str, known: Iterable[str], most_listed: int = 12) -> str:
    """Return a hint: the known name that was probably meant, or the names there are, up to a limit.

    A name of which only the beginning was typed is meant, unless another differs in one letter.
    """
    names = sorted(known)
    began = [each for each in names if name and each.casefold().startswith(name.casefold())]
    if near := near_names(name, names, 1) or began or near_names(name, names):
        return f"did you mean [{near[0]}]?"
    more = f" and {len(names) - most_listed} more" if len(names) > most_listed else ""
    return f"there are {', '.join(names[:most_listed]) or 'none'}{more}"
