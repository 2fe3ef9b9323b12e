"""What Boosting-SVM's paper leaves open: the rows by level, and the rules on them."""

import numpy as np
import pytest
from boosting_svm_worlds import EXPERIMENTS, world_of
from sklearn.svm import SVC
from test_boosting_svm_protocol import toy_fold

from minority_reports.experiments import with_random_state
from minority_reports.papers.boosting_svm import PAPER, protocol, readings_protocol, tables
from minority_reports.report import under_reading
from minority_reports.report.readings import check

BOOSTED = EXPERIMENTS["readings"]


def rows_of(name, experiment=BOOSTED):
    return experiment.methods[name].run(toy_fold(experiment))


def test_readings_fit_the_experiments():
    assert check(PAPER) is PAPER.readings
    assert len(PAPER.readings.combinations) == 5 * 3 * 2 * 5 * 3 * 2 - 1 + 1 + 100


def test_the_rivals_that_boost_are_those_on_machines_with_costs():
    claimed = world_of("claimed")
    read = tables.scores(under_reading(PAPER, claimed, {"boosted": "with costs"})["main"])
    was = tables.scores(claimed["main"], columns=tables.COLUMNS | tables.FURTHER_COLUMNS)
    for rival in ("I", "II", "IV"):
        assert (read[rival] == was[f"{rival}, asymmetric"]).all()
        assert (read[rival] != was[rival]).all()
    others = [name for name in tables.COLUMNS if name not in ("I", "II", "IV")]
    assert read[others].equals(was[others])


def test_methods_that_train_on_as_many_rows_are_those_of_the_other_setting():
    claimed = world_of("claimed")
    read, was = (
        tables.scores(results["main"], setting=setting)
        for results, setting in (
            (under_reading(PAPER, claimed, {"share": "70%"}), protocol.SHARES[0]),
            (claimed, protocol.SHARES[1]),
        )
    )
    assert read.equals(was)


def test_without_levels_the_rows_are_those_of_the_main_table():
    (row, _) = protocol.B_SVM.run(toy_fold()).values()
    assert rows_of("b-svm")["all"] == row


def test_a_fixed_step_has_the_rows_of_that_step():
    rows = rows_of("b-svm")
    steps = protocol.STEP_METHODS["b-svm"].run(toy_fold(protocol.DIFFERENT_STEPS))
    for delta in ("0.1", "0.2", "0.5", "1"):
        step = steps[f"delta={delta}"]
        assert rows[f"all:delta={delta}"]["g_mean"] == step["g_mean"]
        assert rows[f"all:delta={delta},round=last"]["g_mean"] == step["last_g_mean"]
        assert rows[f"all:delta={delta},round=last"]["n_rounds"] == step["n_all_rounds"]


@pytest.mark.parametrize("name", ["b-svm", "b-svm:C=0.1,scaling=minmax,weights=grown"])
def test_no_round_is_better_than_that_which_the_test_fold_chooses(name):
    rows = rows_of(name)
    for setting, row in rows.items():
        if "round" not in setting:
            best = rows[with_round(setting, "test")]["g_mean"]
            assert best >= row["g_mean"]
            if "delta" in setting:  # else validation may take another one with the last round
                assert best >= rows[with_round(setting, "last")]["g_mean"]
    assert any(rows[with_round(s, "test")] != rows[s] for s in rows if "round" not in s)


def with_round(setting, ends):
    return f"{setting}{',' if ':' in setting else ':'}round={ends}"


def test_the_component_is_that_of_the_main_table():
    rows = readings_protocol.ComponentVariant()(toy_fold(EXPERIMENTS["readings-component"]))
    alone = protocol.RIVALS["asymmetric"].run(toy_fold())
    for setting in protocol.SHARES:
        assert rows[setting]["g_mean"] == pytest.approx(alone[setting]["g_mean"], abs=0.02)
    assert rows["all:share=70%"] == rows[protocol.SHARES[1]] != rows[protocol.SHARES[0]]


@pytest.mark.parametrize("scaling", ["none", "minmax"])
@pytest.mark.parametrize("C", ["0.1", "SVMlight"])
def test_scaled_machines_are_the_usual_ones_on_the_features_themselves(scaling, C):
    fold = toy_fold()
    model, parts = readings_protocol.ComponentVariant(C, scaling).fit(
        fold, None, n_estimators=1, delta=1, validation_fraction=None, tol=1e-6
    )
    raw = protocol.parts_of(fold, None, readings_protocol.SCALERS[scaling])
    if scaling == "none":
        assert raw.X.std(axis=0).max() > 20
    price = 1 / (raw.X**2).sum(axis=1).mean() if C == "SVMlight" else float(C)
    usual = SVC(kernel="linear", C=price, class_weight="balanced", tol=1e-6).fit(raw.X, raw.y)
    ours, theirs = model.estimators_[0].decision_function(parts.X), usual.decision_function(raw.X)
    # but for the penalty on the intercept, which standardised features have, too
    assert np.abs(ours - theirs).max() < 0.1 * np.abs(theirs).max()


def test_grown_weights_are_the_prices_themselves():
    X, y = np.random.default_rng(0).normal(size=(80, 3)), np.arange(80) % 4 == 0
    prices = []

    class Watched(readings_protocol.GrownWeights):
        def _scaled(self, weight):
            prices.append(super()._scaled(weight))
            return prices[-1]

    model = Watched(**protocol.boosting_svm(delta=0.5, validation_fraction=None).get_params())
    model = with_random_state(model, 0).fit(X, y.astype(int))
    assert len(prices) > 1
    assert prices[0] == pytest.approx(np.where(y, 2, 2 / 3))
    wrong = model.estimators_[0].predict(X) != y
    assert 0 < wrong.sum() < len(y)
    assert prices[1] == pytest.approx(prices[0] * np.where(wrong, np.exp(model.alphas_[0]), 1))
