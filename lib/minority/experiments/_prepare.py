"""Numbers from mixed columns, fitted on the training part only."""

import numpy as np
import pandas as pd

from minority.experiments._plan import Fold


def numeric_parts(fold: Fold) -> tuple[pd.DataFrame, np.ndarray, pd.DataFrame, np.ndarray]:
    """A fold's ``X_train, y_train, X_test, y_test`` with numeric columns and no gaps.

    Missing numbers become the training median, missing categories the most frequent one, and
    categories are coded one column each; a category unseen in training is all zeros. A fold that
    is numeric and complete passes through unchanged.
    """
    X_train, X_test = fold.X_train, fold.X_test
    nominal = X_train.select_dtypes(exclude="number").columns
    if len(nominal) or X_train.isna().any(axis=None) or X_test.isna().any(axis=None):
        from sklearn.compose import make_column_transformer
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder

        coder = make_column_transformer(
            (
                make_pipeline(
                    SimpleImputer(strategy="most_frequent"),
                    OneHotEncoder(drop="if_binary", handle_unknown="ignore", sparse_output=False),
                ),
                nominal,
            ),
            remainder=SimpleImputer(strategy="median", keep_empty_features=True),
            verbose_feature_names_out=False,
        ).set_output(transform="pandas")
        X_train, X_test = coder.fit_transform(X_train), coder.transform(X_test)
    return X_train, fold.y_train, X_test, fold.y_test
