"""How many slips of the hand lie between two words."""

from __future__ import annotations


def edit_distance(word: str, other: str) -> int:
    """Count the letters to change, add, leave out or swap with a neighbour to make one word of the other."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(word, 1):
        before, last, row = row, before, [i]
        for j, wanted in enumerate(other, 1):
            fewest = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and (letter, word[i - 2]) == (other[j - 2], wanted):
                fewest = min(fewest, last[j - 2] + 1)
            row.append(fewest)
    return row[-1]
