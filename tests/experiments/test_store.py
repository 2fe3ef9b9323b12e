"""Rows on disk: whole or not there."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minority.experiments import Store, StoreLockedError
from minority.experiments._store import format_value


def row(fold, value=0.5, **changes):
    return {
        "dataset": "iris0",
        "method": "m",
        "setting": "a=1",
        "repeat": 0,
        "fold": fold,
        "seed": 0,
        "version": 1,
        "data": "abc",
        "value": value,
        "status": "ok",
        "message": "",
    } | changes


def cost(fold):
    return {"dataset": "iris0", "method": "m", "repeat": 0, "fold": fold, "seed": 0, "seconds": 1}


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path, "toy", ["value"])
    with store.writing():
        for fold in (2, 0, 1):
            store.add([row(fold, value=fold / 3)], cost(fold))
    return store


def test_rows_come_back_sorted_and_typed(store):
    rows = store.rows()
    assert rows["fold"].tolist() == [0, 1, 2]
    assert rows["value"].tolist() == pytest.approx([0, 1 / 3, 2 / 3], abs=1e-10)
    assert rows["fold"].dtype == "int64"
    assert store.timings()["seconds"].tolist() == [1, 1, 1]


def test_a_torn_last_line_is_ignored_and_then_removed(store):
    whole = store.path.read_bytes()
    last = len(whole.splitlines(keepends=True)[-1])
    for cut in range(1, last + 1):
        store.path.write_bytes(whole[:-cut])
        assert store.rows()["fold"].tolist() == [0, 1]
        with store.writing():
            store.add([row(2, value=2 / 3)], cost(2))
        assert store.path.read_bytes() == whole


def test_garbage_lines_cost_only_themselves(store):
    lines = store.path.read_text().splitlines()
    lines[2] = "\x00\x00\x00,half a row"
    store.path.write_text("\n".join(lines) + "\n")
    assert store.rows()["fold"].tolist() == [0, 2]


def test_a_file_without_our_header_holds_nothing(store):
    store.path.write_text("something,else\n1,2\n")
    assert store.rows().empty
    with store.writing():
        store.add([row(0)], cost(0))
    assert len(store.rows()) == 1


def test_the_last_row_for_a_key_counts_and_replaces_the_first(store):
    with store.writing():
        store.add([row(1, value=9.0, version=2)], cost(1))
    rows = store.rows()
    assert len(rows) == 3
    assert rows.loc[rows["fold"] == 1, ["value", "version"]].to_numpy().tolist() == [[9.0, 2]]


def test_rows_written_before_a_failure_are_kept(store):
    with pytest.raises(ZeroDivisionError), store.writing():
        store.add([row(7)], cost(7))
        raise ZeroDivisionError
    assert 7 in store.rows()["fold"].tolist()


def test_two_writers_are_refused(store):
    other = Store(store.folder, "toy", ["value"])
    with store.writing(), pytest.raises(StoreLockedError, match="another run"), other.writing():
        pass
    with other.writing():  # and the lock goes with its holder
        pass


def test_messages_with_line_breaks_and_commas_stay_one_line(store):
    message = 'bad, "very"\n\tbad'
    with store.writing():
        store.add([row(5, status="error", message=message)], cost(5))
    rows = store.rows()
    assert rows.loc[rows["fold"] == 5, "message"].item() == 'bad, "very" bad'
    assert len(store.path.read_text().splitlines()) == 5


@given(st.floats(min_value=-1e300, max_value=1e300, allow_subnormal=False))
def test_numbers_keep_ten_digits(value):
    assert math.isclose(float(format_value(value)), value, rel_tol=1e-9, abs_tol=0)


def test_a_column_added_later_is_empty_for_old_rows(store):
    wider = Store(store.folder, "toy", ["value", "extra"])
    assert wider.rows()["extra"].isna().all()
    with wider.writing():
        wider.add([row(9) | {"extra": 4.0}], cost(9))
    assert wider.rows()["extra"].dropna().tolist() == [4.0]
