"""What users of scikit-learn, pandas and polars do with any estimator."""

import inspect
import pickle
import re
import subprocess
import sys
from html.parser import HTMLParser

import duckdb
import joblib
import numpy as np
import pandas as pd
import pytest
from imblearn.pipeline import make_pipeline as make_imblearn_pipeline
from scipy.sparse import csr_matrix
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from estimators import FAST_INSTANCES
from minority.boxes import BoxSet
from minority.costs import (
    CostProportionateClassifier,
    CostThresholdClassifier,
    MetaCostClassifier,
)
from minority.rules import ChiMerge, RLSDClassifier, RuleSet
from minority.sampling import (
    PercentSampler,
    PercentSMOTE,
    PercentUnderSampler,
    SamplingWrapperClassifier,
)
from minority.trees import C45Classifier, HellingerTreeClassifier, parse_tree


def seeded(estimator):
    """A clone with a fixed random state, if it has one."""
    estimator = clone(estimator)
    names = [name for name in estimator.get_params() if name.split("__")[-1] == "random_state"]
    return estimator.set_params(**dict.fromkeys(names, 0))


CLASSIFIERS = [seeded(estimator) for estimator in FAST_INSTANCES]
ONE_EACH = list({type(estimator): estimator for estimator in reversed(CLASSIFIERS)}.values())
WEIGHTED = [estimator for estimator in ONE_EACH if has_fit_parameter(estimator, "sample_weight")]
WITH_CATEGORIES = [
    estimator
    for estimator in ONE_EACH
    if "categorical_features" in estimator.get_params(deep=False)
]
SAMPLERS = [PercentUnderSampler(random_state=0), PercentSMOTE(random_state=0), PercentSampler(50)]
SAMPLERS = [seeded(sampler) for sampler in SAMPLERS]

# A parameter of each classifier, and two values.
GRIDS = {
    "AdaCostClassifier": {"cost": [0.5, 1.0]},
    "BaggedTreesClassifier": {"max_samples": [0.3, 0.6]},
    "BoostingSVMClassifier": {"delta": [0.1, 1.0]},
    "C45Classifier": {"min_samples_leaf": [1, 4]},
    "CostProportionateClassifier": {"costs": [1, 3]},
    "CostThresholdClassifier": {"costs": [1, 3]},
    "DAMVIClassifier": {"reweighting": ["vote", None]},
    "DataBoostIMClassifier": {"max_synthetic": [0, 50]},
    "ExactBoxesClassifier": {"majority_weight": [0.2, 0.8]},
    "ExactBoxesClassifierCV": {"ranking": ["depth", "path"]},
    "FastBoxesClassifier": {"expansion": [0.0, 1.0]},
    "FastBoxesClassifierCV": {"scoring": ["g_mean", "auh"]},
    "HellingerTreeClassifier": {"laplace": [True, False]},
    "MetaCostClassifier": {"costs": [1, 3]},
    "PRIMClassifier": {"peel_alpha": [0.1, 0.2]},
    "RIPPERClassifier": {"n_optimizations": [0, 1]},
    "RLSDClassifier": {"beta": [1.0, 2.0]},
    "SMOTEBoostClassifier": {"oversampling": [0, 100]},
    "SamplingWrapperClassifier": {"criterion": ["auroc", "cost"]},
}

# Their probabilities are one step for each box, and one for the rest.
BOXES = {
    *("ExactBoxesClassifier", "ExactBoxesClassifierCV"),
    *("FastBoxesClassifier", "FastBoxesClassifierCV"),
}


def rows(n=60, seed=0):
    """Whole numbers, so that no type of number changes them, and which rows are positive."""
    X = np.random.default_rng(seed).integers(-20, 20, size=(n, 3)).astype(np.float64)
    noise = np.random.default_rng(seed + 1).normal(size=n) * 4
    return X, X[:, 0] - X[:, 1] / 2 + noise > 10


X, POSITIVE = rows()
Y = np.where(POSITIVE, "yes", "no")
NAMES = ["height", "width", "depth"]
FRAME = pd.DataFrame(X, columns=NAMES)


def by_name(estimator):
    return type(estimator).__name__


each = pytest.mark.parametrize("estimator", ONE_EACH, ids=by_name)
each_option = pytest.mark.parametrize("estimator", CLASSIFIERS, ids=str)
each_sampler = pytest.mark.parametrize("sampler", SAMPLERS, ids=by_name)


def polars():
    return pytest.importorskip("polars", reason="needs polars, which the extra `test` installs")


def scores(model, table):
    """All that a model says of rows, as columns."""
    found = [np.unique(model.predict(table), return_inverse=True)[1]]
    for name in ("decision_function", "predict_proba"):
        if hasattr(model, name):
            found += list(np.atleast_2d(getattr(model, name)(table).T))
    return np.array(found)


def same_model(one, other, table=X, other_table=None):
    """Assert that two models say the same, and not the same of all rows."""
    other_table = table if other_table is None else other_table
    expected = scores(one, table)
    np.testing.assert_array_equal(expected, scores(other, other_table))
    assert np.ptp(expected, axis=1).any()


# With the rest of scikit-learn


@each
def test_last_step_of_a_pipeline(estimator):
    pipeline = make_pipeline(StandardScaler(), estimator).set_output(transform="pandas")
    pipeline.fit(FRAME, Y)
    scaler = StandardScaler().set_output(transform="pandas").fit(FRAME)
    alone = clone(estimator).fit(scaler.transform(FRAME), Y)
    assert pipeline[-1].feature_names_in_.tolist() == NAMES
    same_model(alone, pipeline, scaler.transform(FRAME), FRAME)


@each
def test_grid_search(estimator):
    grid = GRIDS[by_name(estimator)]
    search = GridSearchCV(estimator, grid, cv=2, scoring="roc_auc", error_score="raise").fit(X, Y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    same_model(clone(estimator).set_params(**search.best_params_).fit(X, Y), search)


@each
@pytest.mark.parametrize("positive", ["a", "z"])
def test_calibration_and_thresholds(estimator, positive):
    """Whether the positive class comes first or last."""
    X, is_positive = rows(200)
    y = np.where(is_positive, positive, "n")
    calibrated = CalibratedClassifierCV(estimator, cv=2).fit(X, y)
    column = calibrated.classes_.tolist().index(positive)
    assert roc_auc_score(is_positive, calibrated.predict_proba(X)[:, column]) > 0.7
    tuned = TunedThresholdClassifierCV(estimator, scoring="balanced_accuracy", cv=2)
    if by_name(estimator) in BOXES:  # a threshold between two steps is in another place after refit
        tuned.set_params(response_method="decision_function")
    tuned.fit(X, y)
    assert balanced_accuracy_score(y, tuned.predict(X)) > 0.7


@pytest.mark.parametrize("estimator", WEIGHTED, ids=by_name)
def test_weights_are_routed(estimator):
    weight = np.random.default_rng(1).choice([0.0, 1.0, 8.0], size=len(Y))
    plain = clone(estimator).fit(X, Y)
    weighted = clone(estimator).fit(X, Y, sample_weight=weight)
    assert (scores(plain, X) != scores(weighted, X)).any()
    with config_context(enable_metadata_routing=True):
        asking = clone(estimator).set_fit_request(sample_weight=True)
        asking.set_score_request(sample_weight=True)
        scaler = StandardScaler(with_mean=False, with_std=False)
        pipeline = make_pipeline(scaler.set_fit_request(sample_weight=False), asking)
        same_model(weighted, clone(pipeline).fit(X, Y, sample_weight=weight))
        search = GridSearchCV(asking, GRIDS[by_name(estimator)], cv=2, error_score="raise")
        search.fit(X, Y, sample_weight=weight)
    chosen = clone(estimator).set_params(**search.best_params_)
    same_model(chosen.fit(X, Y, sample_weight=weight), search)


@each_option
def test_a_clone_learns_the_same(estimator):
    model = clone(estimator).fit(X, Y)
    same_model(model, clone(model).fit(X, Y))


def test_pickles_work_in_another_process(tmp_path):
    """Which knows the library, but nothing of this file."""
    models = [clone(estimator).fit(FRAME, Y) for estimator in CLASSIFIERS]
    predicted = [model.predict(FRAME) for model in models]
    codes = ChiMerge().fit(FRAME, Y)
    file = tmp_path / "models.pickle"
    file.write_bytes(pickle.dumps((FRAME, models, predicted, codes, codes.transform(FRAME))))
    script = """if True:
        import pathlib, pickle, sys
        X, models, predicted, codes, coded = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes())
        for model, expected in zip(models, predicted, strict=True):
            assert (model.predict(X) == expected).all(), model
        assert (codes.transform(X) == coded).all()
        print(len(models))
    """
    command = [sys.executable, "-c", script, file]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.stdout == f"{len(models)}\n", done.stderr


# Tables


def memmap(array, folder):
    joblib.dump(array, folder / "array.joblib")
    return joblib.load(folder / "array.joblib", mmap_mode="r")


FORMS = {
    "float32": lambda array, _: array.astype(np.float32),
    "whole numbers": lambda array, _: array.astype(np.int16),
    "Fortran order": lambda array, _: np.asfortranarray(array),
    "read-only memmap": memmap,
    "list": lambda array, _: array.tolist(),
    "nullable": lambda array, _: pd.DataFrame(
        {
            "height": pd.array(array[:, 0], dtype="Int64"),
            "width": pd.array(array[:, 1], dtype="Float64"),
            "depth": pd.array(array[:, 2], dtype="Int8"),
        }
    ),
    "polars": lambda array, _: polars().DataFrame(
        {"height": array[:, 0].astype(int), "width": array[:, 1], "depth": array[:, 2]}
    ),
}


@each
@pytest.mark.parametrize("form", FORMS)
def test_forms_of_a_table(estimator, form, tmp_path):
    table = FORMS[form](X, tmp_path)
    model = clone(estimator).fit(table, Y)
    same_model(clone(estimator).fit(X, Y), model, X, table)
    if hasattr(table, "columns"):
        assert model.feature_names_in_.tolist() == NAMES


KINDS = ["wide", "slim", "deep"]
COLOURS = {
    "text": lambda words: pd.Series(words, dtype=object),
    "string": lambda words: pd.Series(words, dtype="string"),
    "category": lambda words: pd.Series(words, dtype=pd.CategoricalDtype(sorted(KINDS))),
}


def with_words(words):
    """A table whose second column tells half of the positives."""
    return FRAME.assign(width=words, depth=pd.array(X[:, 2] > 0, dtype="boolean"))


WORDS = np.where(POSITIVE & (X[:, 2] > 0), "wide", np.where(X[:, 1] > 0, "slim", "deep"))


@pytest.mark.parametrize("estimator", WITH_CATEGORIES, ids=by_name)
@pytest.mark.parametrize("form", COLOURS)
def test_columns_of_text(estimator, form):
    known = with_words(COLOURS["text"](WORDS))
    table = with_words(COLOURS[form](WORDS))
    same_model(clone(estimator).fit(known, Y), clone(estimator).fit(table, Y), known, table)


@pytest.mark.parametrize("estimator", WITH_CATEGORIES, ids=by_name)
def test_columns_of_text_in_polars(estimator):
    pl = polars()
    known = with_words(COLOURS["text"](WORDS))
    table = pl.DataFrame({"height": X[:, 0], "width": WORDS, "depth": X[:, 2] > 0})
    model = clone(estimator).fit(table, Y)
    same_model(clone(estimator).fit(known, Y), model, known, table)
    coded = table.with_columns(pl.col("width").cast(pl.Categorical))
    same_model(model, clone(estimator).fit(coded, Y), table, coded)


@each
def test_errors_of_polars_tables(estimator):
    """The same as those of pandas, which name the column."""
    pl = polars()
    with pytest.raises(TypeError, match=r"give X.collect\(\)"):
        clone(estimator).fit(pl.LazyFrame({"height": X[:, 0]}), Y)
    days = pd.date_range("2020-01-01", periods=len(Y)).to_numpy()
    for make in (pd.DataFrame, pl.DataFrame):
        with pytest.raises(ValueError, match=r"olumn 'width'.*make numbers of dates|days since"):
            clone(estimator).fit(make({"height": X[:, 0], "width": days}), Y)


@each
def test_missing_values_of_nullable_columns(estimator):
    """As NaN: learned from, or an error that says so."""
    holes = FRAME.mask(np.arange(X.size).reshape(X.shape) % 7 == 0)
    tables = [holes, holes.convert_dtypes()]
    if not get_tags(estimator).input_tags.allow_nan:
        for table in tables:
            with pytest.raises(ValueError, match="NaN"):
                clone(estimator).fit(table, Y)
        return
    one, other = (clone(estimator).fit(table, Y) for table in tables)
    same_model(one, other, *tables)


@each_option
def test_sparse_tables(estimator):
    """The tag says whether they are taken; where not, the error says what to do."""
    assert not get_tags(estimator).input_tags.sparse
    with pytest.raises(TypeError, match=r"Use '\.toarray"):
        clone(estimator).fit(csr_matrix(X), Y)


@each
@pytest.mark.parametrize("form", ["pandas", "polars"])
def test_names_of_columns_are_checked(estimator, form):
    make = pd.DataFrame if form == "pandas" else polars().DataFrame
    columns = dict(zip(NAMES, X.T, strict=True))
    model = clone(estimator).fit(make(columns), Y)
    with pytest.raises(ValueError, match="same order"):
        model.predict(make(dict(reversed(columns.items()))))
    del columns["width"]
    with pytest.raises(ValueError, match="missing:\n- width"):
        model.predict(make(columns))


# Classes

# These predict by a threshold on their probabilities that is not 1/2, as documented.
OWN_THRESHOLD = {*BOXES, "PRIMClassifier", "CostThresholdClassifier", "RLSDClassifier"}

LABELS = {
    "text": lambda positive: np.where(positive, "yes", "no"),
    "object": lambda positive: np.where(positive, "yes", "no").astype(object),
    "bool": lambda positive: positive,
    "int": lambda positive: positive.astype(int),
    "signs": lambda positive: np.where(positive, 1, -1),
    "float": lambda positive: positive.astype(float),
    "list": lambda positive: positive.tolist(),
    "category": lambda positive: pd.Series(np.where(positive, "yes", "no"), dtype="category"),
    "string": lambda positive: pd.Series(np.where(positive, "yes", "no"), dtype="string"),
    "Int64": lambda positive: pd.Series(positive.astype(int), dtype="Int64"),
    "boolean": lambda positive: pd.Series(positive, dtype="boolean"),
    "Float64": lambda positive: pd.Series(positive.astype(float), dtype="Float64"),
    "polars": lambda positive: polars().Series("class", np.where(positive, "yes", "no")),
    "polars bool": lambda positive: polars().Series("class", positive),
}


@each
@pytest.mark.parametrize("kind", LABELS)
def test_kinds_of_labels(estimator, kind):
    y = LABELS[kind](POSITIVE)
    model = clone(estimator).fit(X, y)
    same_model(clone(estimator).fit(X, Y), model)
    assert isinstance(model.classes_, np.ndarray)
    labels = np.unique(np.asarray(y)) if kind != "category" else np.array(["no", "yes"])
    assert model.classes_.tolist() == labels.tolist()
    assert set(model.predict(X).tolist()) <= set(labels.tolist())
    assert 0 <= model.score(X, y) <= 1


@each_option
@pytest.mark.parametrize("positive", ["a", "z"])
def test_columns_signs_and_predictions_agree(estimator, positive):
    """Whether the positive class comes first or last, all that a model says means the same."""
    y = np.where(POSITIVE, positive, "n")
    options = {"pos_label": positive} if hasattr(estimator, "pos_label") else {}
    model = clone(estimator).set_params(**options).fit(X, y)
    predicted = model.predict(X)
    first, second = model.classes_.tolist()
    assert (first, second) == tuple(sorted({positive, "n"}))
    rank = np.where(y == second, 1, 0)
    if hasattr(model, "decision_function"):
        score = model.decision_function(X)
        np.testing.assert_array_equal(predicted, np.where(score > 0, second, first))
        assert roc_auc_score(rank, score) > 0.6
    if hasattr(model, "predict_proba"):
        proba = model.predict_proba(X)
        np.testing.assert_allclose(proba.sum(axis=1), 1)
        assert roc_auc_score(rank, proba[:, 1]) > 0.6
        if by_name(model) not in OWN_THRESHOLD:
            np.testing.assert_array_equal(predicted, model.classes_[proba.argmax(axis=1)])


# Transformers and samplers


@pytest.mark.parametrize("library", ["default", "pandas", "polars"])
def test_output_of_chimerge(library):
    if library == "polars":
        polars()
    codes = ChiMerge().set_output(transform=library).fit(FRAME, Y).transform(FRAME)
    np.testing.assert_array_equal(np.asarray(codes), ChiMerge().fit(X, Y).transform(X))
    assert library == "default" or list(codes.columns) == NAMES


@pytest.mark.parametrize("form", FORMS)
def test_chimerge_takes_forms_of_a_table(form, tmp_path):
    table = FORMS[form](X, tmp_path)
    codes = ChiMerge().fit(table, Y).transform(table)
    np.testing.assert_array_equal(codes, ChiMerge().fit(X, Y).transform(X))


@pytest.mark.parametrize("kind", LABELS)
def test_chimerge_takes_kinds_of_labels(kind):
    codes = ChiMerge().fit(X, LABELS[kind](POSITIVE)).transform(X)
    np.testing.assert_array_equal(codes, ChiMerge().fit(X, Y).transform(X))


def test_chimerge_before_a_classifier():
    pipeline = make_pipeline(ChiMerge(), DecisionTreeClassifier(max_depth=3))
    search = GridSearchCV(pipeline, {"chimerge__significance": [0.01, 0.5]}, error_score="raise")
    assert search.fit(FRAME, Y).best_score_ > 0.6
    with pytest.raises(ValueError, match="same order"):
        search.predict(FRAME[NAMES[::-1]])
    assert not get_tags(ChiMerge()).input_tags.sparse
    with pytest.raises(TypeError, match=r"Use '\.toarray"):
        ChiMerge().fit(csr_matrix(X), Y)


@each_sampler
def test_samplers_in_a_pipeline(sampler):
    pipeline = make_imblearn_pipeline(StandardScaler(), sampler, DecisionTreeClassifier())
    name = type(sampler).__name__.lower()
    levels = {"percentundersampler": 50, "percentsmote": 200}.get(name)
    grid = {"decisiontreeclassifier__max_depth": [1, 2]}
    if levels:
        grid[f"{name}__percent"] = [levels]
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(FRAME, Y)
    assert search.best_score_ > 0.5


@each_sampler
@pytest.mark.parametrize("form", FORMS)
def test_samplers_take_forms_of_a_table(sampler, form, tmp_path):
    known, classes = clone(sampler).fit_resample(X, Y)
    table, y = clone(sampler).fit_resample(FORMS[form](X, tmp_path), Y)
    assert len(y) != len(Y)
    np.testing.assert_allclose(np.asarray(table, dtype=float), known, rtol=1e-6)
    np.testing.assert_array_equal(y, classes)


@each_sampler
@pytest.mark.parametrize("kind", LABELS)
def test_samplers_take_kinds_of_labels(sampler, kind):
    known, classes = clone(sampler).fit_resample(X, Y)
    table, y = clone(sampler).fit_resample(X, LABELS[kind](POSITIVE))
    np.testing.assert_array_equal(table, known)
    np.testing.assert_array_equal(np.unique(y, return_inverse=True)[1], classes == "yes")


@each_sampler
def test_samplers_and_sparse_tables(sampler):
    if get_tags(sampler).input_tags.sparse:
        table, _ = clone(sampler).fit_resample(csr_matrix(X), Y)
        np.testing.assert_array_equal(table.toarray(), clone(sampler).fit_resample(X, Y)[0])
        return
    with pytest.raises(TypeError, match=r"Use '\.toarray"):
        clone(sampler).fit_resample(csr_matrix(X), Y)


@each_sampler
def test_samplers_can_be_pickled(sampler):
    again = pickle.loads(pickle.dumps(clone(sampler)))
    for one, other in zip(again.fit_resample(X, Y), sampler.fit_resample(X, Y), strict=True):
        np.testing.assert_array_equal(one, other)


# Models that are rules, boxes or trees, and what holds one of them

FORMS_OF_RULES = ["rules_frame", "to_query", "to_sql", "to_rules"]
RULES = [estimator for estimator in CLASSIFIERS if hasattr(estimator, "to_rules")]
each_of_rules = pytest.mark.parametrize("estimator", RULES, ids=str)
# These print what they have instead of rules.
OTHER_TEXTS = {"BoostingSVMClassifier"}


@each_option
def test_what_has_one_form_of_rules_has_all(estimator):
    model = clone(estimator).fit(FRAME, Y)
    assert len({hasattr(model, name) for name in FORMS_OF_RULES}) == 1
    assert [hasattr(estimator, name) for name in FORMS_OF_RULES] == [
        hasattr(model, name) for name in FORMS_OF_RULES
    ]
    votes = getattr(model, "n_estimators", 1) > 1 and hasattr(model, "sample_sizes_")
    has_text = hasattr(model, "to_rules") or by_name(model) in OTHER_TEXTS or votes
    assert hasattr(model, "to_text") == has_text


def test_which_have_rules():
    """The list that documentation gives."""
    assert set(map(by_name, RULES)) == {
        "C45Classifier", "CostProportionateClassifier", "CostThresholdClassifier",
        "ExactBoxesClassifier", "ExactBoxesClassifierCV", "FastBoxesClassifier",
        "FastBoxesClassifierCV", "HellingerTreeClassifier",
        "MetaCostClassifier", "PRIMClassifier", "RIPPERClassifier", "RLSDClassifier",
        "SamplingWrapperClassifier",
    }  # fmt: skip


@pytest.mark.parametrize(
    "wrapper",
    [MetaCostClassifier, CostProportionateClassifier, CostThresholdClassifier,
     SamplingWrapperClassifier],
)  # fmt: skip
def test_wrappers_have_rules_if_their_classifier_has(wrapper):
    for held in (GaussianNB(), make_pipeline(StandardScaler(), C45Classifier())):
        options = {"cv": 2} if wrapper is SamplingWrapperClassifier else {}
        model = wrapper(held, **options).fit(FRAME, Y)
        assert not any(hasattr(model, name) for name in FORMS_OF_RULES)
        assert shown(model) == ""
        with pytest.raises(AttributeError, match="to_sql"):
            model.to_sql()
    settings = {"n_estimators": 2, "random_state": 0}
    nested = wrapper(MetaCostClassifier(RLSDClassifier(), **settings), **options)
    nested = seeded(nested).fit(FRAME, Y)
    for frame in (FRAME, OTHER_FRAME):
        assert nested.to_rules().predict(frame).tolist() == nested.predict(frame).tolist()


OTHER_FRAME = pd.DataFrame(rows(seed=5)[0], columns=NAMES)


@each_of_rules
@pytest.mark.parametrize("positive", ["a", "z"])
def test_every_form_of_rules_predicts_as_the_model(estimator, positive):
    y = np.where(POSITIVE, positive, "n")
    model = clone(estimator).fit(FRAME, y)
    assert inspect.signature(model.to_text) == inspect.signature(C45Classifier().to_text)
    for table in (FRAME, OTHER_FRAME):
        predicted = model.predict(table)
        is_positive = predicted == positive
        assert model.to_rules().predict(table).tolist() == predicted.tolist()
        assert table.query(model.to_query()).index.tolist() == np.flatnonzero(is_positive).tolist()
        others = np.flatnonzero(~is_positive).tolist()
        assert table.query(model.to_query("n")).index.tolist() == others
        with duckdb.connect() as connection:
            connection.register("rows", table)
            found = connection.execute(f"SELECT {model.to_sql()} FROM rows").fetchall()
            chosen = connection.execute(
                f"SELECT count(*) FROM rows WHERE {model.to_sql()} = '{positive}'"
            ).fetchall()
        assert [label for (label,) in found] == predicted.tolist()
        assert chosen == [(is_positive.sum(),)]
        frame = model.rules_frame(table, np.where(is_positive, positive, "n"))
        assert list(frame) == [
            "conditions", "prediction", "support", "precision", "recall", "lift", "decided",
        ]  # fmt: skip
        assert frame["decided"].sum() == len(table)
        decided = frame[frame["prediction"] == positive]["decided"].sum()
        assert decided == is_positive.sum()
    np.testing.assert_array_equal(read_back(model.to_text(), FRAME), model.predict(FRAME))


def read_back(text, table):
    """The classes that a text says, by the parser that takes it."""
    for parse in (RuleSet.parse, parse_tree):
        try:
            return parse(text, NAMES).predict(table)
        except ValueError:
            pass
    positive = text.split(" ")[0].removesuffix(":")
    return np.where(BoxSet.parse(text, NAMES).covers(table), positive, "n")


@each_of_rules
def test_before_fit_and_with_unknown_labels(estimator):
    estimator = clone(estimator)
    for call in (
        estimator.to_text,
        estimator.to_query,
        estimator.to_sql,
        lambda: estimator.rules_frame(X, Y),
    ):
        with pytest.raises(NotFittedError):
            call()
    model = estimator.fit(FRAME, Y)
    with pytest.raises(ValueError, match=r"label='maybe' is not among the classes \['no', 'yes'\]"):
        model.to_query("maybe")
    if not get_tags(model).classifier_tags.multi_class:
        return
    y = np.where(POSITIVE, "yes", np.where(X[:, 2] > 0, "no", "other"))
    model = clone(estimator).set_params(**_no_ratio(estimator)).fit(FRAME, y)
    with pytest.raises(ValueError, match="Of the 3 classes none is the positive one"):
        model.to_query()
    for label in ("no", "other", "yes"):
        rows_of_label = np.flatnonzero(model.predict(FRAME) == label).tolist()
        assert FRAME.query(model.to_query(label)).index.tolist() == rows_of_label


def _no_ratio(estimator):
    """A ratio of costs is for two classes."""
    return {"costs": None} if isinstance(estimator, MetaCostClassifier) else {}


class Cells(HTMLParser):
    """The texts in the cells of tables, row by row, and the names of all tags."""

    def __init__(self, html):
        super().__init__()
        self.rows, self.tags, self._in_cell = [], [], False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        self._in_cell = tag in ("td", "th")
        if self._in_cell:
            self.rows[-1].append("")

    def handle_data(self, data):
        if self._in_cell:
            self.rows[-1][-1] += data

    def handle_endtag(self, tag):
        self._in_cell = False


def shown(model):
    """What notebooks add to scikit-learn's diagram: the same in both of its ways."""
    bundle = model._repr_mimebundle_()
    assert bundle["text/plain"] == repr(model)
    ways = [model._repr_html_(), bundle["text/html"]]
    diagrams = [way.removesuffix(model._model_html()) for way in ways]
    # Each diagram has a number of its own.
    kinds = {re.sub(r"sk-container-id-\d+|sk-estimator-id-\d+", "", html) for html in diagrams}
    assert len(kinds) == 1 and "sk-top-container" in kinds.pop()
    return model._model_html()


@each_of_rules
def test_notebooks_show_the_model(estimator):
    """Below scikit-learn's diagram, where that is shown; names and labels as they are written."""
    estimator = clone(estimator)
    assert shown(estimator) == ""
    names = ["<script>alert(1)</script>", "a & b", 'say "x"']
    table = FRAME.set_axis(names, axis=1)
    y = np.where(POSITIVE, "<b>", "</td>")
    model = estimator.fit(table, y)
    html = shown(model)
    cells = Cells(html)
    assert set(cells.tags) <= {"p", "table", "thead", "tbody", "tr", "th", "td"}
    head, *body, last = cells.rows
    rules = model.to_rules()
    assert head[:3] == ["", "prediction", "conditions"]
    if len(rules) <= 30:
        assert [row[2] for row in body] == [rule.conditions_text() for rule in rules]
        assert [row[1] for row in body] == [rule.prediction for rule in rules]
    assert last[1] == rules.default.prediction
    if by_name(model) == "RLSDClassifier" and len(rules):
        frame = model.rules_frame(table, y)[:-1]
        assert head[3:] == ["support", "precision", "recall"]
        numbers = np.array([row[3:] for row in body], dtype=float)
        np.testing.assert_allclose(numbers, frame[head[3:]], rtol=1e-2)
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert set(model._repr_mimebundle_()) == {"text/plain"}


def test_notebooks_show_long_models_in_part():
    rng = np.random.default_rng(0)
    model = HellingerTreeClassifier(min_samples_leaf=1).fit(
        rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    )
    _, *body, last = Cells(shown(model)).rows
    n_more = model.get_n_leaves() - 30
    assert n_more > 10 and len(body) == 31 and last[2] == "otherwise"
    assert body[-1][2] == f"... {n_more} more, see to_text()"
