"""The user's own CSV file."""

import numpy as np
import pandas as pd
import pytest

from minority import paths
from minority.datasets import load, load_csv


@pytest.fixture
def write(tmp_path):
    def write(**columns):
        path = tmp_path / "mine.csv"
        pd.DataFrame(columns).to_csv(path, index=False)
        return path

    return write


def test_kinds_of_columns(write):
    path = write(
        size=[1, 2, 3, 4],
        weight=[0.5, None, 1.5, 2.5],
        colour=["red", None, "blue", "red"],
        fresh=[True, False, True, True],
        checked=[True, None, False, True],
        empty=[None] * 4,
        sold=["no", "no", "yes", "no"],
    )
    data = load_csv(path, "sold")
    assert (data.name, data.n, data.d, data.positives) == ("mine", 4, 6, 1)
    assert list(data.y) == [0, 0, 1, 0] and data.y.dtype == np.int8
    kinds = {name: str(dtype) for name, dtype in data.X.dtypes.items()}
    assert kinds == {
        "size": "float64",
        "weight": "float64",
        "colour": "category",
        "fresh": "float64",
        "checked": "category",
        "empty": "float64",
    }
    assert list(data.X["checked"].cat.categories) == ["False", "True"]
    assert data.X.isna().sum().to_dict()["colour"] == 1
    assert (data.facts.source, data.facts.target) == ("csv", "sold=yes")
    assert data.facts.imbalance == 3


def test_nullable_frames_become_plain():
    from minority.datasets._dataset import tidy

    table = pd.DataFrame({"i": [1, None], "b": [True, None], "s": ["a", None]}).convert_dtypes()
    assert [str(dtype) for dtype in tidy(table).dtypes] == ["float64", "float64", "category"]
    assert tidy(table).iloc[1].isna().all()


@pytest.mark.parametrize("positive", [1, "1", True])
def test_positive_label_may_be_the_majority_and_may_be_text(write, positive):
    data = load_csv(write(x=[1, 2, 3], y=[1, 1, 0]), "y", positive=positive)
    assert list(data.y) == [1, 1, 0]


def test_boolean_target(write):
    path = write(x=[1, 2, 3], y=[False, True, False])
    assert list(load_csv(path, "y").y) == [0, 1, 0]
    assert list(load_csv(path, "y", positive="False").y) == [1, 0, 1]


def test_column_called_y_among_the_features(write):
    data = load_csv(write(y=[1, 1, 2], target=["a", "a", "b"]), "target")
    assert data.facts.repeated_rows == 1 and list(data.X.columns) == ["y"]


def test_bundled_example_is_the_registered_data_set():
    own = load_csv(paths.bundled() / "example_imbalanced.csv", target="outcome")
    assert own.facts.sha256 == load("example_imbalanced").facts.sha256


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no file .*absent\.csv"):
        load_csv(tmp_path / "absent.csv", "y")


@pytest.mark.parametrize(
    ("target", "labels", "options", "message"),
    [
        ("outcom", ["a", "b", "b"], {}, r"no column 'outcom'; did you mean one of \['outcome'\]"),
        ("qqq", ["a", "b", "b"], {}, r"did you mean one of \['x', 'outcome'\]"),
        ("outcome", ["a", "a", "a"], {}, "must have two values, it has 1: 'a'"),
        ("outcome", ["a", "b", "c"], {}, "must have two values, it has 3"),
        ("outcome", ["a", None, "b"], {}, "has 1 missing values"),
        ("outcome", ["a", "b", "b"], {"positive": "c"}, "no value 'c', only 'b', 'a'"),
    ],
)
def test_errors(write, target, labels, options, message):
    with pytest.raises(ValueError, match=message):
        load_csv(write(x=[1, 2, 3], outcome=labels), target, **options)


def test_tie_asks_for_the_positive_label(write):
    path = write(x=[1, 2], y=["a", "b"])
    with pytest.raises(ValueError, match="1 rows of each value; say which"):
        load_csv(path, "y")
    assert load_csv(path, "y", positive="b").positives == 1


def test_target_alone_is_no_table(write):
    with pytest.raises(ValueError, match="no column besides the target 'y'"):
        load_csv(write(y=["a", "b", "b"]), "y")
