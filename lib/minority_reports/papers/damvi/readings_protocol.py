"""What the paper leaves open, as variants of its methods on the folds of its tables and Figure 1.

Names of methods and settings carry the levels of the choices, only those that differ from the main
protocol; :mod:`minority_reports.papers.damvi.readings` says what they are and why.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from imblearn.ensemble import BalancedRandomForestClassifier, EasyEnsembleClassifier
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from minority_reports.experiments import Fold, Method, by_short_name, derive_seed, only_rows
from minority_reports.papers.damvi.protocol import (
    AS_RELEASED,
    DAMVI,
    FIG1,
    MAX_INT,
    RIVALS,
    SETS,
    SMALL,
    TABLE23,
    FitMembers,
    on_changed_folds,
    paper_method,
    random_splits,
    share_of,
    thinned_rows,
    with_imbalance,
)


class RealAdaBoostClassifier(ClassifierMixin, BaseEstimator):
    """AdaBoost of stumps by SAMME.R, for two classes.

    The default of scikit-learn's AdaBoostClassifier up to version 1.5, and no longer in it. Each
    stump adds the log odds of its leaf, and a row's weight is multiplied by the exponential of
    minus half of them, signed by its class (Zhu and others, 2009).
    """

    def __init__(self, n_estimators=50, random_state=None):
        self.n_estimators = n_estimators
        self.random_state = random_state

    def fit(self, X, y):
        """Add stumps until there are enough of them or one makes no error."""
        X, rng = np.asarray(X, dtype=np.float32), check_random_state(self.random_state)
        self.classes_, codes = np.unique(y, return_inverse=True)
        weight, self.stumps_ = np.full(len(codes), 1 / len(codes)), []
        while len(self.stumps_) < self.n_estimators:
            stump = DecisionTreeClassifier(max_depth=1, random_state=rng.randint(MAX_INT))
            self.stumps_.append(stump.fit(X, codes, weight, check_input=False))
            odds = self._log_odds(stump, X)
            if not weight @ ((odds > 0) != codes):
                break
            weight *= np.exp((0.5 - codes) * odds)
            weight /= weight.sum()
        return self

    @staticmethod
    def _log_odds(stump, X):
        share = stump.predict_proba(X, check_input=False)
        log_share = np.log(share.clip(np.finfo(float).eps))
        return log_share[:, 1] - log_share[:, 0]

    def predict_proba(self, X):
        """The logistic function of the mean log odds, and before it what is left to 1."""
        X = np.asarray(X, dtype=np.float32)
        odds = sum(self._log_odds(stump, X) for stump in self.stumps_) / len(self.stumps_)
        positive = 1 / (1 + np.exp(-odds))
        return np.column_stack([1 - positive, positive])

    def predict(self, X):
        """The class that is the more probable one."""
        return self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)]


def _bags(level: str, about: str, more: str = "", **changed) -> dict[str, Method]:
    """R-BG, S-BG and A-BG with bags of another size."""
    found = {}
    for name in ("r-bg", "s-bg", "a-bg"):
        model = clone(RIVALS[name].estimator).set_params(**changed)
        label = f"{RIVALS[name].label}, {about}"
        text = f"as {RIVALS[name].label}, with {about}{more}"
        found[f"{name}:bags={level}"] = paper_method(label, model, text, FitMembers)
    return found


#: The variants of Tables II and III that are computed on all real sets.
VARIANTS = {
    # Comparing all splits would take more than an hour. On mammography bins move no mean of five
    # splits by more than 0.012.
    **_bags(
        "oversampled",
        "bags of 20 % of the oversampled rows",
        "; values in 256 bins beyond 10,000 rows",
        bags_of="oversampled",
        estimator__max_bins="auto",
    ),
    "brf:forest=2020": paper_method(
        "BRF of 2020",
        BalancedRandomForestClassifier(
            **SETS, sampling_strategy="auto", replacement=False, bootstrap=True
        ),
        "as BRF, but each tree on a bootstrap of all positives and as many negatives, drawn "
        "without replacement: imbalanced-learn's defaults up to 0.12",
    ),
    "ee:boosting=samme-r": paper_method(
        "EE by SAMME.R",
        EasyEnsembleClassifier(
            **SETS, estimator=RealAdaBoostClassifier(n_estimators=50), replacement=False
        ),
        "as EE, but AdaBoost by SAMME.R, scikit-learn's default up to 1.5",
        FitMembers,
        seeds=MAX_INT,
        threshold=0.5,
    ),
}
#: Those that the large sets would take hours for; of R-BG the main table has them.
FULL_BAGS = _bags("full", "bags as large as the training part", estimator__max_samples=1.0)
_NOT_IN_TABLE23 = {name: FULL_BAGS[name] for name in ("s-bg:bags=full", "a-bg:bags=full")}
_RELEASED = {"damvi:code=released": AS_RELEASED}

_REAL = tuple(name for name in TABLE23.datasets if not name.startswith("simulated-"))
_AS_TABLE23 = {"any_dataset": False, "adapt": None}

TABLES = replace(TABLE23, name="damvi-readings", methods=VARIANTS, datasets=_REAL, **_AS_TABLE23)
SMALL_TABLES = replace(
    TABLE23, name="damvi-readings-full", methods=_NOT_IN_TABLE23, datasets=SMALL, **_AS_TABLE23
)


def thinned_before(fold: Fold, setting: str) -> Fold:
    """Undersample the whole set to the percentage that the setting names, then split it.

    At random and not stratified, as the paper splits. Set and split are drawn anew for each fold.
    """
    X = pd.concat([fold.X_train, fold.X_test], ignore_index=True)
    y = np.concatenate([fold.y_train, fold.y_test])
    seed = derive_seed(fold.random_state, setting)
    rows = thinned_rows(y, share_of(setting), np.random.default_rng(seed))
    ((train, test),) = random_splits(y[rows], 1, seed)
    whole = replace(fold, X_train=X, y_train=y, X_test=X, y_test=y)
    return only_rows(whole, rows[train], rows[test])


def _of_figure_1(change) -> Mapping[str, Method]:
    return on_changed_folds(VARIANTS | FULL_BAGS | _RELEASED, change)


FIGURE_1 = replace(FIG1, name="damvi-readings-fig1", methods=_of_figure_1(with_imbalance))
FIGURE_1_BEFORE = replace(
    FIG1,
    name="damvi-readings-thinned",
    methods=on_changed_folds({"damvi": DAMVI, **RIVALS}, thinned_before)
    | _of_figure_1(thinned_before),
    settings=tuple(f"{setting}:thinning=before" for setting in FIG1.settings),
)

EXPERIMENTS = by_short_name(TABLES, SMALL_TABLES, FIGURE_1, FIGURE_1_BEFORE)
