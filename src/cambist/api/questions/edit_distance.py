"""The edit distance between two names, to suggest what a mistyped one was meant for."""

from __future__ import annotations


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
