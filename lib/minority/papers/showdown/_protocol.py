"""The showdown: which data sets, which contestants, how they are tuned, what is measured.

None of the papers compares itself with another one. Here all learn from the same 2 x 5 stratified
folds, with their defaults and after tuning with the same budget inside of the training part.
Everything here was fixed before a row was stored, but for the most rows that Boosting-SVM learns
from, which were lowered after timing it on a made-up table and touch only the larger sets.
"""

import functools
import math
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from minority._seeding import seeded
from minority.experiments import Experiment, Fold, Method, in_own_process
from minority.papers.showdown._contestants import CONTESTANTS, Contestant
from minority.papers.showdown._race import RACE_ROWS, configurations, race, sample_rows
from minority.papers.showdown._size import model_size

#: Seconds for everything that a contestant does with a fold.
TIME_LIMIT = 900.0

#: KEEL's imbalanced sets with at least 20 positives. Several are made from one source with the same
#: positives: of those with equally many only the one with most rows (of equals the first by name).
KEEL = (
    "glass1",
    "wisconsin",
    "pima",
    "iris0",
    "glass0",
    "yeast1",
    "haberman",
    "vehicle2",
    "vehicle1",
    "vehicle3",
    "glass-0-1-2-3_vs_4-5-6",
    "vehicle0",
    "ecoli1",
    "new-thyroid1",
    "ecoli2",
    "segment0",
    "glass6",
    "yeast3",
    "ecoli3",
    "page-blocks0",
    "yeast-0-3-5-9_vs_7-8",
    "yeast-0-2-5-6_vs_3-7-8-9",
    "ecoli-0-1_vs_2-3-5",
    "ecoli-0-2-6-7_vs_3-5",
    "vowel0",
    "ecoli-0-1-4-7_vs_2-3-5-6",
    "led7digit-0-2-4-5-6-7-8-9_vs_1",
    "ecoli-0-1-4-7_vs_5-6",
    "shuttle-c0-vs-c4",
    "ecoli4",
    "page-blocks-1-3_vs_4",
    "abalone9-18",
    "dermatology-6",
    "yeast-2_vs_8",
    "flare-F",
    "car-good",
    "car-vgood",
    "kr-vs-k-zero-one_vs_draw",
    "kr-vs-k-one_vs_fifteen",
    "yeast4",
    "winequality-red-4",
    "kddcup-guess_passwd_vs_satan",
    "yeast-1-2-8-9_vs_7",
    "yeast5",
    "kr-vs-k-three_vs_eleven",
    "abalone-17_vs_7-8-9-10",
    "yeast6",
    "winequality-white-3_vs_7",
    "winequality-white-3-9_vs_5",
    "shuttle-2_vs_5",
    "abalone-20_vs_8-9-10",
    "kddcup-buffer_overflow_vs_back",
    "kddcup-land_vs_satan",
    "kr-vs-k-zero_vs_fifteen",
    "poker-8-9_vs_5",
    "kddcup-rootkit-imap_vs_back",
    "abalone19",
)
#: Larger sets; all but the first must be fetched or lie in a mirror.
LARGE = (
    "satimage",
    "phoneme",
    "mammography",
    "letter",
    "scania_aps_partial",
    "webpage",
    "protein_homo",
    "creditcard",
)

#: Measures of quality and how people call them. All but Brier's score are better if higher.
METRICS = {
    "g_mean": "G-mean",
    "f1": "F1",
    "average_precision": "average precision",
    "auroc": "AUROC",
    "balanced_accuracy": "balanced accuracy",
    "brier": "Brier score",
}


@dataclass(frozen=True)
class Entrant:
    """A contestant in the experiments: learns from a fold and is measured on its test part."""

    contestant: Contestant
    tuned: bool = False

    def __call__(self, fold: Fold) -> dict:
        _load_code()
        limit = fold.time_limit or TIME_LIMIT
        outcome = in_own_process(lambda: self.measure(fold), limit)
        known = {"time_limit": limit}
        if outcome.timed_out:
            measured = {"status": "time limit", "message": f"stopped after {limit:g} s"}
        elif outcome.error:
            # Who cannot learn from a fold predicts the majority there, as a user would have to.
            nothing = np.zeros(len(fold.y_test))
            measured = quality(fold.y_test, nothing, nothing, None)
            measured |= {"failed": 1, "message": outcome.error, "train_rows": 0}
        else:
            measured = outcome.result | {"failed": 0, "fit_mb": round(outcome.peak_mb, 1)}
        return dict.fromkeys(fold.settings, known | measured)

    def measure(self, fold: Fold) -> dict:
        """Learn, predict and measure; raises what the learner raises."""
        started = perf_counter()
        rows = sample_rows(fold.y_train, self.contestant.max_rows, fold.random_state)
        X, y = fold.X_train.iloc[rows], fold.y_train[rows]
        choice = self.tune(X, y, fold.random_state) if self.tuned else Choice({})
        model = self.model(choice.parameters, fold.random_state).fit(X, y)
        fitted = perf_counter()
        predicted, (score, probability) = model.predict(fold.X_test), scores(model, fold.X_test)
        done = perf_counter()
        rules, conditions = model_size(model)
        return quality(fold.y_test, predicted, score, probability) | {
            "rules": rules,
            "conditions": conditions,
            "train_rows": len(y),
            "inner_score": choice.score,
            "configuration": describe(choice.parameters) if self.tuned else "",
            "fit_s": round(fitted - started, 4),
            "predict_s": round(done - fitted, 4),
            **_proof(model[-1], choice.was_cut_off),
        }

    def tune(self, X, y, random_state: int) -> "Choice":
        """The best of the configurations in a race."""
        rows = sample_rows(y, RACE_ROWS, random_state)
        X, y = X.iloc[rows], y[rows]
        tried = configurations(self.contestant.space, random_state)
        was_cut_off = False

        def score(number, train, test):
            nonlocal was_cut_off
            model = self.model(tried[number] | self.contestant.racing, random_state)
            try:
                predicted = model.fit(X.iloc[train], y[train]).predict(X.iloc[test])
            except ValueError:  # a configuration that does not suit the data has lost
                return -1.0
            was_cut_off |= getattr(model[-1], "status_", "optimal") != "optimal"
            return g_mean(y[test], predicted)

        best, inner_score = race(len(tried), y, score, random_state)
        return Choice(tried[best], inner_score, was_cut_off)

    def model(self, parameters: dict, random_state: int):
        """An unfitted pipeline whose last step has these parameters."""
        model = seeded(self.contestant.make(), random_state)
        model[-1].set_params(**parameters)
        return model


@dataclass(frozen=True)
class Choice:
    """The configuration that tuning chose, its score, and whether a time limit had a say."""

    parameters: dict
    score: float | None = None
    was_cut_off: bool = False


def describe(parameters: dict) -> str:
    """A configuration in words; the defaults are called so."""
    return ", ".join(f"{k}={v!r}" for k, v in sorted(parameters.items())) or "defaults"


@functools.cache
def _load_code() -> None:
    """Load all code before the process forks, or every fork would load it again."""
    from sklearn import metrics  # noqa: F401

    from minority._warm import warm

    warm()
    for contestant in CONTESTANTS.values():
        contestant.make()


def _proof(model, was_cut_off: bool) -> dict:
    """What Exact Boxes knows of the best boxes; nothing if time limits chose its configuration."""
    if was_cut_off:
        return {"status": "time limit", "message": "solves were cut off while tuning"}
    if not hasattr(model, "bound_"):
        return {}
    status = {} if model.status_ == "optimal" else {"status": "time limit"}
    return {"objective": round(model.objective_, 6), "bound": round(model.bound_, 6)} | status


def scores(model, X) -> tuple[np.ndarray, np.ndarray | None]:
    """How positive a model finds each row, and its probabilities if it has any.

    Scores are rounded to 12 decimals: ties that only the last bits decide would move a ranking.
    """
    if hasattr(model, "predict_proba"):
        probability = model.predict_proba(X)[:, 1]
        return probability.round(12), probability
    return model.decision_function(X).round(12), None


def g_mean(y_true, predicted) -> float:
    """The geometric mean of sensitivity and specificity."""
    positive = y_true == 1
    return math.sqrt((predicted[positive] == 1).mean() * (predicted[~positive] != 1).mean())


def quality(y_true, predicted, score, probability) -> dict:
    """The measures of the showdown on a test part with both classes."""
    from sklearn.metrics import (
        average_precision_score,
        balanced_accuracy_score,
        brier_score_loss,
        f1_score,
        roc_auc_score,
    )

    return {
        "g_mean": g_mean(y_true, predicted),
        "f1": float(f1_score(y_true, predicted, zero_division=0)),
        "average_precision": float(average_precision_score(y_true, score)),
        "auroc": float(roc_auc_score(y_true, score)),
        "balanced_accuracy": float(balanced_accuracy_score(y_true, predicted)),
        "brier": None if probability is None else float(brier_score_loss(y_true, probability)),
    }


def _experiment(setting: str, *, tuned: bool) -> Experiment:
    return Experiment(
        name=f"showdown-{setting}",
        datasets=KEEL + LARGE,
        methods={
            name: Method(who.label, Entrant(who, tuned), about=who.about)
            for name, who in CONTESTANTS.items()
        },
        settings=(setting,),
        measures=(
            *METRICS,
            "rules",
            "conditions",
            "train_rows",
            "inner_score",
            "configuration",
            "objective",
            "bound",
            "failed",
            "time_limit",
        ),
        costs=("fit_s", "predict_s", "fit_mb"),
        repeats=2,
        folds=5,
        quick=("glass6",),
        any_dataset=True,
        interval=("objective", "bound"),
        paired="showdown",
    )


EXPERIMENTS = {
    "defaults": _experiment("defaults", tuned=False),
    "tuned": _experiment("tuned", tuned=True),
}
