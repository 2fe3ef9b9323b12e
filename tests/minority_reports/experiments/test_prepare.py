"""Mixed columns become numbers inside each fold, from the training part alone."""

import numpy as np
import pandas as pd
import pytest

from minority_reports.datasets import load_file
from minority_reports.experiments import Fold, numeric_parts


def prepare(X_train, X_test):
    y = [np.arange(len(X)) % 2 for X in (X_train, X_test)]
    Z_train, y_train, Z_test, y_test = numeric_parts(Fold(X_train, y[0], X_test, y[1], (), 0))
    assert y_train is y[0] and y_test is y[1]
    for Z, X in ((Z_train, X_train), (Z_test, X_test)):
        assert isinstance(Z, pd.DataFrame) and (Z.dtypes == np.float64).all()
        assert np.isfinite(Z.to_numpy()).all()
        pd.testing.assert_index_equal(Z.index, X.index)
    assert list(Z_train) == list(Z_test)
    return Z_train, Z_test


def category(values, categories=("a", "b", "c")):
    return pd.Series(pd.Categorical(values, categories=list(categories)))


def test_complete_numbers_pass_through():
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0], "odd name (cm)": [0.1, 0.2, 0.3]})
    Z_train, Z_test = prepare(X, X.iloc[1:])
    assert Z_train is X
    assert list(Z_test) == ["x", "odd name (cm)"]


def test_unseen_category_is_all_zeros():
    train = pd.DataFrame({"c": category(list("ababc"))})
    test = pd.DataFrame({"c": category(["d", "a"], "abcd")})
    Z_train, Z_test = prepare(train, test)
    assert list(Z_train) == ["c = a", "c = b", "c = c"]
    assert Z_test.to_numpy().tolist() == [[0, 0, 0], [1, 0, 0]]


def test_two_categories_take_one_column():
    train = pd.DataFrame({"c": category(list("abab"))})
    Z_train, Z_test = prepare(train, train)
    assert list(Z_train) == ["c = b"] and Z_test["c = b"].tolist() == [0, 1, 0, 1]


def test_missing_numbers_are_filled_from_the_training_part():
    train = pd.DataFrame({"x": [1.0, 2.0, 30.0, np.nan]})
    Z_train, Z_test = prepare(train, pd.DataFrame({"x": [np.nan, 7.0]}))
    assert Z_train["x"].tolist() == [1, 2, 30, 2]
    assert Z_test["x"].tolist() == [2, 7]


def test_a_missing_category_is_a_category_of_its_own():
    train = pd.DataFrame({"c": category(["b", "b", "a", None])})
    Z_train, Z_test = prepare(train, pd.DataFrame({"c": category([None, "a"])}))
    assert list(Z_train) == ["c = a", "c = b", "c = missing"]
    assert Z_train["c = missing"].tolist() == [0, 0, 0, 1]
    assert Z_test.to_numpy().tolist() == [[0, 0, 1], [1, 0, 0]]
    train = pd.DataFrame({"comment": category(["a", None, "a", None])})
    Z_train, Z_test = prepare(train, train)
    assert list(Z_train) == ["comment = missing"] and Z_test.iloc[:, 0].tolist() == [0, 1, 0, 1]


def test_a_missing_category_is_not_one_that_is_called_so():
    values = ["missing", "nan", "'missing'", "a", None]
    train = pd.DataFrame({"c": category(values, values[:-1])})
    Z_train, _ = prepare(train, train)
    assert len(set(Z_train)) == 5 and (Z_train.sum(axis=0) == 1).all()
    assert Z_train.loc[4, "c = missing"] == 1
    assert np.linalg.matrix_rank(Z_train.to_numpy()) == 5


def test_what_is_missing_may_tell_the_target():
    """The gaps are on the negatives; filled with the most frequent text they were positives."""
    y = np.arange(300) < 10
    train = pd.DataFrame({"comment": category(np.where(y, "a", None))})
    Z_train, _ = prepare(train, train)
    assert (Z_train.iloc[:, 0] == ~y).all()


@pytest.mark.parametrize("where", ["train", "both"])
def test_columns_with_nothing_but_missing_values(where):
    train = pd.DataFrame({"x": [1.0, 2.0, 3.0], "gone": [np.nan] * 3, "lost": category([None] * 3)})
    test = train.assign(gone=5.0, lost=category(list("abc"))) if where == "train" else train
    Z_train, _ = prepare(train, test)
    assert Z_train["x"].tolist() == [1, 2, 3]
    rest = Z_train.drop(columns="x").to_numpy()
    assert (rest == rest[0]).all()  # tells nothing, does no harm


def test_a_gap_in_the_test_part_only():
    train = pd.DataFrame({"x": [1.0, 2.0, 9.0], "z": [4.0, 5.0, 6.0]})
    Z_train, Z_test = prepare(train, train.assign(x=[np.nan, 1.0, 1.0]))
    pd.testing.assert_frame_equal(Z_train, train)
    assert Z_test["x"].tolist() == [2, 1, 1]


def test_names_of_features_are_kept():
    train = pd.DataFrame(
        {"width (cm)": [1.0, np.nan], "hue": category(list("ab")), "height": [1.0, 2.0]}
    )
    Z_train, _ = prepare(train, train)
    assert set(Z_train) == {"width (cm)", "hue = b", "height"}


def random_rows(seed, n=40):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "x": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
            "c": category(rng.choice(["a", "b", "c", "d", None], n), "abcd"),
            "z": rng.normal(size=n),
        }
    )


@pytest.mark.parametrize("seed", range(5))
def test_test_rows_never_change_the_training_part(seed):
    train = random_rows(seed)
    expected, one = prepare(train, random_rows(100))
    strange = random_rows(101).assign(x=1e300, c=category(["d"] * 40, "abcd"))
    found, _ = prepare(train, strange)
    pd.testing.assert_frame_equal(found, expected)
    # nor each other
    _, alone = prepare(train, random_rows(100).iloc[:1])
    pd.testing.assert_frame_equal(alone, one.iloc[:1])


def test_own_file_with_everything(tmp_path):
    n = 60
    rng = np.random.default_rng(0)
    table = random_rows(0, n).assign(
        flag=rng.random(n) < 0.5,
        maybe=rng.choice([True, False, None], n),
        when=pd.date_range("2024-01-01", periods=n).strftime("%Y-%m-%d"),
        empty=np.nan,
        label=np.where(np.arange(n) % 3, "no", "yes"),
    )
    table.to_csv(tmp_path / "mine.csv", index=False)
    data = load_file(tmp_path / "mine.csv", "label")
    Z_train, _ = prepare(data.X.iloc[:40], data.X.iloc[40:])
    assert {"x", "z", "when", "flag = True", "c = a"} <= set(Z_train)


def test_coded_columns_never_clash_with_others():
    train = pd.DataFrame({"c": category(list("abcc")), "c_a": [1.0, 2.0, 3.0, 4.0]})
    Z_train, _ = prepare(train, train)
    assert set(Z_train) == {"c = a", "c = b", "c = c", "c_a"}


def test_free_text_stays_small():
    words = [f"word {i}" for i in range(500)]
    train = pd.DataFrame({"text": pd.Categorical(words), "x": np.arange(500.0)})
    Z_train, _ = prepare(train, train.iloc[:3])
    assert Z_train.shape[1] <= 51
    assert Z_train["text = any rarer one"].sum() == 451
