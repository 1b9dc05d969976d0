from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.storage.shared.usage.counter import COUNT, count_of, is_valid, with_check
from cambist.storage.shared.usage.counter_arrays import largest_values
from cambist.storage.shared.usage.counter_copy import copy_counter_files
from cambist.storage.shared.usage.counter_file import CounterFile, create_counter_file
from cambist.storage.shared.usage.layout import BLOCK, CounterFileLayout, CounterFileName, read_layout
from cambist.storage.shared.usage.writer_slot import WriterSlot

LAYOUT = CounterFileLayout("2026-11-20", 0, 4, ("/a", "/b"))
COUNTS = st.integers(min_value=0, max_value=COUNT)


def new_file(folder: Path, layout: CounterFileLayout = LAYOUT) -> CounterFile:
    assert create_counter_file(folder, layout)
    return CounterFile(folder, layout.name)


@given(count=COUNTS)
def test_the_count_of_a_counter_can_be_read(count: int) -> None:
    assert is_valid(with_check(count))
    assert count_of(with_check(count)) == count
    assert with_check(count) < 2**64


def test_an_unused_counter_is_valid_and_zero() -> None:
    assert with_check(0) == 0
    assert is_valid(0)


@given(count=COUNTS, bit=st.integers(min_value=0, max_value=63))
def test_a_flipped_bit_makes_a_counter_invalid(count: int, bit: int) -> None:
    assert not is_valid(with_check(count) ^ 1 << bit)


def test_a_counter_made_of_two_halves_is_invalid() -> None:
    low = 0xFFFFFFFF
    torn = [
        with_check(count + added) & ~low | with_check(count) & low for count in range(1, 300) for added in (1, 2, 100)
    ]
    assert [counter for counter in torn if is_valid(counter)] == []


@pytest.mark.parametrize(
    ("name", "parsed"),
    [
        ("2026-11-20.0.page", CounterFileName("2026-11-20", 0)),
        ("2026-11-20.12.page.damaged", CounterFileName("2026-11-20", 12, damaged=True)),
        ("admitted.0.page", CounterFileName("admitted", 0)),
        ("2026-13-20.0.page", None),
        (".2026-11-20.0.page.x7", None),
        ("2026-11-20.page", None),
        ("version", None),
        ("column-0.lock", None),
    ],
)
def test_only_names_of_counter_files_are_parsed(name: str, parsed: CounterFileName | None) -> None:
    assert CounterFileName.parse(name) == parsed
    assert parsed is None or str(parsed) == name


@pytest.mark.parametrize("rows", [0, 1, 40, 400])
def test_a_header_can_be_read_and_fills_whole_blocks(rows: int) -> None:
    layout = CounterFileLayout("2026-11-20", 3, 16, tuple(f"/endpoint/{row}" for row in range(rows)))
    written = layout.header()
    assert read_layout(written + b"counters") == (layout, len(written))
    assert len(written) % BLOCK == 0


def test_a_header_that_is_cut_off_or_changed_is_refused() -> None:
    written = LAYOUT.header()
    content = written.rstrip(b"\0")[: written.index(b"}") + 1]
    for position in range(len(content)):
        changed = bytearray(written)
        changed[position] ^= 4
        for broken in (bytes(changed), written[:position]):
            with pytest.raises(ValueError, match=r"header|written"):
                read_layout(broken)


def test_a_file_with_very_many_slots_grows_in_small_steps() -> None:
    wide = CounterFileLayout("2026-11-20", 0, 16_384, tuple(map(str, range(99))))
    assert wide.step == 5
    assert LAYOUT.step == 1024


def test_calls_are_added_to_their_row_and_to_the_total(tmp_path: Path) -> None:
    file = new_file(tmp_path)
    file.spend(5, 1, 0, 3)
    file.spend(5, 2, 3, 10)
    file.spend(5, 1, 3, 100)
    assert file.row_totals(5) == [113, 103, 10]
    assert file.total(5) == 113
    assert (file.total(4), file.total(6)) == (0, 0)


def test_the_largest_counts_add_up(tmp_path: Path) -> None:
    file = new_file(tmp_path)
    for slot in range(4):
        file.set_value(1, slot, COUNT // 4)
    assert file.total(1) == COUNT // 4 * 4


def test_first_and_last_accounts_and_slots_do_not_overlap(tmp_path: Path) -> None:
    file = new_file(tmp_path)
    for account in (0, 1, 1022, 1023):
        for slot in range(4):
            file.spend(account, 2, slot, 1)
    assert [account for account in range(1024) if file.total(account)] == [0, 1, 1022, 1023]
    assert {file.total(account) for account in (0, 1, 1022, 1023)} == {4}
    assert file.capacity == 1024


def test_another_mapping_sees_calls_at_once(tmp_path: Path) -> None:
    file = new_file(tmp_path)
    other = CounterFile(tmp_path, LAYOUT.name)
    file.spend(5, 1, 0, 3)
    assert other.total(5) == 3


def test_another_mapping_sees_that_a_file_has_grown(tmp_path: Path) -> None:
    file = new_file(tmp_path)
    other = CounterFile(tmp_path, LAYOUT.name)
    file.spend(7, 1, 0, 3)
    file.grow(5000)
    file.spend(5000, 1, 0, 4)
    assert (file.accounts, file.capacity) == (5120, 5120)
    assert (other.total(7), other.total(5000), other.accounts) == (3, 4, 5120)


def test_a_file_never_shrinks(tmp_path: Path) -> None:
    file = new_file(tmp_path)
    other = CounterFile(tmp_path, LAYOUT.name)
    file.grow(5000)
    file.spend(5000, 1, 0, 4)
    other.grow(1500)
    assert other.total(5000) == file.total(5000) == 4


@pytest.mark.long
def test_growing_in_several_threads_loses_nothing(tmp_path: Path) -> None:
    create_counter_file(tmp_path, LAYOUT)
    files = [CounterFile(tmp_path, LAYOUT.name) for _ in range(2)]

    def work(slot: int) -> None:
        file = files[slot % 2]
        for account in range(slot, 20_000, 500):
            if not file.ensure_mapped(account):
                file.grow(account)
            file.spend(account, 1, slot, 1)

    threads = [threading.Thread(target=work, args=(slot,)) for slot in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(CounterFile(tmp_path, LAYOUT.name).total(account) for account in range(20_480)) == 160


def test_of_several_processes_that_create_a_file_one_wins(tmp_path: Path) -> None:
    barrier, won = threading.Barrier(8), []

    def work(slots: int) -> None:
        barrier.wait()
        won.append((create_counter_file(tmp_path, CounterFileLayout("2026-11-20", 0, slots)), slots))

    threads = [threading.Thread(target=work, args=(1 + number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winners = [slots for did, slots in won if did]
    assert len(winners) == 1
    assert CounterFile(tmp_path, LAYOUT.name).slots == winners[0]
    assert [path.name for path in tmp_path.iterdir()] == ["2026-11-20.0.page"]


def test_disk_space_is_allocated_when_a_file_is_created(tmp_path: Path) -> None:
    create_counter_file(tmp_path, LAYOUT)
    status = (tmp_path / str(LAYOUT.name)).stat()
    assert status.st_blocks * 512 >= status.st_size
    assert status.st_mode & 0o777 == 0o600


def test_accounts_that_never_call_take_no_disk_space_and_are_not_read(tmp_path: Path) -> None:
    file = new_file(tmp_path)
    path = tmp_path / str(LAYOUT.name)
    before = path.stat().st_blocks
    file.grow(100_000)
    file.spend(90_000, 1, 0, 3)
    assert (path.stat().st_blocks - before) * 512 <= 64 << 10
    used = list(file.used())
    assert 90_000 in used
    assert len(used) < 2048
    assert (file.total(90_000), file.total(50_000), file.faults()) == (3, 0, [])


def test_without_holes_a_file_has_space_for_all_accounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = new_file(tmp_path)
    seek = os.lseek
    monkeypatch.setattr(os, "lseek", lambda file, at, how: seek(file, *((0, 2) if how == os.SEEK_HOLE else (at, how))))
    file.grow(5000)
    status = (tmp_path / str(LAYOUT.name)).stat()
    assert status.st_blocks * 512 >= status.st_size


def test_the_copy_of_a_file_has_its_holes(tmp_path: Path) -> None:
    file = new_file(tmp_path)
    file.grow(100_000)
    file.spend(90_000, 1, 0, 3)
    (tmp_path / "copy").mkdir()
    copy_counter_files(tmp_path, tmp_path / "copy")
    copied = tmp_path / "copy" / str(LAYOUT.name)
    assert copied.read_bytes() == (tmp_path / str(LAYOUT.name)).read_bytes()
    assert copied.stat().st_blocks * 512 < 1 << 20
    assert CounterFile(tmp_path / "copy", LAYOUT.name).total(90_000) == 3


def test_an_undamaged_file_has_no_faults(tmp_path: Path) -> None:
    file = new_file(tmp_path)
    file.spend(5, 1, 0, 3)
    assert file.faults() == []


def test_a_damaged_counter_is_a_fault_and_the_others_are_read(tmp_path: Path) -> None:
    file = new_file(tmp_path)
    file.spend(5, 1, 0, 3)
    file.spend(5, 2, 1, 4)
    start = file._first + 5 * file._per_account
    file.counters[start + file.slots] ^= 1 << 20
    assert file.faults() == ["1 counters of the account 5 are damaged, and lost"]
    assert file.checked_totals(5) == ([7, 0, 4], False)


def test_the_faults_of_a_truncated_file_name_the_lost_accounts(tmp_path: Path) -> None:
    file = new_file(tmp_path)
    file.spend(5, 1, 0, 3)
    os.truncate(tmp_path / str(LAYOUT.name), file._header + 10 * file._per_account * 8 + 17)
    cut = CounterFile(tmp_path, LAYOUT.name)
    assert cut.faults() == ["it is cut off, and the accounts from 10 to 1023 are lost"]
    assert cut.total(5) == 3


def test_a_truncated_file_does_not_grow(tmp_path: Path) -> None:
    file = new_file(tmp_path)
    os.truncate(tmp_path / str(LAYOUT.name), file._header + 10 * file._per_account * 8)
    with pytest.raises(ValueError, match="cut off"):
        file.grow(5000)


def test_a_file_that_was_renamed_is_refused(tmp_path: Path) -> None:
    create_counter_file(tmp_path, LAYOUT)
    (tmp_path / str(LAYOUT.name)).rename(tmp_path / "2026-11-21.0.page")
    with pytest.raises(ValueError, match="another file"):
        CounterFile(tmp_path, CounterFileName("2026-11-21", 0))


def test_the_lowest_free_slot_is_claimed_first(tmp_path: Path) -> None:
    first, second, third = (WriterSlot(tmp_path) for _ in range(3))
    assert [slot.number for slot in (first, second, third)] == [0, 1, 2]
    second.release()
    assert WriterSlot(tmp_path).number == 1
    first.release()
    third.release()


def test_a_slot_without_references_is_free_again(tmp_path: Path) -> None:
    assert [WriterSlot(tmp_path).number for _ in range(3)] == [0, 0, 0]


def test_a_file_in_which_nobody_has_a_counter_yet_has_no_values(tmp_path: Path) -> None:
    assert largest_values(new_file(tmp_path)) == {}
