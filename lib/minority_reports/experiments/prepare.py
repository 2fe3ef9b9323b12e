"""A fold made ready for a method: some of its rows, or numbers from mixed columns."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd

from minority_reports.experiments.plan import Fold


def only_rows(fold: Fold, train: np.ndarray, test: np.ndarray) -> Fold:
    """The same fold with some rows of either part."""
    return replace(
        fold,
        X_train=fold.X_train.iloc[train].reset_index(drop=True),
        y_train=fold.y_train[train],
        X_test=fold.X_test.iloc[test].reset_index(drop=True),
        y_test=fold.y_test[test],
    )


def distinct_rows(fold: Fold) -> Fold:
    """Of rows with the same features and class keep the first, the training part before the test.

    So no test row was trained on.
    """
    rows = pd.concat([fold.X_train, fold.X_test], ignore_index=True)
    labels = pd.Series(np.concatenate([fold.y_train, fold.y_test]))
    first = ~pd.concat([rows, labels], axis=1).duplicated().to_numpy()
    n_train = len(fold.y_train)
    return only_rows(fold, np.flatnonzero(first[:n_train]), np.flatnonzero(first[n_train:]))


def numeric_parts(fold: Fold) -> tuple[pd.DataFrame, np.ndarray, pd.DataFrame, np.ndarray]:
    """A fold's ``X_train, y_train, X_test, y_test`` with numeric columns and no gaps.

    Coded by :func:`numeric_coder`; a fold that is numeric and complete passes through unchanged.
    """
    X_train, X_test = fold.X_train, fold.X_test
    nominal = X_train.select_dtypes(exclude="number").columns
    if len(nominal) or X_train.isna().any(axis=None) or X_test.isna().any(axis=None):
        coder = numeric_coder()
        with warnings.catch_warnings():
            # that a category is unseen or a column empty is what the coder provides for
            warnings.simplefilter("ignore", UserWarning)
            X_train, X_test = coder.fit_transform(X_train), coder.transform(X_test)
    return X_train, fold.y_train, X_test, fold.y_test


#: How a missing category is called.
MISSING = "missing"


def category_name(feature: str, category) -> str:
    """The column of :func:`numeric_coder` that stands for a category."""
    if pd.isna(category):
        return f"{feature} = {MISSING}"
    if category == "infrequent_sklearn":
        return f"{feature} = any rarer one"
    if str(category).strip("'\"") == MISSING:  # a text that says so is another category
        category = repr(category)
    return f"{feature} = {category}"


def numeric_coder(*, fill: bool = True):
    """A transformer from mixed columns to numbers, for the front of a pipeline.

    Missing numbers become the training median (or stay missing without ``fill``). Categories are
    coded one column each (the rarest together, beyond 50 of them), a missing one like any other.
    Two take one column, the first as 0; a category unseen in training is all zeros.
    """
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder

    one_column_each = OneHotEncoder(
        drop="if_binary",
        handle_unknown="infrequent_if_exist",
        max_categories=50,  # a column of free text must not become thousands
        sparse_output=False,
        feature_name_combiner=category_name,
    )
    nominal = make_column_selector(dtype_exclude="number")
    numbers = SimpleImputer(strategy="median", keep_empty_features=True)
    return make_column_transformer(
        (one_column_each, nominal),
        remainder=numbers if fill else "passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
