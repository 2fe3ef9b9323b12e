"""DAMVIClassifier: voters, weights, predictions, the contract of scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from minority.ensembles import DAMVIClassifier, pseudo_labels, weigh_votes
from minority.ensembles._cbound import class_shares
from minority.trees import BaggedTreesClassifier, C45Classifier
from minority.trees._bagged import draw_counts

STUMP = DecisionTreeClassifier(max_depth=2)


def rare(n=600, positives=0.1, seed=0):
    return make_classification(
        n, n_features=6, weights=[1 - positives], flip_y=0.05, class_sep=0.8, random_state=seed
    )


@pytest.fixture(params=["trees", "clones"])
def model(request):
    """Either way to train voters, not fitted."""
    estimator = None if request.param == "trees" else STUMP
    return DAMVIClassifier(estimator, n_estimators=15, random_state=0)


def test_trees_are_bagged_trees_and_votes_are_weighed():
    X, y = rare()
    model = DAMVIClassifier(n_estimators=15, random_state=3).fit(X, y)
    bag = BaggedTreesClassifier(n_estimators=15, random_state=3).fit(X, y)
    found = weigh_votes(bag.votes(X), 2 * y - 1, is_minority=y == 1)
    np.testing.assert_allclose(model.weights_, found.weights)
    assert (model.c_bound_, model.gibbs_risk_, model.disagreement_) == pytest.approx(found[1:])


def test_clones_see_the_same_samples_as_the_trees():
    X, y = rare()
    model = DAMVIClassifier(STUMP, n_estimators=3, max_samples=0.3, random_state=3).fit(X, y)
    seeds = np.random.RandomState(3).randint(2**32, size=3)
    for seed, voter in zip(seeds, model.voters_, strict=True):
        rng = np.random.default_rng(seed)
        rows = np.repeat(np.arange(len(y)), draw_counts(y, 180, True, rng))
        alone = clone(STUMP).set_params(random_state=voter.random_state).fit(X[rows], y[rows])
        np.testing.assert_array_equal(voter.predict_proba(X), alone.predict_proba(X))
    assert len({voter.random_state for voter in model.voters_}) == 3


def test_pruned_prediction_is_the_full_weighted_vote(model):
    X, y = rare()
    model.fit(X, y)
    assert (model.weights_ == 0).sum() > 0
    if isinstance(model.voters_, list):
        votes = np.array([voter.predict(X) for voter in model.voters_]).T * 2 - 1
    else:
        votes = model.voters_.votes(X)
    score = votes @ model.weights_
    np.testing.assert_allclose(model.decision_function(X), score, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), (score > 1e-12).astype(int))
    shares = (1 + np.column_stack([-score, score])) / 2
    np.testing.assert_allclose(model.predict_proba(X), shares, atol=1e-12)


def test_only_voters_with_weight_are_asked():
    X, y = rare()
    model = DAMVIClassifier(STUMP, n_estimators=15, random_state=0).fit(X, y)
    score = model.decision_function(X)
    for k in np.flatnonzero(model.weights_ == 0):
        model.voters_[k] = None
    np.testing.assert_array_equal(model.decision_function(X), score)
    heaviest = model.weights_.argmax()
    model.voters_[heaviest] = None
    with pytest.raises(AttributeError):
        model.predict(X)


def test_ties_are_ties():
    """0.3 against 0.1 + 0.2: no class wins by a rounding error."""
    X, y = np.zeros((4, 1)), [0, 1, 0, 1]
    dummies = [DummyClassifier(strategy="constant", constant=label) for label in (0, 1, 1)]
    model = DAMVIClassifier([dummy.fit(X, y) for dummy in dummies]).fit(X, y)
    model.weights_ = np.array([0.3, 0.1, 0.2])
    assert np.ptp(class_shares(np.array([[0, 1, 1]]), model.weights_, 2)) > 0
    assert (model.decision_function(X) == 0).all() and (model.predict(X) == 0).all()
    shares = model.predict_proba(X)
    assert (shares[:, 0] > 0.5).all()
    np.testing.assert_allclose(shares, 0.5)


@pytest.mark.parametrize("reweighting", ["vote", "sign", None])
def test_reweighting_reaches_the_weights(reweighting):
    X, y = rare()
    model = DAMVIClassifier(n_estimators=9, reweighting=reweighting, random_state=0).fit(X, y)
    votes = model.voters_.votes(X)
    target = 2 * y - 1
    mean_right = target * votes.mean(axis=1)
    factor = {"vote": np.exp(-mean_right), "sign": np.exp(-np.sign(mean_right)), None: 1}
    weight = np.where(y == 1, factor[reweighting], 1)
    wrong = votes != target[:, None]
    gibbs = weight @ wrong @ model.weights_ / weight.sum()
    assert model.gibbs_risk_ == pytest.approx(gibbs)
    score = model.decision_function(X) * target
    assert weight @ (score <= 0) / weight.sum() <= model.c_bound_


def test_row_weights_count_where_votes_are_weighed(model):
    """Not where voters are trained; rows without weight count nowhere."""
    X, y = rare()
    weight = np.random.default_rng(0).integers(3, size=len(y)) * 0.7
    model.fit(X, y, weight)
    kept = weight > 0
    alone = clone(model).fit(X[kept], y[kept])
    if isinstance(model.voters_, list):
        voters = zip(model.voters_, alone.voters_, strict=True)
        assert all((one.predict(X) == two.predict(X)).all() for one, two in voters)
        votes = np.array([voter.predict(X[kept]) for voter in model.voters_]).T
    else:
        np.testing.assert_array_equal(model.voters_.votes(X), alone.voters_.votes(X))
        votes = model.voters_.votes(X[kept]) > 0
    found = weigh_votes(votes, y[kept], weight[kept], is_minority=y[kept] == 1)
    np.testing.assert_allclose(model.weights_, found.weights)
    assert (model.weights_ != alone.weights_).any()


def test_whole_weights_of_rows_are_repeated_votes():
    X, y = rare()
    votes = BaggedTreesClassifier(n_estimators=9, random_state=0).fit(X, y).votes(X)
    weight = np.random.default_rng(0).integers(4, size=len(y))
    weighted = weigh_votes(votes, 2 * y - 1, weight)
    repeated = weigh_votes(np.repeat(votes, weight, axis=0), np.repeat(2 * y - 1, weight))
    for one, two in zip(weighted, repeated, strict=True):
        np.testing.assert_allclose(one, two, atol=1e-9)
    with pytest.raises(ValueError, match=r"(non-|are )zero"):
        weigh_votes(votes, 2 * y - 1, np.zeros(len(y)))


def test_minority_class_by_weight():
    """The heavier class is the majority, however many rows it has."""
    X, y = rare()
    model = DAMVIClassifier(n_estimators=3, random_state=0).fit(X, y, np.where(y == 1, 100, 1))
    assert model.pos_label_ == 0


def test_minority_class_of_any_label():
    X, y = rare()
    words = np.where(y == 1, "fault", "sound")
    model = DAMVIClassifier(n_estimators=9, random_state=0).fit(X, words)
    numbers = DAMVIClassifier(n_estimators=9, random_state=0).fit(X, 1 - y)
    assert model.pos_label_ == "fault" and numbers.pos_label_ == 0
    np.testing.assert_allclose(model.weights_, numbers.weights_)
    np.testing.assert_array_equal(model.predict(X) == "fault", numbers.predict(X) == 0)
    other = DAMVIClassifier(n_estimators=9, pos_label="sound", random_state=0).fit(X, words)
    assert other.pos_label_ == "sound" and other.gibbs_risk_ != model.gibbs_risk_
    even = DAMVIClassifier(n_estimators=2).fit([[0], [1], [2], [3]], ["a", "b", "a", "b"])
    assert even.pos_label_ == "b"


def test_every_sample_has_a_positive(model):
    X, y = np.arange(400.0)[:, None], np.arange(400) < 2
    model.set_params(max_samples=0.05).fit(X, y)
    if isinstance(model.voters_, list):
        assert all(len(voter.classes_) == 2 for voter in model.voters_)
    else:
        assert all((tree.counts[0] > 0).all() for tree in model.voters_.trees_)


def test_same_seed_same_model_with_any_number_of_jobs(model):
    X, y = rare()
    one = clone(model).fit(X, y)
    two = clone(model).set_params(n_jobs=2).fit(X, y)
    other = clone(model).set_params(random_state=1).fit(X, y)
    np.testing.assert_array_equal(one.weights_, two.weights_)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))
    assert (one.decision_function(X) != other.decision_function(X)).any()


def test_several_classes(model):
    X, y = load_iris(return_X_y=True)
    keep = np.r_[0:50, 50:80, 100:120]
    X, words = X[keep], np.array(["s", "v", "w"])[y[keep]]
    model.set_params(max_samples=0.15).fit(X, words)
    assert model.pos_label_ is None
    if isinstance(model.voters_, list):
        votes = np.array([voter.predict(X) for voter in model.voters_]).T
    else:
        votes = model.classes_[model.voters_.votes(X)]
    right = np.where(votes == words[:, None], 1, -1)
    weight = np.where(words == "s", 1, np.exp(-right.mean(axis=1)))
    weight /= weight.sum()

    def bound(q):
        margin = right @ q
        return 1 - (weight @ margin) ** 2 / (weight @ margin**2)

    assert model.c_bound_ == pytest.approx(bound(model.weights_))
    others = np.random.default_rng(0).dirichlet(np.full(15, 0.2), size=2000)
    assert model.c_bound_ <= min(bound(q) for q in [*others, *np.eye(15)]) + 1e-9
    shares = np.array([(votes == label) @ model.weights_ for label in "svw"]).T
    np.testing.assert_allclose(model.decision_function(X), shares, atol=1e-12)
    np.testing.assert_array_equal(model.predict_proba(X), model.decision_function(X))
    assert model.score(X, words) > 0.9
    assert clone(model).set_params(pos_label="w").fit(X, words).pos_label_ == "w"


def test_fitted_voters_are_only_weighed():
    X, y = rare()
    words = np.where(y == 1, "yes", "no")
    frame = pd.DataFrame(X, columns=list("abcdef"))
    voters = [GaussianNB(), LogisticRegression(), DecisionTreeClassifier(max_depth=3)]
    voters = [voter.fit(frame[:200], words[:200]) for voter in voters]
    model = DAMVIClassifier(voters).fit(frame, words)
    assert all(mine is theirs for mine, theirs in zip(model.voters_, voters, strict=True))
    votes = np.array([voter.predict(frame) for voter in voters]).T
    np.testing.assert_allclose(model.weights_, weigh_votes(votes, words).weights)
    assert model.feature_names_in_.tolist() == list("abcdef")
    frozen = clone(DAMVIClassifier([FrozenEstimator(voter) for voter in voters]))
    np.testing.assert_allclose(frozen.fit(frame, words).weights_, model.weights_)
    with pytest.raises(NotFittedError):
        clone(model).fit(frame, words)
    with pytest.raises(ValueError, match="predicts 'no', which is not among the classes"):
        model.fit(frame, np.where(y == 1, "yes", "never"))


def test_clones_get_tables_as_they_are_given():
    X, y = rare(300)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["colour"] = pd.Categorical(np.where(y == 1, "red", "blue"))
    model = DAMVIClassifier(C45Classifier(), n_estimators=3, random_state=0).fit(frame, y)
    assert model.score(frame, y) == 1
    frame["a"] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        DAMVIClassifier(GaussianNB(), n_estimators=2).fit(frame[list("abc")], y)


def test_random_states_within_a_pipeline_are_set():
    X, y = rare(300)
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_features=1))
    one, two = (
        DAMVIClassifier(pipeline, n_estimators=4, random_state=5).fit(X, y).decision_function(X)
        for _ in range(2)
    )
    np.testing.assert_array_equal(one, two)


def test_voters_worse_than_a_coin():
    X, y = rare()
    liar = DecisionTreeClassifier().fit(X, 1 - y)
    with pytest.warns(UserWarning, match="Gibbs risk"):
        model = DAMVIClassifier([liar, liar]).fit(X, y)
    np.testing.assert_array_equal(model.weights_, [0.5, 0.5])
    assert model.c_bound_ == 1


@pytest.mark.parametrize(
    ("options", "y", "error", "message"),
    [
        ({}, [1, 1, 1, 1], ValueError, "one class"),
        ({"pos_label": 7}, [0, 1, 1, 0], ValueError, "pos_label=7"),
        ({"estimator": "tree"}, [0, 1, 1, 0], TypeError, "got 'tree'"),
        ({"estimator": DecisionTreeClassifier}, [0, 1, 1, 0], TypeError, "estimator must be"),
        ({"estimator": []}, [0, 1, 1, 0], ValueError, "empty list"),
        ({"estimator": [STUMP]}, [0, 1, 1, 0], NotFittedError, "not fitted"),
        ({"estimator": STUMP}, [0, 1, 1], ValueError, "inconsistent"),
        ({"reweighting": "twice"}, [0, 1, 1, 0], ValueError, "reweighting"),
        (
            {"estimator": STUMP, "max_samples": 9, "bootstrap": False},
            [0, 1, 1, 0],
            ValueError,
            "needs bootstrap=True",
        ),
    ],
)
def test_errors(options, y, error, message):
    with pytest.raises(error, match=message):
        DAMVIClassifier(**options).fit(np.arange(4.0)[:, None], y)


def test_pseudo_labels():
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [10, 0], [0, 10], [10, 10]])
    owner = np.array(["common", "common", "common", "rare"])
    group = rng.integers(4, size=400)
    X = centres[group] + rng.normal(size=(400, 2))
    y = owner[group]
    labelled = np.r_[np.flatnonzero(y == "rare")[:2], np.flatnonzero(y == "common")[:60]]
    unlabelled = np.setdiff1d(np.arange(400), labelled)
    found = pseudo_labels(X[labelled], y[labelled], X[unlabelled], n_clusters=3, random_state=0)
    np.testing.assert_array_equal(found, y[unlabelled])
    with pytest.raises(ValueError, match="3 features"):
        pseudo_labels(X, y, np.zeros((1, 3)))


def test_pseudo_labels_by_hand():
    """One centre per class is the nearest mean."""
    X, y = np.array([[0.0], [2.0], [10.0]]), np.array([0, 0, 1])
    found = pseudo_labels(X, y, [[5.4], [5.6]], n_clusters=1)
    assert found.tolist() == [0, 1]
