"""Studies are computed once and stored as text."""

import numpy as np
import pandas as pd
import pytest

from minority_reports.experiments.studies import stored, stored_study
from minority_reports.files import DamagedFileError


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MINORITY_RESULTS", str(tmp_path))
    return tmp_path


def counting(calls, value):
    def compute():
        calls.append(value)
        return {"value": value / 3, "word": f"case {value}"}

    return compute


def test_cases_are_computed_once_and_come_out_again(folder):
    calls = []
    two = {"a": counting(calls, 1), "b": counting(calls, 2)}
    first = stored_study("toy", two)
    assert first["value"].tolist() == [1 / 3, 2 / 3] and calls == [1, 2]
    written = (folder / "studies" / "toy.json").read_bytes()
    assert stored_study("toy", two).equals(first) and calls == [1, 2]
    assert (folder / "studies" / "toy.json").read_bytes() == written
    more = stored_study("toy", {"c": counting(calls, 3), **two})
    assert more["word"].tolist() == ["case 3", "case 1", "case 2"] and calls == [1, 2, 3]


def test_a_damaged_study_is_refused_and_left_as_it_is(folder):
    stored_study("toy", {"a": counting([], 1)})
    path = folder / "studies" / "toy.json"
    damaged = path.read_bytes()[:-4]
    path.write_bytes(damaged)
    with pytest.raises(DamagedFileError, match=r"toy\.json, line"):
        stored_study("toy", {"a": counting([], 1)})
    assert path.read_bytes() == damaged


FRAMES = {
    "numbers and gaps": pd.DataFrame(
        {"x": [1 / 3, np.nan], "n": [1, 2], "word": ["a", "b"]},
        index=pd.MultiIndex.from_tuples([("s", 1), ("t", 2)], names=["name", "value"]),
    ),
    "columns of two levels": pd.DataFrame(
        [[1.5, 2.0]],
        index=pd.Index(["n"], name="grows"),
        columns=pd.MultiIndex.from_tuples([("ms", "a"), ("steps", "b")]),
    ),
    "no index": pd.DataFrame({"x": [0.1, 0.2]}),
    "series": pd.Series([3, 4], index=pd.Index(["a", "b"], name="what"), name="count"),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frames_come_back_as_they_were_computed(folder, name):
    calls = []

    @stored("toy")
    def study(factor=1):
        calls.append(factor)
        return FRAMES[name] * factor if factor > 1 else FRAMES[name]

    first, second = study(), study()
    for found in (first, second):
        if name == "series":
            pd.testing.assert_series_equal(found, FRAMES[name])
        else:
            pd.testing.assert_frame_equal(found, FRAMES[name])
    assert calls == [1]
    if name != "numbers and gaps":
        study(2)
        assert calls == [1, 2], "with arguments it is computed"
