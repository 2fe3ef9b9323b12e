"""Rows on disk: whole or not there."""

import errno
import math
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minority_reports import paths
from minority_reports.experiments import (
    DamagedFileError,
    Store,
    StoreLockedError,
    StoreWriteError,
    origin,
)
from minority_reports.experiments.origin import read_provenance, record_run
from minority_reports.experiments.store import IDENTITY, KEY, RowFile, format_value
from minority_reports.papers import papers


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


def test_seconds_of_before_runs_were_named_are_read_and_kept(store):
    path = store.folder / "timings" / "toy.csv"
    header, *lines = path.read_text().splitlines()
    assert header.endswith(",run")
    shorter = [line.removesuffix(",") for line in lines]
    path.write_text("\n".join([header.removesuffix(",run"), *shorter, ""]))
    assert store.timings()["run"].tolist() == ["", "", ""]
    with store.writing():
        store.add([row(3)], cost(3) | {"run": "abc-1"})
    assert store.timings()["run"].tolist() == ["", "", "", "abc-1"]


def test_a_torn_last_line_is_ignored_and_then_removed(store):
    whole = store.path.read_bytes()
    last = len(whole.splitlines(keepends=True)[-1])
    for cut in range(1, last + 1):
        store.path.write_bytes(whole[:-cut])
        assert store.rows()["fold"].tolist() == [0, 1]
        with store.writing():
            store.add([row(2, value=2 / 3)], cost(2))
        assert store.path.read_bytes() == whole


def test_rows_are_parsed_again_only_if_what_is_kept_of_them_is_not_the_same(
    tmp_path, results, monkeypatch
):
    monkeypatch.setattr("minority_reports.experiments.parsed.WORTH_KEEPING", 1)
    monkeypatch.setattr("minority_reports.paths.cache", lambda: tmp_path / "cache")
    store = Store(results, "toy", ["value", "words"], text=["words"])
    with store.writing():
        store.add(
            [row(fold, value, words=f"w{fold}") for fold, value in enumerate(VALUES)], cost(0)
        )
    parsed = []
    parse = RowFile.parse
    monkeypatch.setattr(RowFile, "parse", lambda *a, **k: parsed.append(1) or parse(*a, **k))

    def read(times):
        parsed.clear()
        frame = store._rows.read_afresh(parsed_before=True)
        assert len(parsed) == times
        pd.testing.assert_frame_equal(frame, store._rows.read_afresh(), check_exact=True)
        np.testing.assert_array_equal(np.signbit(frame["value"]), np.signbit(VALUES))
        return frame

    read(times=1)
    read(times=0)
    (kept,) = (tmp_path / "cache" / "rows").glob("toy-results*")
    for damage in (kept.read_bytes()[:-1], b"", kept.read_bytes().replace(b"w1", b"w9")):
        kept.write_bytes(damage)
        read(times=1)
    read(times=0)
    store.path.write_bytes(store.path.read_bytes().replace(b"w1", b"w8"))
    assert read(times=1)["words"].tolist()[1] == "w8"
    monkeypatch.setattr(RowFile, "parse", parse)
    store.path.write_bytes(store.path.read_bytes().replace(b"w8", b'"'))
    with pytest.raises(DamagedFileError):
        store.rows()


VALUES = [0.1, 0.0, -0.0, np.nan, np.inf, 1e-300]


def in_line(number, old, new):
    """An edit of one line of a file, given as bytes."""

    def edit(content):
        lines = content.split(b"\n")
        assert old in lines[number - 1]
        lines[number - 1] = lines[number - 1].replace(old, new, 1)
        return b"\n".join(lines)

    return edit


@pytest.mark.parametrize(
    ("edit", "line", "problem"),
    [
        (lambda content: content[1:], 1, "column 'ataset' is unknown"),
        (lambda content: b"", 1, "empty line"),
        (lambda content: b"\xef\xbb\xbf", 1, "empty line"),
        (lambda content: content[:5], 1, "column 'datas' is unknown"),
        (lambda content: content.partition(b"\n")[0], 1, "has no end"),
        (lambda content: content + b"<<<<<<< HEAD", 5, "not the beginning"),
        (lambda content: content + content, 5, "repeat should be a whole number, not 'repeat'"),
        (lambda content: content.replace(b"\n", b",\n"), 1, "column '' is unknown"),
        (lambda content: content.replace(b"0.3333333333", b'"0,3333333333"'), 3, "be a number"),
        (in_line(3, b"iris0", b"\xef\xbb\xbfiris0"), 3, "dataset should be a name"),
        (in_line(3, b"abc", b"1.23E+15"), 3, "data should be a hash of hex digits"),
        (in_line(3, b",ok,", b",,"), 3, "status should be one of ok, time limit, error"),
        (in_line(3, b"0.3333333333", b"nan"), 3, "value should be a number, not 'nan'"),
        (lambda content: b"\n" + content, 1, "empty line"),
        (lambda content: content.replace(b",", b";"), 1, "is unknown"),
        (lambda content: content.replace(b"\n", b"\r"), 1, "control character"),
        (
            lambda content: content.replace(b"\n", b"\r").replace(b"\r", b"\n", 1),
            2,
            "not the beginning",
        ),
        (lambda content: content.decode().encode("utf-16"), 1, "not UTF-8"),
        (lambda content: b"<<<<<<< HEAD\n" + content, 1, "merge conflict"),
        (in_line(1, b"value", b"other"), 1, "column 'other' is unknown"),
        (in_line(1, b"value", b"fold"), 1, "column 'fold' is there twice"),
        (lambda content: content.replace(b",ok,", b",").replace(b",status,", b","), 1, "'status'"),
        (in_line(3, b"iris0", b"=======\niris0"), 3, "merge conflict"),
        (in_line(3, b"iris0", b"\niris0"), 3, "empty line"),
        (in_line(3, b"iris0", b'"iris0'), 3, "stray quote"),
        (in_line(3, b"iris0", b'ir"is0'), 3, "stray quote"),
        (in_line(3, b"iris0", b"ir\xffis0"), 3, "not UTF-8"),
        (in_line(3, b"iris0", b"iris0\0"), 3, "control character"),
        (in_line(3, b"iris0", b"iris0,"), 3, "12 fields where the first line has 11"),
        (in_line(3, b"iris0", b""), 3, "dataset should be a name, not ''"),
        (in_line(3, b"iris0", b" iris0"), 3, "dataset should be a name, not ' iris0'"),
        (in_line(3, b"a=1,0", b"a=1,0.5"), 3, "repeat should be a whole number, not '0.5'"),
        (in_line(3, b"a=1,0", b"a=1,"), 3, "repeat should be a whole number, not ''"),
        (in_line(3, b"a=1,0", b"a=1,00"), 3, "repeat should be a whole number, not '00'"),
        (in_line(3, b",1,abc", b",x,abc"), 3, "version should be a whole number, not 'x'"),
        (in_line(3, b"0.3333", b"0.33o33"), 3, "value should be a number, not '0.33o33"),
    ],
)
def test_a_damaged_file_is_refused_and_left_as_it_is(store, edit, line, problem):
    content = edit(store.path.read_bytes())
    store.path.write_bytes(content)
    with pytest.raises(DamagedFileError, match=problem) as caught:
        store.rows()
    assert f"{store.path}, line {line}: " in str(caught.value)
    assert "Restore it, for instance with git, or delete it" in str(caught.value)
    with pytest.raises(DamagedFileError, match=problem), store.writing():
        raise AssertionError("nothing may be computed")
    assert store.path.read_bytes() == content
    assert not store.unfinished


def test_damaged_timings_are_refused_before_the_rows_are_touched(store):
    timings = store.folder / "timings" / "toy.csv"
    timings.write_bytes(timings.read_bytes().replace(b",1,", b",one,", 1))
    store.path.write_bytes(torn := store.path.read_bytes()[:-3])
    with pytest.raises(DamagedFileError, match="seconds should be a number"), store.writing():
        pass
    assert store.path.read_bytes() == torn


def test_damage_done_during_a_run_does_not_hide_why_it_failed(store):
    with pytest.raises(ZeroDivisionError), store.writing():
        store.path.write_bytes(damaged := b"?" + store.path.read_bytes())
        raise ZeroDivisionError
    assert store.path.read_bytes() == damaged


@pytest.mark.parametrize(
    "edit",
    [
        lambda content: b"\xef\xbb\xbf" + content,
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"),
        lambda content: content.replace(b"iris0", b'"iris0"'),
    ],
)
def test_what_an_editor_changes_without_damage_is_read(store, edit):
    rows, content = store.rows(), store.path.read_bytes()
    store.path.write_bytes(edit(content))
    pd.testing.assert_frame_equal(store.rows(), rows)
    with store.writing():
        pass
    assert store.path.read_bytes() == content


def merged(content):
    """Both sides of a merge: the second row of each as another machine computed it."""
    header, first, *rest = content.split(b"\n")
    return b"\n".join([header, first, first.replace(b",0,ok", b",1e-09,ok"), *rest])


def test_two_results_of_a_key_are_refused_unless_a_run_was_killed(store):
    whole = store.path.read_bytes()
    store.path.write_bytes(both := merged(whole))
    assert both.count(b"\n") == whole.count(b"\n") + 1
    with pytest.raises(DamagedFileError, match=r"line 3: a second result of iris0 m a=1 0 0 0,"):
        store.rows()
    with pytest.raises(DamagedFileError, match="a second result"), store.writing():
        raise AssertionError("nothing may be computed")
    assert store.path.read_bytes() == both
    (store.folder / ".toy.lock").write_bytes(b"unfinished\n")
    assert store.rows()["value"].iloc[0] == 1e-9  # the last one counts
    with store.writing():
        pass
    assert store.path.read_bytes() == both.replace(whole.split(b"\n")[1] + b"\n", b"")


def test_the_same_row_twice_is_one_row(store):
    header, *rows = store.path.read_bytes().splitlines(keepends=True)
    store.path.write_bytes(header + b"".join(row * 2 for row in rows))
    assert len(store.rows()) == 3


@pytest.mark.parametrize("name", ["toy.csv", "timings/toy.csv", "provenance.json"])
def test_a_link_to_nothing_is_not_an_empty_file(store, name):
    path = store.folder / name
    path.unlink(missing_ok=True)
    path.symlink_to(store.folder / "elsewhere")
    with pytest.raises(DamagedFileError, match="a link to a file that is not there"):
        read_provenance(store.folder)
        store.rows()
        store.timings()
    with pytest.raises(DamagedFileError, match="a link to a file"), store.writing():
        record_run(store.folder)
    assert path.is_symlink()


def fields_of(line):
    """The fields of a line by RFC 4180, one character after another; None if it has none."""
    fields, state = [""], "start"
    for char in line:
        if state in ("start", "plain", "closed") and char == ",":
            fields.append("")
            state = "start"
        elif state == "start" and char == '"':
            state = "quoted"
        elif state == "quoted" and char == '"':
            state = "closed"
        elif state == "closed" and char == '"':
            fields[-1] += char
            state = "quoted"
        elif state == "closed" or (state in ("start", "plain") and char == '"'):
            return None
        else:
            fields[-1] += char
            state = "quoted" if state == "quoted" else "plain"
    return None if state == "quoted" else fields


def is_number(text):
    try:
        return "_" not in text and text.isascii() and not math.isnan(float(text))
    except ValueError:
        return text == ""


def is_well_formed(content):
    """Whether a file of the columns below is one that a run may have left, or an editor."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    *whole, torn = content.split(b"\n")
    if not whole:  # the first line is never torn
        return False
    try:
        lines = [line.removesuffix(b"\r").decode() for line in whole]
    except UnicodeDecodeError:
        return False
    header = fields_of(lines[0])
    if header is None or not set(COLUMNS) - {"value"} <= set(header) <= set(COLUMNS):
        return False
    if len(set(header)) < len(header):
        return False
    results = {}
    for line in lines[1:]:
        fields = fields_of(line)
        if fields is None or len(fields) != len(header) or "\0" in line or "\r" in line:
            return False
        values = dict(zip(header, fields, strict=True))
        for name in ("dataset", "method", "setting"):
            if not values[name] or values[name] != " ".join(values[name].split()):
                return False
            if values[name].startswith("\ufeff"):
                return False
        if not set(values["data"]) <= set("0123456789abcdef"):
            return False
        if values["status"] not in ("ok", "time limit", "error"):
            return False
        for name in ("repeat", "fold", "seed", "version"):
            if not (values[name].isascii() and values[name].isdigit()):
                return False
            if str(int(values[name])) != values[name] or int(values[name]) >= 2**63:
                return False
        if not is_number(value := values.get("value", "")):
            return False
        if values["status"] == "ok":
            result = float(value) if value else None, values["message"]
            if results.setdefault(tuple(values[name] for name in KEY), result) != result:
                return False
    last = torn.removesuffix(b"\r").decode("latin-1")
    begun = fields_of(last) or fields_of(f'{last}"')  # torn within quotes or not
    if last.startswith(("<<<<<<<", "=======", ">>>>>>>")):
        return False
    return begun is not None and len(begun) <= len(header) and "\r" not in last


COLUMNS = (*KEY, "value", "status", "message")
WHOLE = (
    ",".join(COLUMNS)
    + """
iris0,m,a=1,0,0,0,1,abc,0.25,ok,
iris0,m,a=1,0,1,0,1,abc,,error,"bad, ""very"" bad"
iris0,m,"a=1,b=2",0,0,0,1,abc,1e-05,ok,
wörld,m,a=1,1,10,0,2,,3,ok,
"""
).encode()
BITS = st.sampled_from(
    [
        *(b'"', b",", b"\n", b"\r", b"\0", b";", b" ", b"0", b"7", b"x", b".", b"-", b"\xff"),
        *(b"\n\n", b"\r\n", b"\xef\xbb\xbf", b"\xc3", b"value", b"fold"),
        *(b"<<<<<<< HEAD\n", b"=======\n", b">>>>>>> other\n"),
        *(b"iris0,m,a=1,0,5,0,1,abc,0.5,ok,\n", b"iris0,m,a=1,0,5,0,1,abc,0.5,ok,"),
    ]
)


@st.composite
def edits(draw):
    """A well-formed file in which up to two stretches were replaced, and maybe the end lost."""
    content = WHOLE
    for _ in range(draw(st.integers(0, 2))):
        start = draw(st.integers(0, len(content)))
        length = draw(st.sampled_from([0, 0, 1, 1, 2, 5, 40]))
        new = b"".join(draw(st.lists(BITS, max_size=2)))
        content = content[:start] + new + content[start + length :]
    if draw(st.booleans()):
        content = content[: draw(st.integers(0, len(content)))]
    return content


@given(edits())
@settings(max_examples=400, deadline=None)
def test_every_edit_is_read_whole_or_refused(content):
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder, "toy", ["value"])
        store.path.write_bytes(content)
        if not is_well_formed(content):
            with pytest.raises(DamagedFileError), store.writing():
                raise AssertionError("nothing may be computed")
            assert store.path.read_bytes() == content
            return
        before = store.rows()
        with store.writing():
            pass
        pd.testing.assert_frame_equal(store.rows(), before)
        whole = content.removeprefix(b"\xef\xbb\xbf").rpartition(b"\n")[0].decode()
        keys = {tuple(fields_of(line)[:6]) for line in whole.split("\n")[1:]}
        assert keys == set(before[list(IDENTITY)].astype(str).itertuples(index=False, name=None))


@given(st.integers(WHOLE.index(b"\n") + 1, len(WHOLE)))
def test_wherever_a_kill_tears_the_file_whole_rows_are_read(length):
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder, "toy", ["value"])
        store.path.write_bytes(WHOLE[:length])
        assert len(store.rows()) == WHOLE[:length].count(b"\n") - 1


@pytest.mark.parametrize("paper", papers().values(), ids=lambda paper: paper.name)
def test_committed_files_are_read_whole_and_stay_as_they_are(paper, tmp_path):
    committed = paths.root() / "data" / "results"
    for experiment in paper.experiments.values():
        for name in (f"{experiment.name}.csv", f"timings/{experiment.name}.csv"):
            if (committed / name).exists():
                (tmp_path / name).parent.mkdir(exist_ok=True)
                shutil.copy(committed / name, tmp_path / name)
        store = Store.of(experiment, tmp_path)
        with store.writing():
            pass
        for name, frame in (("", store.rows()), ("timings", store.timings())):
            file = committed / name / f"{experiment.name}.csv"
            if not file.exists():
                assert frame.empty
                continue
            assert (tmp_path / name / file.name).read_bytes() == file.read_bytes()
            plain = pd.read_csv(file, dtype=str, keep_default_na=False)
            assert list(frame.columns) == list(plain.columns)
            for column in frame:
                old = plain[column]
                if frame[column].dtype.kind in "if":
                    numbers = old.replace("", "nan").to_numpy(float)
                    np.testing.assert_allclose(frame[column], numbers, rtol=1e-14)
                else:
                    assert frame[column].tolist() == old.tolist()


def refuse(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("what", ["os.fsync", "os.replace", "pathlib.Path.mkdir"])
def test_every_write_to_a_full_disk_says_so_and_leaves_nothing_behind(store, what, monkeypatch):
    content = {p: p.read_bytes() for p in store.folder.rglob("*") if p.is_file()}
    message = "No space left on device. Rows written before are kept; free some space"
    with monkeypatch.context() as patch:
        patch.setattr(what, refuse)
        with pytest.raises(StoreWriteError, match=message), store.writing():
            pass
        if what != "os.replace":
            with pytest.raises(StoreWriteError, match=message):
                Store(store.folder / "new", "toy", ["value"]).add([row(1)], cost(1))
        with pytest.raises(StoreWriteError, match=message):
            record_run(store.folder)
    (store.folder / ".provenance.lock").unlink()
    assert content == {p: p.read_bytes() for p in store.folder.rglob("*") if p.is_file()}


def test_a_mark_that_cannot_be_written_stops_a_run_before_it_computes(tmp_path):
    """A limit of no bytes at all is a full disk from the beginning."""
    code = (
        "import resource as r; r.setrlimit(r.RLIMIT_FSIZE, (0, 0))\n"
        "import signal as s; s.signal(s.SIGXFSZ, s.SIG_IGN)\n"
        "from minority_reports.experiments import Store, StoreWriteError\n"
        f"try:\n with Store({str(tmp_path)!r}, 'toy', ['value']).writing(): print('computed')\n"
        "except StoreWriteError as error: print(error)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.stdout.startswith(f"cannot write to {tmp_path}: File too large."), answer
    assert [p.name for p in tmp_path.iterdir()] == [".toy.lock"]


def test_runs_are_noted_once_each_and_never_forgotten(tmp_path, monkeypatch):
    names = []
    for commit in ("a" * 12, "b" * 12 + " with changes in lib", "a" * 12):
        monkeypatch.setattr(origin, "provenance", lambda commit=commit: {"commit": commit})
        names.append(record_run(tmp_path))
    assert names[0] == names[2] != names[1]
    noted = read_provenance(tmp_path)
    assert set(noted) == set(names)
    assert [noted[name]["commit"] for name in names[:2]] == [
        "a" * 12,
        "b" * 12 + " with changes in lib",
    ]
    assert names[0].startswith("aaaaaaa-") and names[1].startswith("bbbbbbb-")


def test_a_damaged_provenance_is_refused_and_left_as_it_is(tmp_path, monkeypatch):
    for commit in ("first", "second"):
        monkeypatch.setattr(origin, "provenance", lambda commit=commit: {"commit": commit})
        record_run(tmp_path)
    path = tmp_path / "provenance.json"
    first, second = read_provenance(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(b"\xef\xbb\xbf" + whole.replace(b"\n", b"\r\n"))
    assert list(read_provenance(tmp_path)) == [first, second]
    first, second = first.encode(), second.encode()
    monkeypatch.setattr(origin, "provenance", lambda: {"commit": "third"})
    for damaged, line in (
        (whole[:-3], len(whole[:-3].split(b"\n"))),
        (b"", 1),
        (whole.replace(b' "' + second, b'=======\n "' + second), whole.count(b"\n") // 2 + 1),
        (whole.replace(second, first), 1),
        (whole.replace(first, b"\xff"), 2),
        (b"[]", 1),
        (b'{\n"first": 1}', 2),
    ):
        path.write_bytes(damaged)
        with pytest.raises(DamagedFileError) as caught:
            record_run(tmp_path)
        assert f"{path}, line {line}: " in str(caught.value)
        assert path.read_bytes() == damaged


def test_names_and_messages_of_any_characters_can_be_read_again(store):
    with store.writing():
        store.add([row(8, status="error", message="a\0b \udcff\x1b[0m " + "x" * 200_000)], cost(8))
    message = store.rows().set_index("fold").loc[8, "message"]
    assert message == "a b ?\x1b[0m " + "x" * 200_000


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
