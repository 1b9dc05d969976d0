from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.storage.shared.usage.counter import COUNT, is_sound, sealed, sound_count
from cambist.storage.shared.usage.counter_file import CounterFile, create_counter_file
from cambist.storage.shared.usage.layout import BLOCK, CounterFileLayout, CounterFileName, read_layout
from cambist.storage.shared.usage.writer_slot import WriterSlot

LAYOUT = CounterFileLayout("2026-11-20", 0, 4, ("/a", "/b"))
COUNTS = st.integers(min_value=0, max_value=COUNT)


def a_page(folder: Path, layout: CounterFileLayout = LAYOUT) -> CounterFile:
    assert create_counter_file(folder, layout)
    return CounterFile(folder, layout.name)


@given(count=COUNTS)
def test_a_cell_gives_back_its_count(count: int) -> None:
    assert is_sound(sealed(count))
    assert sound_count(sealed(count)) == count
    assert sealed(count) < 2**64


def test_an_untouched_cell_holds_nothing() -> None:
    assert sealed(0) == 0
    assert is_sound(0)


@given(count=COUNTS, bit=st.integers(min_value=0, max_value=63))
def test_a_flipped_bit_is_noticed(count: int, bit: int) -> None:
    assert not is_sound(sealed(count) ^ 1 << bit)


def test_halves_of_two_cells_are_noticed() -> None:
    low = 0xFFFFFFFF
    torn = [sealed(count + added) & ~low | sealed(count) & low for count in range(1, 300) for added in (1, 2, 100)]
    assert [cell for cell in torn if is_sound(cell)] == []


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("2026-11-20.0.page", CounterFileName("2026-11-20", 0)),
        ("2026-11-20.12.page.damaged", CounterFileName("2026-11-20", 12, damaged=True)),
        ("admitted.0.page", CounterFileName("admitted", 0)),
        ("2026-13-20.0.page", None),
        (".2026-11-20.0.page.x7", None),
        ("2026-11-20.page", None),
        ("bell", None),
        ("column-0.lock", None),
    ],
)
def test_a_page_is_known_by_its_name(name: str, read: CounterFileName | None) -> None:
    assert CounterFileName.read(name) == read
    assert read is None or str(read) == name


@pytest.mark.parametrize("rows", [0, 1, 40, 400])
def test_a_header_is_read_back_and_is_whole_blocks(rows: int) -> None:
    layout = CounterFileLayout("2026-11-20", 3, 16, tuple(f"/endpoint/{row}" for row in range(rows)))
    written = layout.write()
    assert read_layout(written + b"cells") == (layout, len(written))
    assert len(written) % BLOCK == 0


def test_a_header_cut_off_or_changed_anywhere_is_refused() -> None:
    written = LAYOUT.write()
    content = written.rstrip(b"\0")[: written.index(b"}") + 1]
    for position in range(len(content)):
        changed = bytearray(written)
        changed[position] ^= 4
        for broken in (bytes(changed), written[:position]):
            with pytest.raises(ValueError, match=r"header|written"):
                read_layout(broken)


def test_a_page_of_very_many_columns_grows_in_small_steps() -> None:
    wide = CounterFileLayout("2026-11-20", 0, 16_384, tuple(map(str, range(99))))
    assert wide.step == 5
    assert LAYOUT.step == 1024


def test_what_is_spent_is_in_its_row_and_in_the_total(tmp_path: Path) -> None:
    page = a_page(tmp_path)
    page.spend(5, 1, 0, 3)
    page.spend(5, 2, 3, 10)
    page.spend(5, 1, 3, 100)
    assert page.row_totals(5) == [113, 103, 10]
    assert page.total(5) == 113
    assert (page.total(4), page.total(6)) == (0, 0)


def test_a_total_is_right_with_the_largest_counts(tmp_path: Path) -> None:
    page = a_page(tmp_path)
    for column in range(4):
        page.put(1, column, COUNT // 4)
    assert page.total(1) == COUNT // 4 * 4


def test_the_first_and_last_accounts_and_columns_have_cells_of_their_own(tmp_path: Path) -> None:
    page = a_page(tmp_path)
    for account in (0, 1, 1022, 1023):
        for column in range(4):
            page.spend(account, 2, column, 1)
    assert [account for account in range(1024) if page.total(account)] == [0, 1, 1022, 1023]
    assert {page.total(account) for account in (0, 1, 1022, 1023)} == {4}
    assert page.room == 1024


def test_another_mapping_sees_it_at_once(tmp_path: Path) -> None:
    page = a_page(tmp_path)
    other = CounterFile(tmp_path, LAYOUT.name)
    page.spend(5, 1, 0, 3)
    assert other.total(5) == 3


def test_a_page_that_grew_is_seen_grown(tmp_path: Path) -> None:
    page = a_page(tmp_path)
    other = CounterFile(tmp_path, LAYOUT.name)
    page.spend(7, 1, 0, 3)
    page.grow(5000)
    page.spend(5000, 1, 0, 4)
    assert (page.accounts, page.room) == (5120, 5120)
    assert (other.total(7), other.total(5000), other.accounts) == (3, 4, 5120)


def test_a_page_never_shrinks(tmp_path: Path) -> None:
    page = a_page(tmp_path)
    other = CounterFile(tmp_path, LAYOUT.name)
    page.grow(5000)
    page.spend(5000, 1, 0, 4)
    other.grow(1500)
    assert other.total(5000) == page.total(5000) == 4


def test_growing_in_many_threads_loses_nothing(tmp_path: Path) -> None:
    create_counter_file(tmp_path, LAYOUT)
    pages = [CounterFile(tmp_path, LAYOUT.name) for _ in range(2)]

    def work(column: int) -> None:
        page = pages[column % 2]
        for account in range(column, 20_000, 500):
            if not page.reach(account):
                page.grow(account)
            page.spend(account, 1, column, 1)

    threads = [threading.Thread(target=work, args=(column,)) for column in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(CounterFile(tmp_path, LAYOUT.name).total(account) for account in range(20_480)) == 160


def test_of_many_creations_one_wins_and_nothing_is_left_over(tmp_path: Path) -> None:
    barrier, won = threading.Barrier(8), []

    def work(columns: int) -> None:
        barrier.wait()
        won.append((create_counter_file(tmp_path, CounterFileLayout("2026-11-20", 0, columns)), columns))

    threads = [threading.Thread(target=work, args=(1 + number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winners = [columns for did, columns in won if did]
    assert len(winners) == 1
    assert CounterFile(tmp_path, LAYOUT.name).columns == winners[0]
    assert [path.name for path in tmp_path.iterdir()] == ["2026-11-20.0.page"]


def test_a_page_takes_its_space_when_it_is_made(tmp_path: Path) -> None:
    create_counter_file(tmp_path, LAYOUT)
    status = (tmp_path / str(LAYOUT.name)).stat()
    assert status.st_blocks * 512 >= status.st_size
    assert status.st_mode & 0o777 == 0o600


def test_a_sound_page_has_no_faults(tmp_path: Path) -> None:
    page = a_page(tmp_path)
    page.spend(5, 1, 0, 3)
    assert page.faults() == []


def test_a_broken_cell_is_a_fault_and_the_rest_is_read(tmp_path: Path) -> None:
    page = a_page(tmp_path)
    page.spend(5, 1, 0, 3)
    page.spend(5, 2, 1, 4)
    start = page._first + 5 * page._of_account
    page.cells[start + page.columns] ^= 1 << 20
    assert page.faults() == ["1 cells of the account 5 are not what was written, and lost"]
    assert page.checked(5) == ([7, 0, 4], False)


def test_a_page_that_is_cut_off_says_what_is_lost(tmp_path: Path) -> None:
    page = a_page(tmp_path)
    page.spend(5, 1, 0, 3)
    os.truncate(tmp_path / str(LAYOUT.name), page._header + 10 * page._of_account * 8 + 17)
    cut = CounterFile(tmp_path, LAYOUT.name)
    assert cut.faults() == ["it is cut off, and the accounts from 10 to 1023 are lost"]
    assert cut.total(5) == 3


def test_a_page_that_is_cut_off_does_not_grow(tmp_path: Path) -> None:
    page = a_page(tmp_path)
    os.truncate(tmp_path / str(LAYOUT.name), page._header + 10 * page._of_account * 8)
    with pytest.raises(ValueError, match="cut off"):
        page.grow(5000)


def test_a_page_under_another_name_is_refused(tmp_path: Path) -> None:
    create_counter_file(tmp_path, LAYOUT)
    (tmp_path / str(LAYOUT.name)).rename(tmp_path / "2026-11-21.0.page")
    with pytest.raises(ValueError, match="another page"):
        CounterFile(tmp_path, CounterFileName("2026-11-21", 0))


def test_columns_are_claimed_once_and_the_lowest_first(tmp_path: Path) -> None:
    first, second, third = (WriterSlot(tmp_path) for _ in range(3))
    assert [column.number for column in (first, second, third)] == [0, 1, 2]
    second.release()
    assert WriterSlot(tmp_path).number == 1
    first.release()
    third.release()


def test_a_column_that_nobody_refers_to_is_free(tmp_path: Path) -> None:
    assert [WriterSlot(tmp_path).number for _ in range(3)] == [0, 0, 0]
