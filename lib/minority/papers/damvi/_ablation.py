"""What each part of DAMVI does: the weights of the rows, those of the voters, the bootstrap."""

import numpy as np

from minority.ensembles import weigh_votes
from minority.ensembles._cbound import row_weights
from minority.experiments import Fold
from minority.papers.damvi._rivals import arrays, bag_of_trees, score_measures

#: For each setting whether rows are drawn with replacement and how those of the minority are
#: weighted (step 7). With equal weights of the voters, step 7 only matters for the measures.
_VARIANTS = {
    "reweighting=vote": (True, "vote"),
    "reweighting=sign": (True, "sign"),
    "reweighting=none": (True, None),
    "weights=uniform": (True, "vote"),
    "bootstrap=no": (False, "vote"),
}
ABLATION_SETTINGS = tuple(_VARIANTS)
ABLATION_MEASURES = (
    "f1",
    "ap",
    "n_voters",
    "c_bound",
    "gibbs_risk",
    "disagreement",
    "weighted_risk",
    "train_risk",
    "test_risk",
    "hard_positives",
    "hard_disagreement_before",
    "hard_disagreement",
    "hard_gibbs_risk_before",
    "hard_gibbs_risk",
)


def ablation(fold: Fold) -> dict:
    """All settings on the same trees, but for the one that draws rows without replacement."""
    X_train, y_train, X_test, y_test = arrays(fold)
    signs = (2 * y_train - 1).astype(np.int8)
    votes = {}
    for bootstrap in (True, False):
        bag = bag_of_trees(X_train, y_train, fold.random_state, bootstrap=bootstrap)
        votes[bootstrap] = bag.votes(X_train), bag.votes(X_test)
    measured = {}
    for setting, (bootstrap, reweighting) in _VARIANTS.items():
        train_votes, test_votes = votes[bootstrap]
        if setting == "weights=uniform":
            weights = np.full(train_votes.shape[1], 1 / train_votes.shape[1])
        else:
            weights = weigh_votes(
                train_votes, signs, is_minority=signs == 1, reweighting=reweighting
            ).weights
        score = (test_votes @ weights).round(12)
        scored = score_measures(y_test, score)
        measured[setting] = {
            "f1": scored["f1"],
            "ap": scored["ap"],
            "n_voters": int(np.count_nonzero(weights)),
            "test_risk": float(((score > 0) != (y_test == 1)).mean()),
            **vote_measures(train_votes, signs, weights, reweighting),
        }
    return measured


def vote_measures(
    votes: np.ndarray, signs: np.ndarray, weights: np.ndarray, reweighting: str | None
) -> dict[str, float]:
    r"""What the C-bound is made of, on the training part.

    Parameters
    ----------
    votes : ndarray of shape (n_samples, n_voters)
        1 and -1 (the paper's :math:`h_k(x_i)`).
    signs : ndarray of shape (n_samples,)
        The classes as 1 and -1.
    weights : ndarray of shape (n_voters,)
        Weights of the voters, with sum 1.
    reweighting : {"vote", "sign"} or None
        Step 7: it gives the weights :math:`D_i` of the rows.

    Returns
    -------
    measures : dict
        ``c_bound``, ``gibbs_risk`` and ``disagreement`` are weighted by D, and so is
        ``weighted_risk``, which the bound is above: the weight of the rows without a majority for
        their class. ``train_risk`` counts the wrong predictions. What begins with ``hard`` is
        about the positives that equal votes get wrong, NaN if there are none; ``before`` is with
        equal weights.
    """
    right = votes * signs[:, None]
    before, margin = right.mean(axis=1), right @ weights
    D = row_weights(before, signs == 1, reweighting)
    first, second = D @ margin, D @ margin**2
    hard = (signs == 1) & (before <= 0)
    rounded = margin.round(12)
    # A tie is a negative prediction: no error on a negative, though the bound counts it as one.
    wrong = np.where(signs == 1, rounded <= 0, rounded < 0)
    measures = {
        "c_bound": float(1 - first**2 / second) if first > 0 else 1.0,
        "gibbs_risk": float(1 - first) / 2,
        "disagreement": float(1 - second) / 2,
        "weighted_risk": float(D @ (rounded <= 0)),
        "train_risk": float(wrong.mean()),
        "hard_positives": int(hard.sum()),
    }
    for suffix, values in (("_before", before[hard]), ("", margin[hard])):
        some = len(values) > 0
        measures[f"hard_disagreement{suffix}"] = (
            float(1 - (values**2).mean()) / 2 if some else np.nan
        )
        measures[f"hard_gibbs_risk{suffix}"] = float(1 - values.mean()) / 2 if some else np.nan
    return measures
